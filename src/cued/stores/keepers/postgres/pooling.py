"""The connections of a process: at most so many, the last one used first, and whoever finds none free waits its turn.

A connection is made by whoever needs it. So a server that is down is an error at once and not after a wait, no thread works behind
anybody's back, and a child of a fork starts with none.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore
from typing import Any, Final

import psycopg

from cued.errors import BusyError, StoreError

CONNECT_S: Final = 10


class ConnectionPool:
    """A bounded pool of connections to one database."""

    def __init__(self, url: str, place: str, *, most: int, wait_s: float) -> None:
        """Connect to nothing yet."""
        self._url, self._place, self._most, self._wait_s = url, place, most, wait_s
        self.closed = False
        self._parents: list[psycopg.Connection[Any]] = []
        self._start()

    def _start(self) -> None:
        self._free, self._idle, self._lock = Semaphore(self._most), deque[psycopg.Connection[Any]](), Lock()

    @contextmanager
    def taken(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection for the caller alone; one that comes back broken, or in the middle of something, is closed."""
        if self.closed:
            raise StoreError(f"{self._place}: the store has been closed")
        free = self._free
        if not free.acquire(timeout=self._wait_s):
            raise BusyError(f"{self._place}: all {self._most} connections were in use for {self._wait_s:.0f} s; a larger `pool` would help")
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            connection = connection if connection is not None else self._connected()
            try:
                yield connection
            finally:
                self._keep(connection)
        finally:
            free.release()

    def _keep(self, connection: psycopg.Connection[Any]) -> None:
        whole = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            keep = whole and not self.closed
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()

    def drop_idle(self) -> None:
        """Close whatever is not in use."""
        with self._lock:
            idle, self._idle = self._idle, deque()
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close all that is not in use now, and the rest when it is given back."""
        self.closed = True
        self.drop_idle()

    def after_fork(self) -> None:
        """Start anew in a child; the parent's connections are kept and never closed here, for that would end the parent's sessions."""
        self._parents += self._idle
        self._start()

    def _connected(self) -> psycopg.Connection[Any]:
        # No prepared statements: behind a pooler the next transaction may be on another session.
        # UTF-8, or else what a database without an encoding of its own sends arrives as bytes and not as text.
        connection = psycopg.connect(
            self._url, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_S, application_name="cued", client_encoding="utf8"
        )
        if connection.info.parameter_status("standard_conforming_strings") == "off":  # then psycopg sends bytes in arrays as other bytes
            connection.execute("SET standard_conforming_strings TO on")
        return connection


def results(connection: psycopg.Connection[Any], text: str, values: dict[str, Any]) -> list[list[Any]]:
    """What each of the statements found; one that finds nothing by its nature found nothing."""
    cursor = psycopg.ClientCursor(connection)
    cursor.execute(text, values)
    found = [_rows(cursor)]
    while cursor.nextset():
        found.append(_rows(cursor))
    return found


def _rows(cursor: psycopg.ClientCursor[Any]) -> list[Any]:
    return [] if cursor.description is None else cursor.fetchall()
