"""Rows in one SQLite file: durable, safe for many threads and processes, one snapshot a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

import apsw

from cued.errors import ReadOnlyError, StoreError
from cued.model import Condition
from cued.stores.admission import admit_tenant
from cued.stores.keepers.sqlite.connection import (
    check,
    connect,
    identity,
    named_without,
    prepare,
    reading,
    refuse_damaged,
    refuse_strange,
    translated,
    writing,
)
from cued.stores.keepers.sqlite.health import condition
from cued.stores.keepers.sqlite.process import Process, refuse_carried
from cued.stores.keepers.sqlite.schema import VERSION
from cued.stores.keepers.sqlite.scrubbing import SCRUB_TIMEOUT_S, Scrubber
from cued.stores.keepers.sqlite.transaction import SqliteTransaction

_TENANTS = """
    SELECT name FROM tenant
    WHERE size > 0 OR EXISTS (SELECT 1 FROM recall WHERE tenant = tenant.key) OR EXISTS (SELECT 1 FROM document WHERE tenant = tenant.key)
    ORDER BY name
"""


_UNSCRUBBED = "SELECT EXISTS (SELECT 1 FROM unscrubbed)"


class SqliteKeeper:
    """Keeps rows in a file."""

    def __init__(self, path: str | PathLike[str], *, readonly: bool = False) -> None:
        """Open the file, made or migrated if need be; `readonly` changes nothing, and needs a current file."""
        self.path = self._path = Path(path)
        self._scrubber: Scrubber | None = None
        if self._path.is_dir():
            raise StoreError(f"{self._path}: this is a folder; a store is one file, such as {self._path / 'memories.db'}")
        if not readonly and not self._path.exists() and not self._path.parent.is_dir():
            raise StoreError(f"{self._path}: there is no folder {self._path.parent}")
        if readonly and not self._path.exists():
            raise StoreError(f"{self._path}: there is no such file to read")
        refuse_carried(self._path.resolve())
        with translated(self._path):
            without = named_without(self._path)
            connection = connect(self._path, writable=not readonly)
            self._writable = not connection.readonly("main")
            try:
                refuse_strange(self._path, connection, without=without)
                self._receive(connection)
            except (apsw.Error, StoreError):
                # What was refused is left as it is: its log is not played into the file.
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.close()
                raise
        self._process = Process(self._path, writable=self._writable)
        self._process.adopt(connection)

    @contextmanager
    def begin(self, tenant: str, *, write: bool) -> Iterator[SqliteTransaction]:
        """A transaction on one tenant: a snapshot of the file, or its only writer."""
        name = admit_tenant(tenant)
        if not write:
            with translated(self._path), self._process.use() as connection, reading(connection):
                yield SqliteTransaction(connection, name)
            return
        if not self._writable:
            raise ReadOnlyError(f"{self._path}: opened for reading only")
        with self._process.writers, translated(self._path), self._process.use() as connection:
            with writing(connection):
                rows = SqliteTransaction(connection, name)
                yield rows
                rows.finish()
                if rows.erased is not None:
                    self._scrubbing().erased(connection, rows.erased)
            if self._scrubber is not None and self._scrubber.ready and not rows.more:
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
        with translated(self._path), self._process.use() as connection:
            yield connection

    def connection(self) -> apsw.Connection:
        """This thread's connection to the file, for a backup or a check of its health."""
        return self._process.connection()

    def condition(self) -> Condition:
        """The state of the file."""
        with self.connected() as connection:
            return condition(self._path, connection)

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
        with translated(self._path):
            if self._scrubber is not None and self._scrubber.due and not self._process.closed:
                with self._process.writers, self._process.use() as connection:
                    self._scrubber.scrub(connection, patience_s=SCRUB_TIMEOUT_S)
            self._process.close()

    def _scrubbing(self) -> Scrubber:
        """What sees to the bytes of what was erased, made with the first erasure."""
        if self._scrubber is None:
            self._scrubber = Scrubber(self._path)
        return self._scrubber

    def _receive(self, connection: apsw.Connection) -> None:
        if self._writable:
            prepare(self._path, connection)
            if connection.execute(_UNSCRUBBED).get:
                self._scrubbing().resume(connection)
            return
        found = identity(connection)
        check(self._path, found)
        if found.version < VERSION:
            raise StoreError(f"{self._path}: schema {found.version}, not {VERSION}; reading never migrates, so open it once for writing")
        refuse_damaged(self._path, connection)
