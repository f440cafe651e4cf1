"""Writing systems: which characters write without spaces, which marks carry no meaning, and the fold that drops those."""

import re
import unicodedata
from typing import Final

from cued.text.patterns import pattern
from cued.text.remembered import Remembered

HAN: Final = r"\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA: Final = r"\u3041-\u309f"
KATAKANA: Final = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = r"\u1100-\u11ff\u3131-\u318f\uac00-\ud7af"
THAI: Final = r"\u0e01-\u0e3a\u0e40-\u0e4e"
LAO: Final = r"\u0e81-\u0eae\u0eb0-\u0ecd\u0edc-\u0edf"
KHMER: Final = r"\u1780-\u17d3\u17dc\u17dd"
MYANMAR: Final = r"\u1000-\u103f\u1050-\u109d\uaa60-\uaa7f"
# Letters that hardly another language has, and a pattern of what Vietnamese without them shares with few: letters, or "hôm" and "tháng",
# of which the rare letter comes first, so that the engine looks for one and tries nowhere else.
VIETNAMESE: Final = r"\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9"
MAYBE_VIETNAMESE: Final = (
    rf"[{VIETNAMESE}\u0102\u0103\u0110\u0111\u0128\u0129\u0168\u0169\u031b\u0323ôá](?:(?<![ôá])|(?<=\b[Hh]ô)m\b|(?<=\b[Tt]há)ng\b)"
)
EMOJI: Final = r"\u231a\u231b\u23e9-\u23f3\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
FLAG: Final = r"[\U0001f1e6-\U0001f1ff]{2}"
UNSPACED: Final = HAN + HIRAGANA + KATAKANA + HANGUL + THAI + LAO + KHMER + MYANMAR
# Vowel signs and the like are no word characters to `re`, yet a word of these scripts does not end at one.
MARKS: Final = r"\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0f71-\u0fbc"

# Formatting, variation selectors and skin tones leave a word or an emoji what it is; a lone surrogate is no character at all.
_INVISIBLE = pattern(
    r"[\ud800-\udfff\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]"
)
# Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs and the Arabic stretching stroke.
_ACCENTS = pattern(r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_NOT_ASCII = pattern(r"[^\x00-\x7f]+")
_FOREIGN_DIGIT = pattern(r"(?![0-9])\d")
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
    | {"ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"}
)


def fold(text: str) -> str:
    """The text in compatibility form without accents, invisible characters and foreign digits; case stays."""
    # What is ASCII stays, and changes nothing that stands beside it: the accents that it takes are dropped with or without it.
    return text if text.isascii() else _NOT_ASCII.sub(_folded_run, text)


def _folded_run(match: re.Match[str]) -> str:
    return _FOLDED[match[0]]


def _fold(run: str) -> str:
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", run)).translate(_UNDECOMPOSED)
    bare = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", visible)))
    return _FOREIGN_DIGIT.sub(_ascii_digit, bare)


_FOLDED = Remembered(_fold, most=1 << 14)


def _ascii_digit(match: re.Match[str]) -> str:
    """The ASCII digit for a decimal digit of another script."""
    return str(unicodedata.decimal(match[0]))
