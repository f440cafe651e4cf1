"""The four ways to find candidates, each over the visible rows alone, and the best of what each found.

Every statistic (how many, in how many, how long, how near on average) counts visible rows only, so a memory that a gate
struck changes nothing: a recall is as if it did not exist. The best are cut by several keys in turn, ties by id, so that no
ranking depends on the order of rows.
"""

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.model import Background, Column, DenseLookup, EntityLookup, LexicalLookup, TemporalLookup, TermStatistic, Vector
from cued.stores.arrays import ONES, Mask, Order, RowNumbers, micros, rounded
from cued.stores.columns import kernels
from cued.stores.columns.excerpts import nearer
from cued.stores.columns.postings import Matches, Postings, hashed
from cued.stores.columns.vectors import CueVectors, Told, Vectors, in_steps
from cued.stores.standing.gates import Visible

Key = Callable[[RowNumbers, int], tuple[RowNumbers, NDArray[Any]]]
"""Gives, of the rows, those that can still be among the best `pool` by this key, and their values (higher is better)."""


def by_time(column: NDArray[np.int64]) -> Key:
    """The key that ranks rows by a column of times, latest first."""
    return lambda rows, _pool: (rows, column[rows])


def by_score(column: Column) -> Key:
    """The key that ranks rows by a column of scores, to nine decimals."""

    def highest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
        scores = column[rows]
        if len(rows) > pool:
            # Rounding is slow for many, and only those near the cut can be moved across it.
            close = np.empty(len(rows), dtype=np.intp)
            close = close[: kernels.highest(scores, close, pool, 2 / ONES)]
            rows, scores = rows.take(close), scores.take(close)
        return rows, rounded(scores)

    return highest


def best(rows: RowNumbers, pool: int, *, keys: Sequence[Key], order: Order) -> RowNumbers:
    """The best `pool` rows, best first: by the first key, ties by the next, at last by id ascending."""
    if pool < 1:
        return rows[:0]
    if len(keys) > 1:
        kept = order.put(_cut(rows, pool, keys=keys, order=order))
        # A key asked for as many as there are gives every row, in the order it got them; lexsort is stable, by its last key first.
        return kept[np.lexsort([-key(kept, len(kept))[1] for key in reversed(keys)])]
    rows, values = keys[0](rows, min(pool, len(rows)))
    if values.dtype.kind != "f":
        return rows[np.lexsort((order.places(rows), -values))[:pool]]
    kernels.rank(values, order.places(rows), first := np.empty(min(pool, len(rows)), dtype=np.intp))
    return order.rows(first)


def _cut(rows: RowNumbers, pool: int, *, keys: Sequence[Key], order: Order) -> RowNumbers:
    """The best `pool` rows by these keys, at last by id ascending, in any order."""
    if len(rows) <= pool:
        return rows
    if not keys:
        return order.put(rows)[:pool]
    rows, values = keys[0](rows, pool)
    least = np.partition(values, len(values) - pool)[len(values) - pool]
    above = rows[values > least]
    tied = rows[values == least]
    return np.concatenate([above, _cut(tied, pool - len(above), keys=keys[1:], order=order)])


_BACKGROUND_GRID = 2.0**15
_FEW = 256
"""So many rows are compared exactly right away."""


class Words(NamedTuple):
    """What the cue's words found: the rows that have any, a score for every row (0 for the others), the total idf, and each word's own.

    Behind the scores of the rows stands that of nobody, whose number is -1.
    """

    rows: RowNumbers
    bm25: Column
    covered: Column
    total: float
    statistics: tuple[TermStatistic, ...]


class Names(NamedTuple):
    """What the cue's names found: the rows that have any, the idf of those that each row has, and of all."""

    rows: RowNumbers
    covered: Column
    total: float

    def key(self) -> Key:
        """The key that ranks rows by what they have of the cue's names."""
        return by_score(self.covered)


def idf(documents: int, among: int) -> float:
    """The inverse document frequency ln(1 + (N - df + 1/2) / (df + 1/2)), Lucene's form of Robertson's idf: above 0 for every df ≤ N."""
    return log(1 + (among - documents + 0.5) / (documents + 0.5))


def by_words(postings: Postings, lengths: NDArray[np.int64], *, visible: Visible, lookup: LexicalLookup) -> Words:
    """Score rows by BM25+ (Lv & Zhai 2011): Σ idf · (δ + tf(k1+1) / (tf + k1(1 - b + b·len/avglen))), matching rows only."""
    terms = tuple(dict.fromkeys(lookup.terms))
    matches = postings.matches(hashed("term", terms), visible.some)
    documents = matches.documents.tolist()
    statistics = tuple([TermStatistic(term, having, idf(having, visible.total)) for term, having in zip(terms, documents, strict=True)])
    total_length = int((lengths if visible.everything else lengths[visible.rows]).sum())
    parameters = np.array([visible.total / (total_length or 1), lookup.b, lookup.k1, lookup.delta])

    weights = np.array([each.idf for each in statistics])
    rows, bm25, covered = _summed(matches, weights, parameters, lengths, visible.some)
    total = sum(each.idf for each in statistics)
    own = frozenset(lookup.alone) if len(lookup.alone) < len(lookup.terms) else frozenset[str]()
    alone = sum(each.idf for each in statistics if each.term in own)
    if alone:
        # The utterance's own words where the state adds others, scaled as if they were all that was looked for.
        own_weights = np.where([each.term in own for each in statistics], weights, 0.0)
        _, own_bm25, own_covered = _summed(matches, own_weights, parameters, lengths, visible.some)
        bm25, covered = np.maximum(bm25, total / alone * own_bm25), np.maximum(covered, total / alone * own_covered)
    return Words(rows, bm25, covered, total, statistics)


def by_names(postings: Postings, lengths: NDArray[np.int64], *, visible: Visible, lookup: EntityLookup) -> Names:
    """The rows that have any of the cue's names, each name weighed by its idf."""
    matches = postings.matches(hashed("entity", dict.fromkeys(lookup.names)), visible.some)
    weights = np.array([idf(having, visible.total) for having in matches.documents.tolist()], dtype=np.float64)
    rows, _, covered = _summed(matches, weights, _UNSCORED, lengths, visible.some)
    return Names(rows, covered, sum(weights.tolist()))


_UNSCORED = np.array([0.0, 0.0, 1.0, 0.0])
"""Of a name it counts whether a row has it, and not how often or among how much."""


def _summed(
    matches: Matches, weights: Column, parameters: Column, lengths: NDArray[np.int64], some: Mask | None
) -> tuple[RowNumbers, Column, Column]:
    """The rows that have anything, and for every row and nobody its score and the weight of what it has."""
    rows, scores, covered = np.empty(int(matches.documents.sum()), dtype=np.intp), np.zeros(len(lengths) + 1), np.zeros(len(lengths) + 1)
    found = 0
    for segment, begins, ends in matches.parts:
        # Entry after entry in the order of the terms, so that each row's sum is the same however the index is laid out.
        entries = segment.rows, segment.counts, begins, ends
        found += kernels.weigh(*entries, some, lengths, weights, parameters, scores[:-1], covered[:-1], rows[found:])
    return rows[:found], scores, covered


def in_window(times: NDArray[np.int64], *, visible: Mask, lookup: TemporalLookup) -> Mask:
    """Which visible rows fall into any of the cue's intervals, start ≤ t < end."""
    inside = np.zeros(len(times), dtype=np.bool_)
    for interval in lookup.intervals:
        inside |= (times >= micros(interval.start)) & (times < micros(interval.end))
    return inside & visible


class Meaning:
    """How near each visible row with a comparable vector is to the cue."""

    def __init__(self, vectors: Vectors | None, slots: NDArray[np.int32], *, visible: Visible, lookup: DenseLookup) -> None:
        """Scan all comparable rows once, where they are many; `slots` gives each row's place in `vectors`, negative without one."""
        asked = (lookup.vector,) if lookup.alone is None else (lookup.vector, lookup.alone)
        self._cue = in_steps(*asked)
        self._vectors = vectors
        self._slots = slots
        self._told = Told.nothing(len(slots))
        self._excerpts = nearest_excerpts(vectors, self._cue, lookup)
        self._scanned = visible.total > _FEW
        own = self._compared(visible)
        self.count, self._total, self._squares = kernels.background(own)
        self._near: Vector = own if self._excerpts is None else self._with_excerpts(own, self._excerpts)
        self.uncomparable = visible.total - self.count

    def _compared(self, visible: Visible) -> Vector:
        """How near each row's own vector is as scanned, or exactly where there are few; -inf for what is struck or cannot be compared."""
        vectors, count = self._vectors, len(self._slots)
        if vectors is not None and self._scanned and vectors.in_order and vectors.count == count:
            near = vectors.scan(self._cue)
        else:
            near = np.full(count, -np.inf, dtype=np.float32)
            if vectors is not None and self._scanned:
                near[vectors.rows] = vectors.scan(self._cue)
            elif vectors is not None:
                seen = vectors.rows[visible.rows[vectors.rows]].astype(np.intp)
                near[seen] = 0.0
                near[seen] = vectors.tell(self._cue, self._slots, near, seen, into=self._told)
        if visible.total < count:
            near[~visible.rows] = -np.inf
        if vectors is not None and vectors.damaged:
            near[np.isnan(near)] = -np.inf
        return near

    def _with_excerpts(self, own: Vector, excerpts: Vector) -> Vector:
        """How near each row is by its own vector or by an excerpt, which tells nothing of a row that cannot be compared."""
        near = nearer(own, excerpts.take(self._slots, mode="clip"))
        near[np.isinf(own)] = -np.inf
        return near

    @property
    def background(self) -> Background:
        """Count, mean and population deviation of the cosine of own vectors over the visible comparable rows."""
        count, total = self.count, self._total
        if not count:
            return Background()
        variance = (count * self._squares - total * total) / (count * count)
        return Background(count=count, mean=total / count / _BACKGROUND_GRID, deviation=sqrt(variance) / _BACKGROUND_GRID)

    def within_reach(self, pool: int, among: Mask | None = None) -> RowNumbers:
        """The rows that can be among the `pool` nearest, of those in the mask alone where there is one."""
        near = self._near if among is None else np.where(among, self._near, np.float32(-np.inf))
        if self._scanned and 0 < pool < len(near) and self._vectors is not None:
            reached = self._nearest(near, self._off_by_row(self._vectors), pool)
            if len(reached) < len(near):
                return reached
        return np.flatnonzero(np.isfinite(near))

    def _off_by_row(self, vectors: Vectors) -> Vector:
        """How far each row may be from where it was scanned."""
        if vectors.in_order and vectors.count == len(self._near):
            return vectors.off
        off = np.zeros(len(self._near), dtype=np.float32)
        off[vectors.rows] = vectors.off
        return off

    def _nearest(self, near: Vector, off: Vector, pool: int) -> RowNumbers:
        """The places of those that can be among the `pool` nearest, for each of them may be off, and the cue too."""
        places = np.empty(len(near), dtype=np.intp)
        return places[: kernels.nearest(near, off, places, pool, 2 * self._cue.off)]

    def cosine(self, rows: RowNumbers) -> Column:
        """The exact cosine of each row, nan where its vector cannot be compared, a gate struck it, or it is nobody's."""
        if self._vectors is None:
            return np.full(len(rows), np.nan)
        own = self._vectors.tell(self._cue, self._slots, self._near, rows, into=self._told)
        # The slot of a row that cannot be compared may lie anywhere, and its cosine is nan whatever stands there.
        return own if self._excerpts is None else nearer(own, self._excerpts.take(self._slots[rows], mode="clip"))

    def exactly(self, rows: RowNumbers, _pool: int) -> tuple[RowNumbers, Column]:
        """The key that ranks rows by exact cosine where each of them is within reach, and so has one."""
        return rows, self.cosine(rows)

    def key(self) -> Key:
        """The key that ranks rows by exact cosine, rows without one last."""

        def nearest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
            if self._vectors is not None and self._scanned and len(rows) > pool:
                # The slot of a row that cannot be compared may lie among other vectors; how far it is off does not matter.
                off = self._vectors.off.take(self._slots.take(rows), mode="clip")
                rows = rows.take(self._nearest(self._near.take(rows), off, pool))
            cosine = self.cosine(rows)
            return rows, np.where(np.isnan(cosine), -np.inf, cosine)

        return nearest

    def take(self, rows: RowNumbers) -> Vector:
        """The rows' vectors, zeros where one cannot be compared."""
        near = np.isfinite(self._near[rows])
        if self._vectors is not None and near.all():
            return self._vectors.take(self._slots[rows])
        taken = np.zeros((len(rows), self._cue.steps.shape[1]), dtype=np.float32)
        if self._vectors is not None and near.any():
            taken[near] = self._vectors.take(self._slots[rows[near]])
        return taken


def nearest_excerpts(vectors: Vectors | None, cue: CueVectors, lookup: DenseLookup) -> Vector | None:
    """How near the nearest excerpt of each slot is, None where no text has any or none counts."""
    if vectors is None or vectors.excerpts is None or not lookup.excerpts:
        return None
    return vectors.excerpts.nearest(cue, vectors.count)
