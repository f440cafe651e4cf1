"""A shelf as bytes, all but its vectors, so that the next process need not build it from the rows.

The bytes are never the truth: they say which change of the tenant they were made at and carry a sum of each part, and what is of another
format, epoch or sum is passed over. So is what leads out of its own columns, for sums are right in a forged file too, and a search trusts
its shelf. What has changed since is read from the rows, as for any shelf.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from msgspec import MsgspecError, Struct, msgpack
from numpy.typing import NDArray

from cued.stores.arrays import ALWAYS, NEVER, NOBODY, within
from cued.stores.columns.postings import Segment
from cued.stores.columns.sessions import is_chained
from cued.stores.columns.shelf import POSTINGS, NotNumbers, Shelf

FORMAT = 1
_SUM = 4
_LONGEST = 2**32
"""A row's length in terms is below this: it has four bytes in the row."""


class Unwrapped(NamedTuple):
    """A shelf without vectors, the change it was made at, and each row's code into the fingerprints, negative without a vector."""

    shelf: Shelf
    change: int
    fingerprints: list[str]
    coded: NDArray[np.int32]


class _Head(Struct, frozen=True):
    format: int
    change: int
    epoch: int
    columns: list[tuple[str, str]]
    sums: list[int]


_HEAD = msgpack.Decoder(_Head)
_NAMES = msgpack.Decoder(NotNumbers)


def wrap(shelf: Shelf, *, change: int, epoch: int) -> list[bytes]:
    """The shelf as parts: what it is, its names, and a part for each column; rows that are dead are left out."""
    columns, names = shelf.compacted()
    bodies = [msgpack.encode(names), *(np.ascontiguousarray(column).tobytes() for column in columns.values())]
    head = msgpack.encode(_Head(FORMAT, change, epoch, _described(columns), list(map(crc32, bodies))))
    return [crc32(head).to_bytes(_SUM) + head, *bodies]


def unwrap(parts: Sequence[bytes], *, change: int, epoch: int) -> Unwrapped | None:
    """The shelf of these parts for a tenant at this change; None when there is none, or when it is not whole or not of this tenant."""
    try:
        if not parts or crc32(parts[0][_SUM:]).to_bytes(_SUM) != parts[0][:_SUM]:
            return None
        head = _HEAD.decode(parts[0][_SUM:])
        if (head.format, head.epoch) != (FORMAT, epoch) or head.change > change:
            return None
        if head.columns != _usual_columns() or head.sums != list(map(crc32, parts[1:])):
            return None
        names = _NAMES.decode(parts[1])
        columns = {name: np.frombuffer(part, dtype=np.dtype(kind)) for (name, kind), part in zip(head.columns, parts[2:], strict=True)}
        if not _is_sound(columns, names):
            return None
        return Unwrapped(Shelf.of(columns, names), head.change, names.fingerprints, columns["fingerprint"])
    except (MsgspecError, ValueError, TypeError, IndexError):
        return None


def _described(columns: Mapping[str, NDArray[Any]]) -> list[tuple[str, str]]:
    return [(name, column.dtype.str) for name, column in columns.items()]


@cache
def _usual_columns() -> list[tuple[str, str]]:
    """The columns of every shelf, with the kinds of their numbers."""
    return _described(Shelf().compacted()[0])


def _is_sound(columns: Mapping[str, NDArray[Any]], names: NotNumbers) -> bool:
    """Whether all columns are of the same rows, and what leads from one place to another leads to one that is there."""
    count, keys = len(names.ids), columns["key"]
    by_row = [column for name, column in columns.items() if name not in POSTINGS]
    times = [time for _, marks in names.marks for mark in marks for time in (mark.since, mark.until)]
    return (
        all(len(column) == count for column in by_row)
        and len({*names.ids}) == count
        and len({*names.sessions}) == len(names.sessions)
        and bool((keys[1:] > keys[:-1]).all() and columns["alive"].all())
        and within(columns["length"], 0, _LONGEST)
        and within(columns["fingerprint"], NOBODY, len(names.fingerprints))
        and within(columns["scope"], 0, len(names.scopes))
        and within(columns["session"], NOBODY, len(names.sessions))
        and all(0 <= row < count for row, _ in (*names.marks, *names.sources))
        and all(ALWAYS <= time <= NEVER for time in times)
        and is_chained(columns, count)
        and Segment(*(columns[name] for name in POSTINGS)).is_sound(count)
    )
