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
from cued.stores.arrays import Ids, Mask, RowNumbers, Rows, distinct, micros
from cued.stores.columns.postings import Postings, hashed
from cued.stores.columns.vectors import CueVector, Vectors, in_steps
from cued.stores.standing.gates import Visible

_DECIMALS = 9
_BLOCK = 32

Key = Callable[[RowNumbers, int], tuple[RowNumbers, NDArray[Any]]]
"""Gives, of the rows, those that can still be among the best `pool` by this key, and their values (higher is better)."""


def rounded(scores: Column) -> Column:
    """Scores to nine decimals: sums in another order differ in the last bit, and what is a tie on paper must be one."""
    return np.round(scores, _DECIMALS)


def by_time(column: NDArray[np.int64]) -> Key:
    """The key that ranks rows by a column of times, latest first."""
    return lambda rows, _pool: (rows, column[rows])


def by_score(column: Column) -> Key:
    """The key that ranks rows by a column of scores, to nine decimals."""

    def highest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
        scores = column[rows]
        if len(rows) > pool:
            # Rounding is slow for many, and only those near the cut can be moved across it.
            close = scores >= last_of_best(scores, pool) - 2 * 10.0**-_DECIMALS
            rows, scores = rows[close], scores[close]
        return rows, rounded(scores)

    return highest


def last_of_best(values: NDArray[Any], pool: int) -> Any:  # noqa: ANN401 - a number of the array's own type
    """The lowest of the `pool` highest values."""
    blocks = len(values) // _BLOCK
    if blocks > pool:
        # The highest values of so many blocks are so many values: whatever is below the least of those is not among the best.
        tops = values[: blocks * _BLOCK].reshape(_BLOCK, blocks).max(axis=0)
        values = values[values >= last_of_best(tops, pool)]
    return np.partition(values, len(values) - pool)[len(values) - pool]


def best(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Ids) -> RowNumbers:
    """The best `pool` rows, best first: by the first key, ties by the next, at last by id ascending."""
    if pool < 1:
        return rows[:0]
    if len(keys) > 1:
        kept = ids.in_order(_cut(rows, pool, keys=keys, ids=ids))
        # A key asked for as many as there are gives every row, in the order it got them; lexsort is stable, by its last key first.
        return kept[np.lexsort([-key(kept, len(kept))[1] for key in reversed(keys)])]
    rows, values = keys[0](rows, min(pool, len(rows)))
    order = ids.order(rows)
    return rows[order[np.argsort(-values[order], kind="stable")[:pool]]]


def _cut(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Ids) -> RowNumbers:
    """The best `pool` rows by these keys, at last by id ascending, in any order."""
    if len(rows) <= pool:
        return rows
    if not keys:
        return ids.in_order(rows)[:pool]
    rows, values = keys[0](rows, pool)
    least = last_of_best(values, pool)
    above = rows[values > least]
    tied = rows[values == least]
    return np.concatenate([above, _cut(tied, pool - len(above), keys=keys[1:], ids=ids)])


_BACKGROUND_GRID = 2.0**15
_FEW = 256
"""So many rows are compared exactly right away."""


class Words(NamedTuple):
    """What the cue's words found: the rows that have any, a score for every row, 0 for the others, and the idf of its words and of all."""

    rows: RowNumbers
    bm25: Column
    covered: Column
    total: float
    statistics: tuple[TermStatistic, ...]

    def scores(self, rows: RowNumbers) -> Column:
        """These rows' BM25+ scores."""
        return rounded(self.bm25[rows])

    def coverage(self, rows: RowNumbers) -> Column:
        """The idf of the cue's words that a row has over the idf of all its words, 0 to 1."""
        return _share(self.covered[rows], self.total)


class Names(NamedTuple):
    """What the cue's names found: the idf of those that each row has, and of all."""

    covered: Column
    total: float

    @property
    def rows(self) -> RowNumbers:
        """The rows that have any of the names."""
        return np.flatnonzero(self.covered)

    def share(self, rows: RowNumbers) -> Column:
        """The share of the cue's names that a row has, weighted by idf, 0 to 1."""
        return _share(self.covered[rows], self.total)

    def key(self) -> Key:
        """The key that ranks rows by what they have of the cue's names."""
        return by_score(self.covered)


def idf(documents: int, among: int) -> float:
    """The inverse document frequency ln(1 + (N - df + 1/2) / (df + 1/2)), Lucene's form of Robertson's idf: above 0 for every df ≤ N."""
    return log(1 + (among - documents + 0.5) / (documents + 0.5))


def by_words(postings: Postings, lengths: NDArray[np.int64], *, visible: Visible, lookup: LexicalLookup) -> Words:
    """Score rows by BM25+ (Lv & Zhai 2011): Σ idf · (δ + tf(k1+1) / (tf + k1(1 - b + b·len/avglen))), matching rows only."""
    terms = tuple(dict.fromkeys(lookup.terms))
    found = postings.matches(hashed("term", terms))
    found = found if visible.everything else found.among(visible.rows)
    rows, sizes = found.rows.astype(np.intp), found.sizes
    statistics = tuple(TermStatistic(term, size, idf(size, visible.total)) for term, size in zip(terms, sizes.tolist(), strict=True))
    total_length = int((lengths if visible.everything else lengths[visible.rows]).sum())
    # Entry after entry in the order of the terms, so that each row's sum is the same however the index is laid out.
    weights = np.repeat(np.array([each.idf for each in statistics]), sizes)
    # In place: for the words of a long text, an array for each step would take longer than the arithmetic.
    counts = found.counts.astype(np.float64)
    damped: Column = np.multiply(lengths.take(rows), visible.total / (total_length or 1), dtype=np.float64)
    damped *= lookup.b
    damped += 1 - lookup.b
    damped *= lookup.k1
    damped += counts
    scores = np.multiply(counts, lookup.k1 + 1, out=counts)
    scores /= damped
    scores += lookup.delta
    scores *= weights

    def summed(entries: Mask | slice) -> tuple[Column, Column]:
        bm25: Column = np.bincount(rows[entries], scores[entries], minlength=len(lengths)).astype(np.float64, copy=False)
        covered: Column = np.bincount(rows[entries], weights[entries], minlength=len(lengths)).astype(np.float64, copy=False)
        return bm25, covered

    bm25, covered = summed(slice(None))
    total = sum(each.idf for each in statistics)
    own = frozenset(lookup.alone) if len(lookup.alone) < len(lookup.terms) else frozenset[str]()
    alone = sum(each.idf for each in statistics if each.term in own)
    if alone:
        # The utterance's own words where the state adds others, scaled as if they were all that was looked for.
        own_bm25, own_covered = summed(np.repeat(np.array([each.term in own for each in statistics]), sizes))
        bm25, covered = np.maximum(bm25, total / alone * own_bm25), np.maximum(covered, total / alone * own_covered)
    having = np.zeros(len(lengths), dtype=np.bool_)
    having[rows] = True
    return Words(np.flatnonzero(having), bm25, covered, total, statistics)


def by_names(postings: Postings, rows: int, *, visible: Visible, lookup: EntityLookup) -> Names:
    """The rows that have any of the cue's names, each name weighed by its idf."""
    covered, total = np.zeros(rows), 0.0
    for posting in postings.find(hashed("entity", dict.fromkeys(lookup.names))):
        having = posting.rows if visible.everything else posting.rows[visible.rows[posting.rows]]
        weight = idf(len(having), visible.total)
        covered[having] += weight
        total += weight
    return Names(covered, total)


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
        self._cues: list[CueVector] = [in_steps(vector) for vector in (lookup.vector, lookup.alone) if vector is not None]
        self._vectors = vectors
        self._slots = slots
        self._exact, self._told = untold(len(slots))
        self._scanned = visible.total > _FEW
        self._near: Vector = self._compared(visible)
        self.count = int(np.count_nonzero(np.isfinite(self._near)))
        self.uncomparable = visible.total - self.count

    def _compared(self, visible: Visible) -> Vector:
        """How near each row is as scanned, or exactly where there are few; -inf for what is struck or cannot be compared."""
        vectors, count = self._vectors, len(self._slots)
        if vectors is not None and self._scanned and vectors.in_order and vectors.count == count:
            near = self._by_scan(vectors)
        else:
            near = np.full(count, -np.inf, dtype=np.float32)
            if vectors is not None and self._scanned:
                near[vectors.rows] = self._by_scan(vectors)
            elif vectors is not None:
                seen = vectors.rows[visible.rows[vectors.rows]]
                near[seen] = self._tell(vectors, seen)
        if visible.total < count:
            near[~visible.rows] = -np.inf
        if vectors is not None and vectors.damaged:
            near[np.isnan(near)] = -np.inf
        return near

    def _by_scan(self, vectors: Vectors) -> Vector:
        first, *others = (vectors.scan(cue) for cue in self._cues)
        return np.maximum.reduce([first, *others]) if others else first

    @property
    def background(self) -> Background:
        """Count, mean and population deviation of the cosine over the visible comparable rows."""
        if not self.count:
            return Background()
        # Whole steps of 2^-15: their sum and the sum of their squares are exact in float64, whatever the order.
        near = self._near if self.count == len(self._near) else self._near[np.isfinite(self._near)]
        steps = np.multiply(near, _BACKGROUND_GRID, dtype=np.float64)
        np.rint(steps, out=steps)
        count, total = len(steps), int(steps.sum())
        # Not a dot product: from 10,000 rows on it waits for threads of its own, for milliseconds where all cores are busy.
        squares = int(np.square(steps, out=steps).sum())
        variance = (count * squares - total * total) / (count * count)
        return Background(count=count, mean=total / count / _BACKGROUND_GRID, deviation=sqrt(variance) / _BACKGROUND_GRID)

    def within_reach(self, pool: int, among: Mask | None = None) -> RowNumbers:
        """The rows that can be among the `pool` nearest, of those in the mask alone where there is one."""
        near = self._near if among is None else np.where(among, self._near, -np.inf)
        least = self._least(near, pool) if self._scanned and 0 < pool < len(near) else -np.inf
        return np.flatnonzero(near >= least) if least > -np.inf else np.flatnonzero(np.isfinite(near))

    def _least(self, near: Vector, pool: int) -> Any:  # noqa: ANN401 - a float32
        """How near a row has to be as scanned, at the least, to be exactly among the `pool` nearest: both it and the last may be off."""
        off = 0.0 if self._vectors is None else self._vectors.most_off + self._cues_off
        return last_of_best(near, pool) - 2 * off

    @property
    def _cues_off(self) -> Any:  # noqa: ANN401 - a float32
        return np.float32(max(cue.off for cue in self._cues))

    def cosine(self, rows: RowNumbers) -> Column:
        """The exact cosine of each row, nan where its vector cannot be compared or a gate struck it."""
        # Each once: neighbours of candidates are candidates or neighbours of others.
        untold = rows[~self._told[rows] & np.isfinite(self._near[rows])]
        if self._vectors is not None and len(untold):
            self._tell(self._vectors, distinct(untold))
        return np.where(self._told[rows], self._exact[rows], np.nan)

    def _tell(self, vectors: Vectors, rows: RowNumbers | Rows) -> Column:
        """The exact cosines of rows, which are told from now on."""
        exact: Column = np.maximum.reduce([vectors.exact(self._slots[rows], cue) for cue in self._cues])
        self._exact[rows], self._told[rows] = exact, True
        return exact

    def key(self) -> Key:
        """The key that ranks rows by exact cosine, rows without one last."""

        def nearest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
            if self._vectors is not None and self._scanned and len(rows) > pool:
                near = self._near.take(rows)
                close = near >= self._least(near, pool)
                rows, near = rows[close], near[close]
                off = self._vectors.off.take(self._slots[rows]) + self._cues_off
                rows = rows[near + off >= last_of_best(near - off, pool)]
            cosine = self.cosine(rows)
            return rows, np.where(np.isnan(cosine), -np.inf, cosine)

        return nearest

    def take(self, rows: RowNumbers) -> Vector:
        """The rows' vectors, zeros where one cannot be compared."""
        near = np.isfinite(self._near[rows])
        if self._vectors is not None and near.all():
            return self._vectors.take(self._slots[rows])
        taken = np.zeros((len(rows), len(self._cues[0].steps)), dtype=np.float32)
        if self._vectors is not None and near.any():
            taken[near] = self._vectors.take(self._slots[rows[near]])
        return taken


def untold(count: int) -> tuple[Column, Mask]:
    """Space for so many cosines, and which of them are told: none yet. What nobody asks for is never written to."""
    return np.empty(count), np.zeros(count, dtype=np.bool_)


def _share(covered: Column, total: float) -> Column:
    return rounded(covered / total) if total > 0 else covered
