"""Passages: a text split into sentences, and one shortened where a reader would pause; in any script."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil
from typing import Final

from cued.text import scripts
from cued.text.patterns import pattern

Span = tuple[int, int]

MAX_SENTENCE = 240
MAX_SENTENCES = 400
_END = pattern(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]{0,3}(?=\s{1,9}[^a-z\s]|\s*+\Z)"
    r"|[。！？｡।॥۔؟።။៕។]+[」』”’）]{0,3}"
    r"|[\r\n\x0b\x0c\x85\u2028\u2029]+"
)
_ENDINGS: Final = ((". ", ".\n", "! ", "? ", "\n\n", "\n-", "\n*", "\n#", "。", "！", "？", "।", "؟", "۔"), ("\n",))
"""How a sentence or an item of a list ends, and, where there is nothing of that, a line."""
_ABBREVIATION = pattern(r"(?:^|[^\w.])(?:[^\W\d_]|dr|mr|mrs|ms|prof|st|vs|no|nr|approx)\Z", re.IGNORECASE)
_CLAUSE_END = pattern(r"[,;:](?=\s)|[，；：、،؛]|\s[–—-](?=\s)|[)\]](?=\s)")
_WORD_END = pattern(rf"(?<=\S)(?=\s)|(?<=[{scripts.UNSPACED}])(?!\Z)")
_TRAILING: Final = " \t,;:，；：、،؛-–—"
_LOOK_BACK = 8
EXCERPT_SIZE: Final = 500
"""An excerpt has about so many bytes of UTF-8 at most: some sentences of English, and as many of Chinese, whose characters have three."""
MOST_EXCERPTS: Final = 64
"""A text has no more excerpts than so many, and longer ones where it is very long."""
_SHORT: Final = 650
"""One vector says what is in a text of no more."""
_REACH: Final = 0.3
"""A part may be longer or shorter by so much of its size, to end where a sentence does."""


def sentences(text: str) -> list[Span]:
    """The stretches of a text that are its sentences, at most 400 of at most 240 characters; a longer one is cut at a pause."""
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match[0][0] == "." and _ABBREVIATION.search(text[max(start, match.start() - _LOOK_BACK) : match.start()]):
            continue
        spans += _parts(text, start, match.end())
        start = match.end()
        if len(spans) >= MAX_SENTENCES:
            return spans[:MAX_SENTENCES]
    return (spans + _parts(text, start, len(text)))[:MAX_SENTENCES]


def excerpts(text: str) -> list[str]:
    """The text in parts of about the same size, none for a text that is short."""
    size = len(text.encode("utf-8", "replace"))
    if size <= _SHORT:
        return []
    count = min(ceil(size / EXCERPT_SIZE), MOST_EXCERPTS)
    each = len(text) / count
    cuts = [_pause_near(text, int(each * number), int(each * _REACH)) for number in range(1, count)]
    parts = [part for start, end in pairwise([0, *cuts, len(text)]) if (part := text[start:end].strip())]
    return parts if len(parts) > 1 else []


def shorten(text: str, fits: Callable[[str], bool]) -> str:
    """The text if it fits, else its beginning, cut after a clause or else a word, with "…"; "" if not one character fits."""
    if fits(text):
        return text
    clause = _longest(text, [match.end() for match in _CLAUSE_END.finditer(text)], fits)
    word = _longest(text, _word_ends(text), fits)
    kept = clause if 2 * len(clause) >= len(word) else word
    return kept or _longest(text, range(1, len(text)), fits)


def _parts(text: str, start: int, end: int) -> list[Span]:
    """A sentence without the space around it, in pieces if it is too long; none if it is nothing but space."""
    parts: list[Span] = []
    while (span := _trimmed(text, start, end)) is not None and len(parts) < MAX_SENTENCES:
        stop = span[1] if span[1] - span[0] <= MAX_SENTENCE else _pause(text, span[0])
        parts.append((span[0], stop))
        start = stop
    return parts


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    kept = piece.strip()
    if not kept:
        return None
    first = start + len(piece) - len(piece.lstrip())
    return first, first + len(kept)


def _pause(text: str, start: int) -> int:
    """Where to cut a sentence that is too long: after its last clause, word or character that is within bounds."""
    piece = text[start : start + MAX_SENTENCE]
    clauses = [match.end() for match in _CLAUSE_END.finditer(piece)]
    words = _word_ends(piece)
    if clauses and clauses[-1] * 2 >= MAX_SENTENCE:
        return start + clauses[-1]
    return start + (words[-1] if words else MAX_SENTENCE)


def _word_ends(text: str) -> list[int]:
    """Where words end; in a script without spaces after each character, but never before a mark that belongs to it."""
    ends = (match.end() for match in _WORD_END.finditer(text))
    return [end for end in ends if unicodedata.category(text[end]) not in {"Mn", "Mc", "Me"}]


def _longest(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> str:
    """The longest beginning up to one of these ends that fits, "" if there is none."""
    fitting = bisect_left(ends, True, key=lambda end: not fits(_cut(text, end)))  # noqa: FBT003 - the first end that is too far
    return _cut(text, ends[fitting - 1]) if fitting else ""


def _cut(text: str, end: int) -> str:
    return text[:end].rstrip(_TRAILING) + "…"


def _pause_near(text: str, place: int, reach: int) -> int:
    """About where the sentence ends that ends nearest to a place, and within reach of it; else a line or a word, or the place itself."""
    first, last = max(0, place - reach), min(len(text), place + reach)
    for endings in _ENDINGS:
        # Looked for mark by mark: a pattern that knows every ending takes twenty times as long.
        marks = [(at, mark) for mark in endings for at in (text.rfind(mark, first, place), text.find(mark, place, last)) if at >= 0]
        ends = [at + 1 for at, mark in marks if mark[0] != "." or not _ABBREVIATION.search(text[max(0, at - _LOOK_BACK) : at])]
        if ends:
            return min(ends, key=lambda end: abs(end - place))
    return min((first + end for end in _word_ends(text[first:last])), key=lambda end: abs(end - place), default=place)
