"""Token estimates for any script: what a text costs in a model's window, without that model's tokeniser.

The rates were fitted to counts by the public cl100k and o200k byte-pair tables over sentences in 26 languages, code and data.
The two agree on English and code; elsewhere the older table needs up to six times as many tokens, and the rates follow it: a
window that is not quite full costs less than one that overflows.
"""

import re
from functools import lru_cache
from math import ceil
from string import ascii_letters, digits
from typing import Final

from cued.text import scripts
from cued.text.languages import CODE, ENGLISH, unlike_english
from cued.text.patterns import pattern
from cued.text.remembered import Remembered

_DIGITS_PER_TOKEN = 3
_MARKS_PER_TOKEN = 2
_CACHED_WORD = 32
_CACHED_LINE = 4000
# Costs are whole hundredths of a token, as the rates are, and add up to the same in any order.
_WHOLE: Final = 100
# Hundredths of a token a character, by script. What no class names is counted by its bytes.
_RATES: Final = {
    "cyrillic": (r"\u0400-\u052f", 65),
    "greek": (r"\u0370-\u03ff", 103),
    "arabic": (r"\u0600-\u06ff\u200c\u200d", 82),
    "hebrew": (r"\u0590-\u05ff", 117),
    "indic": (r"\u0900-\u0dff", 150),
    "han": (scripts.HAN, 150),
    "kana": (scripts.HIRAGANA + scripts.KATAKANA, 100),
    "hangul": (scripts.HANGUL, 140),
    "thai": (scripts.THAI, 93),
    "khmer": (scripts.KHMER, 170),
    "myanmar": (scripts.MYANMAR, 210),
    "georgian": (r"\u10a0-\u10ff", 220),
    "wide_marks": (r"\u3000-\u3004\u3008-\u303f\uff00-\uff65", 100),
    "emoji": (r"\u2600-\u27bf\ufe0f\U0001f000-\U0001faff", 280),
    "two_bytes": (r"\u0530-\u07ff", 210),
    "three_bytes": (r"\u0800-\u1dff\u2c00-\u2fdf\u3100-\ud7ff\ue000-\ufdff", 300),
}
_LATIN: Final = r"A-Za-z\u00aa-\u024f\u0300-\u036f\u1e00-\u1eff"
_WORDS: Final = r"(?P<word>[A-Z]?[a-z{}]+|[A-Z]+(?![a-z]))"
_BETWEEN: Final = r"|(?P<digits>[ ]?[0-9]+)|(?P<gap>[^\S\n]{2,})|(?P<space>[^\S\n ])"
_SCRIPTS: Final = "".join(f"|(?P<{name}>[{characters}]+)" for name, (characters, _) in _RATES.items())
_MARKS: Final = r"|(?P<joint>[!-/:-@\[-`{-~](?=[A-Za-z]))|(?P<marks>[!-/:-@\[-`{-~]+)|(?P<other>[^ ])"
_PIECE = pattern(_WORDS.format(_LATIN[6:]) + _BETWEEN + _SCRIPTS + _MARKS, re.DOTALL)
_ASCII_PIECE = pattern(_WORDS.format("") + _BETWEEN + _MARKS, re.DOTALL)
"""The same for a text in ASCII: it is compiled in a twentieth of the time, and many a process needs no other."""
_LATIN_WORD = pattern(rf"[{_LATIN}]+")
# Before a number a gap stands for the space that belongs to it.
_GAP = pattern("(?<! )  ++(?![0-9])")


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
    """An upper bound of the estimate, by the text's length alone: a character costs at most one token, or four beyond ASCII."""
    return len(text) + 1 if text.isascii() else 4 * len(text) + 1


@lru_cache(maxsize=1 << 13)
def least_tokens(text: str) -> int:
    """A lower bound of the estimate for a line with this text in it: each word costs a token, or half of one beyond ASCII."""
    if not text.isascii():
        return len(text.split()) // 2
    # Words are counted by the blanks before them, which takes half the time of setting them apart.
    return f" {text}".encode().translate(_BLANKS).count(b" x")


_BLANKS: Final = bytes(ord(" ") if chr(code).isspace() else ord("x") for code in range(256))
"""Maps each kind of white space to a space, and everything else to a letter."""


@lru_cache(maxsize=1 << 12)
def _known_line(line: str) -> int:
    """The result of `_line_tokens`, cached, because the same memories come back in recall after recall."""
    return _line_tokens(line)


_NUMERALS: Final = frozenset("0123456789")
# A run of letters that is no word: a key, a hash, a sequence.
_LETTER_OF_A_KEY = 65
_ROUNDING: Final = 1e-9
# Wide enough for the costs of any text that fits into memory: sums never run over into the next part.
_PARTS, _PART_BITS = 4, 48
_PART = (1 << _PART_BITS) - 1


def _line_tokens(line: str) -> int:
    """The estimated number of tokens of one line; a single space between words costs nothing and is passed over."""
    packed = _costs_by_words(line) if line.isprintable() or line.split(" ") == line.split() else _costs(line)
    english, more, words, code = (packed >> _PART_BITS * place & _PART for place in range(_PARTS))
    # How little the line looks like English or code, from 0 to 1, by its share of English function words.
    foreign = 0.0 if not words or code else unlike_english(_function_words(line) / words)
    no_space = _WHOLE * (line[:1] in _NUMERALS)
    return ceil((english - no_space + foreign * more) / _WHOLE - _ROUNDING)


def _costs_by_words(line: str) -> int:
    """The result of `_costs` for a line whose only white space is spaces: its words cost the same alone as in the line."""
    shaped = line.encode("utf-8", "surrogatepass").translate(_SHAPES).decode("utf-8", "surrogatepass")
    costs = sum(map(_KNOWN.__getitem__, shaped.split(" ")))
    return costs + _WHOLE * len(_GAP.findall(line)) if "  " in line else costs


_SHAPES: Final = bytes.maketrans((ascii_letters + digits).encode(), b"uqqquqqquqqqqquqqqqquqqquqUQQQUQQQUQQQQQUQQQQQUQQQUQ0000000000")
"""Maps each vowel, other letter and digit to one of its kind: words of one shape cost the same, and there are few shapes."""


def _function_words(line: str) -> int:
    """How many of a line's Latin words are English function words."""
    words = line.translate(_LOWERED).split() if line.isascii() else map(str.lower, _LATIN_WORD.findall(line))
    return sum(map(ENGLISH.__contains__, words))


_LOWERED: Final = {code: chr(code).lower() if chr(code).isalpha() else " " for code in range(128)}
"""Small letters, and blanks between them."""


def _costs(piece: str) -> int:
    """The costs of a piece of a line, packed into one number, so that the costs of many are added in one sum.

    The parts of that, from the last bits on: the cost in hundredths of a token with Latin words as English ones, what these cost more as
    others, and what tells English from the rest: the number of Latin words, and of signs of code.
    """
    # To a number belongs the space before it.
    english, more = _WHOLE * (piece[:1] in _NUMERALS), 0
    for match in (_ASCII_PIECE if piece.isascii() else _PIECE).finditer(piece):
        kind, part = match.lastgroup or "other", match[0]
        if kind == "word":
            as_english, beyond = _word_costs(part) if len(part) <= _CACHED_WORD else (_LETTER_OF_A_KEY * len(part), 0)
            english += as_english
            more += beyond
        else:
            english += len(part) * _RATES[kind][1] if kind in _RATES else _mark_costs(kind, part)
    words, code = len(_LATIN_WORD.findall(piece)), CODE.search(piece) is not None
    return english | more << _PART_BITS | words << 2 * _PART_BITS | code << 3 * _PART_BITS


_KNOWN = Remembered(_costs, most=1 << 17, longest=_CACHED_WORD)
"""The costs of short pieces."""


def _mark_costs(kind: str, piece: str) -> int:
    """The cost of digits, white space and punctuation; the space before a number is a token of its own."""
    if kind == "digits":
        number = piece.lstrip(" ")
        return _WHOLE * (ceil(len(number) / _DIGITS_PER_TOKEN) + len(piece) - len(number))
    if kind == "joint":
        return _JOINT
    if kind == "marks":
        return _WHOLE * (1 if len(set(piece)) == 1 and len(piece) <= _SAME_MARKS else ceil(len(piece) / _MARKS_PER_TOKEN))
    return _WHOLE * (1 if kind in {"gap", "space"} else len(piece.encode("utf-8", "replace")))


_SAME_MARKS = 4
# A mark right before a letter often is one token with the word: "/src", ".com", "_SSL".
_JOINT = 60


@lru_cache(maxsize=1 << 14)
def _word_costs(word: str) -> tuple[int, int]:
    """The cost of a Latin word as an English word, and how much more it costs as another."""
    size = len(word)
    if not word.isascii():
        return max(_WHOLE, 35 * size) + sum(50 if letter <= "\u00ff" else 140 for letter in word if not letter.isascii()), 0
    if word.isupper():
        return max(_WHOLE, 35 * size), 0
    if (size - len(word.encode().translate(None, _VOWELS))) * 5 < size - 2:
        # Hardly a vowel: no word, and no token of the tables either.
        return 70 * size, 0
    english = _WHOLE + 12 * max(0, size - 8)
    return english, max(_WHOLE, 26 * size + 32 * max(0, size - 6)) - english


_VOWELS: Final = b"aeiouyAEIOUY"
