"""When rows were superseded, so far as one column of times cannot tell it: inside one project, or everywhere but no longer."""

from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued.model import Memory, Supersession
from cued.stores.arrays import RowNumbers
from cued.stores.standing.instants import NEVER, micros

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
        other = copy(self)
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
