"""Whether two near texts say the same: pure checks of what a cosine does not see.

MiniLM gives "increase the timeout" and "decrease the timeout" .98, "Alice owes Bob" and "Bob owes Alice" .99, and two ports or
dates .94 and more. So whatever is at the same time small in a text and large in its meaning is compared by itself.
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple

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


class Profile(NamedTuple):
    """What must agree before two near memories count as one; `words` and `bag` are its content words in order and sorted."""

    speaker: str
    tags: frozenset[str]
    valid_from: datetime | None
    day: date | None
    numbers: tuple[str, ...]
    negations: int
    times: tuple[Interval, ...]
    contrasts: frozenset[str]
    names: tuple[str, ...]
    words: tuple[str, ...]
    bag: tuple[str, ...]


def profile(memory: Memory) -> Profile:
    """What a memory's text and facts say that its vector may not show."""
    text = fold(memory.text)
    tokens = [match[0].casefold() for match in _WORD.finditer(text)]
    words = tuple(stem(token) for token in tokens if token not in STOP_WORDS)
    told_at = memory.valid_from or memory.created_at
    named = {word for name in entities(memory.text) for word in _WORD.findall(name)}
    return Profile(
        speaker=(memory.source.speaker or "").casefold(),
        tags=frozenset(memory.tags),
        valid_from=memory.valid_from,
        day=told_at.date() if memory.kind == "episodic" else None,
        numbers=tuple(_NUMBER.findall(_THOUSANDS.sub("", text))),
        negations=sum(1 for _ in _NEGATED.finditer(text)),
        contrasts=contrasts(tokens),
        times=tuple(mention.interval for mention in times(memory.text, now=told_at)) if _DEICTIC.search(text) else (),
        names=tuple(token for token in tokens if token in named),
        words=words,
        bag=tuple(sorted(words)),
    )


def difference(newer: Profile, older: Profile) -> str:
    """What two profiles disagree in, "" when they say the same."""
    for field, worded in _DISAGREEMENTS.items():
        ours, theirs = getattr(newer, field), getattr(older, field)
        if ours != theirs:
            return worded(ours, theirs)
    if older.contrasts & excluded(newer.contrasts, silent=True) or newer.contrasts & excluded(older.contrasts, silent=False):
        return f"contrasting words: {_listed(newer.contrasts - older.contrasts)} against {_listed(older.contrasts - newer.contrasts)}"
    if newer.words == older.words:
        return ""
    if newer.bag == older.bag:
        return "the same words in another order"
    return "" if newer.names == older.names else f"names differ: {_listed(newer.names)} against {_listed(older.names)}"


class Sameness:
    """The profiles of many memories as columns of codes, so that whole tiles of pairs are judged at once."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        """Assign each distinct value of a column its code, and each contrasting word its bit."""
        self._facts = _codes([tuple(getattr(each, field) for field in _DISAGREEMENTS) for each in profiles])
        self._names, self._words, self._bags = (_codes([getattr(each, field) for each in profiles]) for field in ("names", "words", "bag"))
        said = [each.contrasts for each in profiles]
        places = {label: place for place, label in enumerate(sorted(frozenset[str]().union(*said)))}
        self._said = _bits(said, places)
        self._loses = _bits([excluded(each, silent=True) for each in said], places)
        self._denies = _bits([excluded(each, silent=False) for each in said], places)

    def __call__(self, newer: Rows, older: Rows) -> Mask:
        """Whether a newer row and an older one have no difference, for each pair of them."""

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


_DISAGREEMENTS: Final[dict[str, Callable[[Any, Any], str]]] = {
    "speaker": lambda newer, older: f"speakers differ: {newer or 'nobody'} against {older or 'nobody'}",
    "tags": _apart("tags"),
    "valid_from": lambda *_: "they hold from different times on",
    "day": lambda newer, older: f"events of different days: {newer} against {older}",
    "numbers": _apart("numbers"),
    "negations": lambda newer, _: f"only the {'newer' if newer else 'older'} one negates",
    "times": lambda *_: "they speak of different times",
}
