"""The shelves of the tenants searched of late: each loaded once, then brought up to date by the tenant's change counter."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from threading import Lock, RLock
from typing import Any, NamedTuple

import apsw
from msgspec import msgpack

from cued.model import Memory
from cued.stores.gates import Facts
from cued.stores.shelf import Entry, Shelf
from cued.stores.sqlite.bodies import Bodies
from cued.stores.sqlite.rows import Tenant, joined, width

SHELVES_BYTES = 512 * 2**20

_LOADED_AT_ONCE = 4096
_LOCALLY = msgpack.Decoder(tuple[tuple[str, int], ...])
_COLUMNS = """
    SELECT memory.id, memory.key, scope, kind, created,
           ifnull(valid_from, -9223372036854775808), ifnull(valid_until, 9223372036854775807), ifnull(expires, 9223372036854775807),
           ifnull(forgotten, 9223372036854775807), ifnull(superseded, 9223372036854775807),
           locally, session, turn, forward, content, fingerprint.text
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint
"""
_ALL = _COLUMNS + "WHERE memory.key BETWEEN ? AND ? ORDER BY memory.key"
_CHANGED = _COLUMNS + "WHERE memory.tenant = ? AND memory.change > ? ORDER BY memory.key"
_ALL_VECTORS = "SELECT key, data FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_VECTOR = "SELECT key, data FROM vector WHERE key = ?"


class _Row(NamedTuple):
    entry: Entry
    content: int
    fingerprint: str | None


class Slot:
    """One tenant's place among the shelves. Hold its lock from before the snapshot until the answer is read.

    So whoever holds it reads a state at least as new as the one before did, and the shelf never runs ahead of the snapshot.
    """

    def __init__(self) -> None:
        """Start without a shelf."""
        self.lock = RLock()
        self._shelf, self._shelf_nbytes = Shelf(), 0
        self._bodies = Bodies()
        self._seen, self._epoch = 0, 0

    def current(self, connection: apsw.Connection, tenant: Tenant) -> Shelf:
        """Give the tenant's shelf as of the connection's snapshot."""
        if self._epoch != tenant.epoch or self._seen == 0 or self._shelf.wasteful:
            self._shelf, self._bodies = _loaded(connection, tenant), Bodies()
        elif self._seen != tenant.change:
            self._refresh(connection, tenant)
        else:
            return self._shelf
        self._seen, self._epoch = tenant.change, tenant.epoch
        self._shelf_nbytes = self._shelf.nbytes
        return self._shelf

    def memories(self, connection: apsw.Connection, keys: Sequence[int]) -> tuple[Memory, ...]:
        """Give the memories of these keys of the current shelf in their order."""
        return self._bodies.read(connection, keys)

    @property
    def nbytes(self) -> int:
        """Give about how many bytes the shelf and the memories read of late occupy."""
        return self._shelf_nbytes + self._bodies.nbytes

    def _refresh(self, connection: apsw.Connection, tenant: Tenant) -> None:
        new = []
        for row in map(_row, connection.execute(_CHANGED, (tenant.key, self._seen))):
            self._bodies.drop(row.entry.key)
            if row.content > self._seen:
                new.append(row)
            else:
                self._shelf.patch(row.entry)
        vectors = (found for row in new for found in connection.execute(_VECTOR, (row.entry.key,)))
        _shelve(self._shelf, new, vectors)


class Shelves:
    """Slots by tenant; when they hold too many bytes, those searched longest ago are let go."""

    def __init__(self, most_bytes: int = SHELVES_BYTES) -> None:
        """Start with none."""
        self._most_bytes = most_bytes
        self._slots: OrderedDict[bytes, Slot] = OrderedDict()
        self._lock = Lock()

    def slot(self, name: bytes) -> Slot:
        """Give the tenant's slot, made if need be."""
        with self._lock:
            slot = self._slots.setdefault(name, Slot())
            self._slots.move_to_end(name)
            return slot

    def trim(self) -> None:
        """Let go of the slots searched longest ago until the rest fits; the last one searched always stays."""
        with self._lock:
            held = sum(slot.nbytes for slot in self._slots.values())
            while held > self._most_bytes and len(self._slots) > 1:
                _, oldest = self._slots.popitem(last=False)
                held -= oldest.nbytes

    def drop(self, name: bytes) -> None:
        """Let go of one tenant's slot."""
        with self._lock:
            self._slots.pop(name, None)

    def __len__(self) -> int:
        """Give the number of slots held."""
        return len(self._slots)


def _loaded(connection: apsw.Connection, tenant: Tenant) -> Shelf:
    shelf = Shelf()
    rows = [_row(row) for row in connection.execute(_ALL, tenant.keys)]
    _shelve(shelf, rows, connection.execute(_ALL_VECTORS, tenant.keys))
    return shelf


def _row(row: tuple[Any, ...]) -> _Row:
    # By position: a hundred thousand rows are read at a time.
    fact = Facts._make((*row[2:10], () if row[10] is None else _LOCALLY.decode(row[10])))
    return _Row(Entry(row[0], row[1], fact, row[11], row[12], row[13]), row[14], row[15])


def _shelve(shelf: Shelf, rows: list[_Row], vectors: Iterable[tuple[int, bytes]]) -> None:
    if not rows:
        return
    owners = dict(zip((row.entry.key for row in rows), shelf.add([row.entry for row in rows]), strict=True))
    fingerprints = {row.entry.key: row.fingerprint or "" for row in rows}
    expected = Counter(fingerprints.values())
    waiting: defaultdict[tuple[str, int], tuple[list[int], list[bytes]]] = defaultdict(lambda: ([], []))
    for key, data in vectors:
        group = fingerprints[key], width(data)
        if group not in waiting:
            shelf.reserve_vectors(*group, more=expected[group[0]])
        numbers, blobs = waiting[group]
        numbers.append(owners[key])
        blobs.append(data)
        if len(blobs) == _LOADED_AT_ONCE:
            shelf.add_vectors(group[0], numbers, joined(blobs, group[1]))
            expected[group[0]] -= len(blobs)
            del waiting[group]
    for (fingerprint, dimensions), (numbers, blobs) in waiting.items():
        shelf.add_vectors(fingerprint, numbers, joined(blobs, dimensions))
