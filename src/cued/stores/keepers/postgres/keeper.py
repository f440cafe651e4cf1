"""Rows in a PostgreSQL database: a pool of connections, one tenant a transaction, and PostgreSQL's errors as ours."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from msgspec import DecodeError
from psycopg import errors as theirs
from psycopg_pool import ConnectionPool, PoolTimeout

from cued.errors import BusyError, CorruptError, FullError, InputError, LostConnectionError, ReadOnlyError, StoreError
from cued.forking import across_forks
from cued.stores.admission import admit_tenant
from cued.stores.keepers.postgres.schema import check
from cued.stores.keepers.postgres.transaction import PostgresTransaction

POOL: Final = 16
"""How many connections a process opens at most; whoever finds none free waits."""
WAIT_S: Final = 30.0
"""How long to wait for a free connection, for another's write of the same tenant, and for the server at the start."""
STATEMENT_S: Final = 60.0

_SETTINGS = f"SET LOCAL lock_timeout = {int(WAIT_S * 1000)}; SET LOCAL statement_timeout = {int(STATEMENT_S * 1000)};"
_NAME = "SELECT set_config('cued.tenant', encode(%(tenant)s, 'hex'), true);"
_HEAD = "SELECT change, epoch, size, last FROM cued.tenant WHERE tenant = %(tenant)s"
# One text for each, so that a transaction begins with one message to the server and one back.
_READING = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {_SETTINGS} {_NAME} {_HEAD}"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%(tenant)s, 'hex'), 0));"
_WRITING = f"BEGIN; {_SETTINGS} {_NAME} {_LOCK} {_HEAD}"
_TENANTS = "BEGIN READ ONLY; SELECT set_config('cued.listing', 'on', true); SELECT tenant FROM cued.tenant WHERE kept ORDER BY tenant"

_OURS: tuple[tuple[type[psycopg.Error], type[StoreError], str], ...] = (
    (theirs.LockNotAvailable, BusyError, "another write of this tenant took too long"),
    (theirs.QueryCanceled, BusyError, "the server took too long"),
    (theirs.SerializationFailure, BusyError, "others changed the same at the same time"),
    (theirs.DeadlockDetected, BusyError, "others changed the same at the same time"),
    (theirs.TooManyConnections, BusyError, "the server has no connection left"),
    (PoolTimeout, BusyError, f"no connection was free for {WAIT_S:.0f} s; more of them, or fewer clients, would help"),
    (theirs.DiskFull, FullError, "the server's disk is full; nothing of this write was kept"),
    (theirs.ReadOnlySqlTransaction, ReadOnlyError, "this server only reads"),
    (theirs.InsufficientPrivilege, ReadOnlyError, "the role may not do this"),
    (theirs.DataCorrupted, CorruptError, "the database is damaged"),
    (psycopg.OperationalError, LostConnectionError, "the server cannot be reached, or the connection was lost"),
    (psycopg.InterfaceError, LostConnectionError, "the connection was lost"),
)
_CARRIED: list[ConnectionPool] = []
"""The pools of a parent process: a child keeps them and never closes them, for that would end the parent's sessions."""


class PostgresKeeper:
    """Keeps rows in a database."""

    def __init__(self, url: str, *, readonly: bool = False, pool: int = POOL) -> None:
        """Connect, and refuse a role with more power than it needs; `pool` is the number of connections at most."""
        self._url, self._readonly, self._most = url, readonly, pool
        self.place = without_password(url)
        self._closed = False
        self._pool = self._opened()
        across_forks(self)
        try:
            with translated(self.place), self._pool.connection() as connection:
                check(connection, self.place)
        except BaseException:
            self._pool.close()
            raise

    def _opened(self) -> ConnectionPool:
        # No prepared statements: behind a pooler the next transaction may be on another session.
        kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "connect_timeout": 10, "application_name": "cued"}
        return ConnectionPool(self._url, min_size=0, max_size=self._most, kwargs=kwargs, timeout=WAIT_S, open=True)

    @contextmanager
    def begin(self, tenant: str, *, write: bool) -> Iterator[PostgresTransaction]:
        """A transaction on one tenant: a snapshot, or the only one of this tenant's that writes."""
        name = admit_tenant(tenant)
        if write and self._readonly:
            raise ReadOnlyError(f"{self.place}: opened for reading only")
        with translated(self.place), self._begun(_WRITING if write else _READING, {"tenant": name}) as (connection, head):
            rows = PostgresTransaction(connection, name, head)
            yield rows
            if write:
                rows.finish()

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which anything is kept, in order."""
        with translated(self.place), self._begun(_TENANTS, {}) as (_, found):
            return tuple(name.decode() for (name,) in found)

    def close(self) -> None:
        """Let go of the connections; a second call does nothing."""
        self._closed = True
        self._pool.close()

    def after_fork(self) -> None:
        """Connect anew in a child."""
        _CARRIED.append(self._pool)
        if not self._closed:
            self._pool = self._opened()

    @contextmanager
    def _begun(self, text: str, values: dict[str, Any]) -> Iterator[tuple[psycopg.Connection, list[Any]]]:
        """A connection in a transaction that began with these statements, and what the last of them found."""
        if self._closed:
            raise StoreError(f"{self.place}: the store has been closed")
        connection, found = self._started(text, values)
        try:
            yield connection, found
            connection.execute("COMMIT")
        except BaseException:
            if not connection.closed:
                connection.rollback()
            raise
        finally:
            self._pool.putconn(connection)

    def _started(self, text: str, values: dict[str, Any]) -> tuple[psycopg.Connection, list[Any]]:
        for _ in range(self._most):
            connection = self._pool.getconn()
            try:
                return connection, _last(connection, text, values)
            except psycopg.OperationalError:
                # The server has closed it since it was last used: nothing has begun yet, so another will do.
                lost = connection.closed
                if not lost:
                    connection.rollback()
                self._pool.putconn(connection)
                if not lost:
                    raise
            except BaseException:
                connection.rollback()
                self._pool.putconn(connection)
                raise
        connection = self._pool.getconn()
        return connection, _last(connection, text, values)


def _last(connection: psycopg.Connection, text: str, values: dict[str, Any]) -> list[Any]:
    cursor = psycopg.ClientCursor(connection)
    cursor.execute(text, values)  # type: ignore[arg-type] # constants of this module, with every value bound
    while cursor.nextset():
        pass
    return cursor.fetchall()


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn whatever PostgreSQL raises inside into an error of our tree that names the database."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        kind, reason = next(((ours, why) for known, ours, why in _OURS if isinstance(error, known)), (StoreError, "PostgreSQL refused"))
        raise kind(f"{place}: {reason} ({' '.join(str(error).split())})") from error
    except (DecodeError, UnicodeDecodeError) as error:
        raise CorruptError(f"{place}: a row cannot be read ({error})") from error
    except UnicodeEncodeError as error:
        raise InputError("text", error.object, "text that UTF-8 can carry: no lone surrogates") from error


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    return re.sub(r"(?<=://)([^/@:]*):[^/@]*@", r"\1@", re.sub(r"([?&]password=)[^&]*", r"\1…", url))
