"""The shelves of the tenants searched of late: each loaded once, then brought up to date by the tenant's change counter."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from threading import Lock, RLock

from msgspec import DecodeError
from msgspec.structs import replace

from cued.forking import across_forks
from cued.model import Head, Indexed, Memory
from cued.ports import Transaction
from cued.stores.columns.shelf import Entries, Shelf
from cued.stores.encoding import joined, width
from cued.stores.standing.facts import FactColumns, GateFacts
from cued.stores.standing.marks import Mark

SHELVES_BYTES = 1024 * 2**20
WINNERS_BYTES = 32 * 2**20

_LOADED_AT_ONCE = 4096
_BYTES_EACH = 1500
_MARKS = 9


class Winners:
    """The memories that searches found before, by key, so that a warm recall reads only how they were used."""

    def __init__(self, most_bytes: int = WINNERS_BYTES) -> None:
        """Start with none."""
        self.nbytes = 0
        self._most_bytes = most_bytes
        self._kept: dict[int, Memory] = {}

    def read(self, rows: Transaction, keys: Sequence[int]) -> tuple[Memory | None, ...]:
        """The memories of these keys in their order, each with its use as of the transaction's snapshot; None for a broken one."""
        if not keys:
            return ()
        missing = [key for key in keys if key not in self._kept]
        read = dict(zip(missing, rows.memories(missing), strict=True)) if missing else {}
        found = {key: read[key] if key in read else self._kept[key] for key in keys}
        for key, use in rows.uses(keys):
            if (memory := found[key]) is not None:
                found[key] = replace(memory, use=use)
        for key, memory in read.items():
            if memory is not None:
                self._keep(key, memory)
        return tuple(found.values())

    def drop(self, keys: Iterable[int]) -> None:
        """Let go of memories that have changed; an unknown key changes nothing."""
        for key in keys:
            dropped = self._kept.pop(key, None)
            if dropped is not None:
                self.nbytes -= _size(dropped)

    def _keep(self, key: int, memory: Memory) -> None:
        # Nothing is let go of to make space: in a tenant too large for it, each recall would replace what the next one needs.
        size = _size(memory)
        if self.nbytes + size <= self._most_bytes:
            self._kept[key] = memory
            self.nbytes += size


class TenantShelf:
    """One tenant's shelf. Hold its lock from before the snapshot until the answer is read.

    So whoever holds it reads a state at least as new as the one before did, and the shelf never runs ahead of the snapshot.
    """

    def __init__(self) -> None:
        """Start without anything loaded."""
        self.lock = RLock()
        self.nbytes = 0
        self._shelf, self._shelf_nbytes = Shelf(), 0
        self._winners = Winners()
        self._seen, self._epoch = 0, 0

    def current(self, rows: Transaction, head: Head) -> Shelf:
        """The tenant's shelf as of the transaction's snapshot."""
        if self._epoch != head.epoch or self._seen == 0 or self._shelf.wasteful:
            self._shelf, self._winners = _loaded(rows), Winners()
        elif self._seen != head.change:
            self._refresh(rows)
        else:
            return self._shelf
        self._seen, self._epoch = head.change, head.epoch
        self._shelf_nbytes = self._shelf.nbytes
        return self._shelf

    def memories(self, rows: Transaction, keys: Sequence[int]) -> tuple[Memory | None, ...]:
        """The memories of these keys of the current shelf in their order; None for a broken one."""
        found = self._winners.read(rows, keys)
        self.nbytes = self._shelf_nbytes + self._winners.nbytes
        return found

    def leave_out(self, memory_ids: Iterable[str]) -> None:
        """Take broken memories off the shelf."""
        for memory_id in memory_ids:
            self._shelf.remove(memory_id)

    def _refresh(self, rows: Transaction) -> None:
        removed, read = rows.removed(self._seen), rows.changed(self._seen)
        self._winners.drop((*removed, *read.keys))
        self._shelf.drop(removed)
        new = [place for place, content in enumerate(read.contents) if content > self._seen]
        if len(new) < len(read.ids):
            entries = _entries(read)
            for memory_id, content, *facts in zip(entries.ids, read.contents, *entries.facts, strict=True):
                if content <= self._seen:
                    self._shelf.patch(memory_id, GateFacts(*facts))
        if new:
            _shelve(self._shelf, _taken(read, new), rows.vectors(self._seen))


class Shelves:
    """Shelves by tenant; when they hold too many bytes, those searched longest ago are let go."""

    def __init__(self, most_bytes: int = SHELVES_BYTES) -> None:
        """Start with none."""
        self._most_bytes = most_bytes
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start with none: after a fork a shelf may be half made, and locked by a thread that is not here."""
        self._lock = Lock()
        self._held: OrderedDict[str, TenantShelf] = OrderedDict()

    def of(self, tenant: str) -> TenantShelf:
        """The tenant's shelf, made if need be."""
        with self._lock:
            found = self._held.setdefault(tenant, TenantShelf())
            self._held.move_to_end(tenant)
            return found

    def trim(self) -> None:
        """Let go of the shelves searched longest ago until the rest fits; the last one searched always stays."""
        with self._lock:
            held = sum(each.nbytes for each in self._held.values())
            while held > self._most_bytes and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                held -= oldest.nbytes

    def drop(self, tenant: str) -> None:
        """Let go of one tenant's shelf."""
        with self._lock:
            self._held.pop(tenant, None)

    def __len__(self) -> int:
        """The number of shelves held."""
        return len(self._held)


def _loaded(rows: Transaction) -> Shelf:
    shelf, read = Shelf(), rows.changed(0)
    if read.ids:
        _shelve(shelf, read, rows.vectors(0))
    return shelf


def _entries(read: Indexed) -> Entries:
    columns = list(read.judged)
    columns[_MARKS] = [tuple(map(Mark._make, marks)) if marks else () for marks in columns[_MARKS]]
    return Entries(read.ids, read.keys, read.sessions, read.turns, read.forwards, FactColumns._make(columns))


def _taken(read: Indexed, places: Sequence[int]) -> Indexed:
    if len(places) == len(read.ids):
        return read
    some = [[column[place] for place in places] for column in read[:-1]]
    return Indexed._make([*some, [[column[place] for place in places] for column in read.judged]])


def _shelve(shelf: Shelf, read: Indexed, vectors: Iterable[tuple[int, bytes]]) -> None:
    keys, expected = read.keys, Counter(read.fingerprints)
    row_of = dict(zip(keys, shelf.add(_entries(read)), strict=True))
    fingerprint_of = dict(zip(keys, read.fingerprints, strict=True))
    left = iter(vectors)
    while some := list(islice(left, _LOADED_AT_ONCE)):
        groups: defaultdict[tuple[str, int], list[tuple[int, bytes]]] = defaultdict(list)
        if not row_of.keys() >= {key for key, _ in some}:
            raise DecodeError("a vector belongs to no memory")
        for key, data in some:
            groups[fingerprint_of[key], len(data)].append((row_of[key], data))
        for (fingerprint, size), members in groups.items():
            numbers, blobs = zip(*members, strict=True)
            shelf.add_vectors(fingerprint, numbers, joined(blobs, width(size)), expected=expected.pop(fingerprint, 0))


def _size(memory: Memory) -> int:
    return _BYTES_EACH + len(memory.text)
