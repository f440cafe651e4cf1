"""What columns are made of: arrays that grow together, row numbers, and times as whole microseconds that compare exactly."""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import lt
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cued.model import EPOCH

NOBODY = -1
"""The row number of no row."""
ONES = 1e9
"""The steps of one to which scores are rounded."""
NEVER = 2**63 - 1
ALWAYS = -(2**63)

LAST = datetime.max.replace(tzinfo=UTC)
"""The last moment that there is: at it, whatever was ever noted has come to pass."""

_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """The microseconds from 1970-01-01 UTC to the moment, negative before it."""
    return (moment - EPOCH) // _MICROSECOND


def moment_of(time: int) -> datetime:
    """The moment so many microseconds after 1970-01-01 UTC."""
    return EPOCH + timedelta(microseconds=time)


def time_or_none(time: int) -> int | None:
    """The time, and None for NEVER and ALWAYS."""
    return None if time in (NEVER, ALWAYS) else time


Kind = TypeVar("Kind")
Number = TypeVar("Number", bound=np.integer[Any])

Mask = NDArray[np.bool_]
"""One truth a row."""

Rows = NDArray[np.int32]
RowNumbers = NDArray[np.intp]

_LEAST_ROWS = 32


def enlarged(array: NDArray[Any], used: int, wanted: int) -> NDArray[Any]:
    """An array with at least `wanted` rows whose first `used` are the given one's, and with space for some more."""
    if wanted <= len(array):
        return array
    # Space that is never written to costs no memory, so a little is left at the start, and more with each growth.
    rows = max(_LEAST_ROWS, wanted + wanted // 8, used + used // 2)
    grown = np.empty((rows, *array.shape[1:]), dtype=array.dtype)
    if used:
        grown[:used] = array[:used]
    return grown


def twin(one: Kind) -> Kind:
    """A second object of a kind, with the same fields; `copy` gives the same and takes some times as long."""
    other = object.__new__(type(one))
    other.__dict__.update(one.__dict__)
    return other


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The numbers in order, each once.

    `np.unique` gives the same, takes thrice as long for few, and when first called imports all that numpy has for masked arrays.
    """
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores to nine decimals: sums in another order differ in the last bit, and what is a tie on paper must be one.

    `np.round` gives the same, and takes some times as long for few.
    """
    return np.rint(scores * ONES) / ONES


def within(numbers: NDArray[Any], least: int, end: int) -> bool:
    """Whether every number is at least the one and below the other."""
    return not len(numbers) or (int(numbers.min()) >= least and int(numbers.max()) < end)


def places_of(starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The places of several runs of an array, each from its start and of its size, end to end."""
    before: NDArray[np.intp] = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    return before + np.arange(len(before))


class Order:
    """How rows follow each other by their ids: the place of each row, and the row of each place. What it says of its rows never changes."""

    def __init__(self, rows: RowNumbers | None = None, places: RowNumbers | None = None) -> None:
        """The order in which `rows` stand, each of which has its place in `places`; None for both where a row is its own place."""
        self._rows, self._places = rows, places

    def places(self, rows: RowNumbers) -> RowNumbers:
        """The place of each row."""
        return rows if self._places is None else self._places[rows]

    def rows(self, places: RowNumbers) -> RowNumbers:
        """The row of each place."""
        return places if self._rows is None else self._rows[places]

    def put(self, rows: RowNumbers) -> RowNumbers:
        """The rows in this order."""
        return self.rows(np.sort(self.places(rows)))

    @property
    def rising(self) -> bool:
        """Whether each row is its own place."""
        return self._rows is None

    def followed(self, ids: Sequence[str], known: int) -> Self:
        """The order of all these ids, of which so many were known before."""
        count, fresh = len(ids), np.array(sorted(range(known, len(ids)), key=ids.__getitem__), dtype=np.intp)
        rows, places = (np.arange(known) if each is None else each for each in (self._rows, self._places))
        if not known or ids[rows[known - 1]] <= ids[fresh[0]]:
            # Into the spare space behind the rows: who holds the order as it was before sees none of it.
            rows, places = enlarged(rows, known, count), enlarged(places, known, count)
            rows[known:count] = fresh
            places[fresh] = np.arange(known, count)
            return type(self)(rows, places)
        before = [bisect(rows, ids[row], hi=known, key=ids.__getitem__) for row in fresh.tolist()]
        rows, places = np.insert(rows[:known], before, fresh), np.empty(count, dtype=np.intp)
        places[rows] = np.arange(count)
        return type(self)(rows, places)


class Ids(list[str]):
    """The ids of rows, by row, and their order, which is that of the rows for as long as each new id is greater than the last."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        """Start with these."""
        super().__init__()
        self.order = Order()
        self.extend(ids)

    def extend(self, ids: Iterable[str]) -> None:
        """Add the ids of the next rows."""
        known = len(self)
        super().extend(ids)
        fresh = self[known - 1 :] if known else self
        if len(self) > known and not (self.order.rising and all(map(lt, fresh, fresh[1:]))):
            self.order = self.order.followed(self, known)


class Columns:
    """A table of numbers in memory: each column one contiguous array."""

    def __init__(self, types: Mapping[str, Any]) -> None:
        """Start empty with a column for each name."""
        self.count = 0
        self._arrays: dict[str, NDArray[Any]] = {name: np.empty(0, dtype=kind) for name, kind in types.items()}
        self._owned: set[str] = set()

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The table of these columns, which are all of one length; they are never written to."""
        table = cls({})
        table._arrays, table.count = dict(arrays), len(next(iter(arrays.values())))
        return table

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The filled part of a column."""
        return self._arrays[name][: self.count]

    def branched(self) -> Self:
        """The same table to go on with: whatever is done to it does not show in this one, which is not to be changed any more."""
        other = twin(self)
        other._arrays, other._owned = dict(self._arrays), set()  # noqa: SLF001 - its own kind
        return other

    def append(self, count: int, values: Mapping[str, ArrayLike]) -> range:
        """Add `count` rows, one value or array for each column, and give their row numbers."""
        start, end = self.count, self.count + count
        for name, array in self._arrays.items():
            # Into the spare space behind the rows: who holds the table as it was before sees none of it.
            grown = enlarged(array, start, end)
            grown[start:end] = values[name]
            self._arrays[name] = grown
        self.count = end
        return range(start, end)

    def put(self, name: str, rows: Sequence[int] | NDArray[Any], values: ArrayLike) -> None:
        """Replace the values of some rows in a column; the first time in a column of its own."""
        if name not in self._owned:
            self._arrays[name] = self._arrays[name].copy()
            self._owned.add(name)
        self._arrays[name][rows] = values

    def items(self) -> list[tuple[str, NDArray[Any]]]:
        """The names of the columns with their filled parts."""
        return [(name, self[name]) for name in self._arrays]

    @property
    def nbytes(self) -> int:
        """The bytes that the columns occupy, with their spare space."""
        return sum(array.nbytes for array in self._arrays.values())
