"""A shelf as bytes, all but its vectors, so that the next process need not build it from the rows.

It is never the truth: it says which change of the tenant it was made at and carries a sum of each of its parts, and one that is of
another format, epoch or sum is passed over. What has changed since is read from the rows, as for any shelf.
"""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from msgspec import MsgspecError, Struct, msgpack
from numpy.typing import NDArray

from cued.stores.columns.shelf import Names, Shelf

FORMAT = 1
_SUM = 4


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
_NAMES = msgpack.Decoder(Names)


def wrap(shelf: Shelf, *, change: int, epoch: int) -> list[bytes]:
    """The shelf as parts: what it is, its names, and a part for each column; rows that are dead are left out."""
    columns, names = shelf.compacted()
    bodies = [msgpack.encode(names), *(np.ascontiguousarray(column).tobytes() for column in columns.values())]
    described = [(name, column.dtype.str) for name, column in columns.items()]
    head = msgpack.encode(_Head(FORMAT, change, epoch, described, list(map(crc32, bodies))))
    return [crc32(head).to_bytes(_SUM) + head, *bodies]


def unwrap(parts: Sequence[bytes], *, change: int, epoch: int) -> Unwrapped | None:
    """The shelf of these parts for a tenant at this change; None when there is none, or when it is not whole or not of this tenant."""
    try:
        if not parts or crc32(parts[0][_SUM:]).to_bytes(_SUM) != parts[0][:_SUM]:
            return None
        head = _HEAD.decode(parts[0][_SUM:])
        if (head.format, head.epoch) != (FORMAT, epoch) or head.change > change:
            return None
        if head.sums != list(map(crc32, parts[1:])):
            return None
        names = _NAMES.decode(parts[1])
        columns = {name: np.frombuffer(part, dtype=np.dtype(kind)) for (name, kind), part in zip(head.columns, parts[2:], strict=True)}
        return Unwrapped(Shelf.of(columns, names), head.change, names.fingerprints, columns["fingerprint"])
    except (MsgspecError, ValueError, TypeError, KeyError, IndexError):
        return None
