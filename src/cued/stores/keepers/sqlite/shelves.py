"""The shelves of the tenants searched of late: each loaded once, then brought up to date by the tenant's change counter."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock, RLock
from typing import Any, NamedTuple

import apsw
from msgspec import DecodeError, msgpack

from cued.model import Memory
from cued.standing.facts import REFLECTION, FactColumns, Facts
from cued.standing.marks import Mark
from cued.stores.columns.shelf import Entries, Shelf
from cued.stores.keepers.sqlite.bodies import Bodies
from cued.stores.keepers.sqlite.rows import Tenant, joined, read_sources, width

SHELVES_BYTES = 1024 * 2**20

_LOADED_AT_ONCE = 4096
_MARKS = msgpack.Decoder(tuple[Mark, ...])
_COLUMNS = """
    SELECT content, ifnull(fingerprint.text, ''), memory.id, memory.key, session, turn, forward, scope, kind, tier, created,
           ifnull(valid_from, -9223372036854775808), ifnull(valid_until, 9223372036854775807), ifnull(expires, 9223372036854775807),
           ifnull(forgotten, 9223372036854775807), ifnull(superseded, 9223372036854775807), locally
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint
"""
_ALL = _COLUMNS + "WHERE memory.key BETWEEN ? AND ? ORDER BY memory.key"
_CHANGED = _COLUMNS + "WHERE memory.tenant = ? AND memory.change > ? ORDER BY memory.key"
_ALL_VECTORS = "SELECT key, data FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_VECTOR = "SELECT key, data FROM vector WHERE key = ?"


class _Read(NamedTuple):
    """What _COLUMNS reads, column by column: a hundred thousand rows are read at a time."""

    contents: Sequence[int]
    fingerprints: Sequence[str]
    entries: Entries

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]], connection: apsw.Connection) -> "_Read":
        """Give at least one row, read from this connection, as columns."""
        contents, fingerprints, ids, keys, sessions, turns, forwards, scopes, kinds, *facts, locally = zip(*rows, strict=True)
        marks = tuple(() if each is None else _MARKS.decode(each) for each in locally)
        judged = FactColumns._make([scopes, kinds, *facts, marks, _sources(connection, keys, kinds)])
        return cls(contents, fingerprints, Entries(ids, keys, sessions, turns, forwards, judged))


class Slot:
    """One tenant's place among the shelves. Hold its lock from before the snapshot until the answer is read.

    So whoever holds it reads a state at least as new as the one before did, and the shelf never runs ahead of the snapshot.
    """

    def __init__(self) -> None:
        """Start without a shelf."""
        self.lock = RLock()
        self.nbytes = 0
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
        found = self._bodies.read(connection, keys)
        self.nbytes = self._shelf_nbytes + self._bodies.nbytes
        return found

    def _refresh(self, connection: apsw.Connection, tenant: Tenant) -> None:
        changed: list[Any] = connection.execute(_CHANGED, (tenant.key, self._seen)).fetchall()
        new = [row for row in changed if row[0] > self._seen]
        judged = [row for row in changed if row[0] <= self._seen]
        if judged:
            entries = _Read.of(judged, connection).entries
            self._bodies.drop(entries.keys)
            for memory_id, *facts in zip(entries.ids, *entries.facts, strict=True):
                self._shelf.patch(memory_id, Facts(*facts))
        if new:
            read = _Read.of(new, connection)
            self._bodies.drop(read.entries.keys)
            vectors = (found for key in read.entries.keys for found in connection.execute(_VECTOR, (key,)))
            _shelve(self._shelf, read, vectors)


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
    shelf, rows = Shelf(), connection.execute(_ALL, tenant.keys).fetchall()
    if rows:
        _shelve(shelf, _Read.of(rows, connection), connection.execute(_ALL_VECTORS, tenant.keys))
    return shelf


def _sources(connection: apsw.Connection, keys: Sequence[int], kinds: Sequence[int]) -> Sequence[tuple[str, ...]]:
    reflections = [key for key, kind in zip(keys, kinds, strict=True) if kind == REFLECTION]
    found: defaultdict[int, list[str]] = defaultdict(list)
    for key, target in read_sources(connection, reflections):
        found[key].append(target)
    return [tuple(found.get(key, ())) for key in keys] if found else ((),) * len(keys)


def _shelve(shelf: Shelf, read: _Read, vectors: Iterator[tuple[int, bytes]]) -> None:
    keys, expected = read.entries.keys, Counter(read.fingerprints)
    row_of = dict(zip(keys, shelf.add(read.entries), strict=True))
    fingerprint_of = dict(zip(keys, read.fingerprints, strict=True))
    while some := list(islice(vectors, _LOADED_AT_ONCE)):
        groups: defaultdict[tuple[str, int], list[tuple[int, bytes]]] = defaultdict(list)
        if not row_of.keys() >= {key for key, _ in some}:
            raise DecodeError("a vector belongs to no memory")
        for key, data in some:
            groups[fingerprint_of[key], len(data)].append((row_of[key], data))
        for (fingerprint, size), members in groups.items():
            rows, blobs = zip(*members, strict=True)
            shelf.add_vectors(fingerprint, rows, joined(blobs, width(size)), room=expected.pop(fingerprint, 0))
