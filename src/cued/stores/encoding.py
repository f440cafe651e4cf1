"""Memories as the rows that a keeper gets, and vectors as the bytes in them."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import DecodeError

from cued.model import Judged, Matrix, Memory, Record, Row, Vector
from cued.stores.columns.forward import pack
from cued.stores.standing.facts import facts


def new_row(record: Record, memory: Memory) -> Row:
    """The row of a new record, with its memory as beliefs have left it."""
    return Row(memory, 0, judged(memory), pack(memory, record.terms), as_data(record.vector))


def judged(memory: Memory) -> Judged:
    """What the gates judge of a memory."""
    return Judged._make(facts(memory))


def as_data(vector: Vector | None) -> bytes | None:
    """A vector as it is stored."""
    return None if vector is None else np.ascontiguousarray(vector, dtype="<f4").tobytes()


def as_vector(data: bytes | None) -> Vector | None:
    """A stored vector."""
    return None if data is None else np.frombuffer(data, dtype="<f4")


def joined(data: Iterable[bytes], dimensions: int) -> Matrix:
    """Stored vectors of one width as a matrix."""
    return np.frombuffer(b"".join(data), dtype="<f4").reshape(-1, dimensions)


def runs(vectors: Iterable[tuple[int, bytes]]) -> Iterator[tuple[Sequence[int], bytes]]:
    """Stored vectors, each with its key, as runs of one size: their keys, and their bytes end to end."""
    sizes: dict[int, list[tuple[int, bytes]]] = {}
    for key, data in vectors:
        sizes.setdefault(len(data), []).append((key, data))
    for run in sizes.values():
        keys, blobs = zip(*run, strict=True)
        yield keys, b"".join(blobs)


def width(size: int) -> int:
    """The dimensions of a stored vector of so many bytes; a size that none can have is a DecodeError."""
    dimensions, rest = divmod(size, 4)
    if rest or not dimensions:
        raise DecodeError(f"a vector of {size} bytes")
    return dimensions
