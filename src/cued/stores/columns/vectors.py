"""The vectors of one fingerprint as one matrix, on grids that make their dot products exact.

A float32 dot product depends on the order of its additions, and so on where in the matrix a row lies, on the BLAS and
on its threads. So vectors are kept on two grids. The coarse one has multiples of 2^-11: products with a cue on a grid of
2^-12 are multiples of 2^-23, their sums stay below 2, and float32 holds all of those exactly, so the scan gives the
same bits in any order. The fine one has multiples of 2^-25, for the few rows whose cosine is reported: with a cue on
a grid of 2^-26 the sums are multiples of 2^-51 below 2, which float64 holds exactly. What a fine component is away from
its coarse one is at most 2^13 fine steps, so that and not the fine vector is kept, in two bytes.
The scan is off by some 0.0002 and bounded, a reported cosine by some 0.00000002; neither depends on order.
"""

from copy import copy
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued.errors import InputError
from cued.model import Matrix, Vector
from cued.stores.arrays import Rows, enlarged

_COARSE = 2.0**11
_FINE = 2.0**25
_CUE_COARSE = 2.0**12
_CUE_FINE = 2.0**26
_UNIT_WITHIN = 1e-3
# So few rows that all steps of putting them onto the grids stay in the processor's cache.
_AT_ONCE = 256


class CueVector(NamedTuple):
    """The cue's vector on both grids, and how far a scan with it can be off."""

    coarse: Vector
    fine: NDArray[np.float64]
    margin: float


def checked(vector: Vector, field: str) -> Vector:
    """The vector as float32 when it is finite, flat and of length 1 (within 0.001); an InputError otherwise."""
    array = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.sqrt(np.dot(array, array))) if array.ndim == 1 else float("nan")
    if not abs(length - 1.0) <= _UNIT_WITHIN:
        raise InputError(field, f"shape {array.shape}, length {length:.6g}", "a finite vector of length 1")
    return array


def on_grids(vector: Vector) -> CueVector:
    """The cue's vector as the scan and the exact product need it."""
    exact = checked(vector, "dense.vector").astype(np.float64)
    # |a·b - a'·b'| ≤ |a-a'||b| + |a'||b-b'|, each component off by at most half a grid step; 1.05 covers the lengths.
    margin = 1.05 * float(np.sqrt(len(exact))) * (0.5 / _COARSE + 0.5 / _CUE_COARSE)
    return CueVector((np.rint(exact * _CUE_COARSE) / _CUE_COARSE).astype(np.float32), np.rint(exact * _CUE_FINE) / _CUE_FINE, margin)


class Vectors:
    """Rows' vectors of one fingerprint and one dimension; a row has its slot for good."""

    def __init__(self, dimensions: int) -> None:
        """Start with an empty matrix of this width; it is `in_order` as long as slot and row numbers are the same."""
        self.count = 0
        self.in_order = True
        self._coarse: Matrix = np.empty((0, dimensions), dtype=np.float32)
        self._rest: NDArray[np.int16] = np.empty((0, dimensions), dtype=np.int16)
        self._rows: Rows = np.empty(0, dtype=np.int32)

    def branched(self) -> Self:
        """The same vectors to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        return copy(self)

    def reserve(self, more: int) -> None:
        """Make space for so many more vectors."""
        start, end = self.count, self.count + more
        self._coarse = enlarged(self._coarse, start, end)
        self._rest = enlarged(self._rest, start, end)
        self._rows = enlarged(self._rows, start, end)

    def add(self, rows: Rows, vectors: Matrix) -> range:
        """Append the vectors of these rows; the answer is the slots that they took."""
        start, end = self.count, self.count + len(rows)
        self.reserve(len(rows))
        for first in range(0, len(rows), _AT_ONCE):
            some, place = vectors[first : first + _AT_ONCE], slice(start + first, min(start + first + _AT_ONCE, end))
            _onto_grids(some, self._coarse[place], self._rest[place])
        self.in_order = self.in_order and bool((rows == np.arange(start, end)).all())
        self._rows[start:end] = rows
        self.count = end
        return range(start, end)

    @property
    def rows(self) -> Rows:
        """The row of each slot."""
        return self._rows[: self.count]

    def scan(self, cue: CueVector) -> Vector:
        """Each slot's dot product with the cue, off by at most the cue's margin."""
        # vecdot and not @: one thread at the speed of memory, where a threaded product stalls on a busy machine.
        scanned: Vector = np.vecdot(self._coarse[: self.count], cue.coarse)
        return scanned

    def exact(self, slots: Rows, cue: CueVector) -> NDArray[np.float64]:
        """The dot products of these slots with the cue, cut to [-1, 1]."""
        products: NDArray[np.float64] = np.vecdot(self.take(slots).astype(np.float64), cue.fine)
        return np.clip(products, -1.0, 1.0)

    def take(self, slots: Rows) -> Matrix:
        """The vectors of these slots as they were stored, to within 2^-26 a component."""
        # Not self._rest[slots], which gives the same and takes three times as long.
        taken: Matrix = self._rest.take(slots, axis=0).astype(np.float32)
        taken *= np.float32(1 / _FINE)
        taken += self._coarse.take(slots, axis=0)
        return taken

    @property
    def nbytes(self) -> int:
        """The bytes that the matrix occupies, with its spare space."""
        return self._coarse.nbytes + self._rest.nbytes + self._rows.nbytes


def _onto_grids(vectors: Matrix, coarse: Matrix, rest: NDArray[np.int16]) -> None:
    """Write the vectors on the coarse grid, and what is left of them in steps of the fine one."""
    # Powers of two scale exactly, and so does the difference of two floats this close. A damaged file can hold anything;
    # what is not finite is never near to any cue.
    with np.errstate(invalid="ignore", over="ignore"):
        np.multiply(vectors, np.float32(_COARSE), out=coarse)
        np.rint(coarse, out=coarse)
        coarse *= np.float32(1 / _COARSE)
        left = vectors - coarse
        left *= np.float32(_FINE)
        np.copyto(rest, np.rint(left, out=left), casting="unsafe")
