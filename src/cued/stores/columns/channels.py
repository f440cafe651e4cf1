"""The four ways to find candidates, each over the visible rows alone.

Every statistic (how many, in how many, how long, how near on average) counts visible rows only, so a memory that a gate
struck changes nothing: a recall is as if it did not exist.
"""

from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.arrays import Mask, RowNumbers
from cued.model import Background, Column, DenseLookup, EntityLookup, LexicalLookup, TemporalLookup, TermStatistic, Vector
from cued.standing.gates import Sight
from cued.standing.instants import micros
from cued.stores.columns.forward import Namespace, hashed
from cued.stores.columns.postings import Posting, Postings
from cued.stores.columns.ranking import Key, by_score, last_of_best, rounded
from cued.stores.columns.vectors import CueVector, Vectors, on_grids

_BACKGROUND_GRID = 2.0**15


class Words(NamedTuple):
    """What the cue's words found: a score for every row, 0 where no word stands, and the idf of its words and of all."""

    bm25: Column
    covered: Column
    total: float
    statistics: tuple[TermStatistic, ...]

    def scores(self, rows: RowNumbers) -> Column:
        """Give these rows' BM25+ scores."""
        return rounded(self.bm25[rows])

    def coverage(self, rows: RowNumbers) -> Column:
        """Give the idf of the cue's words that a row has over the idf of all its words, 0 to 1."""
        return _share(self.covered[rows], self.total)


class Names(NamedTuple):
    """What the cue's names found: the idf of those that each row has, and of all; and what the names beside those add to the share."""

    covered: Column
    total: float
    linked: Column | None = None

    @property
    def rows(self) -> RowNumbers:
        """Give the rows that have any of the names."""
        return np.flatnonzero(self.covered if self.linked is None else (self.covered != 0) | (self.linked != 0))

    def share(self, rows: RowNumbers) -> Column:
        """Give the share of the cue's names that a row has, weighted by idf, 0 to 1."""
        return _share(self.covered[rows], self.total)

    def link(self, rows: RowNumbers) -> Column:
        """Give what the names beside the cue's add to the share of a row that lacks some of those, 0 to what it lacks."""
        return np.zeros(len(rows)) if self.linked is None else self.linked[rows]

    def keys(self) -> list[Key]:
        """Give the keys that rank rows: by the cue's names and those beside them, and of equals first who has more of the cue's own."""
        own = by_score(self.covered)
        if self.linked is None:
            return [own]
        both, rows = np.zeros(len(self.covered)), self.rows
        both[rows] = self.share(rows) + self.linked[rows]
        return [by_score(both), own]


def idf(documents: int, among: int) -> float:
    """Give ln(1 + (N - df + 1/2) / (df + 1/2)), Lucene's form of Robertson's idf: above 0 for every df ≤ N."""
    return log(1 + (among - documents + 0.5) / (documents + 0.5))


def by_words(postings: Postings, lengths: NDArray[np.int64], *, sight: Sight, lookup: LexicalLookup) -> Words:
    """Score rows by BM25+ (Lv & Zhai 2011): Σ idf · (δ + tf(k1+1) / (tf + k1(1 - b + b·len/avglen))), matching rows only."""
    found = _visible_postings(postings, lookup.terms, namespace="term", sight=sight)
    bm25, covered, alone = np.zeros(len(lengths)), np.zeros(len(lengths)), _Alone(lookup, len(lengths))
    total_length = int((lengths if sight.everything else lengths[sight.visible]).sum())
    statistics, total_weight = [], 0.0
    for term, posting in found:
        weight = idf(len(posting.rows), sight.seen)
        total_weight += weight
        statistics.append(TermStatistic(term, len(posting.rows), weight))
        if not len(posting.rows):
            continue
        relative = lengths[posting.rows] * (sight.seen / total_length)
        counts = posting.counts.astype(np.float64)
        saturated = counts * (lookup.k1 + 1) / (counts + lookup.k1 * (1 - lookup.b + lookup.b * relative))
        bm25[posting.rows] += weight * (lookup.delta + saturated)
        covered[posting.rows] += weight
        alone.add(term, posting.rows, weight, weight * (lookup.delta + saturated))
    return Words(*alone.best(bm25, covered, statistics), total_weight, tuple(statistics))


class _Alone:
    """What the utterance's own words find where the state adds others, scaled as if they were all that was looked for."""

    def __init__(self, lookup: LexicalLookup, rows: int) -> None:
        """Start with no row found."""
        self._terms = frozenset(lookup.alone) if len(lookup.alone) < len(lookup.terms) else frozenset[str]()
        self._bm25, self._covered = (np.zeros(rows), np.zeros(rows)) if self._terms else (np.zeros(0), np.zeros(0))

    def add(self, term: str, rows: NDArray[np.int32], weight: float, score: Column) -> None:
        """Count a term of the cue where it is the utterance's own."""
        if term in self._terms:
            self._bm25[rows] += score
            self._covered[rows] += weight

    def best(self, bm25: Column, covered: Column, statistics: Sequence[TermStatistic]) -> tuple[Column, Column]:
        """Both columns of the whole cue, or the utterance's where they are a larger share of all that was looked for."""
        own = sum(each.idf for each in statistics if each.term in self._terms)
        if not own:
            return bm25, covered
        scale = sum(each.idf for each in statistics) / own
        return np.maximum(bm25, scale * self._bm25), np.maximum(covered, scale * self._covered)


def by_names(postings: Postings, rows: int, *, sight: Sight, lookup: EntityLookup) -> Names:
    """Find the rows that have any of the cue's names, and weigh those by their idf."""
    covered, total = np.zeros(rows), 0.0
    for _, posting in _visible_postings(postings, lookup.names, namespace="entity", sight=sight):
        weight = idf(len(posting.rows), sight.seen)
        covered[posting.rows] += weight
        total += weight
    return Names(covered, total)


def in_window(times: NDArray[np.int64], *, visible: Mask, lookup: TemporalLookup) -> Mask:
    """Give which visible rows fall into any of the cue's intervals, start ≤ t < end."""
    inside = np.zeros(len(times), dtype=np.bool_)
    for interval in lookup.intervals:
        inside |= (times >= micros(interval.start)) & (times < micros(interval.end))
    return inside & visible


class Meaning:
    """How near each visible row with a comparable vector is to the cue."""

    def __init__(self, vectors: Vectors | None, slots: NDArray[np.int32], *, sight: Sight, lookup: DenseLookup) -> None:
        """Scan all comparable rows once; `slots` gives each row's place in `vectors`, negative without one."""
        self._cues: list[CueVector] = [on_grids(vector) for vector in (lookup.vector, lookup.alone) if vector is not None]
        self._vectors = vectors
        self._slots = slots
        self._near: Vector = np.full(len(slots), -np.inf, dtype=np.float32)
        if vectors is not None:
            place = slice(vectors.count) if vectors.in_order else vectors.rows
            self._near[place] = vectors.scan(self._cues[0])
            for other in self._cues[1:]:
                self._near[place] = np.maximum(self._near[place], vectors.scan(other))
        if sight.seen < len(slots):
            self._near[~sight.visible] = -np.inf
        self.rows: RowNumbers = np.flatnonzero(np.isfinite(self._near))
        self.uncomparable = sight.seen - len(self.rows)
        self._exact: Column = np.full(len(slots), np.nan)

    @property
    def background(self) -> Background:
        """Give count, mean and population deviation of the cosine over the visible comparable rows."""
        if not len(self.rows):
            return Background()
        # Whole steps of 2^-15: their sum and the sum of their squares are exact in float64, whatever the order.
        # In place: for many rows the time goes into fresh memory.
        scaled = self._near.take(self.rows)
        scaled *= np.float32(_BACKGROUND_GRID)
        steps = np.rint(scaled, out=scaled).astype(np.float64)
        count, total = len(steps), int(steps.sum())
        squares = int(np.square(steps, out=steps).sum())
        variance = (count * squares - total * total) / (count * count)
        return Background(count=count, mean=total / count / _BACKGROUND_GRID, deviation=sqrt(variance) / _BACKGROUND_GRID)

    def cosine(self, rows: RowNumbers) -> Column:
        """Give the exact cosine of each row, nan where its vector cannot be compared or a gate struck it."""
        unknown = rows[np.isfinite(self._near[rows]) & np.isnan(self._exact[rows])]
        if self._vectors is not None and len(unknown):
            exact = [self._vectors.exact(self._slots[unknown], cue) for cue in self._cues]
            self._exact[unknown] = np.maximum.reduce(exact)
        return self._exact[rows]

    def key(self) -> Key:
        """Give the key that ranks rows by exact cosine, rows without one last."""

        def nearest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
            near = self._near.take(rows)
            if len(rows) > pool:
                # Whoever is exactly among the best is within twice the margin of the last of the best as scanned.
                rows = rows[near >= last_of_best(near, pool) - np.float32(2 * max(cue.margin for cue in self._cues))]
            cosine = self.cosine(rows)
            return rows, np.where(np.isnan(cosine), -np.inf, cosine)

        return nearest

    def take(self, rows: RowNumbers) -> Vector:
        """Give the rows' vectors, zeros where one cannot be compared."""
        taken = np.zeros((len(rows), len(self._cues[0].coarse)), dtype=np.float32)
        near = np.isfinite(self._near[rows])
        if self._vectors is not None and near.any():
            taken[near] = self._vectors.take(self._slots[rows[near]])
        return taken


def _visible_postings(postings: Postings, words: Sequence[str], *, namespace: Namespace, sight: Sight) -> Iterable[tuple[str, Posting]]:
    for word in dict.fromkeys(words):
        found = postings.find(hashed(namespace, word))
        if not sight.everything:
            seen = sight.visible[found.rows]
            found = Posting(found.rows[seen], found.counts[seen])
        yield word, found


def _share(covered: Column, total: float) -> Column:
    return rounded(covered / total) if total > 0 else covered
