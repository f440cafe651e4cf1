"""Rows in a PostgreSQL database: a pool of connections, one tenant a transaction, and PostgreSQL's errors as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from msgspec import DecodeError
from psycopg import errors as theirs

from cued.errors import (
    BusyError,
    ContestedError,
    CorruptError,
    CuedError,
    FullError,
    InputError,
    LostConnectionError,
    ReadOnlyError,
    StoreError,
)
from cued.folders import Address
from cued.forking import across_forks
from cued.model import Fault, Glance, VectorShape
from cued.stores.admission import admit_tenant
from cued.stores.keepers.postgres import glances
from cued.stores.keepers.postgres.faults import faults
from cued.stores.keepers.postgres.glances import Glanced
from cued.stores.keepers.postgres.pooling import ConnectionPool, results
from cued.stores.keepers.postgres.replicas import Replicas, addresses
from cued.stores.keepers.postgres.schema import check
from cued.stores.keepers.postgres.searched import HEAD
from cued.stores.keepers.postgres.transaction import PostgresTransaction
from cued.stores.keepers.sql_values import Counters, refuse_other_shape

POOL: Final = 16
"""How many connections a process opens at most; whoever finds none free waits."""
WAIT_S: Final = 30.0
"""How long to wait for a free connection, for another's write of the same tenant, and for the server at the start."""
STATEMENT_S: Final = 60.0

# One text for each, so that a transaction begins with one message to the server and one back, and a glance is no more than that.
_NAME = (
    f"SELECT set_config('lock_timeout', '{int(WAIT_S * 1000)}', true), set_config('statement_timeout', '{int(STATEMENT_S * 1000)}', true), "
    "set_config('cued.tenant', encode(%(tenant)s, 'hex'), true);"
)
_SNAPSHOT = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {_NAME}"
_READING = f"{_SNAPSHOT} {HEAD}"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%(tenant)s, 'hex'), 0));"
_WRITING = f"BEGIN; {_NAME} {_LOCK} {HEAD}"
_TENANTS = "BEGIN READ ONLY; SELECT set_config('cued.listing', 'on', true); SELECT tenant FROM cued.tenant WHERE kept ORDER BY tenant"

_OURS: tuple[tuple[type[psycopg.Error], type[StoreError], str], ...] = (
    (theirs.LockNotAvailable, BusyError, "another write of this tenant took too long"),
    (theirs.QueryCanceled, BusyError, "the server took too long"),
    (theirs.SerializationFailure, ContestedError, "others changed the same at the same time"),
    (theirs.DeadlockDetected, ContestedError, "others changed the same at the same time"),
    (theirs.TooManyConnections, BusyError, "the server has no connection left"),
    (
        theirs.SqlclientUnableToEstablishSqlconnection,
        LostConnectionError,
        "the node that keeps this tenant cannot be reached",
    ),
    (theirs.DiskFull, FullError, "the server's disk is full; nothing of this write was kept"),
    (theirs.ReadOnlySqlTransaction, ReadOnlyError, "this server only reads"),
    (theirs.InsufficientPrivilege, ReadOnlyError, "the role may not do this"),
    (theirs.DataCorrupted, CorruptError, "the database is damaged"),
    (psycopg.OperationalError, LostConnectionError, "the server cannot be reached, or the connection was lost"),
    (psycopg.InterfaceError, LostConnectionError, "the connection was lost"),
)


_WHEN_VACUUMED = "the server overwrites removed rows when it vacuums its tables, and keeps them in its own log until that is recycled"


class PostgresKeeper:
    """Keeps rows in a database."""

    def __init__(
        self, url: str | Address, *, readonly: bool = False, pool: int = POOL, wait_s: float = WAIT_S, vectors: VectorShape | None = None
    ) -> None:
        """Connect, and refuse a role with more power than it needs; `pool` bounds the connections, `wait_s` the wait for a free one.

        How vectors are kept was said with `cued db init`; where `vectors` says otherwise, it is refused.
        An address may name replicas that answer warm recalls: postgresql://cued_app@first/cued?replica=second:5432&replica=third
        """
        address = url if isinstance(url, Address) else Address(url)
        self.place, self._readonly, self._erased = str(address), readonly, False
        url, replicas = addresses(address)
        self._connections = ConnectionPool(url, self.place, most=pool, wait_s=wait_s)
        self._replicas = Replicas([ConnectionPool(each, self.place, most=pool, wait_s=wait_s) for each in replicas])
        try:
            with translated(self.place), self._connections.taken() as connection:
                self.vectors = check(connection, self.place)
            refuse_other_shape(vectors, self.vectors)
        except CuedError:
            self._connections.close()
            raise
        across_forks(self._connections, *self._replicas.servers)

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
                self._erased = self._erased or rows.erased

    def glance(self, tenant: str, at: Glance) -> Glanced:
        """What it is to look at, as of one moment, in one message to the server and one back."""
        name, asked = admit_tenant(tenant), glances.questions(at)
        text = "; ".join((_SNAPSHOT.rstrip("; "), *asked.values(), "COMMIT"))
        values = glances.values(name, at)
        for found in self._replicas.answers(text, values):
            copied = Glanced.of(name, asked, found)
            if copied.covers(at):
                return copied
        with translated(self.place), self._sent(text, values) as (_, found):
            return Glanced.of(name, asked, found)

    def faults(self, tenant: str) -> Iterator[Fault | None]:
        """What is wrong with the tenant's rows, None for a row that is whole; at the end what is wrong with their number."""
        name = admit_tenant(tenant)
        with translated(self.place), self._begun(_READING, {"tenant": name}) as (connection, head):
            yield from faults(connection.cursor(binary=True), name, stored=Counters(*head[0]).size if head else 0)

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which anything is kept, in order."""
        with translated(self.place), self._begun(_TENANTS, {}) as (_, found):
            return tuple(name.decode() for (name,) in found)

    def pending(self) -> tuple[str, ...]:
        """What became of the bytes of what was removed here is the server's to say."""
        return (_WHEN_VACUUMED,) if self._erased else ()

    def close(self) -> None:
        """Let go of the connections; a second call does nothing."""
        self._connections.close()
        self._replicas.close()

    @contextmanager
    def _begun(self, text: str, values: dict[str, Any]) -> Iterator[tuple[psycopg.Connection[Any], list[Any]]]:
        """A connection in a transaction that began with these statements, and what the last of them found."""
        with self._sent(text, values) as (connection, results):
            yield connection, results[-1]
            connection.execute("COMMIT")

    @contextmanager
    def _sent(self, text: str, values: dict[str, Any]) -> Iterator[tuple[psycopg.Connection[Any], list[list[Any]]]]:
        """A connection that statements were sent over in one message, and what each of them found."""
        with self._connections.taken() as connection:
            try:
                found = results(connection, text, values)
            except psycopg.OperationalError:
                if not connection.closed:
                    raise
                found = None
            if found is not None:
                yield connection, found
                return
        # The server had ended that one since it was last used, and maybe others too: nothing had begun, so a new one will do.
        self._connections.drop_idle()
        with self._connections.taken() as connection:
            yield connection, results(connection, text, values)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn whatever PostgreSQL raises inside into an error of our tree that names the database."""
    try:
        yield
    except psycopg.Error as error:
        kind, reason = next(((ours, why) for known, ours, why in _OURS if isinstance(error, known)), (StoreError, "PostgreSQL refused"))
        # the server's first line alone: its details quote rows, and what is said here goes into logs
        said = error.diag.message_primary or " ".join(str(error).split())
        raise kind(f"{place}: {reason} ({said})") from error
    except (DecodeError, UnicodeDecodeError) as error:
        raise CorruptError(f"{place}: a row cannot be read ({error})") from error
    except UnicodeEncodeError as error:
        raise InputError("text", error.object, "text that UTF-8 can carry: no lone surrogates") from error
