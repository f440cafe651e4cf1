"""One tenant's memories as columns in memory, and the answer to a lookup from them.

Above: the in-memory store and the SQLite store, which keep shelves up to date. Below: gates, channels, ranking.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cued.model import Background, Findings, Lookup, Matrix
from cued.stores.columns import Columns
from cued.stores.forward import unpack
from cued.stores.gates import Facts, Gates
from cued.stores.postings import Postings
from cued.stores.reading import Contents, Reading
from cued.stores.sessions import NOBODY, Sessions, place
from cued.stores.vectors import Vectors

_LEAST_WASTE = 1024
_BYTES_PER_ROW = 250


class Entry(NamedTuple):
    """What a shelf needs of one memory: its names, its facts for the gates, its place, and its forward index."""

    id: str
    key: int
    facts: Facts
    session: str | None
    turn: int | None
    forward: bytes


class Answer(NamedTuple):
    """The candidates' keys in the order of their ids, and the findings but for the memories themselves."""

    keys: list[int]
    ids: list[str]
    findings: Findings


class Shelf:
    """The memories of one tenant, ready to be searched."""

    def __init__(self) -> None:
        """Start empty."""
        postings, columns = Postings(), Columns({"key": np.int64, "length": np.int64, "slot": np.int32})
        self._held = Contents([], columns, postings, Gates(postings), Sessions(), {})
        self._row_of: dict[str, int] = {}

    def add(self, entries: Sequence[Entry]) -> range:
        """Append memories and give their rows; an id that is there already is replaced."""
        forward = unpack(entry.forward for entry in entries)
        rows = self._held.gates.add([entry.facts for entry in entries])
        self._held.columns.append(len(entries), {"key": [entry.key for entry in entries], "length": forward.lengths, "slot": NOBODY})
        owners = np.repeat(np.arange(rows.start, rows.stop, dtype=np.int32), forward.sizes)
        self._held.postings.add(forward.hashes, owners, forward.counts)
        numbered = list(zip(rows, entries, strict=True))
        places = [(entry.session, place(entry.turn, entry.facts.created, entry.id, row)) for row, entry in numbered]
        self._held.sessions.add(len(entries), places)
        for row, entry in numbered:
            self.remove(entry.id)
            self._row_of[entry.id] = row
            self._held.ids.append(entry.id)
        return rows

    def add_vectors(self, fingerprint: str, rows: Sequence[int], vectors: Matrix) -> None:
        """Give vectors, all of one fingerprint and width, to rows that have none yet."""
        owners = np.asarray(rows, dtype=np.int32)
        block = self._held.vectors.setdefault((fingerprint, vectors.shape[1]), Vectors(vectors.shape[1]))
        self._held.columns["slot"][owners] = block.add(owners, vectors)

    def reserve_vectors(self, fingerprint: str, dimensions: int, *, more: int) -> None:
        """Make room for so many more vectors, so that adding them in parts copies nothing."""
        self._held.vectors.setdefault((fingerprint, dimensions), Vectors(dimensions)).reserve(more)

    def patch(self, entry: Entry) -> None:
        """Replace the gate facts of a memory whose content is unchanged."""
        self._held.gates.patch(self._row_of[entry.id], entry.facts)

    def remove(self, memory_id: str) -> None:
        """Take a memory out; an unknown id changes nothing."""
        row = self._row_of.pop(memory_id, None)
        if row is not None:
            self._held.gates.kill(row)

    @property
    def wasteful(self) -> bool:
        """Tell whether most rows are dead, so that building the shelf anew would pay."""
        return self._held.gates.count > 2 * self._held.gates.stored + _LEAST_WASTE

    @property
    def nbytes(self) -> int:
        """Give about how many bytes the shelf occupies."""
        held = self._held
        matrices = sum(vectors.nbytes for vectors in held.vectors.values())
        lists = held.postings.nbytes + held.sessions.nbytes + _BYTES_PER_ROW * len(held.ids)
        return matrices + lists + held.columns.nbytes + held.gates.nbytes

    def answer(self, lookup: Lookup) -> Answer:
        """Judge the gates, open the channels, and give the union of their pools as columns, ordered by id."""
        sight = self._held.gates.judge(lookup)
        reading = Reading(self._held, lookup, sight)
        pools = reading.pools()
        rows, meaning = reading.candidates(pools), reading.meaning
        findings = Findings(
            stored=self._held.gates.stored,
            visible=sight.seen,
            struck=sight.struck,
            columns=reading.columns(rows, pools),
            vectors=None if meaning is None else meaning.take(rows),
            background=Background() if meaning is None else meaning.background,
            terms=() if reading.words is None else reading.words.statistics,
            uncomparable=0 if meaning is None else meaning.uncomparable,
        )
        return Answer(self._held.columns["key"][rows].tolist(), [self._held.ids[row] for row in rows.tolist()], findings)
