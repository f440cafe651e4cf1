"""One change of a tenant in the making: the rows that were read for it, what beliefs become, and the rows to write."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from cued.model import Memory, Record, Row, VectorShape
from cued.ports import Transaction
from cued.stores.beliefs.changes import Beliefs
from cued.stores.encoding import new_row
from cued.stores.standing.facts import judged


class Content(NamedTuple):
    """What of a row is searched: its forward index and its vector."""

    forward: bytes
    vector: bytes | None


class Work:
    """The rows of one write transaction; each is read once."""

    def __init__(self, rows: Transaction, read: Mapping[str, Row] = MappingProxyType({}), *, shape: VectorShape = "float32") -> None:
        """Start with nothing changed; `read` are rows that were read before, `shape` is that of new vectors."""
        self._rows, self.shape = rows, shape
        self._read = dict(read)

    @cached_property
    def beliefs(self) -> Beliefs:
        """What memories become."""
        return Beliefs(self._fetch)

    def known(self, memory_ids: Iterable[str]) -> set[str]:
        """Those of the ids that are stored."""
        return set(self._fetch(list(dict.fromkeys(memory_ids))))

    def lapsed(self) -> list[str]:
        """The ids of all memories that have a mark which is lifted or holds in one project alone."""
        found = {row.memory.id: row for row in self._rows.lapsed()}
        self._read |= found
        return list(found)

    def remember(self, records: Sequence[Record]) -> Sequence[Row]:
        """The new rows, where nothing but these was written: what they supersede gives way."""
        if not any(record.memory.supersedes for record in records):
            return self.insert(records)
        self.beliefs.remember(record.memory for record in records)
        self.insert([replace(record, memory=self.beliefs.changed.pop(record.memory.id)) for record in records])
        self.update({})
        return ()

    def adopt(self, records: Sequence[Record]) -> None:
        """Write new rows as they were elsewhere; where what is stored supersedes them, or the reverse, both come to agree."""
        self.beliefs.adopt(record.memory for record in records)
        self.insert([replace(record, memory=self.beliefs.changed.pop(record.memory.id)) for record in records])
        self.update({})

    def insert(self, records: Sequence[Record]) -> Sequence[Row]:
        """The new rows of records, which are written as they are."""
        rows = [new_row(record, self.shape) for record in records]
        return [row._replace(key=key) for key, row in zip(self._rows.insert(rows), rows, strict=True)] if rows else ()

    def update(self, contents: Mapping[str, Content]) -> None:
        """Write the memories that have changed; the content of those that are not named stays."""
        changed = [self._row(memory, contents.get(memory.id)) for memory in self.beliefs.changed.values()]
        if changed:
            self._rows.update(changed)

    def unlink(self, memory_ids: Iterable[str]) -> None:
        """Take the edges that lead to these memories out of the others."""
        gone = set(memory_ids)
        linking = [memory.id for memory in self._rows.linking(sorted(gone)) if memory.id not in gone]
        self.beliefs.prefetch(linking)
        for memory in map(self.beliefs.get, linking):
            self.beliefs.put(replace(memory, edges=tuple(edge for edge in memory.edges if edge.target not in gone)))

    def remove(self, memory_ids: Iterable[str], *, more: bool = False) -> None:
        """Remove memories; `more` are to be removed right after."""
        self._rows.remove([self._read[memory_id].key for memory_id in memory_ids], more=more)

    def _fetch(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        missing = [memory_id for memory_id in memory_ids if memory_id not in self._read]
        if missing:
            self._read |= self._rows.read(missing)
        return {memory_id: self._read[memory_id].memory for memory_id in memory_ids if memory_id in self._read}

    def _row(self, memory: Memory, content: Content | None) -> Row:
        row = Row(memory, self._read[memory.id].key, judged(memory))
        return row if content is None else row._replace(forward=content.forward, vector=content.vector)
