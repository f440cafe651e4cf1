"""The vectors of one fingerprint as a matrix of whole numbers, so that their dot products are exact.

A dot product of floats depends on the order of its additions, and so on where in the matrix a row lies, on the processor and
on its threads. So a component is kept as a whole number of steps, in two parts: a byte for the scan of all rows, and two more bytes
that divide each step into 2^16, for the few rows whose cosine is reported. The steps are powers of two, longer in the leading
dimensions, where the vectors of our encoder are. A row that is longer still has all its steps doubled, until it fits.

The scan adds up whole numbers: the same bits in any order. It is off by what a row has lost to its byte, some 0.012, which is kept with
the row. For a reported cosine all three bytes are multiples of 2^-25 and the cue's are of 2^-26, so that their sums are exact too; it is
off by some 0.0000001. The loops are `kernels`.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import cache
from itertools import pairwise
from os import cpu_count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from cued import pacing
from cued.errors import InputError
from cued.model import Column, Matrix, Vector
from cued.model.array_types import UNIT_WITHIN
from cued.stores.arrays import Mask, RowNumbers, Rows, enlarged
from cued.stores.columns import kernels
from cued.stores.columns.uncompiled import Bytes, Rests

if TYPE_CHECKING:
    from cued.stores.columns.excerpts import Excerpts

_DIVIDED: Final = 2.0**16
_SHORTEST: Final = 2.0**9
"""The steps of one, where they are shortest."""
_LONGER = ((1, 4), (32, 2))
"""Up to which dimension steps are how much longer."""
_AT_LEAST = 1.05
"""|a·b - a'·b'| ≤ |a-a'||b| + |a'||b-b'|: this covers the lengths, and what is rounded on the way."""
_SHARED = 2**16
"""From so many rows on the cores share a scan, unless another recall is under way, and other recalls may work meanwhile."""
_MOST_CORES = 4


class CueVectors(NamedTuple):
    """The cue's vectors as the scan and the exact product need them, a row each, and how far the first are from the second at most."""

    steps: Rests
    fine: Rows
    off: float


class Told(NamedTuple):
    """The exact cosines of rows that are told already, and which those are. What nobody asks for is never written to."""

    exact: Column
    told: Mask

    @classmethod
    def nothing(cls, rows: int) -> Self:
        """Space for so many, none of them told."""
        return cls(np.empty(rows), np.zeros(rows, dtype=np.bool_))


def checked(vector: Vector, field: str) -> Vector:
    """The vector as float32 when it is finite, flat and of length 1 (within 0.001); an InputError otherwise."""
    array = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.sqrt(np.dot(array, array))) if array.ndim == 1 else float("nan")
    if not abs(length - 1.0) <= UNIT_WITHIN:
        raise InputError(field, f"shape {array.shape}, length {length:.6g}", "a finite vector of length 1")
    return array


def in_steps(*vectors: Vector) -> CueVectors:
    """The cue's vectors in whole steps; where a row's are longer, the cue's are as much shorter."""
    width = len(vectors[0])
    steps, fine = np.empty((len(vectors), width), dtype=np.int16), np.empty((len(vectors), width), dtype=np.int32)
    asked = [checked(vector, "dense.vector") for vector in vectors]
    off = max([kernels.in_steps(*each) for each in zip(asked, [_longer(width)] * len(asked), steps, fine, strict=True)])
    return CueVectors(steps, fine, _AT_LEAST * off)


class Split(NamedTuple):
    """Vectors as bytes and rests, how often each one's steps were doubled, and how far it is from its bytes alone."""

    high: Bytes
    low: Rests
    doubled: Vector
    off: Vector


def split_of(vectors: Matrix) -> Split:
    """Vectors in whole steps."""
    count, width = vectors.shape
    high, low = np.empty((count, width), dtype=np.int8), np.empty((count, width), dtype=np.int16)
    split = Split(high, low, np.empty(count, dtype=np.float32), np.empty(count, dtype=np.float32))
    _take_apart(vectors, split)
    return split


def whole_of(high: Bytes, doubled: Vector) -> Matrix:
    """What the bytes of vectors say without their rests."""
    whole: Matrix = high * (_step(high.shape[1]) * np.float32(_DIVIDED)) * doubled[:, None]
    return whole


def scanned(cue: CueVectors, high: Bytes, doubled: Vector) -> Vector:
    """Each row's product with the nearest of the cues, by its bytes alone."""
    near: Vector = np.empty(len(high), dtype=np.float32)

    def scan(place: slice) -> None:
        kernels.scan(high[place], cue.steps, doubled[place], near[place])

    own, *others = _shares(len(near))
    with pacing.waiting() if len(near) >= _SHARED else nullcontext():
        if not (others and _side_by_side(scan, others, own)):
            scan(slice(0, len(near)))
    return near


class Vectors:
    """Rows' vectors of one fingerprint and one dimension; a row has its slot for good."""

    def __init__(self, dimensions: int) -> None:
        """Start with an empty matrix of this width.

        It is `in_order` as long as slot and row numbers are the same, and `damaged` once a row is no vector, which is near to nothing.
        """
        self.count = 0
        self.in_order = True
        self._high: Bytes = np.empty((0, dimensions), dtype=np.int8)
        self._low: Rests = np.empty((0, dimensions), dtype=np.int16)
        self._doubled: Vector = np.empty(0, dtype=np.float32)
        self._off: Vector = np.empty(0, dtype=np.float32)
        self.damaged = False
        self._rows: Rows = np.empty(0, dtype=np.int32)
        self.excerpts: Excerpts | None = None
        """What the texts of some slots say in their parts."""
        self.shared: dict[str, Any] = {}
        """What all versions of them share: the index of very many."""

    def branched(self) -> Self:
        """The same vectors to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        other = copy(self)
        other.excerpts = None if self.excerpts is None else self.excerpts.branched()
        return other

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
        _take_apart(vectors, Split(self._high[start:end], self._low[start:end], self._doubled[start:end], self._off[start:end]))
        self.damaged = self.damaged or bool(np.isnan(self._doubled[start:end]).any())
        self.in_order = self.in_order and bool((rows == np.arange(start, end)).all())
        self._rows[start:end] = rows
        self.count = end
        return range(start, end)

    @property
    def rows(self) -> Rows:
        """The row of each slot."""
        return self._rows[: self.count]

    @property
    def off(self) -> Vector:
        """How far each slot's vector is from the byte a component that is scanned."""
        return self._off[: self.count]

    def scan(self, cue: CueVectors, *, first: int = 0) -> Vector:
        """Each slot's product with the nearest of the cues, from the `first` slot on, off by at most what slot and cue are off together."""
        return scanned(cue, self._high[first : self.count], self._doubled[first : self.count])

    def tell(self, cue: CueVectors, slots: Rows, near: Vector, rows: RowNumbers, *, into: Told) -> Column:
        """The dot products of rows with the nearest of the cues, cut to [-1, 1], nan for nobody and what is not `near` at all.

        `slots` gives each row's place here; what is told once is not worked out again.
        """
        found: Column = np.empty(len(rows))
        held = slice(self.count)
        kernels.tell(self._high[held], self._low[held], self._doubled[held], cue.fine, slots, near, rows, *into, found)
        return found

    def take(self, slots: Rows) -> Matrix:
        """The vectors of these slots as they were stored, to within 2^-26 a component, or as many times that as its steps are longer."""
        taken: Matrix = np.empty((len(slots), self._high.shape[1]), dtype=np.float32)
        held, step = slice(self.count), _step(self._high.shape[1])
        kernels.put_together(self._high[held], self._low[held], step, self._doubled[held], slots, taken)
        return taken

    @property
    def nbytes(self) -> int:
        """The bytes that the matrix occupies, with its spare space, and what its versions share."""
        arrays = (self._high, self._low, self._doubled, self._off, self._rows)
        more = () if self.excerpts is None else (self.excerpts,)
        return sum(each.nbytes for each in (*arrays, *more, *self.shared.values()))


def _take_apart(vectors: Matrix, into: Split) -> None:
    longer = _longer(vectors.shape[1])
    scale = (_SHORTEST * _DIVIDED / longer).astype(np.float32)
    kernels.take_apart(np.ascontiguousarray(vectors, dtype=np.float32), scale, longer, *into)


@cache
def _longer(dimensions: int) -> Rests:
    """How much longer than the shortest the steps are, by dimension."""
    longer: Rests = np.ones(dimensions, dtype=np.int16)
    for upto, times in reversed(_LONGER):
        longer[:upto] = times
    return longer


@cache
def _step(dimensions: int) -> Vector:
    """What a rest is worth, by dimension."""
    return (_longer(dimensions) / (_SHORTEST * _DIVIDED)).astype(np.float32)


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
    cores = min(_MOST_CORES, cpu_count() or 1) if rows >= _SHARED and pacing.PACE.alone else 1
    ends = [rows * number // cores for number in range(cores + 1)]
    return [slice(*each) for each in pairwise(ends)]
