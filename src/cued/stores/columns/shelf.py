"""One tenant's memories as columns in memory, and the answer to a lookup from them.

Above: the store, which brings a shelf up to date with its keeper before each search. Below: gates, channels, ranking.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from cued.model import Background, Findings, Lookup, Matrix
from cued.stores.arrays import Columns, RowNumbers
from cued.stores.columns.forward import hashed, unpack
from cued.stores.columns.ordering import by_id
from cued.stores.columns.postings import Postings
from cued.stores.columns.search import Contents, Search
from cued.stores.columns.sessions import NOBODY, Sessions, place
from cued.stores.columns.vectors import Vectors
from cued.stores.standing.facts import FactColumns, GateFacts
from cued.stores.standing.gates import Gates

_LEAST_WASTE = 1024
_BYTES_PER_ROW = 250


class Entries(NamedTuple):
    """What a shelf needs of memories, as columns: their names, their places, their forward indexes, and their facts for the gates."""

    ids: Sequence[str]
    keys: Sequence[int]
    sessions: Sequence[str | None]
    turns: Sequence[int | None]
    forwards: Sequence[bytes]
    facts: FactColumns


class Hits(NamedTuple):
    """What a search found: the candidates' keys in the order of their ids, those of the core, and the findings without the memories."""

    keys: list[int]
    ids: list[str]
    core_keys: list[int]
    core_ids: list[str]
    findings: Findings


class Shelf:
    """The memories of one tenant, ready to be searched."""

    def __init__(self) -> None:
        """Start empty."""
        postings, columns = Postings(), Columns({"key": np.int64, "length": np.int64, "slot": np.int32})
        self._row_of: dict[str, int] = {}
        gates = Gates(self._row_of, lambda tag: postings.find(hashed("tag", tag)).rows)
        self._held = Contents([], columns, postings, gates, Sessions(), {})

    def add(self, entries: Entries) -> range:
        """Append memories and give their rows; an id that is there already is replaced."""
        forward = unpack(entries.forwards)
        rows = self._held.gates.add(entries.facts)
        self._held.columns.append(len(rows), {"key": entries.keys, "length": forward.lengths, "slot": NOBODY})
        owners = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int32), forward.sizes)
        self._held.postings.add(forward.hashes, owners, forward.counts)
        places = map(place, entries.turns, entries.facts.created, entries.ids, rows)
        self._held.sessions.add(len(rows), zip(entries.sessions, places, strict=True))
        for memory_id in entries.ids:
            self.remove(memory_id)
        self._row_of.update(zip(entries.ids, rows, strict=True))
        self._held.ids.extend(entries.ids)
        self._held.gates.moved(entries.ids)
        return rows

    def add_vectors(self, fingerprint: str, rows: Sequence[int], vectors: Matrix, *, expected: int = 0) -> None:
        """Add vectors, all of one fingerprint and width, to rows that have none yet, with space for more where more are to come."""
        owners = np.asarray(rows, dtype=np.int32)
        block = self._held.vectors.setdefault((fingerprint, vectors.shape[1]), Vectors(vectors.shape[1]))
        block.reserve(expected)
        self._held.columns["slot"][owners] = block.add(owners, vectors)

    def patch(self, memory_id: str, facts: GateFacts) -> None:
        """Replace the gate facts of a memory whose content is unchanged."""
        self._held.gates.patch(self._row_of[memory_id], facts)

    def remove(self, memory_id: str) -> None:
        """Take a memory out; an unknown id changes nothing."""
        row = self._row_of.pop(memory_id, None)
        if row is not None:
            self._held.gates.kill(row)
            self._held.gates.moved((memory_id,))

    def drop(self, keys: Sequence[int]) -> None:
        """Take out the memories of these keys; an unknown key changes nothing."""
        if keys:
            for row in np.flatnonzero(np.isin(self._held.columns["key"], keys)).tolist():
                if self._row_of.get(self._held.ids[row]) == row:
                    self.remove(self._held.ids[row])

    @property
    def wasteful(self) -> bool:
        """Whether most rows are dead, so that building the shelf anew would pay."""
        return self._held.gates.count > 2 * self._held.gates.stored + _LEAST_WASTE

    @property
    def nbytes(self) -> int:
        """About how many bytes the shelf occupies."""
        held = self._held
        matrices = sum(vectors.nbytes for vectors in held.vectors.values())
        lists = held.postings.nbytes + held.sessions.nbytes + _BYTES_PER_ROW * len(held.ids)
        return matrices + lists + held.columns.nbytes + held.gates.nbytes

    def search(self, lookup: Lookup) -> Hits:
        """The memories that the open channels found among those that the gates let through, as columns, ordered by id."""
        visible = self._held.gates.judge(lookup)
        search = Search(self._held, lookup, visible)
        pools = search.pools()
        rows, meaning = search.candidates(pools), search.meaning
        findings = Findings(
            stored=self._held.gates.stored,
            visible=visible.total,
            struck=visible.struck,
            columns=search.columns(rows, pools),
            vectors=None if meaning is None else meaning.take(rows),
            background=Background() if meaning is None else meaning.background,
            terms=() if search.words is None else search.words.statistics,
            uncomparable=0 if meaning is None else meaning.uncomparable,
        )
        core = by_id(visible.core, self._held.ids)
        return Hits(self._keys(rows), self._ids(rows), self._keys(core), self._ids(core), findings)

    def _keys(self, rows: RowNumbers) -> list[int]:
        return cast("list[int]", self._held.columns["key"][rows].tolist())

    def _ids(self, rows: RowNumbers) -> list[str]:
        return [self._held.ids[row] for row in rows.tolist()]
