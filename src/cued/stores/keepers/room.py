"""One tenant of the in-memory store: its records, their shelf, the log of its recalls and its documents."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from cued.model import Memory, Record, Use, Vector
from cued.standing.facts import FactColumns, facts
from cued.stores.beliefs.changes import Draft
from cued.stores.columns.forward import pack
from cued.stores.columns.shelf import Entries, Shelf


class Room:
    """What the in-memory store keeps for one tenant."""

    def __init__(self) -> None:
        """Start empty."""
        self.records: dict[str, Record] = {}
        self.shelf = Shelf()
        self.log: dict[str, bytes] = {}
        self.documents: dict[str, bytes] = {}

    @property
    def occupied(self) -> bool:
        """Tell whether anything is kept."""
        return bool(self.records or self.log or self.documents)

    @property
    def memories(self) -> list[Memory]:
        """Give every memory, in no particular order."""
        return [record.memory for record in self.records.values()]

    def lapsed(self) -> list[str]:
        """Give the ids of the memories that have a lifted mark."""
        return [memory.id for memory in self.memories if any(mark.lifted_at is not None for mark in memory.superseded)]

    def draft(self) -> Draft:
        """Give a draft of a change to what is kept."""

        def fetch(memory_id: str) -> Memory | None:
            record = self.records.get(memory_id)
            return None if record is None else record.memory

        return Draft(fetch)

    def keep(self, draft: Draft, fresh: Iterable[Record] = ()) -> None:
        """Write down what the draft changed; `fresh` are the records whose content may be new."""
        brought = {record.memory.id: _copy(record) for record in fresh}
        new = []
        for memory_id, memory in draft.changed.items():
            old = self.records.get(memory_id)
            record = replace(brought.get(memory_id) or self.records[memory_id], memory=memory)
            self.records[memory_id] = record
            if old is not None and _content(old) == _content(record):
                self.shelf.patch(memory_id, facts(memory))
            else:
                new.append(record)
        self._shelve(new)
        self._tidy()

    def use(self, uses: dict[str, Use]) -> None:
        """Write down how memories were used."""
        for memory_id, use in uses.items():
            record = self.records[memory_id]
            self.records[memory_id] = replace(record, memory=replace(record.memory, use=use))

    def drop(self, memory_ids: Iterable[str]) -> None:
        """Let go of memories."""
        for memory_id in memory_ids:
            del self.records[memory_id]
            self.shelf.remove(memory_id)
        self._tidy()

    def _tidy(self) -> None:
        if self.shelf.wasteful:
            self.shelf = Shelf()
            self._shelve(list(self.records.values()))

    def _shelve(self, records: list[Record]) -> None:
        if not records:
            return
        rows = self.shelf.add(_entries(records))
        groups: defaultdict[tuple[str, int], list[tuple[int, Vector]]] = defaultdict(list)
        for row, record in zip(rows, records, strict=True):
            if record.vector is not None and record.memory.fingerprint is not None:
                groups[record.memory.fingerprint, len(record.vector)].append((row, record.vector))
        for (fingerprint, _), members in groups.items():
            self.shelf.add_vectors(fingerprint, [row for row, _ in members], np.stack([vector for _, vector in members]))


def _copy(record: Record) -> Record:
    # Whoever gave the record may go on changing its array or its dictionary, and whoever reads it back must not.
    vector = None if record.vector is None else np.array(record.vector, dtype=np.float32)
    if vector is not None:
        vector.setflags(write=False)
    return replace(record, terms=dict(record.terms), vector=vector)


def _entries(records: Sequence[Record]) -> Entries:
    memories = [record.memory for record in records]
    return Entries(
        ids=[memory.id for memory in memories],
        keys=[0] * len(memories),
        sessions=[memory.source.session for memory in memories],
        turns=[memory.source.turn for memory in memories],
        forwards=[pack(record) for record in records],
        facts=FactColumns.of(map(facts, memories)),
    )


def _content(record: Record) -> tuple[object, ...]:
    memory = record.memory
    vector = b"" if record.vector is None else record.vector.tobytes()
    return record.terms, memory.entities, memory.tags, memory.source, memory.created_at, memory.fingerprint, vector
