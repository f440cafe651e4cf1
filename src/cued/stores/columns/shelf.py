"""One tenant's memories as columns in memory, and the answer to a lookup from them.

Above: the store, which brings a shelf up to date with its keeper before each search. Below: gates, channels, ranking.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import NamedTuple, Self, cast

import numpy as np

from cued.model import Background, Findings, Lookup, Matrix
from cued.stores.arrays import Columns, RowNumbers, Rows
from cued.stores.columns.forward import hashed, unpack
from cued.stores.columns.ordering import by_id
from cued.stores.columns.postings import Postings
from cued.stores.columns.search import Contents, Search
from cued.stores.columns.sessions import NOBODY, Sessions, Turns
from cued.stores.columns.vectors import Vectors
from cued.stores.standing.facts import FactColumns
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
    """The memories of one tenant, ready to be searched, by many at a time.

    A shelf that is searched does not change: a change is made to a branch of it, and the branch takes its place.
    """

    def __init__(self) -> None:
        """Start empty."""
        postings, columns, ids = Postings(), Columns({"key": np.int64, "length": np.int64, "slot": np.int32}), list[str]()
        self._row_of: dict[str, int] = {}
        self._held = Contents(ids, columns, postings, Gates(self._row_of, _tagged(postings)), Sessions(ids), {})

    def branched(self) -> Self:
        """The same shelf to go on with: whatever is done to it does not show in this one, which is not to be changed any more."""
        other, held = copy(self), self._held
        postings = held.postings.branched()
        gates, vectors = held.gates.branched(_tagged(postings)), {kind: each.branched() for kind, each in held.vectors.items()}
        # Ids are only ever added, and nobody who searches asks for the row of an id.
        other._held = Contents(held.ids, held.columns.branched(), postings, gates, held.sessions.branched(), vectors)  # noqa: SLF001
        return other

    def add(self, entries: Entries) -> range:
        """Append memories and give their rows; an id that is there already is replaced."""
        held, forward = self._held, unpack(entries.forwards)
        rows = held.gates.add(entries.facts)
        held.columns.append(len(rows), {"key": entries.keys, "length": forward.lengths, "slot": NOBODY})
        owners = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int32), forward.sizes)
        held.postings.add(forward.hashes, owners, forward.counts)
        held.ids.extend(entries.ids)
        held.sessions.add(Turns(entries.sessions, entries.turns, entries.facts.created))
        held.gates.kill([self._row_of[memory_id] for memory_id in entries.ids if memory_id in self._row_of])
        self._row_of.update(zip(entries.ids, rows, strict=True))
        held.gates.moved(entries.ids)
        return rows

    def add_vectors(self, fingerprint: str, rows: Sequence[int], vectors: Matrix, *, expected: int = 0) -> None:
        """Add vectors, all of one fingerprint and width, to rows that were just added, with space for more where more are to come."""
        owners = np.asarray(rows, dtype=np.int32)
        block = self._held.vectors.setdefault((fingerprint, vectors.shape[1]), Vectors(vectors.shape[1]))
        block.reserve(expected)
        # In place: whoever searches an earlier branch has none of these rows.
        self._held.columns["slot"][owners] = block.add(owners, vectors)

    def patch(self, memory_ids: Sequence[str], facts: FactColumns) -> None:
        """Replace the gate facts of memories whose content is unchanged."""
        self._held.gates.patch([self._row_of[memory_id] for memory_id in memory_ids], facts)

    def settle(self) -> None:
        """Be ready to be searched by many: what is worked out from all that was added is worked out now."""
        self._held.gates.sources.link()

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


def _tagged(postings: Postings) -> Callable[[str], Rows]:
    return lambda tag: postings.find(hashed("tag", tag)).rows
