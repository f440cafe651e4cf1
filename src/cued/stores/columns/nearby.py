"""Meaning where a tenant has very many vectors: the rows that an approximate index finds, told apart by their exact cosines.

A struck row never comes back, for the gates have the last word. Where they leave too few of what the index found, it is asked for more,
and in the end every vector is scanned, as without it. The background is told of a sample of the visible rows.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cued.model import Background, Column, DenseLookup
from cued.stores.arrays import Mask, RowNumbers
from cued.stores.columns.channels import Key, Meaning, nearest_excerpts
from cued.stores.columns.graphs import Graph, Index, VectorSample, library
from cued.stores.columns.vectors import Told, Vectors, in_steps
from cued.stores.standing.gates import Visible

_TIMES: Final = 2
"""How many times the pool the index is asked for, of the visible rows: the nearest by its coarse numbers are not quite the nearest."""
_LEAST, _MOST = 100, 2000
"""The fewest and the most that it is asked for; beyond, a scan is about as fast."""
_FEW: Final = 2000
"""So few rows are compared one by one."""
_LEAST_SAMPLE: Final = 1000


def meaning(vectors: Vectors | None, slots: NDArray[np.int32], *, visible: Visible, lookup: DenseLookup, apart: bool) -> Meaning:
    """How near each visible row is to the cue: as an index finds it where there is one that will do, and else by a scan of all."""
    if vectors is not None and library() is not None:
        index: Index = vectors.shared.setdefault("index", Index())
        graphs = index.graphs(vectors)
        if graphs and visible.total:
            nearby = Nearby(vectors, slots, visible=visible, lookup=lookup)
            if nearby.found(graphs, apart=apart):
                return nearby
    return Meaning(vectors, slots, visible=visible, lookup=lookup)


class Nearby(Meaning):
    """What Meaning says, of the rows that an index found: only those are within reach."""

    def __init__(self, vectors: Vectors, slots: NDArray[np.int32], *, visible: Visible, lookup: DenseLookup) -> None:
        """Scan nothing."""
        self._asked = (lookup.vector,) if lookup.alone is None else (lookup.vector, lookup.alone)
        self._cue = in_steps(*self._asked)
        self._vectors: Vectors = vectors
        self._slots, self._visible, self._lookup = slots, visible, lookup
        self._sample: VectorSample = vectors.shared["index"].sample
        self._whole: Meaning | None = None
        self._scanned = False
        # Whether a row can be compared is all that is asked of these: their cosines are told one by one.
        self._near = np.full(len(slots), -np.inf, dtype=np.float32)
        self._near[slice(vectors.count) if vectors.in_order else vectors.rows] = 0.0
        self._near[~visible.rows] = -np.inf
        self._told = Told.nothing(len(slots))
        self._excerpts = nearest_excerpts(vectors, self._cue, lookup)
        self._rows: RowNumbers = np.empty(0, dtype=np.intp)

    def found(self, graphs: Sequence[Graph], *, apart: bool) -> bool:
        """Whether the index finds as many as are wanted, of those that somebody has vouched for and of the others where they are apart."""
        comparable = np.isfinite(self._near)
        self.count = int(np.count_nonzero(comparable))
        self.uncomparable = self._visible.total - self.count
        unverified = self._visible.unverified if apart else None
        groups = [comparable] if unverified is None else [comparable & ~unverified, comparable & unverified]
        few = [np.flatnonzero(group) for group in groups if np.count_nonzero(group) <= _FEW]
        large = [group for group in groups if np.count_nonzero(group) > _FEW]
        wanted = self._lookup.pool
        if not wanted or np.count_nonzero(self._seen) < _LEAST_SAMPLE:
            return False
        share = min((int(np.count_nonzero(group)) / self._vectors.count for group in large), default=1.0)
        asked = max(_LEAST, int(_TIMES * wanted / share))
        while large and asked <= _MOST:
            rows = np.unique(np.concatenate([*few, *self._searched(graphs, asked)]))
            rows = rows[comparable[rows]]
            if all(np.count_nonzero(group[rows]) >= wanted for group in large):
                self._rows = rows
                return True
            asked *= 4
        return False

    @property
    def _seen(self) -> Mask:
        """Which of the sample can be compared and are visible."""
        seen: Mask = np.isfinite(self._near[self._vectors.rows[self._sample.slots]])
        return seen

    def _searched(self, graphs: Sequence[Graph], count: int) -> Iterator[RowNumbers]:
        """The rows that the graphs find, and the nearest of those that are in none."""
        vectors, covered = self._vectors, graphs[-1].end
        for asked in self._asked:
            for graph in graphs:
                yield vectors.rows[graph.nearest(asked, count)].astype(np.intp)
            late = vectors.scan(in_steps(asked), first=covered)
            nearest = np.argpartition(-late, count)[:count] if len(late) > count else np.arange(len(late))
            yield vectors.rows[covered + nearest].astype(np.intp)
        if self._excerpts is not None:
            said = np.argpartition(-self._excerpts, count)[:count] if len(self._excerpts) > count else np.arange(len(self._excerpts))
            yield vectors.rows[said].astype(np.intp)

    @property
    def background(self) -> Background:
        """Mean and deviation of the cosine over the visible rows of the sample; the count is of all that can be compared."""
        seen = self._seen
        of_sample = Visible(seen, int(np.count_nonzero(seen)), {}, self._rows[:0])
        places = np.arange(len(seen), dtype=np.int32)
        told = Meaning(self._sample.vectors, places, visible=of_sample, lookup=self._lookup).background
        return Background(count=self.count, mean=told.mean, deviation=told.deviation)

    def within_reach(self, pool: int, among: Mask | None = None) -> RowNumbers:  # noqa: ARG002 - so many were found
        """The rows that the index found, of those in the mask alone where there is one."""
        return self._rows if among is None else self._rows[among[self._rows]]

    def key(self) -> Key:
        """The key that ranks rows by exact cosine, rows without one last; of many rows by a scan of all."""

        def nearest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
            if len(rows) > _FEW + _MOST * len(self._asked):
                self._whole = self._whole or Meaning(self._vectors, self._slots, visible=self._visible, lookup=self._lookup)
                return self._whole.key()(rows, pool)
            cosine = self.cosine(rows)
            return rows, np.where(np.isnan(cosine), -np.inf, cosine)

        return nearest
