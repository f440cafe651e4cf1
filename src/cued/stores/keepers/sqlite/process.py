"""The file as one process has it open: a connection a thread, and none across a fork.

SQLite's locks are those of a process, and it keeps its own account of them: a child that used a connection of its parent's, or opened
one beside it, would believe in locks that it does not have. So before a fork all connections are closed, and each side opens its own.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Lock, local
from weakref import WeakSet

import apsw

from cued.errors import ReadOnlyError, StoreError
from cued.forking import PATIENCE_S, across_forks
from cued.stores.keepers.sqlite.connection import BUSY_TIMEOUT_S, SERVED_HOW, connect, log_in_use, never_changing

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
        self.writers = Lock()
        self._pid = os.getpid()
        self._working, self._here, self._change = 0, local(), Condition(Lock())
        self._forget_connections()

    @contextmanager
    def use(self) -> Iterator[apsw.Connection]:
        """This thread's connection, which no fork takes away meanwhile."""
        with self._change:
            # Whoever works already may begin more: a fork waits for it anyway.
            self._change.wait_for(lambda: not self._resting or self._working_here())
            self._working += 1
            self._here.working = self._working_here() + 1
        try:
            if self._watched is not None and not self.closed:
                self._watched.check()
            yield self.connection()
        finally:
            with self._change:
                self._here.working -= 1
                self._working -= 1
                self._change.notify_all()

    def connection(self) -> apsw.Connection:
        """This thread's connection."""
        if self.closed:
            raise StoreError(f"{self._path}: the store has been closed")
        refuse_carried(self._place)
        if self._pid != os.getpid():
            raise StoreError(f"{self._path}: this process was forked in a way that Python was not told of; open the store in the child")
        found: apsw.Connection | None = getattr(self._thread, "connection", None)
        if found is None:
            found = self._thread.connection = connect(self._path, writable=self._writable)
            self._connections.add(found)
        return found

    def adopt(self, connection: apsw.Connection) -> None:
        """Take an open connection as this thread's, and its file as the one to stay with."""
        self._watched = Watched(self._path, never_changing=never_changing(connection))
        self._thread.connection = connection
        self._connections.add(connection)

    def before_fork(self) -> None:
        """Wait until nobody works, and close every connection; where that takes too long, the child cannot have the file."""
        with self._change:
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
        with self._change:
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
        with self._change:
            self._change.wait_for(lambda: self._working <= self._working_here(), timeout=BUSY_TIMEOUT_S)
        self._close_connections(checkpoint=True)

    def _working_here(self) -> int:
        return getattr(self._here, "working", 0)

    def _close_connections(self, *, checkpoint: bool) -> None:
        for connection in list(self._connections):
            if not checkpoint:
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._thread = local()
        # A thread that ends takes its connection along; this only knows those that are left.
        self._connections: WeakSet[apsw.Connection] = WeakSet()


def refuse_carried(path: Path) -> None:
    """Refuse a file in a child that has connections of its parent's to it."""
    if path in _CARRIED_HERE:
        raise StoreError(f"{path}: this process was forked while the store was in use, so it cannot have the file: start it in another way")
