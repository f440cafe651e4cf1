"""From a text to its sentences of words, each with its role; contractions and phrases are already one word each."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from cued.conflicts.claims.lexicon import Lexicon, WordRole
from cued.text.scripts import fold

MAX_TEXT = 2000
_PIECE = re.compile(
    r"(?P<code>https?://\S+|[\w.+-]+@[\w-]+\.\w+)"
    r"|(?P<number>[$€£¥₹]?\d+(?:[.,:/-]\d+)*(?:[a-z%°]{1,4}\b|%)?)"
    r"|(?P<word>[^\W\d_](?:[\w'&]|[-.](?=\w))*(?:\+\+|\#)?)"
    r"|(?P<mark>\n+|[.;!?:,=\u2013\u2014|]|--|->|→)",
    re.IGNORECASE,
)
_ENDS = frozenset(".;!?|\n")
_STARTS = frozenset({"", ".", ";", "!", "?", ":", "\n", "|"})
# Written with a capital inside a sentence these are parts of names: the New Yorker, The Next Day.
_NAMEABLE = frozenset({"new", "filler", "now", "also", "preposition", "time"})
_QUOTES = re.compile("[\u2018\u2019\u02bc]")


class ClauseWord(NamedTuple):
    """A word of a sentence: as written in lower case, what stands for it and its synonyms, its role, and how it was written."""

    text: str
    key: str
    role: WordRole | str
    capital: bool = False
    owner: bool = False


def sentences(text: str, lexicon: Lexicon) -> Iterator[list[ClauseWord]]:
    """The sentences of a text's first 2000 characters as words, one at a time; a question claims nothing and is left out."""
    read: list[ClauseWord] = []
    for word in _words(text[:MAX_TEXT], lexicon):
        if word.role != "end":
            read.append(word)
            continue
        if read and word.text[0] != "?":
            yield _joined(read, lexicon)
        read = []
    if read:
        yield _joined(read, lexicon)


def _words(text: str, lexicon: Lexicon) -> Iterator[ClauseWord]:
    before = ""
    for piece in _PIECE.finditer(_QUOTES.sub("'", fold(text))):
        written, kind = piece[0], piece.lastgroup
        if kind == "word":
            yield from _spelt(written, lexicon, first_seen=before not in _STARTS)
        elif kind == "mark":
            if written == "." and before.lower() in lexicon.abbreviations:
                continue
            yield _mark(written)
        else:
            yield ClauseWord(written.lower(), written.lower(), kind or "word")
        before = written


@lru_cache(maxsize=1 << 8)
def _mark(written: str) -> ClauseWord:
    return ClauseWord(written, written, _mark_role(written))


def _mark_role(mark: str) -> str:
    if mark[0] in _ENDS:
        return "end"
    return "colon" if mark in {":", "->", "→", "="} else "comma"


@lru_cache(maxsize=1 << 14)
def _spelt(written: str, lexicon: Lexicon, *, first_seen: bool) -> tuple[ClauseWord, ...]:
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
    role = "word" if capital and first_seen and word.role in _NAMEABLE else word.role
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
    return ClauseWord(lower, key, role)


def _joined(words: list[ClauseWord], lexicon: Lexicon) -> list[ClauseWord]:
    starting = lexicon.phrases.keys()
    if starting.isdisjoint([word.text for word in words]):
        return words
    joined: list[ClauseWord] = []
    at = 0
    while at < len(words):
        for phrase in lexicon.phrases.get(words[at].text, ()):
            if tuple(word.text for word in words[at : at + len(phrase.words)]) == phrase.words:
                joined += [word_of(part, lexicon) for part in phrase.as_word.split()]
                at += len(phrase.words)
                break
        else:
            joined.append(words[at])
            at += 1
    return joined
