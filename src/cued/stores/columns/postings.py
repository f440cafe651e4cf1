"""The inverted index of one tenant: hash → the rows that contain it, and how often.

It lies in a few segments, each sorted and never changed. What is added becomes a segment of its own, and the last two are merged as
long as they are of like size, so that there are few of them and each entry is moved a few times at most.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued.stores.arrays import Rows, twin
from cued.stores.columns.forward import Counts, Hashes

_LARGER = 4


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

    def find(self, values: Sequence[int]) -> list[Posting]:
        """The rows that contain each of these hashes, none where none does."""
        keys, found = np.array(values, dtype=np.uint64), [list[Posting]() for _ in values]
        for hashes, starts, rows, counts in self.segments:
            if not len(hashes):
                continue
            places = hashes.searchsorted(keys)
            places[places == len(hashes)] = 0  # which is another
            bounds = zip((hashes[places] == keys).tolist(), starts[places].tolist(), starts[places + 1].tolist(), strict=True)
            for posting, (there, start, end) in zip(found, bounds, strict=True):
                if there:
                    posting.append(Posting(rows[start:end], counts[start:end]))
        return [_joined(parts) for parts in found]

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
    order = np.argsort(hashes, kind="stable")
    return _laid_out(hashes[order], rows[order], counts[order])


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
