"""The vectors of one fingerprint as a matrix of whole numbers, so that their dot products are exact.

A dot product of floats depends on the order of its additions, and so on where in the matrix a row lies, on the processor and
on its threads. So a component is kept as a whole number of steps, in two parts: a byte for the scan of all rows, and two more bytes
that divide each step into 2^16, for the few rows whose cosine is reported. The steps are powers of two, longer in the leading
dimensions, where the vectors of our encoder are. A row that is longer still has all its steps doubled, until it fits.

The scan adds up whole numbers, with numkong where it is installed and in floats that hold such sums exactly where it is not: the same
bits in any order. It is off by what a row has lost to its byte, some 0.012, which is kept with the row. For a reported cosine
all three bytes are multiples of 2^-25 and the cue's are of 2^-26, so that float64 holds their sums exactly; it is off by
some 0.0000001. Numkong has those sums too, byte by byte: the cue's steps are four digits each.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import cache
from itertools import pairwise
from math import sqrt
from os import cpu_count
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued import pacing
from cued.errors import InputError
from cued.model import Column, Matrix, Vector
from cued.model.array_types import UNIT_WITHIN
from cued.stores.arrays import Rows, enlarged

try:
    import numkong
except ImportError:  # no wheel for this machine: numpy gives the same numbers, and takes longer
    numkong = None  # type: ignore[assignment]

Bytes = NDArray[np.int8]

_FULL: Final = 127.4
"""What a byte holds once it is rounded."""
_DIVIDED: Final = 2.0**16
_HALF = 2**15
_CUE_COARSE, _CUE_FINE = 2.0**11, 2.0**26
_DIGIT = 128
_FINE_DIGITS = 4
_MIDDLE: Final = 0x80
"""A last byte is kept less this much, so that it is a byte of either sign, as numkong wants them."""
_MIDDLES: Final = 0x80808080
"""The middle of every digit."""
_DIGIT_VALUES: Final = 256.0 ** np.arange(_FINE_DIGITS + 1)
_WIDEST = 2**13
"""So many components and no more have sums that are exact whatever they are."""
_SHORTEST: Final = 2.0**9
"""The steps of one, where they are shortest."""
_FINE_PRODUCT: Final = 1 / (_SHORTEST * _CUE_FINE)
"""What a shortest step of a row's times a fine one of the cue's comes to."""
_LONGER = ((1, 4.0), (32, 2.0))
"""Up to which dimension steps are how much longer."""
_DOUBLED_MOST = 8.0
"""No vector of length 1 needs longer steps; one that does is damaged."""
_AT_LEAST = 1.05
"""|a·b - a'·b'| ≤ |a-a'||b| + |a'||b-b'|: this covers the lengths, and what is rounded on the way."""
_AT_ONCE = 512
"""So few rows that all steps of taking them apart stay in the processor's cache."""
_SHARED = 2**16
"""From so many rows on the cores share a scan, and other recalls may work meanwhile."""
_MOST_CORES = 4


class CueVector(NamedTuple):
    """The cue's vector as the scan and the exact product need it, and how far the first is from the second."""

    steps: Vector
    fine: Column
    """For each step of a row's, what it brings to the product."""
    off: float
    digits: tuple[Any, Any, float] | None
    """The fine steps as numkong multiplies a row's first bytes with them, and the others; and what those are less by."""


def checked(vector: Vector, field: str) -> Vector:
    """The vector as float32 when it is finite, flat and of length 1 (within 0.001); an InputError otherwise."""
    array = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.sqrt(np.dot(array, array))) if array.ndim == 1 else float("nan")
    if not abs(length - 1.0) <= UNIT_WITHIN:
        raise InputError(field, f"shape {array.shape}, length {length:.6g}", "a finite vector of length 1")
    return array


def in_steps(vector: Vector) -> CueVector:
    """The cue's vector in whole steps; where a row's are longer, the cue's are as much shorter."""
    exact = checked(vector, "dense.vector").astype(np.float64)
    coarse, longer = np.rint(exact * _CUE_COARSE), _longer(len(exact))
    lost = exact - coarse / _CUE_COARSE
    fine = np.rint(exact * _CUE_FINE) * longer
    digits = _in_digits(fine) if numkong is not None and len(fine) <= _WIDEST else None
    return CueVector((coarse * longer).astype(np.float32), fine * _FINE_PRODUCT, _AT_LEAST * sqrt(np.dot(lost, lost)), digits)


def _in_digits(fine: Column) -> tuple[Any, Any, float]:
    """Whole numbers as bytes, and those beside each other by which a pair of bytes is multiplied: the last one, and 256 times the first."""
    # With the middle added to each digit none is negative, and they are the bytes of the sum.
    unsigned = (fine.astype(np.int64) + _MIDDLES).astype("<u4").view(np.uint8) ^ np.uint8(_MIDDLE)
    digits: Bytes = np.ascontiguousarray(unsigned.view(np.int8).reshape(-1, _FINE_DIGITS).T)
    paired = np.zeros((_FINE_DIGITS + 1, len(fine), 2), dtype=np.int8)
    paired[:-1, :, 0] = paired[1:, :, 1] = digits
    return numkong.dots_pack(digits), numkong.dots_pack(paired.reshape(len(paired), -1)), _MIDDLE * float(fine.sum())


class Vectors:
    """Rows' vectors of one fingerprint and one dimension; a row has its slot for good."""

    def __init__(self, dimensions: int) -> None:
        """Start with an empty matrix of this width.

        It is `in_order` as long as slot and row numbers are the same, and `damaged` once a row is no vector, which is near to nothing.
        """
        self.count = 0
        self.in_order = True
        self._step: Vector = (_longer(dimensions) / _SHORTEST).astype(np.float32)
        self._high: Bytes = np.empty((0, dimensions), dtype=np.int8)
        self._low: NDArray[np.int16] = np.empty((0, dimensions), dtype="<i2")
        self._doubled: Vector = np.empty(0, dtype=np.float32)
        self._off: Vector = np.empty(0, dtype=np.float32)
        self.most_off = np.float32(0.0)
        self.damaged = False
        self._rows: Rows = np.empty(0, dtype=np.int32)
        self.shared: dict[str, Any] = {}
        """What all versions of them share: the index of very many."""

    def branched(self) -> Self:
        """The same vectors to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        return copy(self)

    def reserve(self, more: int) -> None:
        """Make space for so many more vectors."""
        start, end = self.count, self.count + more
        self._high = enlarged(self._high, start, end)
        self._low = enlarged(self._low, start, end)
        self._doubled = enlarged(self._doubled, start, end)
        self._off = enlarged(self._off, start, end)
        self._rows = enlarged(self._rows, start, end)

    def add(self, rows: Rows, vectors: Matrix) -> range:
        """Append the vectors of these rows; the answer is the slots that they took."""
        start, end = self.count, self.count + len(rows)
        self.reserve(len(rows))
        for first in range(0, len(rows), _AT_ONCE):
            self._take_apart(vectors[first : first + _AT_ONCE], slice(start + first, min(start + first + _AT_ONCE, end)))
        self.in_order = self.in_order and bool((rows == np.arange(start, end)).all())
        self._rows[start:end] = rows
        self.count = end
        return range(start, end)

    def _take_apart(self, vectors: Matrix, place: slice) -> None:
        # Powers of two scale exactly. A damaged file can hold anything; what is not a vector of about length 1 is never near to any cue.
        with np.errstate(invalid="ignore", over="ignore"):
            parts = vectors * (np.float32(_DIVIDED) / self._step)
            doubled = _doubled(parts)
            if doubled is not None:
                parts /= doubled[:, None]
            whole = np.rint(parts, out=parts).astype(np.int32)
        low, high = self._low[place], self._high[place]
        np.copyto(low, whole, casting="unsafe")  # the last 16 bits, as a number of either sign
        whole += _HALF
        whole >>= 16
        np.copyto(high, whole, casting="unsafe")
        lost = np.multiply(low, self._step / np.float32(_DIVIDED), out=parts)
        low ^= _MIDDLE
        off = np.sqrt(np.vecdot(lost, lost)) * np.float32(_AT_LEAST)
        if doubled is not None:
            off *= doubled
            self.damaged = self.damaged or bool(np.isnan(doubled).any())
        self._doubled[place], self._off[place] = 1.0 if doubled is None else doubled, off
        self.most_off = np.fmax(self.most_off, np.fmax.reduce(off))

    @property
    def rows(self) -> Rows:
        """The row of each slot."""
        return self._rows[: self.count]

    @property
    def off(self) -> Vector:
        """How far each slot's vector is from the byte a component that is scanned."""
        return self._off[: self.count]

    def scan(self, cue: CueVector, *, first: int = 0) -> Vector:
        """Each slot's dot product with the cue, from the `first` slot on, off by at most what slot and cue are off together."""
        high = self._high[first : self.count]
        with pacing.waiting() if len(high) >= _SHARED else nullcontext():
            scanned = _by_numpy(high, cue.steps) if numkong is None else _by_numkong(high, cue.steps)
        scanned *= self._doubled[first : self.count] * np.float32(1 / (_SHORTEST * _CUE_COARSE))
        return scanned

    def exact(self, slots: Rows, cue: CueVector) -> Column:
        """The dot products of these slots with the cue, cut to [-1, 1]."""
        # Not self._high[slots], which gives the same and takes three times as long.
        high, low = self._high.take(slots, axis=0), self._low.take(slots, axis=0)
        if cue.digits is None:
            sums = np.vecdot(high.astype(np.float64), cue.fine), np.vecdot((low ^ _MIDDLE).astype(np.float64), cue.fine)
        else:
            by_high, by_low, less = cue.digits
            sums = _summed(high, by_high) * _FINE_PRODUCT, (_summed(low.view(np.int8), by_low) + less) * _FINE_PRODUCT
        products: Column = (sums[0] + sums[1] / _DIVIDED) * self._doubled.take(slots)
        return np.clip(products, -1.0, 1.0)

    def take(self, slots: Rows) -> Matrix:
        """The vectors of these slots as they were stored, to within 2^-26 a component, or as many times that as its steps are longer."""
        taken: Matrix = self._high.take(slots, axis=0).astype(np.float32)
        taken *= np.float32(_DIVIDED)
        taken += self._low.take(slots, axis=0) ^ _MIDDLE
        taken *= self._step * np.float32(1 / _DIVIDED)
        doubled = self._doubled.take(slots)
        if (doubled != 1.0).any():
            taken *= doubled[:, None]
        return taken

    @property
    def nbytes(self) -> int:
        """The bytes that the matrix occupies, with its spare space, and what its versions share."""
        return sum(each.nbytes for each in (self._high, self._low, self._doubled, self._off, self._rows, *self.shared.values()))


def _doubled(parts: Matrix) -> Vector | None:
    """How often doubled the steps of each row have to be for it to fit, nan for what is no vector; None where all rows fit as they are."""
    full = np.float32(_FULL * _DIVIDED)
    # Over all rows at once it takes a tenth of the time that it does row by row, and hardly ever one is longer.
    if max(parts.max(initial=0.0), -parts.min(initial=0.0)) / full < 1:
        return None
    longest = np.maximum(parts.max(axis=1, initial=0.0), -parts.min(axis=1, initial=0.0)) / full
    doubled: Vector = np.ldexp(np.float32(1.0), np.maximum(np.frexp(longest)[1], 0))
    doubled[~(longest < _DOUBLED_MOST)] = np.nan
    return doubled


@cache
def _longer(dimensions: int) -> Column:
    """How much longer than the shortest the steps are, by dimension."""
    longer = np.ones(dimensions)
    for upto, times in reversed(_LONGER):
        longer[:upto] = times
    return longer


def _summed(some: Bytes, digits: Any) -> Column:  # noqa: ANN401 - as numkong packs them
    """The sums of bytes times whole numbers of several digits, each exact."""
    by_digit: Column = np.asarray(numkong.dots_packed(some, digits)).astype(np.float64)
    return by_digit @ _DIGIT_VALUES[: by_digit.shape[1]]


def _by_numkong(high: Bytes, steps: Vector) -> Vector:
    """The sums of bytes times bytes: the cue's steps are two digits each."""
    tens = np.rint(steps / _DIGIT)
    digits = numkong.dots_pack(np.array([tens, steps - tens * _DIGIT], dtype=np.int8))
    scanned = np.empty(len(high), dtype=np.float32)

    def scan(place: slice) -> None:
        sums = np.asarray(numkong.dots_packed(high[place], digits)).astype(np.float32)
        np.add(sums[:, 0] * np.float32(_DIGIT), sums[:, 1], out=scanned[place])

    own, *others = _shares(len(high))
    if others and _side_by_side(scan, others, own):
        return scanned
    scan(slice(None))
    return scanned


def _side_by_side(scan: Callable[[slice], None], others: Sequence[slice], own: slice) -> bool:
    """Whether the others' shares were scanned, each in a thread, while our own was here; not where no thread can be had."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - few tenants are so large

    with ThreadPoolExecutor(len(others)) as threads:
        try:
            begun = [threads.submit(scan, share) for share in others]
        except RuntimeError:  # the system gives no more of them, or the interpreter is ending
            return False
        scan(own)
        for each in begun:
            each.result()
    return True


def _shares(rows: int) -> list[slice]:
    """What each core scans of so many rows."""
    cores = 1 if rows < _SHARED else min(_MOST_CORES, cpu_count() or 1)
    ends = [rows * number // cores for number in range(cores + 1)]
    return [slice(*each) for each in pairwise(ends)]


def _by_numpy(high: Bytes, steps: Vector) -> Vector:
    """The same sums, which float32 holds exactly: at most 2^9 · 2^11, for both vectors are of about length 1."""
    scanned = np.empty(len(high), dtype=np.float32)
    for first in range(0, len(high), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        np.vecdot(high[some].astype(np.float32), steps, out=scanned[some])
    return scanned
