"""Vectors as the bytes in a row.

A vector says by itself in which of three shapes it is, so that one store may hold several. Float32 is four bytes a number and nothing
else. The smaller shapes begin with a byte that names them, and four never divides their length: float16 is two bytes a number; int8 is a
float32 factor and a byte a number, each of which is to be multiplied by it, and another byte where four would divide the length. The
factor makes the length 1 again, so that a product with it is a cosine.

A memory whose text has excerpts has several vectors. They begin with a byte that says so, then come how many excerpts there are, the size
of the text's own vector, that vector in its shape, for each excerpt a byte and a byte a number, as they are searched, and another byte
where four would divide the length.
"""

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct as Layout
from typing import Final, NamedTuple

import numpy as np
from msgspec import DecodeError
from numpy.typing import NDArray

from cued.model import Matrix, Vector, VectorShape
from cued.stores.columns.excerpts import Packed, packed, unpacked

MOST_EXCERPTS: Final = 255
"""So many can be told of in a byte."""
_HALF, _BYTES, _BYTES_AND_ONE, _SEVERAL = 1, 2, 3, 4
_COUNTED: Final = Layout("<BBI")
"""What several vectors begin with: the byte for it, the number of excerpts, and the bytes of the text's own vector."""
_FACTOR: Final = slice(1, 5)
_STEPS: Final = 127


class KeyedVectors(NamedTuple):
    """The vectors of these keys, and those of their excerpts: as many for each, those of one key after those of another."""

    keys: Sequence[int]
    vectors: Matrix
    excerpts: Packed | None = None


def as_data(vector: Vector | None, shape: VectorShape, excerpts: Matrix | None = None) -> bytes | None:
    """A vector as it is stored in this shape, with those of the text's excerpts."""
    if vector is None:
        return None
    own = _SHAPES[shape](np.asarray(vector, dtype=np.float32))
    return own if excerpts is None else _together(own, packed(excerpts))


def _together(own: bytes, excerpts: Packed) -> bytes:
    data = _COUNTED.pack(_SEVERAL, len(excerpts), len(own)) + own + excerpts.tobytes()
    return data + bytes(not len(data) % 4)


def as_vector(data: bytes | None) -> Vector | None:
    """A stored vector, of whatever shape; bytes that are none are a DecodeError."""
    return None if data is None else next(matrices((0,), data)).vectors[0]


def as_excerpts(data: bytes | None) -> Matrix | None:
    """The vectors of the text's excerpts, None where it has none."""
    found = None if data is None else next(matrices((0,), data)).excerpts
    return None if found is None else unpacked(found)


def smaller(data: bytes | None, shape: VectorShape) -> bytes | None:
    """A stored vector in this shape where it is float32, and as it is where it has been made smaller before."""
    if data is None or (len(data) % 4 and (data[0] != _SEVERAL or _COUNTED.unpack_from(data)[2] % 4)):
        return data
    found = next(matrices((0,), data))
    own = _SHAPES[shape](found.vectors[0])
    return own if found.excerpts is None else _together(own, found.excerpts)


def matrices(keys: Sequence[int], data: bytes) -> Iterator[KeyedVectors]:
    """Stored vectors of one size, end to end, as a matrix for each shape among them, with the keys of its rows."""
    size = len(data) // len(keys)
    if not size:
        raise DecodeError("a vector of no bytes")
    if not size % 4:
        yield KeyedVectors(keys, np.frombuffer(data, dtype="<f4").reshape(len(keys), -1))
        return
    for some, rows in _alike(keys, np.frombuffer(data, dtype=np.uint8).reshape(len(keys), size), 1):
        if (kind := int(rows[0, 0])) == _SEVERAL:
            yield from _several(some, rows)
        else:
            yield KeyedVectors(some, _unpacked(rows, kind))


def runs(vectors: Iterable[tuple[int, bytes]]) -> Iterator[tuple[Sequence[int], bytes]]:
    """Stored vectors, each with its key, as runs of one size: their keys, and their bytes end to end."""
    sizes: dict[int, list[tuple[int, bytes]]] = {}
    for key, data in vectors:
        sizes.setdefault(len(data), []).append((key, data))
    for run in sizes.values():
        keys, blobs = zip(*run, strict=True)
        yield keys, b"".join(blobs)


def _alike(keys: Sequence[int], rows: NDArray[np.uint8], begin: int) -> Iterator[tuple[Sequence[int], NDArray[np.uint8]]]:
    """The rows in groups that begin with the same bytes, so many of them, each with its keys."""
    beginnings, groups = np.unique(rows[:, :begin], axis=0, return_inverse=True)
    if len(beginnings) == 1:
        yield keys, rows
        return
    for group in range(len(beginnings)):
        members = np.flatnonzero(groups.ravel() == group)
        yield [keys[at] for at in members.tolist()], rows[members]


def _several(keys: Sequence[int], rows: NDArray[np.uint8]) -> Iterator[KeyedVectors]:
    """The texts' own vectors with those of their excerpts, for each number and size of them."""
    for some, alike in _alike(keys, rows, _COUNTED.size):
        told, size = alike.tobytes()[: _COUNTED.size], alike.shape[1]
        if len(told) < _COUNTED.size:
            raise DecodeError(f"a vector of {size} bytes that begin with {_SEVERAL}")
        _, count, own = _COUNTED.unpack(told)
        own_end = _COUNTED.size + own
        own_bytes = np.ascontiguousarray(alike[:, _COUNTED.size : own_end])
        if not count or own_end > size or (own % 4 and own_bytes[0, 0] == _SEVERAL):
            raise DecodeError(f"a vector of {size} bytes with {count} excerpts")
        for places, own_vectors, _ in matrices(range(len(some)), own_bytes.tobytes()):
            each = 1 + own_vectors.shape[1]
            if size - own_end - count * each not in {0, 1}:
                raise DecodeError(f"a vector of {size} bytes with {count} excerpts")
            found = np.ascontiguousarray(alike[list(places), own_end : own_end + count * each]).reshape(-1, each)
            yield KeyedVectors([some[place] for place in places], own_vectors, found)


def _unpacked(rows: NDArray[np.uint8], kind: int) -> Matrix:
    numbers = rows.shape[1] - {_HALF: 1, _BYTES: 5, _BYTES_AND_ONE: 6}.get(kind, rows.shape[1])
    if numbers < 1 or (kind == _HALF and numbers % 2):
        raise DecodeError(f"a vector of {rows.shape[1]} bytes that begin with {kind}")
    if kind == _HALF:
        halves: Matrix = np.ascontiguousarray(rows[:, 1:]).view("<f2").astype(np.float32)
        return halves
    # Number by number, so that the same bytes give the same bits everywhere.
    factors = np.ascontiguousarray(rows[:, _FACTOR]).view("<f4")
    numbered: Matrix = rows[:, 5 : 5 + numbers].view(np.int8).astype(np.float32)
    numbered *= factors
    return numbered


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
