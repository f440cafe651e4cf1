"""What memories say of themselves, as columns: all of it follows from them, so it is worked out once for each and not at every recall.

A recall finds a hundred memories and reads few of them. What it has to know of every one of them stands here side by side, where asking
the memories themselves would fetch a dozen small objects of each from all over the memory.
"""

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from cued.model.array_types import Column
from cued.model.memory import UNUSED, Memory
from cued.model.words import GLOBAL, KINDS, TIERS, TRUSTS

_EXACT = 2**53
"""Turns beyond this number are none: a column could not tell two of them apart."""


class Traits(NamedTuple):
    """What each memory says of itself; a word is the number that `codes` have for it, −1 where it says none."""

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


def traits_of(memories: Sequence[Memory], codes: dict[str, int]) -> Traits:
    """What these memories say of themselves; words that have no code yet get one."""
    sources, turns = [memory.source for memory in memories], [memory.source.turn for memory in memories]
    columns: tuple[Sequence[float], ...] = (
        [memory.created_at.timestamp() for memory in memories],
        [memory.importance for memory in memories],
        [memory.weight for memory in memories],
        [_code(source.session, codes) for source in sources],
        [nan if turn is None or abs(turn) > _EXACT else turn for turn in turns],
        [_code(source.speaker or None, codes) for source in sources],
        [memory.scope == GLOBAL for memory in memories],
        [KINDS.index(memory.kind) for memory in memories],
        [TIERS.index(memory.tier) for memory in memories],
        [TRUSTS.index(memory.trust) for memory in memories],
        [len(memory.text) for memory in memories],
        [memory.text.isascii() for memory in memories],
        [memory.use is not UNUSED and memory.use != UNUSED for memory in memories],
    )
    return Traits._make(np.array(columns, dtype=np.float64))


def _code(word: str | None, codes: dict[str, int]) -> int:
    return -1 if word is None else codes.setdefault(word, len(codes))
