"""What fells rows beyond their own columns: supersessions of one project or of the past, and sources that have fallen.

A reflection whose every source has fallen has fallen too. A source that is not stored, or as of a time was not yet, does not count, and
reflections that only lean on each other are not felled by that.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued.model import Memory, Supersession
from cued.stores.arrays import NEVER, Mask, RowNumbers, Rows, distinct, micros, places_of, twin

EVERYWHERE = ""
"""What stands for every scope; no scope is called that."""


class Mark(NamedTuple):
    """That a memory is superseded in a scope, since ≤ t < until, in microseconds."""

    scope: str
    since: int
    until: int = NEVER


def mark_of(supersession: Supersession) -> Mark:
    """A supersession as a mark."""
    until = NEVER if supersession.lifted_at is None else micros(supersession.lifted_at)
    return Mark(supersession.scope or EVERYWHERE, micros(supersession.at), until)


def unlifted(memory: Memory) -> tuple[Supersession, ...]:
    """The memory's supersessions that have not been lifted, in whatever scope they hold."""
    return tuple(each for each in memory.superseded if each.lifted_at is None)


def everywhere(supersession: Supersession) -> bool:
    """Whether a supersession holds now and in every scope."""
    return supersession.scope is None and supersession.lifted_at is None


class Marks:
    """The marks of one tenant's rows, by scope; nothing where there are none."""

    def __init__(self) -> None:
        """Start with none."""
        self._held: dict[str, dict[int, tuple[Mark, ...]]] = {}
        self._tables: dict[str, NDArray[np.int64]] = {}
        self._owned: set[str] = set()

    def branched(self) -> Self:
        """The same marks to go on with: what is put among them does not show in these."""
        other = twin(self)
        other._held, other._tables, other._owned = dict(self._held), dict(self._tables), set()  # noqa: SLF001 - its own kind
        return other

    def put(self, row: int, marks: Iterable[Mark]) -> None:
        """Note the marks of a row, in place of those noted before."""
        for scope in [scope for scope, rows in self._held.items() if row in rows]:
            del self._own(scope)[row]
        for mark in marks:
            rows = self._own(mark.scope)
            rows[row] = (*rows.get(row, ()), mark)

    def items(self) -> list[tuple[int, list[Mark]]]:
        """Every row that has marks, with those."""
        found: defaultdict[int, list[Mark]] = defaultdict(list)
        for rows in self._held.values():
            for row, marks in rows.items():
                found[row] += marks
        return list(found.items())

    def _own(self, scope: str) -> dict[int, tuple[Mark, ...]]:
        self._tables.pop(scope, None)
        if scope not in self._owned:
            self._held[scope] = dict(self._held.get(scope, {}))
            self._owned.add(scope)
        return self._held[scope]

    def struck(self, scope: str, at: int, *, as_of: bool) -> RowNumbers | None:
        """The rows that are superseded for this scope at a time, None when no row ever was.

        A lookup of now shows what is known, whatever its clock says: what no longer holds counts only as of a time, and what holds
        counts though the clock has gone back behind the moment it began.
        """
        tables = [self._table(place) for place in ((EVERYWHERE, scope) if as_of else (scope,)) if self._held.get(place)]
        if not tables:
            return None
        rows, since, until = np.concatenate(tables).T
        struck: RowNumbers = rows[(since <= at) & (at < until) if as_of else until == NEVER]
        return struck

    def _table(self, scope: str) -> NDArray[np.int64]:
        if scope not in self._tables:
            entries = [(row, mark.since, mark.until) for row, marks in self._held[scope].items() for mark in marks]
            self._tables[scope] = np.array(entries, dtype=np.int64)
        return self._tables[scope]


class _Links(NamedTuple):
    """One entry a link, ordered by source: the row that was derived, and the row that it was derived from."""

    derived: Rows
    source: Rows

    def from_these(self, rows: RowNumbers) -> Rows:
        """The rows that were derived from these, once for each link."""
        starts = np.searchsorted(self.source, rows)
        ends = np.searchsorted(self.source, rows, side="right")
        return self.derived[places_of(starts, ends - starts)]


class Sources:
    """Which rows were derived from which memories, for the rows that can fall with those."""

    def __init__(self, row_of: Mapping[str, int]) -> None:
        """Start without any; `row_of` tells the row of a stored memory at any time."""
        self._row_of = row_of
        self._sources: dict[int, tuple[str, ...]] = {}
        self._sought: set[str] = set()
        self._links: _Links | None = None

    def branched(self) -> Self:
        """The same links to go on with: what is noted among them does not show in these."""
        other = twin(self)
        other._sources = dict(self._sources)  # noqa: SLF001 - its own kind
        return other

    def link(self) -> None:
        """Find the rows of all sources, so that whoever asks from now on finds them as they are."""
        if self._links is None:
            self._links = self._linked()

    def items(self) -> list[tuple[int, tuple[str, ...]]]:
        """Every row that was derived from anything, with its sources."""
        return list(self._sources.items())

    def __bool__(self) -> bool:
        """Whether any row was derived from anything."""
        return bool(self._sources)

    def derive(self, row: int, sources: tuple[str, ...]) -> None:
        """Note what a row was derived from, in place of what was noted before."""
        if sources == self._sources.get(row, ()):
            return
        self._sources.pop(row, None)
        if sources:
            self._sources[row] = sources
            self._sought.update(sources)
        self._links = None

    def moved(self, memory_ids: Iterable[str]) -> None:
        """Take notice that these memories have other rows now, or none."""
        if not self._sought.isdisjoint(memory_ids):
            self._links = None

    def standing(self, fallen: Mask, known: Mask | None = None) -> Mask:
        """Which rows do not fall with their sources, where these rows have fallen by themselves: the least fixpoint.

        Only `known` rows count as sources, None for all. Each link is followed once, however long the chain.
        """
        derived, source = links = self._links or self._linked()
        rows = len(fallen)
        counting = np.ones(len(source), dtype=np.bool_) if known is None else known[source]
        left: RowNumbers = np.bincount(derived[counting & ~fallen[source]], minlength=rows)
        lost: Mask = (np.bincount(derived[counting], minlength=rows) > 0) & (left == 0)
        falling = np.flatnonzero(lost & ~fallen)
        while len(falling):
            hit = links.from_these(falling if known is None else falling[known[falling]])
            np.subtract.at(left, hit, 1)
            reached = distinct(hit)
            falling = reached[(left[reached] == 0) & ~lost[reached]]
            lost[falling] = True
            falling = falling[~fallen[falling]]
        return ~lost

    @property
    def nbytes(self) -> int:
        """About how many bytes the links occupy."""
        return 300 * len(self._sources) + 200 * len(self._sought)

    def _linked(self) -> _Links:
        pairs = [(self._row_of[source], row) for row, sources in self._sources.items() for source in sources if source in self._row_of]
        source, derived = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2).T
        return _Links(np.ascontiguousarray(derived), np.ascontiguousarray(source))
