"""Memories as the rows that a keeper gets, vectors as the bytes in them, and a sum of what was written, by which damage is told.

The sum is a CRC-32: it finds every flip of a few bits and all but one in four thousand million of other damages, and costs less than a
microsecond a memory. It is no proof against somebody who writes the file: that is what a journal is for.
"""

from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

import numpy as np
from msgspec import DecodeError, msgpack

from cued.errors import InputError
from cued.model import Judged, Matrix, Memory, Record, Row, Vector
from cued.stores.admission import body as encoded
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


_MEMORY = msgpack.Decoder(Memory)


def fits(data: bytes, checksum: int | None) -> bool:
    """Whether data are what they were when their sum was taken; None is the sum of a row from before there were sums."""
    # A damaged file can hold anything, even another kind of value.
    return isinstance(data, bytes) and (checksum is None or crc32(data) == checksum)


def decoded(body: bytes, checksum: int | None) -> Memory:
    """A memory from its body; a body that is not what was written is a DecodeError."""
    if not fits(body, checksum):
        raise DecodeError("a memory is not what was written")
    return _MEMORY.decode(body)


def fault(body: bytes, checksum: int | None, *, memory_id: str | None = None) -> str:
    """What is wrong with the body of a memory, "" when nothing is; with an id, whether it is of that memory."""
    try:
        memory = decoded(body, checksum)
        encoded(memory)
    except (DecodeError, UnicodeDecodeError, InputError) as error:
        return str(error)
    return "" if memory_id in (None, memory.id) else "a memory lies under the id of another"
