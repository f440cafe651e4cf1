"""The index of hashed terms, names and tags: forward, packed into the row of each memory, and inverted, of one tenant's rows.

They share one index in three namespaces, so that it serves two channels and a gate. Forward, an entity's count is NAME, which no term's
can be; nothing reads it today, and files have it.

Inverted, the index says for each hash which rows contain it, and how often. It lies in a few segments, each sorted and never changed.
What is added becomes a segment of its own, and the last two are merged as long as they are of like size, so that there are few of them
and each entry is moved a few times at most.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple, Self

import numpy as np
from msgspec import DecodeError
from numpy.typing import NDArray

from cued.model import Memory
from cued.stores.arrays import Mask, RowNumbers, Rows, twin, within
from cued.stores.columns import kernels
from cued.stores.columns.uncompiled import Numbers
from cued.text.remembered import Remembered

Namespace = Literal["term", "entity", "tag"]
Hashes = NDArray[np.uint64]
Counts = NDArray[np.uint16]

NAME = 65_535
MOST_COUNTED = NAME - 1

_HEAD = 4
_LARGER = 4
_MANY = 4096
_HASH_BYTES, _COUNT_BYTES, _ENTRY_BYTES = 8, 2, 10
_ENTRY = np.dtype([("hash", "<u8"), ("count", "<u2")])


class Unpacked(NamedTuple):
    """Many forward indexes end to end: their hashes and counts, how many belong to each memory, and each one's length in terms."""

    hashes: Hashes
    counts: Counts
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]


def hashed(namespace: Namespace, words: Iterable[str]) -> Hashes:
    """The 64-bit BLAKE2b hash of each word inside its namespace."""
    entries = np.frombuffer(b"".join(map(_ENTRIES[namespace].__getitem__, words)), dtype=_ENTRY)
    return np.ascontiguousarray(entries["hash"])


def _entries(namespace: Namespace, count: int) -> Remembered[bytes]:
    """The entry of each word of a namespace that is there so often: its hash, and the count."""

    def entry(word: str) -> bytes:
        # The namespace is the personalisation of the hash, so no word of one can be spelt to collide with another's.
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES, person=namespace.encode()).digest()
        return digest + count.to_bytes(_COUNT_BYTES, "little")

    return Remembered(entry, most=1 << 17)


_ENTRIES: dict[Namespace, Remembered[bytes]] = {"term": _entries("term", 1), "entity": _entries("entity", NAME), "tag": _entries("tag", 1)}


def pack(memory: Memory, terms: Mapping[str, int]) -> bytes:
    """A memory's forward index as bytes: its length as 4 bytes, then 10 bytes for each entry, the terms first."""
    entries, counts = list(map(_ENTRIES["term"].__getitem__, terms)), list(terms.values())
    for at, count in enumerate(counts):
        # Most terms are there once, as their entries say.
        if count != 1:
            counts[at] = counted = min(max(count, 1), MOST_COUNTED)
            entries[at] = entries[at][:_HASH_BYTES] + counted.to_bytes(_COUNT_BYTES, "little")
    return sum(counts).to_bytes(_HEAD, "little") + b"".join((*entries, *_labels(memory)))


def relabelled(packed: bytes, old: Memory, new: Memory) -> bytes:
    """The forward index of the old memory with the same terms, and with the names and tags of the new one."""
    if (old.entities, old.tags) == (new.entities, new.tags):
        return packed
    before = {entry[:_HASH_BYTES] for entry in _labels(old)}
    entries = (packed[at : at + _ENTRY_BYTES] for at in range(_HEAD, len(packed), _ENTRY_BYTES))
    return b"".join((packed[:_HEAD], *(entry for entry in entries if entry[:_HASH_BYTES] not in before), *_labels(new)))


def _labels(memory: Memory) -> dict[bytes, None]:
    """The entries of a memory's names and tags, each once."""
    return dict.fromkeys((*map(_ENTRIES["entity"].__getitem__, memory.entities), *map(_ENTRIES["tag"].__getitem__, memory.tags)))


def unpack(packed: Iterable[bytes]) -> Unpacked:
    """What `pack` packed; bytes that it cannot have packed are a DecodeError."""
    blobs = list(packed)
    sizes = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs)) - _HEAD
    if (sizes % _ENTRY_BYTES).any():
        raise DecodeError("a forward index has the wrong size")
    lengths = np.frombuffer(b"".join([blob[:_HEAD] for blob in blobs]), dtype="<u4").astype(np.int64)
    entries = np.frombuffer(b"".join([blob[_HEAD:] for blob in blobs]), dtype=_ENTRY)
    return Unpacked(entries["hash"], entries["count"], sizes // _ENTRY_BYTES, lengths)


def with_names(packed: bytes, names: Iterable[str]) -> bytes:
    """A forward index from before names were told apart, with the counts of these as NAME."""
    hashes, counts, _, _ = unpack([packed])
    told = np.isin(hashes, hashed("entity", names))
    entries = np.empty(len(hashes), dtype=_ENTRY)
    entries["hash"], entries["count"] = hashes, np.where(told, NAME, np.minimum(counts, MOST_COUNTED))
    return packed[:_HEAD] + entries.tobytes()


class Posting(NamedTuple):
    """The rows that contain one hash and its count in each, in no particular order."""

    rows: Rows
    counts: Counts


class Segment(NamedTuple):
    """Postings end to end: the hashes in order, where the entries of each start and the last ones end, and the entries."""

    hashes: Hashes
    starts: NDArray[np.int64]
    rows: Rows
    counts: Counts

    @property
    def nbytes(self) -> int:
        """The bytes that the segment occupies."""
        return sum(column.nbytes for column in self)

    def is_sound(self, rows: int) -> bool:
        """Whether it can be the index of so many rows: hashes in order, each with entries that are there, of rows that are there."""
        hashes, starts = self.hashes, self.starts
        return (
            len(starts) == len(hashes) + 1
            and len(self.rows) == len(self.counts) == starts[-1]
            and starts[0] == 0
            and bool((starts[1:] >= starts[:-1]).all() and (hashes[1:] > hashes[:-1]).all())
            and within(self.rows, 0, rows)
        )


class Matches(NamedTuple):
    """How many visible rows have each of several hashes, and where their entries begin and end in each segment."""

    documents: Numbers
    parts: Sequence[tuple[Segment, Numbers, Numbers]]


class Postings:
    """An inverted index that can be appended to; rows are never taken out of it, their tombstones are kept elsewhere."""

    def __init__(self, segments: tuple[Segment, ...] = ()) -> None:
        """Start with these segments."""
        self.segments = segments

    def branched(self) -> Self:
        """The same index to go on with: what is added to it does not show in this one."""
        return twin(self)

    def add(self, hashes: Hashes, rows: Rows, counts: Counts) -> None:
        """Index these entries: one hash, row and count each."""
        if not len(hashes):
            return
        segments = [*self.segments, _segment(hashes, rows, counts)]
        while len(segments) > 1 and len(segments[-2].rows) < _LARGER * len(segments[-1].rows):
            segments[-2:] = [_merged(*segments[-2:])]
        self.segments = tuple(segments)

    def find(self, keys: Hashes) -> list[Posting]:
        """The rows that contain each of these hashes, none where none does."""
        return [_joined(parts) for parts in self._parts(keys)]

    def matches(self, keys: Hashes, visible: Mask | None) -> Matches:
        """Where the entries of these hashes lie; rows that are not `visible` do not count, where that is given."""
        documents, parts = np.zeros(len(keys), dtype=np.int64), list[tuple[Segment, Numbers, Numbers]]()
        for segment in self.segments:
            begins, ends = np.empty((2, len(keys)), dtype=np.int64)
            kernels.find(segment.hashes, segment.starts, segment.rows, visible, keys, begins, ends, documents)
            parts.append((segment, begins, ends))
        return Matches(documents, parts)

    def _parts(self, keys: Hashes) -> list[list[Posting]]:
        """What each segment has of each of these hashes."""
        found = [list[Posting]() for _ in keys]
        for hashes, starts, rows, counts in self.segments:
            if not len(hashes):
                continue
            places = hashes.searchsorted(keys)
            places[places == len(hashes)] = 0  # which is another
            bounds = zip((hashes[places] == keys).tolist(), starts[places].tolist(), starts[places + 1].tolist(), strict=True)
            for posting, (there, start, end) in zip(found, bounds, strict=True):
                if there:
                    posting.append(Posting(rows[start:end], counts[start:end]))
        return found

    def renumbered(self, numbers: Rows) -> Segment:
        """The whole index as one segment, with the row that `numbers` has for each, without those for which it has a negative one."""
        segments = list(self.segments) or [_segment(*_NOTHING)]
        while len(segments) > 1:
            segments[-2:] = [_merged(*segments[-2:])]
        hashes, starts, rows, counts = segments[0]
        rows = numbers[rows]
        alive = rows >= 0
        if alive.all():
            return Segment(hashes, starts, rows, counts)
        return _laid_out(np.repeat(hashes, np.diff(starts))[alive], rows[alive], counts[alive])

    @property
    def nbytes(self) -> int:
        """The bytes that the index occupies."""
        return sum(segment.nbytes for segment in self.segments)


def _joined(parts: Sequence[Posting]) -> Posting:
    if len(parts) == 1:
        return parts[0]
    return Posting(*map(np.concatenate, zip(*parts, strict=True))) if parts else Posting(*_NOTHING[1:])


_NOTHING = (np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint16))


def _segment(hashes: Hashes, rows: Rows, counts: Counts) -> Segment:
    # Taken out of what lies between them first: many are then put in order in half the time.
    order, ordered = in_order(np.ascontiguousarray(hashes))
    return _laid_out(ordered, rows.take(order), np.ascontiguousarray(counts).take(order))


def in_order(hashes: Hashes) -> tuple[RowNumbers, Hashes]:
    """The places of hashes in ascending order, equal ones as they stood, and the hashes in that order."""
    if len(hashes) < _MANY:
        order = np.argsort(hashes, kind="stable")
        return order, hashes[order]
    # By two digits of two bytes each, which numpy counts instead of comparing. Those that begin alike and differ further on are few.
    order = np.argsort((hashes >> np.uint64(32)).astype(np.uint16), kind="stable")
    order = order.take(np.argsort((hashes >> np.uint64(48)).astype(np.uint16).take(order), kind="stable"))
    ordered = hashes.take(order)
    if (ordered[1:] < ordered[:-1]).any():
        rest = np.argsort(ordered, kind="stable")
        order, ordered = order.take(rest), ordered.take(rest)
    return order, ordered


def _merged(one: Segment, other: Segment) -> Segment:
    everything = np.concatenate([np.repeat(each.hashes, np.diff(each.starts)) for each in (one, other)])
    # Two sorted runs end to end: the stable sort merges them in one pass.
    order = np.argsort(everything, kind="stable")
    rows, counts = np.concatenate([one.rows, other.rows]), np.concatenate([one.counts, other.counts])
    return _laid_out(everything[order], rows[order], counts[order])


def _laid_out(hashes: Hashes, rows: Rows, counts: Counts) -> Segment:
    fresh = np.ones(len(hashes), dtype=np.bool_)
    fresh[1:] = hashes[1:] != hashes[:-1]
    starts = np.flatnonzero(fresh)
    return Segment(hashes[starts], np.append(starts, len(hashes)).astype(np.int64), rows, counts)
