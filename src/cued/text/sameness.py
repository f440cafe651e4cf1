"""Whether two near texts say the same: pure checks of what a cosine does not see.

MiniLM gives "increase the timeout" and "decrease the timeout" .98, "Alice owes Bob" and "Bob owes Alice" .99, and two ports or
dates .94 and more. So what is small in a text but large in its meaning is compared separately.
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cued.model import Interval, Memory
from cued.text.contrasts import contrasts, excluded
from cued.text.entities import entities
from cued.text.scripts import fold
from cued.text.stemming import stem
from cued.text.stopwords import STOP_WORDS
from cued.text.times import times

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NEGATED = re.compile(
    r"n't\b|\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|dont|doesnt|didnt|isnt|wont|cant"
    r"|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|nao|non|mai|senza|не|нет|никогда|без)\b"
    r"|[不没沒無无未非別别]|ない|ません|안 |않|없",
    re.IGNORECASE,
)
_DEICTIC = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|currently|ago|recently|(?:last|next|this|past|coming)\s+\w+)\b",
    re.IGNORECASE,
)


class _Read:
    """What a text says that its vector may not show; each part is computed when it is first read."""

    def __init__(self, text: str) -> None:
        """Keep the text; nothing is computed yet."""
        self._text = text

    @cached_property
    def folded(self) -> str:
        """The text without differences of spelling that do not matter."""
        return fold(self._text)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Its numbers in order."""
        return tuple(_NUMBER.findall(_THOUSANDS.sub("", self.folded)))

    @cached_property
    def negations(self) -> int:
        """How many words of denial it has."""
        return sum(1 for _ in _NEGATED.finditer(self.folded))

    @cached_property
    def contrasts(self) -> frozenset[str]:
        """Its contrasting words, by their labels."""
        return contrasts(self._tokens)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its words that are part of a name, in order."""
        named = {word for name in entities(self._text) for word in _WORD.findall(name)}
        return tuple(token for token in self._tokens if token in named)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its content words in order."""
        return tuple(stem(token) for token in self._tokens if token not in STOP_WORDS)

    @cached_property
    def bag(self) -> tuple[str, ...]:
        """Its content words, sorted."""
        return tuple(sorted(self.words))

    @cached_property
    def _tokens(self) -> tuple[str, ...]:
        return tuple(match[0].casefold() for match in _WORD.finditer(self.folded))


_read = lru_cache(maxsize=1 << 8)(_Read)
"""A cache of read texts, because the same memories come back in recall after recall."""


class Profile:
    """What a memory's text and facts say that its vector may not show, and must agree for two near memories to count as one."""

    def __init__(self, memory: Memory) -> None:
        """Note the memory's facts; the parts of its text are computed when they are read."""
        self._memory, self.said = memory, _read(memory.text)
        self._told_at = memory.valid_from or memory.created_at
        self.speaker = (memory.source.speaker or "").casefold()
        self.tags = frozenset(memory.tags)
        self.valid_from = memory.valid_from
        self.day = self._told_at.date() if memory.kind == "episodic" else None

    @cached_property
    def times(self) -> tuple[Interval, ...]:
        """The times that the text means, seen from when it was written."""
        if not _DEICTIC.search(self.said.folded):
            return ()
        return tuple(mention.interval for mention in times(self._memory.text, now=self._told_at))


def difference(newer: Profile, older: Profile) -> str:
    """What two profiles differ in, "" if they say the same."""
    for part, worded in _DISAGREEMENTS.items():
        ours, theirs = part(newer), part(older)
        if ours != theirs:
            return worded(ours, theirs)
    new, old = newer.said, older.said
    if old.contrasts & excluded(new.contrasts, silent=True) or new.contrasts & excluded(old.contrasts, silent=False):
        return f"contrasting words: {_listed(new.contrasts - old.contrasts)} against {_listed(old.contrasts - new.contrasts)}"
    if new.words == old.words:
        return ""
    if new.bag == old.bag:
        return "the same words in another order"
    return "" if new.names == old.names else f"names differ: {_listed(new.names)} against {_listed(old.names)}"


class Sameness:
    """The profiles of many memories as columns of codes, so that many pairs are compared at once."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        """Assign each distinct value of a column its code, and each contrasting word its bit."""
        self._facts = _codes([tuple(part(each) for part in _DISAGREEMENTS) for each in profiles])
        texts = [each.said for each in profiles]
        self._names, self._words, self._bags = (_codes([getattr(each, field) for each in texts]) for field in ("names", "words", "bag"))
        said = [each.contrasts for each in texts]
        places = {label: place for place, label in enumerate(sorted(frozenset[str]().union(*said)))}
        self._said = _bits(said, places)
        self._loses = _bits([excluded(each, silent=True) for each in said], places)
        self._denies = _bits([excluded(each, silent=False) for each in said], places)

    def __call__(self, newer: Rows, older: Rows) -> Mask:
        """Whether the two are the same, for each pair of a newer and an older row."""

        def equal(codes: Rows) -> Mask:
            return np.equal.outer(codes[newer], codes[older])

        same: Mask = equal(self._facts) & np.where(equal(self._bags), equal(self._words), equal(self._names))
        for said, loses, denies in zip(self._said, self._loses, self._denies, strict=True):
            same &= (np.bitwise_and.outer(loses[newer], said[older]) | np.bitwise_and.outer(said[newer], denies[older])) == 0
        return same


def _codes(values: Sequence[Hashable]) -> Rows:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _bits(labels: Sequence[frozenset[str]], places: Mapping[str, int]) -> list[NDArray[np.uint64]]:
    """The sets of contrasting words as columns of 64 bits, one bit for each word that has a place."""
    whole = [sum(1 << places[label] for label in each & places.keys()) for each in labels]
    return [np.array([(each >> shift) & _ONES for each in whole], dtype=np.uint64) for shift in range(0, len(places), 64)]


_ONES: Final = (1 << 64) - 1


def _listed(values: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(sorted(values) if isinstance(values, frozenset) else values) or "none"


def _apart(what: str) -> Callable[[Any, Any], str]:
    return lambda newer, older: f"{what} differ: {_listed(newer)} against {_listed(older)}"


_DISAGREEMENTS: Final[dict[Callable[[Profile], Any], Callable[[Any, Any], str]]] = {
    attrgetter("speaker"): lambda newer, older: f"speakers differ: {newer or 'nobody'} against {older or 'nobody'}",
    attrgetter("tags"): _apart("tags"),
    attrgetter("valid_from"): lambda *_: "they hold from different times on",
    attrgetter("day"): lambda newer, older: f"events of different days: {newer} against {older}",
    attrgetter("said.numbers"): _apart("numbers"),
    attrgetter("said.negations"): lambda newer, _: f"only the {'newer' if newer else 'older'} one negates",
    attrgetter("times"): lambda *_: "they speak of different times",
}
