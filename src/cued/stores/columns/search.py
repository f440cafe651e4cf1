"""The search for one lookup in one tenant's columns: every open channel once, the pools, and the columns of the findings."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cued.model import CHANNELS, SEEDS_PER_STEP, Column, DenseLookup, Lookup
from cued.stores.arrays import Columns, Ids, Mask, RowNumbers, distinct
from cued.stores.columns.channels import Key, Meaning, Names, Words, best, by_names, by_score, by_time, by_words, in_window
from cued.stores.columns.postings import Postings
from cued.stores.columns.sessions import NOBODY, Sessions
from cued.stores.columns.vectors import Vectors
from cued.stores.standing.gates import Gates, Visible

LARGE = 500_000
"""From so many vectors on an approximate index finds the nearest, where `usearch` is installed: a scan of all takes too long."""


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
            self.names = by_names(contents.postings, len(lengths), visible=visible, lookup=lookup.entity)
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
            pools["dense"] = self._best(self._reached(self.meaning, lookup.dense.pool), lookup.dense.pool, nearness)
        if lookup.entity is not None and self.names is not None:
            pools["entity"] = self._best(self.names.rows, lookup.entity.pool, [self.names.key(), *nearness, *wording])
        if lookup.temporal is not None and self.window is not None:
            newest = [by_time(self._contents.gates["created"])]
            pools["temporal"] = self._best(np.flatnonzero(self.window), lookup.temporal.pool, nearness or wording or newest)
        return pools

    def candidates(self, pools: dict[str, RowNumbers]) -> RowNumbers:
        """The union of the pools, with the neighbours of the best of each when the lookup asks for context."""
        steps, found = self._lookup.context, [np.empty(0, dtype=np.intp), *pools.values()]
        before = after = distinct(np.concatenate([pool[: steps * SEEDS_PER_STEP] for pool in found]))
        sessions, visible = self._contents.sessions, self._visible.some
        for _ in range(steps):
            before, after = sessions.before(before, visible), sessions.after(after, visible)
            before, after = before[before != NOBODY], after[after != NOBODY]
            found += [before, after]
        return self._contents.ids.in_order(distinct(np.concatenate(found)))

    def columns(self, rows: RowNumbers, pools: dict[str, RowNumbers]) -> dict[str, Column]:
        """Every column of the findings for these rows."""
        visible, sessions = self._visible.some, self._contents.sessions
        places = {"": rows, "_before": sessions.before(rows, visible), "_after": sessions.after(rows, visible)}
        columns = _ranks(rows, pools)
        everywhere = np.concatenate(list(places.values()))
        read = {
            "cosine": self._cosines(everywhere),
            "bm25": _taken(self.words and self.words.scores, everywhere),
            "coverage": _taken(self.words and self.words.coverage, everywhere),
        }
        for number, suffix in enumerate(places):
            part = slice(number * len(rows), (number + 1) * len(rows))
            columns |= {name + suffix: values[part] for name, values in read.items()}
        columns["entities"] = _taken(self.names and self.names.share, rows)
        columns["window"] = np.zeros(len(rows)) if self.window is None else self.window[rows].astype(np.float64)
        columns["length"] = self._contents.columns["length"][rows].astype(np.float64)
        return columns

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
        ids, unverified = self._contents.ids, self._unverified
        if unverified is None:
            return best(rows, pool, keys=keys, ids=ids)
        unsure = unverified[rows]
        both = [best(some, pool, keys=keys, ids=ids) for some in (rows[~unsure], rows[unsure])]
        return best(np.concatenate(both), 2 * pool, keys=keys, ids=ids)

    def _cosines(self, rows: RowNumbers) -> Column:
        cosines = np.full(len(rows), np.nan)
        if self.meaning is not None:
            somebody = rows != NOBODY
            cosines[somebody] = self.meaning.cosine(rows[somebody])
        return cosines


def _ranks(rows: RowNumbers, pools: dict[str, RowNumbers]) -> dict[str, Column]:
    ascending = np.argsort(rows)
    columns = {f"{channel}_rank": np.zeros(len(rows)) for channel in CHANNELS}
    for channel, pool in pools.items():
        columns[f"{channel}_rank"][ascending[np.searchsorted(rows, pool, sorter=ascending)]] = np.arange(1, len(pool) + 1)
    return columns


def _taken(values: Callable[[RowNumbers], Column] | None, rows: RowNumbers) -> Column:
    if values is None or not len(rows):
        return np.zeros(len(rows))
    return np.where(rows == NOBODY, 0.0, values(rows))
