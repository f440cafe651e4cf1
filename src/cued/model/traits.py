"""What memories say of themselves, as columns: all of it follows from them, so a store works it out once for each and not at every recall.

A recall finds a hundred memories and reads few of them. What it has to know of every one of them stands here side by side, where asking
the memories themselves would fetch a dozen small objects of each from all over the memory.
"""

from collections.abc import Callable, Iterable, Sequence
from math import nan
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cued.model.array_types import Column
from cued.model.memory import UNUSED, Memory
from cued.model.words import GLOBAL, KINDS, TIERS, TRUSTS

_KINDS, _TIERS, _TRUSTS = ({word: place for place, word in enumerate(words)} for words in (KINDS, TIERS, TRUSTS))
_EXACT = 2**53
"""Turns beyond this number are none: a column could not tell two of them apart."""


class Traits:
    """What each of some memories says of itself, a column each: worked out when it is first asked for, where it is not at hand.

    A session or a speaker is the number that `codes` have for it, −1 where none is said; words that have no code yet get one.
    """

    created_s: Column
    """Since 1970."""
    importance: Column
    weight: Column
    session: Column
    turn: Column
    """nan for none."""
    speaker: Column
    everywhere: Column
    """1 where its scope is `global`."""
    kind: Column
    tier: Column
    trust: Column
    """The place of the word in KINDS, TIERS and TRUSTS."""
    letters: Column
    ascii: Column
    """1 where all of its text is."""
    used: Column
    """1 where it was ever recalled or judged."""

    def __init__(self, memories: Sequence[Memory], codes: dict[str, int] | None = None) -> None:
        """Have nothing at hand."""
        self.memories, self._codes = memories, {} if codes is None else codes

    @classmethod
    def of(cls, memories: Sequence[Memory], rows: NDArray[np.float64]) -> Self:
        """The traits of these memories, which are known: a memory a row, in the order of TRAITS."""
        found = cls(memories)
        found.__dict__.update(zip(TRAITS, np.ascontiguousarray(rows.T), strict=True))
        return found

    @property
    def rows(self) -> NDArray[np.float64]:
        """All of them as `of` takes them."""
        return np.array([getattr(self, name) for name in TRAITS]).T

    def __getattr__(self, name: str) -> Column:
        """One of them, which is at hand from now on."""
        if name not in _TOLD:
            raise AttributeError(name)
        column: Column = np.array(_TOLD[name](self.memories, self._codes), dtype=np.float64)
        self.__dict__[name] = column
        return column


def _coded(words: Iterable[str | None], codes: dict[str, int]) -> list[int]:
    return [-1 if word is None else codes.setdefault(word, len(codes)) for word in words]


_TOLD: dict[str, Callable[[Sequence[Memory], dict[str, int]], Sequence[float]]] = {
    "created_s": lambda memories, _: [memory.created_at.timestamp() for memory in memories],
    "importance": lambda memories, _: [memory.importance for memory in memories],
    "weight": lambda memories, _: [memory.weight for memory in memories],
    "session": lambda memories, codes: _coded([memory.source.session for memory in memories], codes),
    "turn": lambda memories, _: [nan if (turn := memory.source.turn) is None or abs(turn) > _EXACT else turn for memory in memories],
    "speaker": lambda memories, codes: _coded([memory.source.speaker or None for memory in memories], codes),
    "everywhere": lambda memories, _: [memory.scope == GLOBAL for memory in memories],
    "kind": lambda memories, _: [_KINDS[memory.kind] for memory in memories],
    "tier": lambda memories, _: [_TIERS[memory.tier] for memory in memories],
    "trust": lambda memories, _: [_TRUSTS[memory.trust] for memory in memories],
    "letters": lambda memories, _: [len(memory.text) for memory in memories],
    "ascii": lambda memories, _: [memory.text.isascii() for memory in memories],
    "used": lambda memories, _: [memory.use is not UNUSED and memory.use != UNUSED for memory in memories],
}
TRAITS = tuple(_TOLD)
"""The names of all of them, in the order in which rows have them."""
