"""One tenant's memories as columns in memory, and the answer to a lookup from them.

Above: the store, which brings a shelf up to date with its keeper before each search. Below: gates, channels, ranking.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued.model import Background, Findings, Lookup, Matrix
from cued.stores.arrays import NOBODY, Columns, Ids, RowNumbers, Rows, distinct, twin
from cued.stores.columns.excerpts import Excerpts, Packed
from cued.stores.columns.postings import Postings, Segment, hashed, unpack
from cued.stores.columns.search import Contents, Search
from cued.stores.columns.sessions import Sessions, Turns
from cued.stores.columns.vectors import Vectors
from cued.stores.standing.facts import FactColumns
from cued.stores.standing.felling import Mark
from cued.stores.standing.gates import Gates

_LEAST_WASTE = 1024
_BYTES_PER_ROW = 250
_FEW = 150
"""About as many as a recall finds: fifty by words, fifty by meaning, and the turns beside the best."""
_BESIDE, _BESIDE_TERMS = 8, 1000
"""So many lie on a page or two of a file, and are had for little more than one of them, unless they are longer than so many terms."""
POSTINGS = ("posting_hash", "posting_start", "posting_row", "posting_count")
"""The columns that have no value a row."""


class Entries(NamedTuple):
    """What a shelf needs of memories, as columns: their names, their places, their forward indexes, and their facts for the gates."""

    ids: Sequence[str]
    keys: Sequence[int]
    sessions: Sequence[str | None]
    turns: Sequence[int | None]
    forwards: Sequence[bytes]
    facts: FactColumns


class NotNumbers(Struct, frozen=True, kw_only=True):
    """What of a shelf is no column of numbers: ids by row, sessions, scopes and fingerprints by code, marks and sources by row."""

    ids: list[str]
    sessions: list[str]
    scopes: list[str]
    fingerprints: list[str]
    marks: list[tuple[int, list[Mark]]]
    sources: list[tuple[int, tuple[str, ...]]]


class Hits(NamedTuple):
    """What a search found: the candidates' keys in the order of their ids, those of the core, and the findings without the memories."""

    keys: list[int]
    core_keys: list[int]
    findings: Findings


class Shelf:
    """The memories of one tenant, ready to be searched, by many at a time.

    A shelf that is searched does not change: a change is made to a branch of it, and the branch takes its place.
    """

    def __init__(self) -> None:
        """Start empty."""
        postings, columns, ids = Postings(), Columns({"key": np.int64, "length": np.int64, "slot": np.int32}), Ids()
        self._row_of: dict[str, int] = {}
        self._held = Contents(ids, columns, postings, Gates(self._row_of, _tagged(postings)), Sessions(ids), {})

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], names: NotNumbers) -> Self:
        """The shelf that `compacted` gave, without its vectors."""
        shelf, ids, count = cls(), Ids(names.ids), len(names.ids)
        shelf._row_of.update(zip(ids, range(count), strict=True))
        postings = Postings((Segment(*(columns[name] for name in POSTINGS)),))
        gates = shelf._held.gates.branched(_tagged(postings))
        gates.restore(columns, names.scopes)
        for row, marks in names.marks:
            gates.marks.put(row, marks)
        for row, sources in names.sources:
            gates.sources.derive(row, sources)
        # The only column that is written to later: when the vectors come.
        own = Columns.of({"key": columns["key"], "length": columns["length"], "slot": np.full(count, NOBODY, dtype=np.int32)})
        shelf._held = Contents(ids, own, postings, gates, Sessions.of(columns, names.sessions, ids), {})
        return shelf

    def compacted(self) -> tuple[dict[str, NDArray[Any]], NotNumbers]:
        """All but the vectors, without dead rows and by key: the columns, and what is no column of numbers."""
        held = self._held
        rows = np.flatnonzero(held.gates.codes("alive"))
        rows = rows[np.argsort(held.columns["key"][rows], kind="stable")]
        numbers = np.full(held.gates.count, NOBODY, dtype=np.int32)
        numbers[rows] = np.arange(len(rows))
        ids = [held.ids[row] for row in rows.tolist()]
        places, sessions = held.sessions.compacted(rows, ids)
        coded = np.full(held.gates.count, NOBODY, dtype=np.int32)
        fingerprints = list(dict.fromkeys(fingerprint for fingerprint, _ in held.vectors))
        for (fingerprint, _), block in held.vectors.items():
            coded[block.rows] = fingerprints.index(fingerprint)
        columns: dict[str, NDArray[Any]] = {"key": held.columns["key"][rows], "length": held.columns["length"][rows]}
        columns |= {"fingerprint": coded[rows], **dict(zip(POSTINGS, held.postings.renumbered(numbers), strict=True))}
        names = NotNumbers(
            ids=ids,
            sessions=sessions,
            scopes=list(held.gates.scopes),
            fingerprints=fingerprints,
            marks=[(int(numbers[row]), marks) for row, marks in held.gates.marks.items() if numbers[row] >= 0],
            sources=[(int(numbers[row]), each) for row, each in held.gates.sources.items() if numbers[row] >= 0],
        )
        return columns | places | held.gates.compacted(rows), names

    def branched(self) -> Self:
        """The same shelf to go on with: whatever is done to it does not show in this one, which is not to be changed any more."""
        other, held = twin(self), self._held
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

    def add_vectors(self, fingerprint: str, rows: Sequence[int], vectors: Matrix, *, expected: int) -> None:
        """Add vectors, all of one fingerprint and width, to rows that were just added, with space for more where more are to come."""
        owners = np.asarray(rows, dtype=np.int32)
        held, kind = self._held.vectors, (fingerprint, vectors.shape[1])
        block = held[kind] if kind in held else held.setdefault(kind, Vectors(vectors.shape[1]))
        block.reserve(expected)
        # In place: whoever searches an earlier branch has none of these rows.
        self._held.columns["slot"][owners] = block.add(owners, vectors)

    def add_excerpts(self, fingerprint: str, rows: Sequence[int], excerpts: Packed) -> None:
        """Add as many excerpts to each of the rows whose vectors were just added."""
        held, width = self._held, excerpts.shape[1] - 1
        block = held.vectors[fingerprint, width]
        block.excerpts = block.excerpts or Excerpts(width)
        block.excerpts.add(held.columns["slot"][np.asarray(rows, dtype=np.int32)], excerpts)

    def patch(self, memory_ids: Sequence[str], facts: FactColumns) -> None:
        """Replace the gate facts of memories whose content is unchanged."""
        self._held.gates.patch([self._row_of[memory_id] for memory_id in memory_ids], facts)

    def settle(self) -> None:
        """Be ready to be searched by many: what is worked out from all that was added is worked out now."""
        self._held.gates.sources.link()

    @property
    def keys(self) -> NDArray[np.int64]:
        """The key of each row."""
        return self._held.columns["key"]

    def beside(self, keys: Sequence[int]) -> list[int]:
        """The keys of the memories of no great length that were written next to these, and of all where a recall finds as many."""
        alive = self._held.gates.codes("alive")
        if self.stored <= _FEW:
            return self._keys(np.flatnonzero(alive))
        # Whoever is older has the lower key, so rows are in the order of their keys.
        blocks = distinct(self.keys.searchsorted(keys) // _BESIDE)
        rows = (blocks[:, None] * _BESIDE + np.arange(_BESIDE)).ravel()
        rows = rows[rows < len(alive)]
        return self._keys(rows[(alive[rows] > 0) & (self._held.columns["length"][rows] <= _BESIDE_TERMS)])

    @property
    def stored(self) -> int:
        """The number of memories."""
        return self._held.gates.stored

    def drop(self, keys: Sequence[int]) -> None:
        """Take out the memories of these keys; an unknown key changes nothing."""
        if keys:
            held = self._held
            rows = [row for row in np.flatnonzero(np.isin(held.columns["key"], keys)).tolist() if self._row_of.get(held.ids[row]) == row]
            ids = [held.ids[row] for row in rows]
            held.gates.kill(rows)
            for memory_id in ids:
                del self._row_of[memory_id]
            held.gates.moved(ids)

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
        core = self._held.ids.order.put(visible.core)
        return Hits(self._keys(rows), self._keys(core), findings)

    def _keys(self, rows: RowNumbers) -> list[int]:
        return cast("list[int]", self._held.columns["key"][rows].tolist())


def _tagged(postings: Postings) -> Callable[[str], Rows]:
    return lambda tag: postings.find(hashed("tag", (tag,)))[0].rows
