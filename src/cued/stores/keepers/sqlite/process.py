"""What belongs to one process: its connections, one a thread, and the queue of its writers."""

import os
from pathlib import Path
from threading import Lock, local
from weakref import WeakSet

import apsw

from cued.errors import StoreError
from cued.stores.keepers.sqlite.connection import connect

_INHERITED: list["Process"] = []
"""After a fork the parent's connections are kept and never used or closed: closing them here would disturb the parent."""


class Process:
    """The file as this process has it open."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        """Open nothing yet."""
        # Threads queue here rather than at SQLite's lock, which is polled and not fair.
        self.writers = Lock()
        self._pid = os.getpid()
        self._path, self._writable = path, writable
        self._thread = local()
        # A thread that ends takes its connection along; this only knows those that are left.
        self._connections: WeakSet[apsw.Connection] = WeakSet()
        self.closed = False

    def here(self) -> "Process":
        """Give this, or after a fork a fresh one for the child."""
        if self._pid == os.getpid():
            return self
        _INHERITED.append(self)
        return Process(self._path, writable=self._writable)

    def connection(self) -> apsw.Connection:
        """Give this thread's connection."""
        if self.closed:
            raise StoreError(f"{self._path}: the store has been closed")
        found: apsw.Connection | None = getattr(self._thread, "connection", None)
        if found is None:
            found = self._thread.connection = connect(self._path, writable=self._writable)
            self._connections.add(found)
        return found

    def adopt(self, connection: apsw.Connection) -> None:
        """Take an open connection as this thread's."""
        self._thread.connection = connection
        self._connections.add(connection)

    def close(self) -> None:
        """Close every connection; a second call does nothing."""
        self.closed = True
        for connection in list(self._connections):
            connection.close()
