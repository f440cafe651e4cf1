"""The shelves of the tenants searched of late: each loaded once, then brought up to date by the tenant's change counter."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from queue import Queue
from threading import Lock, Thread
from typing import NamedTuple, Self

import numpy as np
from msgspec import DecodeError
from numpy.typing import NDArray

from cued.forking import across_forks
from cued.model import Head, Indexed, Judged, Matrix, Row, Workings
from cued.ports import Reading, Transaction
from cued.stores.columns.excerpts import Packed
from cued.stores.columns.kept import unwrap, wrap
from cued.stores.columns.shelf import Entries, Shelf
from cued.stores.handing import Fresh, Handed
from cued.stores.standing.facts import FactColumns
from cued.stores.standing.felling import Mark
from cued.stores.vector_bytes import KeyedVectors, matrices
from cued.stores.winners import Winners

SHELVES_BYTES = 1024 * 2**20

_LEAST_UNKEPT = 500
_MANY = 4096
"""From so many vectors on it pays to have a thread beside the one that reads them."""
_WAITING_MOST = 8
_MARKS = Judged._fields.index("marks")


class ShelfVersion(NamedTuple):
    """A tenant's shelf as of one change, and the memories that were found on it."""

    shelf: Shelf
    winners: Winners
    change: int
    epoch: int
    shelf_nbytes: int
    unkept: int = 0
    """How many rows it has that the kept shelf has not, or has otherwise."""

    def keep(self, rows: Transaction) -> None:
        """Have it kept for the next process, unless something was erased since."""
        head = rows.head()
        if head.epoch == self.epoch and head.change >= self.change and not rows.removed(self.change):
            rows.put_shelf(wrap(self.shelf, change=self.change, epoch=self.epoch))

    @property
    def worth_keeping(self) -> bool:
        """Whether, kept, it would save the next process much."""
        return self.unkept > max(_LEAST_UNKEPT, self.shelf.stored // 10)

    def is_of(self, head: Head) -> bool:
        """Whether nothing has changed since."""
        return (self.change, self.epoch) == (head.change, head.epoch)


class TenantShelf:
    """One tenant's shelf: the last version of it, which all who search share and nobody changes.

    Take the version before the snapshot: then it is of the snapshot's state or of an older one. An older one is brought up to date
    by whoever holds the lock from before its own snapshot; so the versions follow each other in the order of the changes.
    """

    def __init__(self) -> None:
        """Start without anything loaded."""
        self.lock = Lock()
        self.version: ShelfVersion | None = None
        self.newest = Head()
        self.handed = Handed()
        self.weighed: int | None = 0
        """Its bytes when it was last looked at, which those of all shelves are the sum of; None once it is let go."""

    def bring_to(self, rows: Transaction, head: Head) -> ShelfVersion:
        """The tenant's shelf as of the transaction's snapshot; the lock must be held."""
        last, self.version = self.version, None
        # Where something fails on the way, there is no version, and the next one is loaded anew.
        if last is not None and last.is_of(head):
            self.version = last
            return last
        if last is None or last.epoch != head.epoch or last.shelf.wasteful:
            last = _restored(rows, head) or ShelfVersion(Shelf(), Winners(), 0, head.epoch, 0)
        self.version = last if last.is_of(head) else _refreshed(last, rows, head)
        self.heard_of(head)
        return self.version

    def caught_up(self) -> ShelfVersion | None:
        """The last version with what writes from here have handed over, None where nothing is loaded."""
        version = self.version
        if version is None or version.is_of(self.newest):
            return version
        with self.lock:
            last = self.version
            if last is not None and (fresh := self.handed.take(last.change, last.epoch)) is not None and not last.shelf.wasteful:
                # Where something fails on the way, there is no version, and the next one is loaded anew.
                self.version = None
                self.version = _refreshed(last, fresh, fresh.head)
            return self.version

    def heard_of(self, head: Head) -> None:
        """Note the newest state of the tenant that is known of here, which the version may lack."""
        if head.epoch != self.newest.epoch or head.change > self.newest.change:
            self.newest = head

    def follow(self, version: ShelfVersion, rows: Reading, *, known: bool) -> bool:
        """Whether to go on: with the next version where the rows since are `known`, and else knowing that there are some."""
        head = rows.head()
        if not head.change or head.epoch != version.epoch or version.shelf.wasteful:
            return False
        with self.lock:
            if known and self.version is version:
                self.version = version if version.is_of(head) else _refreshed(version, rows, head)
        self.heard_of(head)
        return True

    def kept(self, version: ShelfVersion) -> None:
        """Note that this version is kept beside the rows."""
        with self.lock:
            if self.version is version:
                self.version = version._replace(unkept=0)

    def without(self, version: ShelfVersion, keys: Sequence[int]) -> ShelfVersion:
        """This version but for the memories of some keys, which can no longer be read."""
        shelf = version.shelf.branched()
        shelf.drop(keys)
        shelf.settle()
        fewer = version._replace(shelf=shelf)
        with self.lock:
            if self.version is version:
                self.version = fewer
        return fewer

    @property
    def nbytes(self) -> int:
        """About how many bytes the shelf and its winners occupy."""
        version = self.version
        return 0 if version is None else version.shelf_nbytes + version.winners.nbytes


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
        self._nbytes = 0
        self._hits = self._misses = 0

    def of(self, tenant: str) -> TenantShelf:
        """The tenant's shelf, made if need be."""
        with self._lock:
            found = self._held.setdefault(tenant, TenantShelf())
            self._held.move_to_end(tenant)
            if found.version is None:
                self._misses += 1
            else:
                self._hits += 1
            return found

    def workings(self, *, contested: int) -> Workings:
        """How many tenants are in memory with how many bytes, and how many searches found theirs there or did not."""
        with self._lock:
            nbytes = sum(each.nbytes for each in self._held.values())
            return Workings(tenants=len(self._held), bytes=nbytes, hits=self._hits, misses=self._misses, contested=contested)

    def holds(self, tenant: str) -> bool:
        """Whether there are memories of this tenant in memory."""
        held = self._held.get(tenant)
        version = None if held is None else held.version
        return version is not None and version.shelf.stored > 0

    def written(self, tenant: str, head: Head, fresh: Sequence[Row]) -> None:
        """Note the state that a write from here has left the tenant in, and the rows where it wrote nothing but new ones."""
        held = self._held.get(tenant)
        if held is not None:
            held.handed.put(head, fresh if held.version is not None else ())
            held.heard_of(head)

    def trim(self, searched: TenantShelf) -> None:
        """Let go of the shelves searched longest ago until the rest fits, where this one has grown; the last one searched always stays."""
        nbytes = searched.nbytes
        if nbytes == searched.weighed:
            return
        with self._lock:
            if searched.weighed is None:
                return
            self._nbytes += nbytes - searched.weighed
            searched.weighed = nbytes
            while self._nbytes > self._most_bytes and len(self._held) > 1:
                self._let_go(self._held.popitem(last=False)[1])

    def drop(self, tenant: str) -> None:
        """Let go of one tenant's shelf."""
        with self._lock:
            if tenant in self._held:
                self._let_go(self._held.pop(tenant))

    def _let_go(self, shelf: TenantShelf) -> None:
        self._nbytes -= shelf.weighed or 0
        shelf.weighed = None

    def unkept(self) -> list[tuple[str, TenantShelf, ShelfVersion]]:
        """The tenants with their shelves and the last versions of them which, kept, would save the next process much."""
        with self._lock:
            every = [(tenant, held, held.version) for tenant, held in self._held.items()]
        return [(tenant, held, last) for tenant, held, last in every if last is not None and last.worth_keeping]

    def __len__(self) -> int:
        """The number of shelves held."""
        return len(self._held)


def _restored(rows: Transaction, head: Head) -> ShelfVersion | None:
    """The shelf as it was kept with what has changed since, None where there is none of use."""
    found = unwrap(rows.shelf(), change=head.change, epoch=head.epoch) if head.size > _LEAST_UNKEPT else None
    if found is None:
        return None
    shelf = found.shelf
    try:
        _add_vectors(shelf, _Owners.of(shelf.keys, found.fingerprints, found.coded), rows.vectors(0), more=found.change < head.change)
        shelf.settle()
        kept = ShelfVersion(shelf, Winners(), found.change, head.epoch, shelf.nbytes)
        return kept if kept.is_of(head) else _refreshed(kept, rows, head)
    except DecodeError:  # it is of other rows, or the rows are damaged, as is told when it is built of them
        return None


def _refreshed(last: ShelfVersion, rows: Reading | Fresh, head: Head) -> ShelfVersion:
    """The next version: a branch of the shelf with what has changed since, and the winners that have not."""
    # Before the first change there is nothing that anybody searches, and nothing to remove.
    shelf, removed = (last.shelf.branched(), rows.removed(last.change)) if last.change else (last.shelf, ())
    read, before = rows.changed(last.change), shelf.keys.max(initial=-1)
    shelf.drop(removed)
    fresh = np.asarray(read.contents, dtype=np.int64) > last.change
    new, kept = np.flatnonzero(fresh).tolist(), np.flatnonzero(~fresh).tolist()
    try:
        if kept:
            some = _rows_at(read, kept)
            shelf.patch(some.ids, _entries(some).facts)
        if new:
            _shelve(shelf, _rows_at(read, new), rows.vectors(last.change))
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise DecodeError(f"a row has what no row can have: {error}") from error
    shelf.settle()
    keys = np.asarray(read.keys, dtype=np.int64)
    # New rows have keys beyond all before, which nobody can have found.
    winners = last.winners.without((*removed, *keys[keys <= before].tolist()))
    return ShelfVersion(shelf, winners, head.change, head.epoch, shelf.nbytes, last.unkept + len(read.ids))


def _entries(read: Indexed) -> Entries:
    columns = list(read.judged)
    if any(columns[_MARKS]):
        columns[_MARKS] = [tuple(map(Mark._make, marks)) for marks in columns[_MARKS]]
    return Entries(read.ids, read.keys, read.sessions, read.turns, read.forwards, FactColumns._make(columns))


def _rows_at(read: Indexed, places: Sequence[int]) -> Indexed:
    if len(places) == len(read.ids):
        return read
    some = [[column[place] for place in places] for column in read[:-1]]
    return Indexed._make([*some, [[column[place] for place in places] for column in read.judged]])


class _Owners(NamedTuple):
    """Whose vectors are to come: keys in order, the row of each, and its fingerprint by a code."""

    keys: NDArray[np.int64]
    rows: NDArray[np.int32]
    fingerprints: Sequence[str]
    coded: NDArray[np.int32]

    @classmethod
    def of(cls, keys: NDArray[np.int64], fingerprints: Sequence[str], coded: NDArray[np.int32], first: int = 0) -> Self:
        """The owners of consecutive rows, whose keys are in order."""
        return cls(keys, np.arange(first, first + len(keys), dtype=np.int32), fingerprints, coded)


def _shelve(shelf: Shelf, read: Indexed, vectors: Iterable[tuple[Sequence[int], bytes]]) -> None:
    rows = shelf.add(_entries(read))
    codes = {text: code for code, text in enumerate(dict.fromkeys(read.fingerprints))}
    coded = np.fromiter(map(codes.__getitem__, read.fingerprints), dtype=np.int32, count=len(read.fingerprints))
    _add_vectors(shelf, _Owners.of(np.array(read.keys, dtype=np.int64), list(codes), coded, rows.start), vectors)


def _add_vectors(shelf: Shelf, owners: _Owners, vectors: Iterable[tuple[Sequence[int], bytes]], *, more: bool = False) -> None:
    """Add the vectors to their owners' rows; those of no owner are passed over where there may be `more`, and else are damage."""
    expected = dict(zip(owners.fingerprints, np.bincount(owners.coded[owners.coded >= 0], minlength=len(owners.fingerprints)), strict=True))

    def add(keys: Sequence[int], matrix: Matrix, excerpts: Packed | None) -> None:
        wanted = np.asarray(keys, dtype=np.int64)
        places = np.minimum(np.searchsorted(owners.keys, wanted), max(len(owners.keys) - 1, 0))
        known = owners.keys[places] == wanted if len(owners.keys) else np.zeros(len(wanted), dtype=np.bool_)
        if not more and not known.all():
            raise DecodeError("a vector belongs to no memory")
        for code, fingerprint in enumerate(owners.fingerprints):
            mine = known & (owners.coded[places] == code)
            if mine.any():
                rows, taken = owners.rows[places[mine]], matrix if mine.all() else matrix[mine]
                shelf.add_vectors(fingerprint, rows, taken, expected=int(expected.pop(fingerprint, 0)))
                if excerpts is not None:
                    each = excerpts.reshape(len(keys), -1, excerpts.shape[1])[mine]
                    shelf.add_excerpts(fingerprint, rows, each.reshape(-1, excerpts.shape[1]))

    read = (each for run in vectors for each in matrices(*run))
    if len(owners.keys) < _MANY:
        for run in read:
            add(*run)
    else:
        _taken_aside(read, add)


def _taken_aside(read: Iterable[KeyedVectors], take: Callable[[Sequence[int], Matrix, Packed | None], None]) -> None:
    """Have each run taken in a thread beside this one, while the next is read here: where there is a second core, in half the time."""
    waiting, failed = Queue[KeyedVectors | None](_WAITING_MOST), list[Exception]()

    def work() -> None:
        while (run := waiting.get()) is not None:
            try:
                if not failed:
                    take(*run)
            except Exception as error:  # noqa: BLE001 - raised where it is waited for
                failed.append(error)

    beside = Thread(target=work, daemon=True)
    try:
        beside.start()
    except RuntimeError:  # the system gives no more threads, or the interpreter is ending
        for run in read:
            take(*run)
        return
    try:
        for run in read:
            if failed:
                break
            waiting.put(run)
    finally:
        waiting.put(None)
        beside.join()
    if failed:
        raise failed[0]
