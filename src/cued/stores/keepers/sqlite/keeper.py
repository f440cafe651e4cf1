"""Rows in one SQLite file: durable, safe for many threads and processes, one snapshot a transaction.

A process has a connection a thread, and none across a fork. SQLite's locks are those of a process, and it keeps its own account of them:
a child that used a connection of its parent's, or opened one beside it, would believe in locks that it does not have. So before a fork
all connections are closed, and each side opens its own.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from weakref import WeakKeyDictionary

import apsw

from cued.errors import CuedError, ReadOnlyError, StoreError
from cued.forking import PATIENCE_S, across_forks
from cued.model import Condition, VectorShape
from cued.stores.admission import admit_tenant
from cued.stores.keepers.sql_values import refuse_other_shape, refuse_unknown_shape
from cued.stores.keepers.sqlite.connection import (
    BUSY_TIMEOUT_S,
    SERVED_HOW,
    connect,
    identity,
    log_beside,
    log_in_use,
    named_without,
    never_changing,
    prepare,
    reading,
    refuse_damaged,
    refuse_foreign_file,
    refuse_strange,
    shape_of,
    translated,
    writing,
)
from cued.stores.keepers.sqlite.health import condition
from cued.stores.keepers.sqlite.schema import VERSION
from cued.stores.keepers.sqlite.scrubbing import SCRUB_TIMEOUT_S, Scrubber
from cued.stores.keepers.sqlite.transaction import SqliteTransaction

_CARRIED: dict[Path, list[apsw.Connection]] = {}
"""The connections that could not be closed before a fork, by file: a child keeps them, never uses nor closes them, and cannot open more."""
_CARRIED_HERE: set[Path] = set()


class Watched:
    """A file that is open under its name; one that was taken as never changing is not to change."""

    def __init__(self, path: Path, *, never_changing: bool) -> None:
        """Note which file it is."""
        self._path, self.never_changing = path, never_changing
        found = path.stat()
        self._file, self._state = (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """Refuse to go on with a file that was moved, deleted, replaced, or changed though it never should."""
        try:
            found = os.stat(self._path)  # noqa: PTH116 - asked before every transaction
        except FileNotFoundError as error:
            raise StoreError(f"{self._path}: deleted or moved away while it was open, so nothing more is written; open it again") from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StoreError(f"{self._path}: another file lies there than the one that was opened; open it again")
        if self.never_changing and ((found.st_size, found.st_mtime_ns) != self._state or log_in_use(self._path)):
            raise ReadOnlyError(f"{self._path}: it is written by others now; {SERVED_HOW}")


class Process:
    """The file as this process has it open."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        """Open nothing yet."""
        self._path, self._writable, self._place = path, writable, path.resolve()
        self.closed = self._resting = False
        self._watched: Watched | None = None
        self._start()
        across_forks(self)

    def _start(self) -> None:
        # Threads queue here rather than at SQLite's lock, which is polled and not fair.
        self.writers = threading.Lock()
        self._pid = os.getpid()
        # The lock is taken by itself: an exception of a signal's, such as a Ctrl-C, that comes while a condition takes it leaves it taken.
        self._working, self._here, self._lock = 0, threading.local(), threading.Lock()
        self._change = threading.Condition(self._lock)
        self._forget_connections()

    @contextmanager
    def use(self) -> Iterator[apsw.Connection]:
        """This thread's connection, which no fork takes away meanwhile."""
        counted = False
        try:
            with self._lock:
                if self._resting:
                    # Whoever works already may begin more: a fork waits for it anyway.
                    self._change.wait_for(lambda: not self._resting or self._working_here())
                here = self._working_here() + 1
                self._here.working, self._working, counted = here, self._working + 1, True
            if self._watched is not None and not self.closed:
                self._watched.check()
            connection = self.connection()
            self._refuse_other_log(connection)
            yield connection
        finally:
            if counted:
                with self._lock:
                    self._here.working -= 1
                    self._working -= 1
                    if self._resting or self.closed:
                        self._change.notify_all()

    def connection(self) -> apsw.Connection:
        """This thread's connection."""
        if self.closed:
            raise StoreError(f"{self._path}: the store has been closed")
        refuse_carried(self._place)
        if self._pid != os.getpid():
            raise StoreError(f"{self._path}: this process was forked in a way that Python was not told of; open the store in the child")
        found: apsw.Connection | None = getattr(self._thread, "connection", None)
        return self._have(connect(self._path, writable=self._writable)) if found is None else found

    def adopt(self, connection: apsw.Connection) -> None:
        """Take an open connection as this thread's, and its file as the one to stay with."""
        self._watched = Watched(self._path, never_changing=never_changing(connection))
        self._have(connection)

    def _have(self, connection: apsw.Connection) -> apsw.Connection:
        """The connection, which is this thread's from now on; for as long as it is open, the log and index that it reads stay there."""
        log = (0, 0) if never_changing(connection) else log_beside(self._path)
        self._thread.connection, self._connections[connection] = connection, log
        return connection

    def _refuse_other_log(self, connection: apsw.Connection) -> None:
        """Refuse to go on where the log or its index was taken away: what is written then nobody else sees, or it is written over."""
        own = self._connections.get(connection, (0, 0))
        if all(own) and log_beside(self._path) != own:
            gone = f"the log beside it ({self._path}-wal and -shm) was deleted, moved away or replaced while it was open"
            raise StoreError(f"{self._path}: {gone}, so nothing more is read or written; close it, and open it again")

    def before_fork(self) -> None:
        """Wait until nobody works, and close every connection; where that takes too long, the child cannot have the file."""
        with self._lock:
            self._resting = True
            resting = self._change.wait_for(lambda: not self._working, timeout=PATIENCE_S)
        try:
            if resting:
                self._close_connections(checkpoint=False)
        except apsw.Error:
            resting = False
        if not resting:
            _CARRIED.setdefault(self._place, []).extend(self._connections)

    def go_on(self) -> None:
        """Let the threads of the parent work again."""
        _CARRIED.pop(self._place, None)
        with self._lock:
            self._resting = False
            self._change.notify_all()

    def after_fork(self) -> None:
        """Start anew, with no connection."""
        if self._place in _CARRIED:
            _CARRIED_HERE.add(self._place)
        self._resting = False
        self._start()

    def close(self) -> None:
        """Take no more work, wait for what other threads have begun, and close every connection; a second call does nothing."""
        self.closed = True
        with self._lock:
            self._change.wait_for(lambda: self._working <= self._working_here(), timeout=BUSY_TIMEOUT_S)
        self._close_connections(checkpoint=True)

    def _working_here(self) -> int:
        return getattr(self._here, "working", 0)

    def _close_connections(self, *, checkpoint: bool) -> None:
        lies_there = log_beside(self._path)
        for connection, own in list(self._connections.items()):
            # Where another log lies by now, others have gone on without what is in ours: brought into the file, it would undo theirs.
            if not checkpoint or (all(own) and any(now not in {0, before} for now, before in zip(lies_there, own, strict=True))):
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._thread = threading.local()
        # A thread that ends takes its connection along; this only knows those that are left.
        self._connections: WeakKeyDictionary[apsw.Connection, tuple[int, int]] = WeakKeyDictionary()


def refuse_carried(path: Path) -> None:
    """Refuse a file in a child that has connections of its parent's to it."""
    if path in _CARRIED_HERE:
        raise StoreError(f"{path}: this process was forked while the store was in use, so it cannot have the file: start it in another way")


_TENANTS = """
    SELECT name FROM tenant
    WHERE size > 0 OR EXISTS (SELECT 1 FROM recall WHERE tenant = tenant.key) OR EXISTS (SELECT 1 FROM document WHERE tenant = tenant.key)
    ORDER BY name
"""


_UNSCRUBBED = "SELECT EXISTS (SELECT 1 FROM unscrubbed)"


class SqliteKeeper:
    """Keeps rows in a file."""

    def __init__(self, path: str | PathLike[str], *, readonly: bool = False, vectors: VectorShape | None = None) -> None:
        """Open the file, made or migrated if need be; `readonly` changes nothing, and needs a current file.

        A new file keeps its vectors as `vectors` says, float32 where it says nothing; of any other it is refused when it says otherwise.
        """
        self.path = Path(path).absolute()  # the file stays the same when the process goes to another folder
        self._scrubber: Scrubber | None = None
        refuse_unknown_shape(vectors)
        if self.path.is_dir():
            raise StoreError(f"{self.path}: this is a folder; a store is one file, such as {self.path / 'memories.db'}")
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self.path}: this is no plain file, but a pipe or a device; a store is one file")
        if not readonly and not self.path.exists() and not self.path.parent.is_dir():
            raise StoreError(f"{self.path}: there is no folder {self.path.parent}")
        if readonly and not self.path.exists():
            raise StoreError(f"{self.path}: there is no such file to read")
        refuse_carried(self.path.resolve())
        with translated(self.path):
            without = named_without(self.path)
            connection = connect(self.path, writable=not readonly)
            self._writable = not connection.readonly("main")
            try:
                refuse_strange(self.path, connection, without=without)
                self._receive(connection, vectors)
                self.vectors = shape_of(connection)
                refuse_other_shape(vectors, self.vectors)
            except (apsw.Error, CuedError):
                # What was refused is left as it is: its log is not played into the file.
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.close()
                raise
        self._process = Process(self.path, writable=self._writable)
        self._process.adopt(connection)

    @contextmanager
    def begin(self, tenant: str, *, write: bool) -> Iterator[SqliteTransaction]:
        """A transaction on one tenant: a snapshot of the file, or its only writer."""
        if write:
            with self.begin_all((tenant,)) as (rows,):
                yield rows
            return
        name = admit_tenant(tenant)
        with translated(self.path), self._process.use() as connection, reading(connection):
            yield SqliteTransaction(connection, name)

    @contextmanager
    def begin_all(self, tenants: Sequence[str]) -> Iterator[Sequence[SqliteTransaction]]:
        """One transaction over the file that writes for all of these tenants, so that the disk is waited for once."""
        names = [admit_tenant(tenant) for tenant in tenants]
        if not self._writable:
            raise ReadOnlyError(f"{self.path}: opened for reading only")
        with self._process.writers, translated(self.path), self._process.use() as connection:
            with writing(connection):
                begun = [SqliteTransaction(connection, name) for name in names]
                yield begun
                for rows in begun:
                    rows.finish()
                    if rows.erased is not None:
                        self._scrubbing().erased(connection, rows.erased)
            if self._scrubber is not None and self._scrubber.ready and not any(rows.more for rows in begun):
                self._scrubber.scrub(connection)

    def pending(self) -> tuple[str, ...]:
        """What keeps the last bytes of what was erased from being overwritten, in words; what can be done about it is done now."""
        if self._scrubber is None:
            return ()
        if self._scrubber.due and self._writable:
            with self._process.writers, self.connected() as connection:
                self._scrubber.scrub(connection, patience_s=0.0)
        return self._scrubber.pending

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which anything is kept, in order."""
        with self.connected() as connection:
            return tuple(name.decode() for (name,) in connection.execute(_TENANTS))

    @contextmanager
    def connected(self) -> Iterator[apsw.Connection]:
        """This thread's connection to the file, which no fork takes away meanwhile."""
        with translated(self.path), self._process.use() as connection:
            yield connection

    def connection(self) -> apsw.Connection:
        """This thread's connection to the file, for whoever looks at it beside any transaction."""
        return self._process.connection()

    def condition(self) -> Condition:
        """The state of the file."""
        with self.connected() as connection:
            return condition(self.path, connection)

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
        with translated(self.path):
            try:
                if self._scrubber is not None and self._scrubber.due and not self._process.closed:
                    with self._process.writers, self._process.use() as connection:
                        self._scrubber.scrub(connection, patience_s=SCRUB_TIMEOUT_S)
            finally:
                self._process.close()

    def _scrubbing(self) -> Scrubber:
        """What sees to the bytes of what was erased, made with the first erasure."""
        if self._scrubber is None:
            self._scrubber = Scrubber(self.path)
        return self._scrubber

    def _receive(self, connection: apsw.Connection, vectors: VectorShape | None) -> None:
        if self._writable:
            prepare(self.path, connection, vectors=vectors or "float32")
            if connection.execute(_UNSCRUBBED).get:
                self._scrubbing().resume(connection)
            return
        found = identity(connection)
        refuse_foreign_file(self.path, found)
        if found.version < VERSION:
            raise StoreError(f"{self.path}: schema {found.version}, not {VERSION}; reading never migrates, so open it once for writing")
        refuse_damaged(self.path, connection)
