"""Who stands before and after whom in a session, as two columns of row numbers."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cued.stores.arrays import Rows, enlarged

NOBODY = -1
Place = tuple[bool, int, int, str, int]


def place(turn: int | None, created: int, memory_id: str, row: int) -> Place:
    """What orders a session: turns ascending, those without a turn last, then time, then id."""
    return turn is None, turn or 0, created, memory_id, row


class Sessions:
    """The sessions of one tenant as chains of rows."""

    def __init__(self) -> None:
        """Start without any session."""
        self._before: Rows = np.empty(0, dtype=np.int32)
        self._after: Rows = np.empty(0, dtype=np.int32)
        self._count = 0
        self._places: dict[str, list[Place]] = {}

    def add(self, count: int, places: Iterable[tuple[str | None, Place]]) -> None:
        """Append `count` rows, linking those that belong to a session."""
        end = self._count + count
        self._before = enlarged(self._before, self._count, end)
        self._after = enlarged(self._after, self._count, end)
        self._before[self._count : end] = NOBODY
        self._after[self._count : end] = NOBODY
        self._count = end
        fresh: defaultdict[str, list[Place]] = defaultdict(list)
        for session, where in places:
            if session is None:
                continue
            if session in self._places:
                self._insert(self._places[session], where)
            else:
                fresh[session].append(where)
        earlier, later = list[int](), list[int]()
        for session, chain in fresh.items():
            chain.sort()
            self._places[session] = chain
            rows = [where[-1] for where in chain]
            earlier += rows[:-1]
            later += rows[1:]
        self._before[later], self._after[earlier] = earlier, later

    def before(self, rows: NDArray[np.intp], visible: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The nearest visible row before each in its session, or NOBODY."""
        return _follow(self._before, rows, visible)

    def after(self, rows: NDArray[np.intp], visible: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The nearest visible row after each in its session, or NOBODY."""
        return _follow(self._after, rows, visible)

    @property
    def nbytes(self) -> int:
        """About how many bytes the chains occupy."""
        return 2 * self._before.nbytes + 150 * self._count

    def _insert(self, chain: list[Place], where: Place) -> None:
        index = bisect_left(chain, where)
        row = where[-1]
        if index > 0:
            earlier = chain[index - 1][-1]
            self._before[row], self._after[earlier] = earlier, row
        if index < len(chain):
            later = chain[index][-1]
            self._after[row], self._before[later] = later, row
        insort(chain, where)


def _follow(links: Rows, rows: NDArray[np.intp], visible: NDArray[np.bool_]) -> NDArray[np.intp]:
    found = links[rows].astype(np.intp)
    while True:
        hidden = np.flatnonzero((found != NOBODY) & ~visible[found])
        if not len(hidden):
            return found
        found[hidden] = links[found[hidden]]
