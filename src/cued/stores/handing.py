"""New rows that a write hands to the shelf of its own process, so that what was just made is not read back and taken apart again.

They are never the truth: they are taken only where they are all that was written between a shelf and the state it is brought to, and
whatever else was written (an update, a removal, another process's rows) is read from the keeper, together with them.
"""

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from cued.model import Head, Indexed, Judged, Row
from cued.stores.vector_bytes import runs

MOST_ROWS = 64
"""So many rows wait for a search at most: many are read from the keeper as fast, and need no memory meanwhile."""


class Fresh(NamedTuple):
    """New rows with their keys, and the state that the tenant had when the last of them was written."""

    head: Head
    rows: Sequence[Row]

    def removed(self, since: int) -> Sequence[int]:  # noqa: ARG002 - as it is asked of a keeper
        """Nothing: where something was removed, nothing is fresh."""
        return ()

    def changed(self, since: int) -> Indexed:  # noqa: ARG002
        """The rows as a search needs them."""
        return as_indexed(self.rows, [self.head.change] * len(self.rows))

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:  # noqa: ARG002
        """The rows' vectors in runs of one size."""
        return runs((row.key, row.vector) for row in self.rows if row.vector is not None)


class Handed:
    """The rows that wait for the next search of one tenant, by the change that wrote them."""

    def __init__(self) -> None:
        """Start with none."""
        self._waiting: dict[int, Fresh] = {}
        self._lock = Lock()

    def put(self, head: Head, rows: Sequence[Row]) -> None:
        """Have these rows wait, all that the change of this number wrote; none where it wrote something else too."""
        with self._lock:
            if not rows or len(rows) + sum(len(each.rows) for each in self._waiting.values()) > MOST_ROWS:
                self._waiting.clear()
            else:
                self._waiting[head.change] = Fresh(head, rows)

    def take(self, change: int, epoch: int) -> Fresh | None:
        """What was written since this change, and nothing but new rows; None where that is not known."""
        if not self._waiting:
            return None
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        found = list[Fresh]()
        while (fresh := waiting.get(change + 1 + len(found))) is not None and fresh.head.epoch == epoch:
            found.append(fresh)
        return Fresh(found[-1].head, [row for fresh in found for row in fresh.rows]) if found else None


def as_indexed(rows: Sequence[Row], contents: Sequence[int]) -> Indexed:
    """Rows as a search needs them, each with the change at which its content was written."""
    memories = [row.memory for row in rows]
    return Indexed(
        ids=[memory.id for memory in memories],
        keys=[row.key for row in rows],
        contents=contents,
        fingerprints=[memory.fingerprint or "" for memory in memories],
        sessions=[memory.source.session for memory in memories],
        turns=[memory.source.turn for memory in memories],
        forwards=[row.forward or b"" for row in rows],
        judged=list(zip(*(row.judged or () for row in rows), strict=True)) or [()] * len(Judged._fields),
    )
