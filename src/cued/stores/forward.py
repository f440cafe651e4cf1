"""The forward index of one memory: the hashed terms, names and tags it contains, packed into bytes.

Terms, entities and tags share one index in three namespaces, so one inverted index serves two channels and a gate.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.model import Record

Namespace = Literal["term", "entity", "tag"]
Hashes = NDArray[np.uint64]
Counts = NDArray[np.uint16]

MOST_COUNTED = 65_535

_ENTRY = np.dtype([("hash", "<u8"), ("count", "<u2")])


class Forward(NamedTuple):
    """What one memory contains: hashes with their counts, and its length in terms."""

    hashes: Hashes
    counts: Counts
    length: int


@lru_cache(maxsize=1 << 17)
def hashed(namespace: Namespace, word: str) -> int:
    """Give the 64-bit BLAKE2b hash of a word inside its namespace."""
    # The namespace is the personalisation of the hash, so no word of one can be spelt to collide with another's.
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, person=namespace.encode()).digest()
    return int.from_bytes(digest, "little")


def pack(record: Record) -> bytes:
    """Give the record's forward index as bytes: its length as 4 bytes, then 10 bytes for each entry."""
    counts = {hashed("term", term): min(max(count, 1), MOST_COUNTED) for term, count in record.terms.items()}
    length = sum(counts.values())
    for namespace, words in _names(record):
        counts.update((hashed(namespace, word), 1) for word in words)
    entries = np.empty(len(counts), dtype=_ENTRY)
    entries["hash"] = np.fromiter(counts.keys(), dtype=np.uint64, count=len(counts))
    entries["count"] = np.fromiter(counts.values(), dtype=np.uint16, count=len(counts))
    return length.to_bytes(4, "little") + entries.tobytes()


def unpack(packed: bytes) -> Forward:
    """Give back what `pack` packed."""
    entries = np.frombuffer(packed, dtype=_ENTRY, offset=4)
    return Forward(entries["hash"], entries["count"], int.from_bytes(packed[:4], "little"))


def unpack_many(packed: Iterable[bytes]) -> tuple[Forward, NDArray[np.int64], NDArray[np.int64]]:
    """Give the entries of many forward indexes end to end, how many belong to each, and each one's length."""
    blobs = list(packed)
    sizes = np.fromiter(((len(blob) - 4) // _ENTRY.itemsize for blob in blobs), dtype=np.int64, count=len(blobs))
    lengths = np.fromiter((int.from_bytes(blob[:4], "little") for blob in blobs), dtype=np.int64, count=len(blobs))
    entries = np.frombuffer(b"".join([blob[4:] for blob in blobs]), dtype=_ENTRY)
    return Forward(entries["hash"], entries["count"], int(lengths.sum())), sizes, lengths


def _names(record: Record) -> tuple[tuple[Namespace, tuple[str, ...]], ...]:
    return ("entity", record.memory.entities), ("tag", record.memory.tags)
