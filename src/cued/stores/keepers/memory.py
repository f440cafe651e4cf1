"""The reference store: everything in this process, gone when it ends."""

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import RLock

from msgspec import msgpack
from msgspec.structs import replace

from cued.model import Filter, Findings, Lookup, Memory, Page, RecallEntry, Record, Stats, Stored, Touch, Use
from cued.standing.listing import counted, shown
from cued.stores.admission import (
    admit,
    admit_record,
    admit_revision,
    admit_tenant,
    at_least_one,
    document_name,
    entry_body,
    first_of_each,
    with_kept_vector,
)
from cued.stores.keepers.room import Room
from cued.stores.paging import cursor_after, place_of, position

LOG_KEPT = 10_000

_ENTRY = msgpack.Decoder(RecallEntry)


class MemoryStore:
    """Keeps memories in dictionaries; safe for threads, and as durable as the process."""

    def __init__(self) -> None:
        """Start without any tenant."""
        self._rooms: dict[str, Room] = {}
        self._lock = RLock()

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id or an unknown `supersedes` is refused."""
        with self._lock:
            room = self._room(tenant)
            admit(tenant, records, known=[record.memory.id for record in records if record.memory.id in room.records])
            draft = room.draft()
            draft.remember(record.memory for record in records)
            self._opened(tenant).keep(draft, fresh=records)

    def adopt(self, tenant: str, records: Sequence[Record]) -> tuple[str, ...]:
        """Store records as they are and give the ids that were new; known ids are passed over."""
        with self._lock:
            room = self._room(tenant)
            for record in records:
                admit_record(tenant, record)
            new = first_of_each(records, known=room.records)
            draft = room.draft()
            for record in new:
                draft.put(record.memory)
            self._opened(tenant).keep(draft, fresh=new)
            return tuple(record.memory.id for record in new)

    def revise(self, tenant: str, memory_ids: Sequence[str], change: Callable[[Memory], Record], *, at: datetime) -> tuple[Memory, ...]:
        """Replace each memory by `change(memory)`, all or none, and give the new ones back; an id named twice is revised once."""
        with self._lock:
            room = self._room(tenant)
            draft, revised = room.draft(), dict[str, Record]()
            for memory_id in dict.fromkeys(memory_ids):
                old = draft.get(memory_id)
                revised[memory_id] = with_kept_vector(change(old), old, room.records[memory_id].vector)
                admit_revision(tenant, memory_id, revised[memory_id])
                draft.revise(old, revised[memory_id].memory, at=at)
            room.keep(draft, fresh=revised.values())
            return tuple(room.records[memory_id].memory for memory_id in revised)

    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again."""
        with self._lock:
            room = self._room(tenant)
            draft = room.draft()
            draft.forget(memory_ids, at=at)
            room.keep(draft)

    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`."""
        with self._lock:
            room = self._room(tenant)
            draft = room.draft()
            draft.restore(memory_ids)
            room.keep(draft)

    def erase(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Remove these memories for good."""
        with self._lock:
            room = self._room(tenant)
            draft = room.draft()
            erased = draft.erase(memory_ids, lapsed=room.lapsed())
            room.keep(draft)
            room.drop(erased)

    def erase_tenant(self, tenant: str) -> None:
        """Remove everything that is kept for the tenant for good; a stranger has nothing to remove."""
        admit_tenant(tenant)
        with self._lock:
            self._rooms.pop(tenant, None)

    def touch(self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = ()) -> None:
        """Change the use of memories and write to the recall log; ids that are gone by now are passed over."""
        with self._lock:
            room, uses = self._room(tenant), dict[str, Use]()
            for each in touches:
                if each.id in room.records:
                    uses[each.id] = each.change(uses.get(each.id, room.records[each.id].memory.use))
            lines = {entry.recall_id: entry_body(entry) for entry in entries}
            room = self._opened(tenant)
            room.use(uses)
            # A dictionary keeps the place of a key whose value is replaced.
            room.log |= lines
            for recall_id in list(room.log)[:-LOG_KEPT]:
                del room.log[recall_id]

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give these memories in the order asked; an unknown id is a NotFoundError."""
        with self._lock:
            draft = self._room(tenant).draft()
            return tuple(draft.get(memory_id) for memory_id in memory_ids)

    def list(  # noqa: PLR0913 - the port's
        self, tenant: str, wanted: Filter, *, at: datetime, limit: int, after: str | None = None, oldest_first: bool = False
    ) -> Page:
        """Give one page of the tenant's memories, newest first unless told otherwise."""
        start, size = position(after, oldest_first=oldest_first), at_least_one(limit)
        with self._lock:
            found = shown(self._room(tenant).memories, wanted, at=at)
        found.sort(key=place_of, reverse=not oldest_first)
        rest = [memory for memory in found if (place_of(memory) > start) == oldest_first and place_of(memory) != start]
        page = tuple(rest[:size])
        more = len(rest) > size
        return Page(memories=page, next=cursor_after(page[-1], oldest_first=oldest_first) if more else None, total=len(found))

    def scan(self, tenant: str, *, limit: int, after: str | None = None) -> tuple[Stored, ...]:
        """Give up to `limit` memories with their vectors, hidden ones included, by id, from the first id greater than `after`."""
        size = at_least_one(limit)
        with self._lock:
            records = self._room(tenant).records
            ids = sorted(memory_id for memory_id in records if after is None or memory_id > after)[:size]
            return tuple(Stored(memory=records[each].memory, vector=records[each].vector) for each in ids)

    def linking(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give the memories that have an edge to any of these ids, by id."""
        targets = set(memory_ids)
        with self._lock:
            memories = self._room(tenant).memories
        found = [memory for memory in memories if memory.edges and any(edge.target in targets for edge in memory.edges)]
        return tuple(sorted(found, key=lambda memory: memory.id))

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """Count what the tenant holds; the `by_…` counts are over everything stored."""
        with self._lock:
            memories = self._room(tenant).memories
        return counted(memories, at=at)

    def size(self, tenant: str) -> int:
        """Give the number of memories stored for the tenant."""
        with self._lock:
            return len(self._room(tenant).records)

    def recalls(self, tenant: str, *, limit: int, recall_id: str | None = None) -> tuple[RecallEntry, ...]:
        """Give the newest entries of the tenant's recall log, newest first; with `recall_id` only that one's."""
        size = at_least_one(limit)
        with self._lock:
            log = self._room(tenant).log
            lines = list(log.values()) if recall_id is None else [log[recall_id]] if recall_id in log else []
        return tuple(_ENTRY.decode(line) for line in reversed(lines[-size:]))

    def document(self, tenant: str, name: str) -> bytes | None:
        """Give a small document kept for the tenant; None when there is none."""
        with self._lock:
            return self._room(tenant).documents.get(document_name(name))

    def keep_document(self, tenant: str, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Replace a document by `change(document)`, atomically; None removes it."""
        with self._lock:
            changed = change(self._room(tenant).documents.get(document_name(name)))
            if changed is None:
                self._room(tenant).documents.pop(name, None)
            else:
                self._opened(tenant).documents[name] = bytes(changed)

    def tenants(self) -> tuple[str, ...]:
        """Give the names of all tenants for which anything is kept, in order."""
        with self._lock:
            return tuple(sorted(name for name, room in self._rooms.items() if room.occupied))

    def search(self, tenant: str, lookup: Lookup) -> Findings:
        """Answer a recall's whole reading from one consistent snapshot."""
        with self._lock:
            room = self._room(tenant)
            answer = room.shelf.answer(lookup)
            memories, core = ([room.records[memory_id].memory for memory_id in ids] for ids in (answer.ids, answer.core_ids))
            document = None if lookup.document is None else room.documents.get(document_name(lookup.document))
            return replace(answer.findings, memories=tuple(memories), core=tuple(core), document=document)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _room(self, tenant: str) -> Room:
        admit_tenant(tenant)
        # A tenant that is only asked about leaves no trace.
        return self._rooms.get(tenant) or Room()

    def _opened(self, tenant: str) -> Room:
        return self._rooms.setdefault(tenant, Room())
