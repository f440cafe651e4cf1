"""What the gates say of a few memories: they stand in the very columns that a store judges all its memories by."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cued.model import Gate, Lookup, Memory
from cued.stores.arrays import Rows
from cued.stores.standing.facts import FactColumns, judged
from cued.stores.standing.gates import Gates


class Judgement(NamedTuple):
    """What the gates of a lookup say of some memories: by id, every gate that strikes it, in the order in which gates are asked."""

    lookup: Lookup
    memories: Mapping[str, Memory]
    strikes: Mapping[str, tuple[Gate, ...]]

    def gate(self, memory_id: str) -> Gate | None:
        """The gate that keeps a memory out and under which a store counts it, None for one that stands."""
        return next(iter(self.strikes[memory_id]), None)


def judge(memories: Iterable[Memory], lookup: Lookup) -> Judgement:
    """What the gates say of these memories, where no others are stored: with a reflection comes all that it rests on."""
    known = {memory.id: memory for memory in memories}
    passed = [(gate, mask) for gate, mask in table(list(known.values())).passed(lookup) if mask is not None]
    strikes = {memory_id: tuple(gate for gate, mask in passed if not mask[row]) for row, memory_id in enumerate(known)}
    return Judgement(lookup, known, strikes)


def table(memories: Sequence[Memory]) -> Gates:
    """The gate columns of these memories, a row each."""

    def tagged(tag: str) -> Rows:
        return np.flatnonzero([tag in memory.tags for memory in memories]).astype(np.int32)

    gates = Gates({memory.id: row for row, memory in enumerate(memories)}, tagged)
    if memories:
        gates.add(FactColumns.of(map(judged, memories)))
    return gates
