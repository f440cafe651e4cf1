"""The vectors of excerpts: what a long text says in its parts, which one vector of the whole blurs or does not reach.

A text is as near to a cue as its own vector is, or almost as near as the nearest of its excerpts. Excerpts only find it, so a byte a
component is all that is kept of them, at rest and in memory, on the grid of the bytes that are scanned. They lie in a matrix of their own:
a tenant of short texts searches nothing more.
"""

from copy import copy
from typing import TYPE_CHECKING, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from cued.model import Matrix, Vector
from cued.stores.arrays import Rows, enlarged
from cued.stores.columns import kernels
from cued.stores.columns.vectors import CueVectors, scanned, split_of, whole_of

if TYPE_CHECKING:
    from cued.stores.columns.uncompiled import Bytes

Packed = NDArray[np.uint8]
"""Excerpts a row each: how often its steps are doubled, and a byte a component."""
Real = TypeVar("Real", np.float32, np.float64)

LESS: Final = 0.02
"""So much less than the nearest excerpt a text is near: the best of several is nearer to anything by chance than one is."""
_MOST_DOUBLED: Final = 3
"""A vector of length 1 needs its steps doubled no more often; what says otherwise is damaged, and near to nothing."""


def packed(vectors: Matrix) -> Packed:
    """Excerpts' vectors as they are kept."""
    high, _, doubled, _ = split_of(vectors)
    often = np.frexp(np.nan_to_num(doubled, nan=1.0))[1] - 1
    return np.concatenate((often.astype(np.uint8)[:, None], high.view(np.uint8)), axis=1)


def unpacked(rows: Packed) -> Matrix:
    """Excerpts' vectors as they were, to within half a step a component; packed again they give the same bytes."""
    return whole_of(np.ascontiguousarray(rows[:, 1:]).view(np.int8), _doubled(rows))


class Excerpts:
    """The excerpts of the texts in some slots of a matrix."""

    def __init__(self, dimensions: int) -> None:
        """Start with none."""
        self.count = 0
        self._high: Bytes = np.empty((0, dimensions), dtype=np.int8)
        self._doubled: Vector = np.empty(0, dtype=np.float32)
        self._slots: Rows = np.empty(0, dtype=np.int32)

    def branched(self) -> Self:
        """The same excerpts to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        return copy(self)

    def add(self, slots: Rows, rows: Packed) -> None:
        """Append as many excerpts of each of these slots."""
        start, end = self.count, self.count + len(rows)
        self._high, self._doubled = enlarged(self._high, start, end), enlarged(self._doubled, start, end)
        self._slots = enlarged(self._slots, start, end)
        self._high[start:end], self._doubled[start:end] = rows[:, 1:].view(np.int8), _doubled(rows)
        self._slots[start:end] = np.repeat(slots, len(rows) // len(slots))
        self.count = end

    def nearest(self, cue: CueVectors, slots: int) -> Vector:
        """For each of so many slots how near the nearest of its excerpts is, -inf for one that has none."""
        near = scanned(cue, self._high[: self.count], self._doubled[: self.count])
        found: Vector = np.full(slots, -np.inf, dtype=np.float32)
        kernels.most(near, self._slots[: self.count], found)
        return found

    @property
    def nbytes(self) -> int:
        """The bytes that they occupy, with their spare space."""
        return self._high.nbytes + self._doubled.nbytes + self._slots.nbytes


def nearer(own: NDArray[Real], excerpt: Vector) -> NDArray[Real]:
    """How near texts are by their own vectors or by the nearest of their excerpts."""
    less = excerpt.astype(own.dtype) - own.dtype.type(LESS)
    found: NDArray[Real] = np.where(less > own, less, own)
    return found


def _doubled(rows: Packed) -> Vector:
    often = rows[:, 0].astype(np.int32)
    doubled: Vector = np.where(often <= _MOST_DOUBLED, np.ldexp(np.float32(1.0), np.minimum(often, _MOST_DOUBLED)), np.float32(np.nan))
    return doubled
