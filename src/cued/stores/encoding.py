"""Memories as the rows that a keeper gets, vectors as the bytes in them, and a sum of what was written, by which damage is told.

A vector says by itself in which of three shapes it is, so that one store may hold several. Float32 is four bytes a number and nothing
else. The smaller shapes begin with a byte that names them, and four never divides their length: float16 is two bytes a number; int8 is a
float32 factor and a byte a number, each of which is to be multiplied by it, and another byte where four would divide the length. The
factor makes the length 1 again, so that a product with it is a cosine.

The sum is a CRC-32: it finds every flip of a few bits and all but one in four thousand million of other damages, and costs less than a
microsecond a memory. It is no proof against somebody who writes the file: that is what a journal is for.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from zlib import crc32

import numpy as np
from msgspec import DecodeError, msgpack
from msgspec.structs import force_setattr
from numpy.typing import NDArray

from cued.errors import InputError
from cued.model import UNUSED, Matrix, Memory, Record, Row, Vector, VectorShape
from cued.stores.admission import body as encoded
from cued.stores.columns.postings import pack
from cued.stores.standing.facts import judged

_HALF, _BYTES, _BYTES_AND_ONE = 1, 2, 3
_FACTOR: Final = slice(1, 5)
_STEPS: Final = 127


def new_row(record: Record, shape: VectorShape = "float32") -> Row:
    """The row of a new record, with its vector in this shape."""
    return Row(record.memory, 0, judged(record.memory), pack(record.memory, record.terms), as_data(record.vector, shape))


def as_data(vector: Vector | None, shape: VectorShape) -> bytes | None:
    """A vector as it is stored in this shape."""
    return None if vector is None else _SHAPES[shape](np.asarray(vector, dtype=np.float32))


def as_vector(data: bytes | None) -> Vector | None:
    """A stored vector, of whatever shape; bytes that are none are a DecodeError."""
    return None if data is None else next(matrices((0,), data))[1][0]


def smaller(data: bytes | None, shape: VectorShape) -> bytes | None:
    """A stored vector in this shape where it is float32, and as it is where it has been made smaller before."""
    return data if data is None or len(data) % 4 else as_data(as_vector(data), shape)


def matrices(keys: Sequence[int], data: bytes) -> Iterator[tuple[Sequence[int], Matrix]]:
    """Stored vectors of one size, end to end, as a matrix for each shape among them, with the keys of its rows."""
    size = len(data) // len(keys)
    if not size:
        raise DecodeError("a vector of no bytes")
    if not size % 4:
        yield keys, np.frombuffer(data, dtype="<f4").reshape(len(keys), -1)
        return
    rows = np.frombuffer(data, dtype=np.uint8).reshape(len(keys), size)
    for kind in np.unique(rows[:, 0]).tolist():
        of_kind = rows[:, 0] == kind
        every = bool(of_kind.all())
        yield keys if every else np.asarray(keys)[of_kind].tolist(), _unpacked(rows if every else rows[of_kind], kind)


def runs(vectors: Iterable[tuple[int, bytes]]) -> Iterator[tuple[Sequence[int], bytes]]:
    """Stored vectors, each with its key, as runs of one size: their keys, and their bytes end to end."""
    sizes: dict[int, list[tuple[int, bytes]]] = {}
    for key, data in vectors:
        sizes.setdefault(len(data), []).append((key, data))
    for run in sizes.values():
        keys, blobs = zip(*run, strict=True)
        yield keys, b"".join(blobs)


def _unpacked(rows: NDArray[np.uint8], kind: int) -> Matrix:
    numbers = rows.shape[1] - {_HALF: 1, _BYTES: 5, _BYTES_AND_ONE: 6}.get(kind, rows.shape[1])
    if numbers < 1 or (kind == _HALF and numbers % 2):
        raise DecodeError(f"a vector of {rows.shape[1]} bytes that begin with {kind}")
    if kind == _HALF:
        halves: Matrix = np.ascontiguousarray(rows[:, 1:]).view("<f2").astype(np.float32)
        return halves
    # Number by number, so that the same bytes give the same bits everywhere.
    factors = np.ascontiguousarray(rows[:, _FACTOR]).view("<f4")
    unpacked: Matrix = rows[:, 5 : 5 + numbers].view(np.int8).astype(np.float32)
    unpacked *= factors
    return unpacked


def _as_floats(vector: Vector) -> bytes:
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def _as_halves(vector: Vector) -> bytes:
    return bytes([_HALF]) + vector.astype("<f2").tobytes()


def _as_bytes(vector: Vector) -> bytes:
    exact = vector.astype(np.float64)
    steps = np.rint(exact * (_STEPS / max(float(np.abs(exact).max()), 1e-30)))
    factor = np.array(1.0 / max(float(np.sqrt(np.square(steps).sum())), 1.0), dtype="<f4").tobytes()
    even = (5 + len(vector)) % 4 == 0
    return bytes([_BYTES_AND_ONE if even else _BYTES]) + factor + steps.astype(np.int8).tobytes() + bytes(even)


_SHAPES: Final = {"float32": _as_floats, "float16": _as_halves, "int8": _as_bytes}


_MEMORY = msgpack.Decoder(Memory)


def fits(data: bytes, checksum: int | None) -> bool:
    """Whether data are what they were when their sum was taken; None is the sum of a row from before there were sums."""
    # A damaged file can hold anything, even another kind of value.
    return isinstance(data, bytes) and (checksum is None or crc32(data) == checksum)


def decoded(body: bytes, checksum: int | None) -> Memory:
    """A memory from its body; a body that is not what was written is a DecodeError."""
    if not fits(body, checksum):
        raise DecodeError("a memory is not what was written")
    memory = _MEMORY.decode(body)
    if memory.use is not UNUSED and memory.use == UNUSED:  # written out, as it once was
        force_setattr(memory, "use", UNUSED)
    return memory


def fault(body: bytes, checksum: int | None, *, memory_id: str | None) -> str:
    """What is wrong with the body of a memory, "" when nothing is; with an id, whether it is of that memory."""
    try:
        memory = decoded(body, checksum)
        encoded(memory)
    except (DecodeError, UnicodeDecodeError, InputError) as error:
        return str(error)
    return "" if memory_id in (None, memory.id) else "a memory lies under the id of another"


def row_faults(memory: Memory, *, words: bool, columns: Sequence[str], vector: bool | None, edges: bool) -> Iterator[tuple[str, str]]:
    """The faults of a row whose memory is whole, each by the part of it.

    `words` and `edges` say whether those are what was written, `columns` has the names of those that differ, and `vector` says whether
    there is one, None for one that is broken.
    """
    if not words:
        yield "index", "its words are not what was written"
    if columns:
        yield "index", f"its columns do not say what it says: {', '.join(columns)}"
    if vector is None:
        yield "vector", "its vector is not what was written"
    elif vector != (memory.fingerprint is not None):
        yield "vector", "it has a vector of no model" if vector else "its vector is lost"
    if not edges:
        yield "edges", "its edges are not those that it names"
