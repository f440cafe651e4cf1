"""The inverted index of one tenant: hash → the rows that contain it, and how often.

A sorted main segment in compressed rows, and a small tail of what came since; the tail is merged when it grows too long.
"""

from typing import NamedTuple

import numpy as np

from cued.stores.arrays import Rows
from cued.stores.columns.forward import Counts, Hashes

_LEAST_TAIL = 1024
_TAIL_SHARE = 10


class Posting(NamedTuple):
    """The rows that contain one hash and its count in each, in no particular order."""

    rows: Rows
    counts: Counts


class Postings:
    """An inverted index that can be appended to; rows are never taken out of it, their tombstones are kept elsewhere."""

    def __init__(self) -> None:
        """Start with nothing indexed."""
        self._hashes: Hashes = np.empty(0, dtype=np.uint64)
        self._rows: Rows = np.empty(0, dtype=np.int32)
        self._counts: Counts = np.empty(0, dtype=np.uint16)
        self._keys: Hashes = np.empty(0, dtype=np.uint64)
        self._starts = np.zeros(1, dtype=np.int64)
        self._tail: dict[int, tuple[list[int], list[int]]] = {}
        self._tail_count = 0

    def add(self, hashes: Hashes, rows: Rows, counts: Counts) -> None:
        """Index these entries: one hash, row and count each."""
        if self._tail_count + len(hashes) > max(_LEAST_TAIL, len(self._hashes) // _TAIL_SHARE):
            self._merge(hashes, rows, counts)
            return
        for value, row, count in zip(hashes.tolist(), rows.tolist(), counts.tolist(), strict=True):
            tail_rows, tail_counts = self._tail.setdefault(value, ([], []))
            tail_rows.append(row)
            tail_counts.append(count)
        self._tail_count += len(hashes)

    def find(self, value: int) -> Posting:
        """The rows that contain a hash, empty when none does."""
        key = np.uint64(value)
        place = int(np.searchsorted(self._keys, key))
        start, end = 0, 0
        if place < len(self._keys) and self._keys[place] == key:
            start, end = int(self._starts[place]), int(self._starts[place + 1])
        main = Posting(self._rows[start:end], self._counts[start:end])
        tail = self._tail.get(value)
        if tail is None:
            return main
        late = Posting(np.array(tail[0], dtype=np.int32), np.array(tail[1], dtype=np.uint16))
        return Posting(np.concatenate([main.rows, late.rows]), np.concatenate([main.counts, late.counts]))

    @property
    def nbytes(self) -> int:
        """About how many bytes the index occupies."""
        arrays = (self._hashes, self._rows, self._counts, self._keys, self._starts)
        return sum(array.nbytes for array in arrays) + 100 * self._tail_count

    def _merge(self, hashes: Hashes, rows: Rows, counts: Counts) -> None:
        tail_hashes, tail_rows, tail_counts = self._tail_arrays()
        late = np.concatenate([tail_hashes, hashes])
        order = np.argsort(late, kind="stable")
        everything = np.concatenate([self._hashes, late[order]])
        # Two sorted runs end to end: the stable sort merges them in one pass.
        merged = np.argsort(everything, kind="stable")
        self._hashes = everything[merged]
        self._rows = np.concatenate([self._rows, np.concatenate([tail_rows, rows])[order]])[merged]
        self._counts = np.concatenate([self._counts, np.concatenate([tail_counts, counts])[order]])[merged]
        fresh = np.ones(len(self._hashes), dtype=bool)
        fresh[1:] = self._hashes[1:] != self._hashes[:-1]
        starts = np.flatnonzero(fresh)
        self._keys = self._hashes[starts]
        self._starts = np.append(starts, len(self._hashes)).astype(np.int64)
        self._tail, self._tail_count = {}, 0

    def _tail_arrays(self) -> tuple[Hashes, Rows, Counts]:
        sizes = [len(rows) for rows, _ in self._tail.values()]
        return (
            np.repeat(np.fromiter(self._tail.keys(), dtype=np.uint64, count=len(sizes)), sizes),
            np.array([row for rows, _ in self._tail.values() for row in rows], dtype=np.int32),
            np.array([count for _, counts in self._tail.values() for count in counts], dtype=np.uint16),
        )
