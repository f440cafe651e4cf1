"""Reflections and what they were derived from: one whose every source has fallen has fallen too.

A source that is not stored, or as of a time was not yet, does not count, and reflections that only lean on each other are not felled
by that.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cued.arrays import Mask, Rows


class _Links(NamedTuple):
    """One entry a link: the row that was derived, and the row that it was derived from."""

    derived: Rows
    source: Rows


class Provenance:
    """Which rows were derived from which memories, for the rows that can fall with those."""

    def __init__(self, row_of: Mapping[str, int]) -> None:
        """Start without any; `row_of` tells the row of a stored memory at any time."""
        self._row_of = row_of
        self._sources: dict[int, tuple[str, ...]] = {}
        self._sought: set[str] = set()
        self._links: _Links | None = None

    def __bool__(self) -> bool:
        """Tell whether any row was derived from anything."""
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
        """Give which rows do not fall with their sources, where these rows have fallen by themselves: the least fixpoint.

        Only `known` rows count as sources, None for all.
        """
        if self._links is None:
            self._links = self._linked()
        links = self._links
        if known is not None:
            counting = known[links.source]
            links = _Links(links.derived[counting], links.source[counting])
        down, count = fallen.copy(), -1
        derived = np.zeros(len(fallen), dtype=np.bool_)
        derived[links.derived] = True
        lost = np.zeros(len(fallen), dtype=np.bool_)
        while (now := int(np.count_nonzero(lost))) != count:
            count = now
            held = np.zeros(len(fallen), dtype=np.bool_)
            held[links.derived[~down[links.source]]] = True
            lost = derived & ~held
            down |= lost
        return ~lost

    @property
    def nbytes(self) -> int:
        """Give about how many bytes the links occupy."""
        return 300 * len(self._sources) + 200 * len(self._sought)

    def _linked(self) -> _Links:
        pairs = [(row, self._row_of[source]) for row, sources in self._sources.items() for source in sources if source in self._row_of]
        derived, source = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
        return _Links(derived, source)
