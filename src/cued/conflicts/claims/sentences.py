"""From a text to its sentences of words, each with its role; contractions and phrases are already one word each."""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from cued.conflicts.claims.lexicon import Lexicon, WordRole
from cued.text.remembered import Remembered
from cued.text.scripts import fold

MAX_TEXT = 2000
_AT_ONCE = 600
_PAST_MIN = 5
_CODE = r"[Hh][Tt][Tt][Pp][Ss]?://\S+|[\w.+-]++@[\w-]++\.\w+"
_KINDS = {
    "code": re.compile(_CODE),
    "word": re.compile(r"[^\W\d_][\w'&]*(?:[-.](?=\w)[\w'&]+)*(?:\+\+|\#)?"),
    "number": re.compile(r"[$€£¥₹]?\d+(?:[.,:/-]\d+)*(?:[A-Za-z%°]{1,4}\b|%)?"),
    "mark": re.compile(r"\n+|[.;!?:,=\u2013\u2014|]|--|->|→"),
}
_PIECE = re.compile("|".join(_KINDS[kind].pattern for kind in ("word", "number", "mark")))
_PIECE_OR_CODE = re.compile(f"{_CODE}|{_PIECE.pattern}")
_ENDS = frozenset(".;!?|\n")
_STARTS = frozenset({"", ".", ";", "!", "?", ":", "\n", "|"})
# Written with a capital inside a sentence these are parts of names: the New Yorker, The Next Day.
_NAMEABLE = frozenset({"new", "filler", "now", "also", "preposition", "time"})


class ClauseWord(NamedTuple):
    """A word of a sentence: as written in lower case, what stands for it and its synonyms, its role, and how it was written.

    Whatever its role, `verbal` tells whether it can be a verb by its spelling, `telling` whether it stands on a scale or names an
    attribute, and `prefixed` whether it begins as words of denial do.
    """

    text: str
    key: str
    role: WordRole | str
    capital: bool = False
    owner: bool = False
    verbal: bool = False
    telling: bool = False
    prefixed: bool = False

    def acting(self, role: str) -> "ClauseWord":
        """The same word in another role."""
        return ClauseWord(self.text, self.key, role, *self[3:])


ROLE: Callable[[ClauseWord], str] = itemgetter(ClauseWord._fields.index("role"))
"""A word's role, read in half the time that the attribute takes."""


class _Spellings(NamedTuple):
    """The words of each piece of text, inside a sentence and at the start of one, where a capital says nothing."""

    inside: Remembered[tuple[ClauseWord, ...]]
    opening: Remembered[tuple[ClauseWord, ...]]

    def words(self, run: list[str], *, opens: bool) -> Iterator[ClauseWord]:
        """The words of a run of pieces."""
        first = (self.opening if opens else self.inside)[run[0]]
        return chain(first, chain.from_iterable(map(self.inside.__getitem__, run[1:])))


def sentences(text: str, lexicon: Lexicon) -> Iterator[list[ClauseWord]]:
    """The sentences of a text's first 2000 characters as words, one at a time; a question claims nothing and is left out."""
    read: list[ClauseWord] = []
    before, spellings = "", _spellings(lexicon)
    for pieces in map(_pieces, _parts(fold(text[:MAX_TEXT]))):
        start = 0
        for at in [at for at, piece in enumerate(pieces) if piece in _STARTS or piece[0] == "\n"]:
            if start < at:
                read += spellings.words(pieces[start:at], opens=before in _STARTS)
                before = pieces[at - 1]
            start, mark = at + 1, pieces[at]
            if mark == "." and before.lower() in lexicon.abbreviations:
                continue
            before = mark
            if mark == ":":
                read += spellings.inside[mark]
                continue
            if read and mark != "?":
                yield _joined(read, lexicon)
            read = []
        if start < len(pieces):
            read += spellings.words(pieces[start:], opens=before in _STARTS)
            before = pieces[-1]
    if read:
        yield _joined(read, lexicon)


def _parts(text: str) -> Iterator[str]:
    """A text some hundred characters at a time, parted at spaces: of a long one the first sentences say enough."""
    start = 0
    while start < len(text):
        end = text.find(" ", start + _AT_ONCE)
        yield text[start : end if end >= 0 else None]
        start = end if end >= 0 else len(text)


def _pieces(text: str) -> list[str]:
    """The words, numbers and marks of a text, and the codes where it has any."""
    return (_PIECE_OR_CODE if "@" in text or "://" in text else _PIECE).findall(text)


@cache
def _spellings(lexicon: Lexicon) -> _Spellings:
    def spelling(*, opening: bool) -> Remembered[tuple[ClauseWord, ...]]:
        return Remembered(lambda piece: _spelling(piece, lexicon, opening=opening), most=1 << 16)

    return _Spellings(spelling(opening=False), spelling(opening=True))


def _spelling(piece: str, lexicon: Lexicon, *, opening: bool) -> tuple[ClauseWord, ...]:
    """The words of a piece, which is a word, a mark, a number or a code."""
    if piece.isalpha():
        return _spelt(piece, lexicon, opening=opening)
    # Where a number ends can be told by what follows it, as in "7a%20": alone it may be none.
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(piece)), "number")
    if kind == "word":
        return _spelt(piece, lexicon, opening=opening)
    lower = piece.lower()
    return (ClauseWord(piece, piece, _mark_role(piece)) if kind == "mark" else _made(lower, lower, kind, lexicon),)


def _mark_role(mark: str) -> str:
    if mark[0] in _ENDS:
        return "end"
    return "colon" if mark in {":", "->", "→", "="} else "comma"


def _spelt(written: str, lexicon: Lexicon, *, opening: bool) -> tuple[ClauseWord, ...]:
    lower = written.lower().strip(".")
    parts = lexicon.contractions.get(lower)
    if parts is not None:
        return tuple(word_of(part, lexicon) for part in parts)
    owner = False
    if "'" in lower:
        bare = lower.removesuffix("'s") if lower.endswith("'s") else lower.removesuffix("'")
        owner, lower = bare != lower, bare.replace("'", "")
    word = word_of(lower, lexicon)
    capital = written[:1].isupper() and lower != "i"
    role = "word" if capital and not opening and word.role in _NAMEABLE else word.role
    return (word._replace(capital=capital, owner=owner, role=role) if capital or owner else word,)


@lru_cache(maxsize=1 << 14)
def word_of(lower: str, lexicon: Lexicon) -> ClauseWord:
    """The word of a lower-case spelling."""
    key = lexicon.key(lower)
    role: str = lexicon.roles.get(lower, "word")
    if role == "word" and key in lexicon.endings:
        role = "not"
    if lower in lexicon.weekdays or lower in lexicon.months:
        role = "date"
    elif lower in lexicon.numbers:
        role = "number"
    return _made(lower, key, role, lexicon)


def _made(lower: str, key: str, role: str, lexicon: Lexicon) -> ClauseWord:
    past = lower.endswith(lexicon.inflected[-1]) and len(lower) >= _PAST_MIN
    return ClauseWord(
        lower,
        key,
        role,
        verbal=past or key in lexicon.verbs or key in lexicon.endings,
        telling=lower in lexicon.axes or key in lexicon.axes or key in lexicon.attributes,
        prefixed=lower.startswith(lexicon.prefixes),
    )


def _joined(words: list[ClauseWord], lexicon: Lexicon) -> list[ClauseWord]:
    texts = [word.text for word in words]
    if lexicon.phrases.keys().isdisjoint(texts):
        return words
    joined: list[ClauseWord] = []
    done = 0
    for at, text in enumerate(texts):
        if at < done or text not in lexicon.phrases:
            continue
        for phrase in lexicon.phrases[text]:
            end = at + len(phrase.words)
            if tuple(texts[at:end]) == phrase.words:
                joined += words[done:at]
                joined += [word_of(part, lexicon) for part in phrase.as_word.split()]
                done = end
                break
    return joined + words[done:]
