"""The store in one SQLite file: durable, safe for many threads and processes, one snapshot a search."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path

import apsw
from msgspec.structs import replace

from cued.errors import NotFoundError, ReadOnlyError, StoreError
from cued.model import Filter, Findings, Lookup, Memory, Page, RecallEntry, Record, Stats, Stored, Touch
from cued.stores.admission import (
    admit,
    admit_record,
    admit_revision,
    admit_tenant,
    at_least_one,
    document_name,
    first_of_each,
    with_kept_vector,
)
from cued.stores.beliefs.changes import Draft
from cued.stores.columns.shelf import Shelf
from cued.stores.keepers.sqlite import listing, rows
from cued.stores.keepers.sqlite.connection import check, connect, identity, prepare, reading, translated, writing
from cued.stores.keepers.sqlite.process import Process
from cued.stores.keepers.sqlite.schema import VERSION
from cued.stores.keepers.sqlite.scrubbing import Scrubber
from cued.stores.keepers.sqlite.shelves import SHELVES_BYTES
from cued.stores.keepers.sqlite.writer import Writer
from cued.stores.paging import position

_RECALLS = "SELECT body FROM recall WHERE tenant = ? ORDER BY key DESC LIMIT ?"
_RECALL = "SELECT body FROM recall WHERE tenant = ? AND recall_id = ? LIMIT ?"
_TENANTS = """
    SELECT name FROM tenant
    WHERE size > 0 OR EXISTS (SELECT 1 FROM recall WHERE tenant = tenant.key) OR EXISTS (SELECT 1 FROM document WHERE tenant = tenant.key)
    ORDER BY name
"""


class SqliteStore:
    """Keeps memories in a file."""

    def __init__(self, path: str | PathLike[str], *, readonly: bool = False, shelves_bytes: int = SHELVES_BYTES) -> None:
        """Open the file, made or migrated if need be; `readonly` changes nothing, and needs a current file.

        `shelves_bytes` bounds the memory for the tenants searched of late.
        """
        self._path = Path(path)
        self._scrubber = Scrubber()
        if self._path.is_dir():
            raise StoreError(f"{self._path}: this is a folder; a store is one file, such as {self._path / 'memories.db'}")
        if not readonly and not self._path.exists() and not self._path.parent.is_dir():
            raise StoreError(f"{self._path}: there is no folder {self._path.parent}")
        if readonly and not self._path.exists():
            raise StoreError(f"{self._path}: there is no such file to read")
        with translated(self._path):
            connection = connect(self._path, writable=not readonly)
            self._writable = not connection.readonly("main")
            try:
                self._receive(connection)
            except (apsw.Error, StoreError):
                connection.close()
                raise
        self._process = Process(self._path, writable=self._writable, shelves_bytes=shelves_bytes)
        self._process.adopt(connection)

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id or an unknown `supersedes` is refused."""
        with self._writing(tenant) as writer:
            admit(tenant, records, known=writer.known(record.memory.id for record in records))
            draft = Draft(writer.find)
            draft.remember(record.memory for record in records)
            writer.insert(records, draft)

    def adopt(self, tenant: str, records: Sequence[Record]) -> tuple[str, ...]:
        """Store records as they are and give the ids that were new; known ids are passed over."""
        with self._writing(tenant) as writer:
            for record in records:
                admit_record(tenant, record)
            new = first_of_each(records, known=writer.known(record.memory.id for record in records))
            draft = Draft(writer.find)
            for record in new:
                draft.put(record.memory)
            writer.insert(new, draft)
            return tuple(record.memory.id for record in new)

    def revise(self, tenant: str, memory_ids: Sequence[str], change: Callable[[Memory], Record], *, at: datetime) -> tuple[Memory, ...]:
        """Replace each memory by `change(memory)`, all or none, and give the new ones back; an id named twice is revised once."""
        with self._writing(tenant) as writer:
            draft, asked = Draft(writer.find), tuple(dict.fromkeys(memory_ids))
            for memory_id in asked:
                old = draft.get(memory_id)
                revised = with_kept_vector(change(old), old, writer.vector(memory_id))
                admit_revision(tenant, memory_id, revised)
                draft.revise(old, revised.memory, at=at)
                writer.revise(revised, old=old)
            writer.update(draft)
            return tuple(draft.get(memory_id) for memory_id in asked)

    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again."""
        with self._writing(tenant) as writer:
            draft = Draft(writer.find)
            draft.forget(memory_ids, at=at)
            writer.update(draft)

    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`."""
        with self._writing(tenant) as writer:
            draft = Draft(writer.find)
            draft.restore(memory_ids)
            writer.update(draft)

    def erase(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Remove these memories for good, their bytes in the file and in its log included."""
        with self._writing(tenant) as writer:
            draft = Draft(writer.find)
            erased = draft.erase(memory_ids, lapsed=writer.lapsed())
            writer.update(draft)
            writer.erase(erased)
            self._scrubber.erased(self.connection())

    def erase_tenant(self, tenant: str) -> None:
        """Remove everything that is kept for the tenant for good; a stranger has nothing to remove."""
        with self._writing(tenant, stamped=False) as writer:
            writer.erase_all()
            self._scrubber.erased(self.connection())
        self._here().shelves.drop(admit_tenant(tenant))

    def touch(self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = ()) -> None:
        """Change the use of memories and write to the recall log; ids that are gone by now are passed over."""
        if not touches and not entries:
            return
        with self._writing(tenant, stamped=False) as writer:
            writer.touch(touches)
            writer.log(entries)

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give these memories in the order asked; an unknown id is a NotFoundError."""
        with self._reading(tenant) as (connection, found):
            memories = [None if found is None else rows.find_memory(connection, found.key, memory_id) for memory_id in memory_ids]
        for memory_id, memory in zip(memory_ids, memories, strict=True):
            if memory is None:
                raise NotFoundError(memory_id)
        return tuple(memory for memory in memories if memory is not None)

    def list(  # noqa: PLR0913 - the port's
        self, tenant: str, wanted: Filter, *, at: datetime, limit: int, after: str | None = None, oldest_first: bool = False
    ) -> Page:
        """Give one page of the tenant's memories, newest first unless told otherwise."""
        position(after, oldest_first=oldest_first)
        asked = listing.Asked(at_least_one(limit), after, oldest_first)
        with self._reading(tenant) as (connection, found):
            if found is None:
                return Page(memories=(), next=None, total=0)
            return listing.page(connection, found, wanted=wanted, at=at, asked=asked)

    def scan(self, tenant: str, *, limit: int, after: str | None = None) -> tuple[Stored, ...]:
        """Give up to `limit` memories with their vectors, hidden ones included, by id, from the first id greater than `after`."""
        at_least_one(limit)
        with self._reading(tenant) as (connection, found):
            return () if found is None else listing.scan(connection, found, limit=limit, after=after)

    def linking(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give the memories that have an edge to any of these ids, by id."""
        with self._reading(tenant) as (connection, found):
            return () if found is None else listing.linking(connection, found, memory_ids)

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """Count what the tenant holds; the `by_…` counts are over everything stored."""
        with self._reading(tenant) as (connection, found):
            return Stats() if found is None else listing.stats(connection, found, at=at)

    def size(self, tenant: str) -> int:
        """Give the number of memories stored for the tenant."""
        name = admit_tenant(tenant)
        with translated(self._path):
            found = rows.find_tenant(self._here().connection(), name)
        return 0 if found is None else found.size

    def recalls(self, tenant: str, *, limit: int, recall_id: str | None = None) -> tuple[RecallEntry, ...]:
        """Give the newest entries of the tenant's recall log, newest first; with `recall_id` only that one's."""
        at_least_one(limit)
        with self._reading(tenant) as (connection, found):
            if found is None:
                return ()
            asked = (_RECALLS, (found.key, limit)) if recall_id is None else (_RECALL, (found.key, recall_id, limit))
            return tuple(rows.decoded_entry(body) for (body,) in connection.execute(*asked))

    def document(self, tenant: str, name: str) -> bytes | None:
        """Give a small document kept for the tenant; None when there is none."""
        document_name(name)
        with self._reading(tenant) as (connection, found):
            return None if found is None else rows.find_document(connection, found.key, name)

    def keep_document(self, tenant: str, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Replace a document by `change(document)`, atomically; None removes it."""
        document_name(name)
        with self._writing(tenant, stamped=False) as writer:
            writer.keep_document(name, change)

    def tenants(self) -> tuple[str, ...]:
        """Give the names of all tenants for which anything is kept, in order."""
        with translated(self._path):
            return tuple(name.decode() for (name,) in self._here().connection().execute(_TENANTS))

    def search(self, tenant: str, lookup: Lookup) -> Findings:
        """Answer a recall's whole reading from one consistent snapshot."""
        name, shelves = admit_tenant(tenant), self._here().shelves
        slot = shelves.slot(name)
        with slot.lock, self._reading(tenant) as (connection, found):
            if found is None:
                shelves.drop(name)
                return Shelf().answer(lookup).findings
            before, shelf = slot.nbytes, slot.current(connection, found)
            answer = shelf.answer(lookup)
            memories = slot.memories(connection, answer.keys)
            core = slot.memories(connection, answer.core_keys) if answer.core_keys else ()
            document = None if lookup.document is None else rows.find_document(connection, found.key, document_name(lookup.document))
        if slot.nbytes != before:
            shelves.trim()
        return replace(answer.findings, memories=memories, core=core, document=document)

    def connection(self) -> apsw.Connection:
        """Give this thread's connection to the file, for a backup or a check of its health."""
        return self._here().connection()

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""
        with translated(self._path):
            process = self._here()
            if self._scrubber.due and not process.closed:
                with process.writers:
                    self._scrubber.scrub(process.connection())
            process.close()

    def _receive(self, connection: apsw.Connection) -> None:
        if self._writable:
            prepare(self._path, connection)
            self._scrubber.resume(connection)
            return
        found = identity(connection)
        check(self._path, found)
        if found.version < VERSION:
            raise StoreError(f"{self._path}: schema {found.version}, not {VERSION}; reading never migrates, so open it once for writing")

    def _here(self) -> Process:
        self._process = self._process.here()
        return self._process

    @contextmanager
    def _writing(self, tenant: str, *, stamped: bool = True) -> Iterator[Writer]:
        name, process = admit_tenant(tenant), self._here()
        if not self._writable:
            raise ReadOnlyError(f"{self._path}: opened for reading only")
        with process.writers, translated(self._path):
            connection = process.connection()
            with writing(connection):
                writer = Writer(connection, name)
                yield writer
                if stamped:
                    writer.finish()
            if self._scrubber.due:
                self._scrubber.scrub(connection)

    @contextmanager
    def _reading(self, tenant: str) -> Iterator[tuple[apsw.Connection, rows.Tenant | None]]:
        name = admit_tenant(tenant)
        with translated(self._path):
            connection = self._here().connection()
            with reading(connection):
                yield connection, rows.find_tenant(connection, name)
