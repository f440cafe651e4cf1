"""The search for one lookup in one tenant's columns: every open channel once, the pools, and the columns of the findings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.model import CHANNELS, SEEDS_PER_STEP, Column, DenseLookup, Lookup
from cued.stores.arrays import NOBODY, Columns, Ids, Mask, RowNumbers
from cued.stores.columns import kernels
from cued.stores.columns.channels import Key, Meaning, Names, Words, best, by_names, by_score, by_time, by_words, in_window
from cued.stores.columns.postings import Postings
from cued.stores.columns.sessions import Sessions
from cued.stores.columns.vectors import Vectors
from cued.stores.standing.gates import Gates, Visible

LARGE = 500_000
"""From so many vectors on an approximate index finds the nearest, where `usearch` is installed: a scan of all takes too long."""


_SIDES = ("", "_before", "_after")
_NEAR = tuple("cosine" + side for side in _SIDES)
_READ = (*("bm25" + side for side in _SIDES), *("coverage" + side for side in _SIDES), "entities", "window", "length")
"""The columns in the order in which the kernels lay them out."""
_SHOWN = (*(name + side for side in _SIDES for name in ("cosine", "bm25", "coverage")), "entities", "window", "length")
"""The same in the order in which an explanation has them."""


class Contents(NamedTuple):
    """All that a shelf holds; row numbers tie the parts together."""

    ids: Ids
    columns: Columns
    postings: Postings
    gates: Gates
    sessions: Sessions
    vectors: dict[tuple[str, int], Vectors]


class Search:
    """The search for one lookup in a shelf: each open channel evaluated once."""

    def __init__(self, contents: Contents, lookup: Lookup, visible: Visible) -> None:
        """Evaluate every channel that the lookup opens."""
        self._contents, self._lookup, self._visible = contents, lookup, visible
        self._order = contents.ids.order
        lengths = contents.columns["length"]
        self.words: Words | None = None
        self.meaning: Meaning | None = None
        self.names: Names | None = None
        self.window: Mask | None = None
        if lookup.lexical is not None:
            self.words = by_words(contents.postings, lengths, visible=visible, lookup=lookup.lexical)
        if lookup.dense is not None:
            vectors = contents.vectors.get((lookup.dense.fingerprint, len(lookup.dense.vector)))
            self.meaning = self._meaning(vectors, lookup.dense)
        if lookup.entity is not None:
            self.names = by_names(contents.postings, lengths, visible=visible, lookup=lookup.entity)
        if lookup.temporal is not None:
            self.window = in_window(contents.gates["time"], visible=visible.rows, lookup=lookup.temporal)

    def _meaning(self, vectors: Vectors | None, lookup: DenseLookup) -> Meaning:
        slots, visible = self._contents.columns["slot"], self._visible
        if vectors is None or vectors.count < LARGE:
            return Meaning(vectors, slots, visible=visible, lookup=lookup)
        from cued.stores.columns.nearby import meaning  # noqa: PLC0415 - with the index, which few tenants need

        return meaning(vectors, slots, visible=visible, lookup=lookup, apart=self._lookup.apart)

    def pools(self) -> dict[str, RowNumbers]:
        """Each open channel's best rows, best first."""
        lookup, pools = self._lookup, dict[str, RowNumbers]()
        nearness, wording = self._nearness, self._wording
        if lookup.lexical is not None and self.words is not None:
            pools["lexical"] = self._best(self.words.rows, lookup.lexical.pool, wording)
        if lookup.dense is not None and self.meaning is not None:
            pools["dense"] = self._best(self._reached(self.meaning, lookup.dense.pool), lookup.dense.pool, [self.meaning.exactly])
        if lookup.entity is not None and self.names is not None:
            pools["entity"] = self._best(self.names.rows, lookup.entity.pool, [self.names.key(), *nearness, *wording])
        if lookup.temporal is not None and self.window is not None:
            newest = [by_time(self._contents.gates["created"])]
            pools["temporal"] = self._best(np.flatnonzero(self.window), lookup.temporal.pool, nearness or wording or newest)
        return pools

    def candidates(self, pools: dict[str, RowNumbers]) -> RowNumbers:
        """The union of the pools, with the neighbours of the best of each when the lookup asks for context."""
        steps, found = self._lookup.context, [np.empty(0, dtype=np.intp), *pools.values()]
        before = after = np.concatenate([pool[: steps * SEEDS_PER_STEP] for pool in found])
        for _ in range(steps):
            before, after = self._with_neighbours(before)[1], self._with_neighbours(after)[2]
            before, after = before[before != NOBODY], after[after != NOBODY]
            found += [before, after]
        places = self._order.places(np.concatenate(found))
        return self._order.rows(places[: kernels.merge(places, len(self._contents.ids))])

    def columns(self, rows: RowNumbers, pools: dict[str, RowNumbers]) -> dict[str, Column]:
        """Every column of the findings for these rows."""
        everywhere, words, names = self._with_neighbours(rows), self.words, self.names
        near = np.full(everywhere.shape, np.nan) if self.meaning is None else self.meaning.cosine(everywhere.ravel()).reshape(3, -1)
        read = np.empty((len(_READ), len(rows)))
        bm25, covered, total = (None, None, 0.0) if words is None else (words.bm25, words.covered, words.total)
        named, names_total = (None, 0.0) if names is None else (names.covered[:-1], names.total)
        totals, lengths = np.array([total, names_total], dtype=np.float64), self._contents.columns["length"]
        kernels.lay_out(everywhere, bm25, covered, named, self.window, lengths, totals, read)
        found = dict(zip((*_NEAR, *_READ), (*near, *read), strict=True))
        return self._ranks(rows, pools) | {name: found[name] for name in _SHOWN}

    def _with_neighbours(self, rows: RowNumbers) -> NDArray[np.intp]:
        """The rows, who stands before each in its session, and who after, or NOBODY."""
        everywhere = np.empty((3, len(rows)), dtype=np.intp)
        kernels.beside(rows, *self._contents.sessions.links, self._visible.some, everywhere)
        return everywhere

    def _ranks(self, rows: RowNumbers, pools: dict[str, RowNumbers]) -> dict[str, Column]:
        """The place of each row in each channel's pool, from 1; 0 where it is in none."""
        places = self._order.places(rows)
        ranks: dict[str, Column] = dict(zip(CHANNELS, np.zeros((len(CHANNELS), len(rows))), strict=True))
        for channel, pool in pools.items():
            kernels.number(places, self._order.places(pool), ranks[channel])
        return {f"{channel}_rank": column for channel, column in ranks.items()}

    @property
    def _nearness(self) -> list[Key]:
        return [] if self.meaning is None else [self.meaning.key()]

    @property
    def _wording(self) -> list[Key]:
        return [] if self.words is None else [by_score(self.words.bm25)]

    @property
    def _unverified(self) -> Mask | None:
        """Which rows have pools of their own, None where no two are told apart."""
        return self._visible.unverified if self._lookup.apart else None

    def _reached(self, meaning: Meaning, pool: int) -> RowNumbers:
        """The rows that can be among the nearest `pool`, of those that are told apart each."""
        if self._unverified is None:
            return meaning.within_reach(pool)
        return np.concatenate([meaning.within_reach(pool, among) for among in (~self._unverified, self._unverified)])

    def _best(self, rows: RowNumbers, pool: int, keys: list[Key]) -> RowNumbers:
        order, unverified = self._order, self._unverified
        if unverified is None:
            return best(rows, pool, keys=keys, order=order)
        unsure = unverified[rows]
        both = [best(some, pool, keys=keys, order=order) for some in (rows[~unsure], rows[unsure])]
        return best(np.concatenate(both), 2 * pool, keys=keys, order=order)
