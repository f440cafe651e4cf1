"""Token estimates for any script: what a text costs in a model's window, without that model's tokeniser.

The rates were fitted to counts by the public cl100k and o200k byte-pair tables over sentences in 26 languages, code and data.
The two agree on English and code; elsewhere the older table needs up to six times as many tokens, and the rates follow it: a
window that is not quite full costs less than one that overflows.
"""

import re
from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

from cued.text import scripts
from cued.text.languages import CODE, ENGLISH, unlike_english
from cued.text.patterns import pattern
from cued.text.remembered import Remembered

_DIGITS_PER_TOKEN = 3
_MARKS_PER_TOKEN = 2
_CACHED_WORD = 32
_CACHED_LINE = 4000
# Tokens a character, by script. What no class names is counted by its bytes.
_RATES: Final = {
    "cyrillic": (r"\u0400-\u052f", 0.65),
    "greek": (r"\u0370-\u03ff", 1.03),
    "arabic": (r"\u0600-\u06ff\u200c\u200d", 0.82),
    "hebrew": (r"\u0590-\u05ff", 1.17),
    "indic": (r"\u0900-\u0dff", 1.5),
    "han": (scripts.HAN, 1.5),
    "kana": (scripts.HIRAGANA + scripts.KATAKANA, 1.0),
    "hangul": (scripts.HANGUL, 1.4),
    "thai": (scripts.THAI, 0.93),
    "khmer": (scripts.KHMER, 1.7),
    "myanmar": (scripts.MYANMAR, 2.1),
    "georgian": (r"\u10a0-\u10ff", 2.2),
    "wide_marks": (r"\u3000-\u3004\u3008-\u303f\uff00-\uff65", 1.0),
    "emoji": (r"\u2600-\u27bf\ufe0f\U0001f000-\U0001faff", 2.8),
    "two_bytes": (r"\u0530-\u07ff", 2.1),
    "three_bytes": (r"\u0800-\u1dff\u2c00-\u2fdf\u3100-\ud7ff\ue000-\ufdff", 3.0),
}
_LATIN: Final = r"A-Za-z\u00aa-\u024f\u0300-\u036f\u1e00-\u1eff"
_PIECE = pattern(
    rf"(?P<word>[A-Z]?[a-z{_LATIN[6:]}]+|[A-Z]+(?![a-z]))|(?P<digits>[ ]?[0-9]+)|(?P<gap>[^\S\n]{{2,}})|(?P<space>[^\S\n ])"
    + "".join(f"|(?P<{name}>[{characters}]+)" for name, (characters, _) in _RATES.items())
    + r"|(?P<joint>[!-/:-@\[-`{-~](?=[A-Za-z]))|(?P<marks>[!-/:-@\[-`{-~]+)|(?P<other>[^ ])",
    re.DOTALL,
)
_LATIN_WORD = pattern(rf"[{_LATIN}]+")


def estimate_tokens(text: str) -> int:
    """The estimated number of tokens of a text, 0 for the empty one.

    Each line is estimated by itself and its end costs one, so a + newline + b never costs more than a, b and one together.
    """
    lines = [line for line in text.split("\n") if line]
    tokens = sum(_known_line(line) if len(line) <= _CACHED_LINE else _line_tokens(line) for line in lines) + min(
        text.count("\n"), len(lines) + 1
    )
    return max(tokens, 1 if text else 0)


def most_tokens(text: str) -> int:
    """What a text's estimate never exceeds, told by its length alone: a character costs at most a token, or four beyond ASCII."""
    return len(text) + 1 if text.isascii() else 4 * len(text) + 1


@lru_cache(maxsize=1 << 13)
def least_tokens(text: str) -> int:
    """What the estimate of a line with this text in it never falls below, told by its words: each costs a token, or half beyond ASCII."""
    words = len(text.split())
    return words if text.isascii() else words // 2


@lru_cache(maxsize=1 << 12)
def _known_line(line: str) -> int:
    """The tokens of a line as `_line_tokens` counts them, remembered: the same memories come back recall after recall."""
    return _line_tokens(line)


class _Costs(NamedTuple):
    """What a piece of a line costs, in hundredths of a token: all that is no Latin word, and the Latin words, as English and as others.

    With them what tells English from the rest: the number of Latin words, of English function words among them, of signs of code;
    and whether the piece begins with a digit, for to a number belongs the space before it.
    """

    plain: int
    english: int
    other: int
    words: int
    function_words: int
    code: int
    number: int


# Wide enough for the costs of any text that fits into memory: sums never run over into the next part.
_PART_BITS = 48
_PART = (1 << _PART_BITS) - 1


def _packed(costs: _Costs) -> int:
    """Costs as one number, so that those of many pieces are added up at once."""
    packed = 0
    for part in reversed(costs):
        packed = packed << _PART_BITS | part
    return packed


_KNOWN = Remembered(lambda piece: _packed(_costs(piece)), most=1 << 17, longest=_CACHED_WORD)
"""What short pieces cost, packed into one number each."""


def _unpacked(packed: int) -> _Costs:
    return _Costs._make(packed >> _PART_BITS * place & _PART for place in range(len(_Costs._fields)))


def _line_tokens(line: str) -> int:
    """The estimated number of tokens of one line; a single space between words costs nothing and is passed over."""
    words = line.split(" ")
    if words != line.split():
        costs = _costs(line)
    else:
        costs = _unpacked(sum(map(_KNOWN.__getitem__, words)))
        costs = costs._replace(plain=costs.plain + _WHOLE * (costs.number - (line[:1] in _NUMERALS)))
    foreign = _foreignness(costs)
    return ceil((costs.plain + costs.english + foreign * (costs.other - costs.english)) / _WHOLE - _ROUNDING)


def _costs(line: str) -> _Costs:
    if line.isascii() and line.isalpha() and (line.islower() or line.istitle()) and len(line) <= _CACHED_WORD:
        # A word and nothing else, as most pieces are.
        as_english, as_other = _word_tokens(line)
        return _Costs(0, round(_WHOLE * as_english), round(_WHOLE * as_other), 1, line.lower() in ENGLISH, code=0, number=0)
    plain = english = other = 0.0
    for match in _PIECE.finditer(line):
        kind, piece = match.lastgroup or "other", match[0]
        if kind == "word":
            as_english, as_other = _word_tokens(piece) if len(piece) <= _CACHED_WORD else _long_word_tokens(piece)
            english += as_english
            other += as_other
        elif kind in _RATES:
            plain += len(piece) * _RATES[kind][1]
        else:
            plain += _mark_tokens(kind, piece)
    words = _LATIN_WORD.findall(line)
    function_words = sum(word.lower() in ENGLISH for word in words)
    plain, english, other = round(_WHOLE * plain), round(_WHOLE * english), round(_WHOLE * other)
    return _Costs(plain, english, other, len(words), function_words, CODE.search(line) is not None, line[:1] in _NUMERALS)


def _foreignness(costs: _Costs) -> float:
    """How little a line looks like English or code, from 0 to 1, by its share of English function words."""
    return 0.0 if not costs.words or costs.code else unlike_english(costs.function_words / costs.words)


_NUMERALS: Final = frozenset("0123456789")
_ROUNDING: Final = 1e-9
# Every rate has two decimals, so costs are whole hundredths and add up to the same in any order.
_WHOLE: Final = 100


def _mark_tokens(kind: str, piece: str) -> float:
    """The tokens of digits, white space and punctuation; the space before a number is a token of its own."""
    if kind == "digits":
        number = piece.lstrip(" ")
        return ceil(len(number) / _DIGITS_PER_TOKEN) + len(piece) - len(number)
    if kind == "joint":
        return _JOINT_TOKENS
    if kind == "marks":
        return 1 if len(set(piece)) == 1 and len(piece) <= _SAME_MARKS else ceil(len(piece) / _MARKS_PER_TOKEN)
    return 1 if kind in {"gap", "space"} else len(piece.encode("utf-8", "replace"))


_SAME_MARKS = 4
# A mark right before a letter often is one token with the word: "/src", ".com", "_SSL".
_JOINT_TOKENS = 0.6


@lru_cache(maxsize=1 << 14)
def _word_tokens(word: str) -> tuple[float, float]:
    """The tokens of a Latin word, as an English word and as any other."""
    size = len(word)
    if not word.isascii():
        tokens = max(1.0, 0.35 * size) + sum(0.5 if letter <= "\u00ff" else 1.4 for letter in word if not letter.isascii())
        return tokens, tokens
    if word.isupper():
        return max(1.0, 0.35 * size), max(1.0, 0.35 * size)
    if sum(letter in "aeiouyAEIOUY" for letter in word) * 5 < size - 2:
        # Hardly a vowel: no word, and no token of the tables either.
        return 0.7 * size, 0.7 * size
    return 1.0 + max(0.0, 0.12 * (size - 8)), max(1.0, 0.26 * size + 0.32 * max(0, size - 6))


def _long_word_tokens(word: str) -> tuple[float, float]:
    """The tokens of a run of letters that is no word: a key, a hash, a sequence."""
    tokens = 0.65 * len(word)
    return tokens, tokens
