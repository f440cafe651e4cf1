"""The forward index of one memory: the hashed terms, names and tags it contains, packed into bytes.

Terms, entities and tags share one index in three namespaces, so one inverted index serves two channels and a gate. An entity's
count is NAME, which no term's can be; nothing reads it today, and files have it.
"""

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Literal, NamedTuple

import numpy as np
from msgspec import DecodeError
from numpy.typing import NDArray

from cued.model import Memory
from cued.text.remembered import Remembered

Namespace = Literal["term", "entity", "tag"]
Hashes = NDArray[np.uint64]
Counts = NDArray[np.uint16]

NAME = 65_535
MOST_COUNTED = NAME - 1

_HEAD = 4
_HASH = np.dtype("<u8")
_ENTRY = np.dtype([("hash", _HASH), ("count", "<u2")])


class Unpacked(NamedTuple):
    """Many forward indexes end to end: their hashes and counts, how many belong to each memory, and each one's length in terms."""

    hashes: Hashes
    counts: Counts
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]


def hashed(namespace: Namespace, word: str) -> int:
    """The 64-bit BLAKE2b hash of a word inside its namespace."""
    return int.from_bytes(_HASHES[namespace][word], "little")


def _hashing(namespace: Namespace) -> Remembered[bytes]:
    def hashed_there(word: str) -> bytes:
        # The namespace is the personalisation of the hash, so no word of one can be spelt to collide with another's.
        return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, person=namespace.encode()).digest()

    return Remembered(hashed_there, most=1 << 17)


_HASHES: dict[Namespace, Remembered[bytes]] = {namespace: _hashing(namespace) for namespace in ("term", "entity", "tag")}


def pack(memory: Memory, terms: Mapping[str, int]) -> bytes:
    """A memory's forward index as bytes: its length as 4 bytes, then 10 bytes for each entry, the terms first."""
    counts: Collection[int] = terms.values()
    if counts and not 0 < min(counts) <= max(counts) <= MOST_COUNTED:
        counts = [min(max(count, 1), MOST_COUNTED) for count in counts]
    return _laid_out(sum(counts), map(_HASHES["term"].__getitem__, terms), counts, _labels(memory))


def relabelled(packed: bytes, old: Memory, new: Memory) -> bytes:
    """The forward index of the old memory with the same terms, and with the names and tags of the new one."""
    if (old.entities, old.tags) == (new.entities, new.tags):
        return packed
    entries, before = np.frombuffer(packed[_HEAD:], dtype=_ENTRY), _labels(old)
    hashes = (packed[at : at + _HASH.itemsize] for at in range(_HEAD, len(packed), _ENTRY.itemsize))
    terms = {value: count for value, count in zip(hashes, entries["count"].tolist(), strict=True) if value not in before}
    return _laid_out(int.from_bytes(packed[:_HEAD], "little"), terms, terms.values(), _labels(new))


def _laid_out(length: int, terms: Iterable[bytes], counts: Collection[int], labels: Mapping[bytes, int]) -> bytes:
    """A forward index of this length in terms, with these hashes of terms and how often each is there, and the labels behind them."""
    entries = np.empty(len(counts) + len(labels), dtype=_ENTRY)
    entries["hash"] = np.frombuffer(b"".join((*terms, *labels)), dtype=_HASH)
    entries["count"] = (*counts, *labels.values())
    return length.to_bytes(_HEAD, "little") + entries.tobytes()


def _labels(memory: Memory) -> dict[bytes, int]:
    entities, tags = _HASHES["entity"], _HASHES["tag"]
    return dict.fromkeys(map(entities.__getitem__, memory.entities), NAME) | dict.fromkeys(map(tags.__getitem__, memory.tags), 1)


def unpack(packed: Iterable[bytes]) -> Unpacked:
    """What `pack` packed; bytes that it cannot have packed are a DecodeError."""
    blobs = list(packed)
    sizes = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs)) - _HEAD
    if (sizes < 0).any() or (sizes % _ENTRY.itemsize).any():
        message = "a forward index has the wrong size"
        raise DecodeError(message)
    lengths = np.frombuffer(b"".join([blob[:_HEAD] for blob in blobs]), dtype="<u4").astype(np.int64)
    entries = np.frombuffer(b"".join([blob[_HEAD:] for blob in blobs]), dtype=_ENTRY)
    return Unpacked(entries["hash"], entries["count"], sizes // _ENTRY.itemsize, lengths)


def with_names(packed: bytes, names: Iterable[str]) -> bytes:
    """A forward index from before names were told apart, with the counts of these as NAME."""
    hashes, counts, _, _ = unpack([packed])
    told = np.isin(hashes, np.array([hashed("entity", name) for name in names], dtype=np.uint64))
    entries = np.empty(len(hashes), dtype=_ENTRY)
    entries["hash"], entries["count"] = hashes, np.where(told, NAME, np.minimum(counts, MOST_COUNTED))
    return packed[:_HEAD] + entries.tobytes()
