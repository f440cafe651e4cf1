"""The reference store: everything in this process, gone when it ends."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from threading import RLock

import numpy as np
from msgspec.structs import replace

from cued.model import Filter, Findings, Lookup, Memory, Page, RecallEntry, Record, Stats, Touch, Vector
from cued.stores.admission import admit, admit_revision, admit_tenant, at_least_one, with_kept_vector
from cued.stores.beliefs import Draft
from cued.stores.forward import pack
from cued.stores.gates import FactColumns, facts
from cued.stores.instants import micros
from cued.stores.paging import cursor_after, position
from cued.stores.shelf import Entries, Shelf

LOG_KEPT = 10_000


class MemoryStore:
    """Keeps memories in dictionaries; safe for threads, and as durable as the process."""

    def __init__(self) -> None:
        """Start without any tenant."""
        self._rooms: dict[str, _Room] = {}
        self._lock = RLock()

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id or an unknown `supersedes` is refused."""
        with self._lock:
            room = self._room(tenant, opened=True)
            admit(tenant, records, known=[record.memory.id for record in records if record.memory.id in room.records])
            draft = room.draft()
            draft.remember(record.memory for record in records)
            room.keep(draft, fresh=[_copy(record) for record in records])

    def revise(self, tenant: str, memory_id: str, change: Callable[[Memory], Record]) -> Memory:
        """Replace one memory by `change(memory)`, atomically, and give the new one back."""
        with self._lock:
            room = self._room(tenant)
            draft = room.draft()
            old = draft.get(memory_id)
            revised = with_kept_vector(change(old), old, room.records[memory_id].vector)
            admit_revision(tenant, memory_id, revised)
            draft.revise(old, revised.memory)
            room.keep(draft, fresh=[_copy(revised)])
            return room.records[memory_id].memory

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
            erased = draft.erase(memory_ids)
            room.keep(draft)
            room.drop(erased)

    def touch(self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = ()) -> None:
        """Write back what settle found; ids that are gone by now are passed over."""
        with self._lock:
            room = self._room(tenant, opened=True)
            for each in touches:
                record = room.records.get(each.id)
                if record is not None:
                    room.records[each.id] = replace(record, memory=replace(record.memory, use=each.use))
            room.log = [*room.log, *entries][-LOG_KEPT:]

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give these memories in the order asked; an unknown id is a NotFoundError."""
        with self._lock:
            draft = self._room(tenant).draft()
            return tuple(draft.get(memory_id) for memory_id in memory_ids)

    def list(self, tenant: str, wanted: Filter, *, at: datetime, limit: int, after: str | None = None) -> Page:
        """Give one page of the tenant's memories, newest first."""
        start, size = position(after), at_least_one(limit)
        with self._lock:
            found = [record.memory for record in self._room(tenant).records.values() if _wanted(record.memory, wanted, at)]
        found.sort(key=_place, reverse=True)
        rest = [memory for memory in found if after is None or _place(memory) < start]
        page = tuple(rest[:size])
        return Page(memories=page, next=cursor_after(page[-1]) if len(rest) > size else None, total=len(found))

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """Count what the tenant holds; the `by_…` counts are over everything stored."""
        with self._lock:
            memories = [record.memory for record in self._room(tenant).records.values()]
        times = [memory.created_at for memory in memories]
        return Stats(
            memories=len(memories),
            visible=sum(_wanted(memory, Filter(), at) for memory in memories),
            forgotten=sum(memory.forgotten_at is not None for memory in memories),
            superseded=sum(_superseded(memory) for memory in memories),
            expired=sum(_expired(memory, at) for memory in memories),
            pending_vectors=sum(memory.fingerprint is None for memory in memories),
            by_kind=_counts(memory.kind for memory in memories),
            by_tier=_counts(memory.tier for memory in memories),
            by_scope=_counts(memory.scope for memory in memories),
            by_tag=_counts(tag for memory in memories for tag in set(memory.tags)),
            by_fingerprint=_counts(memory.fingerprint for memory in memories if memory.fingerprint is not None),
            oldest_at=min(times, default=None),
            newest_at=max(times, default=None),
        )

    def size(self, tenant: str) -> int:
        """Give the number of memories stored for the tenant."""
        with self._lock:
            return len(self._room(tenant).records)

    def recalls(self, tenant: str, *, limit: int) -> tuple[RecallEntry, ...]:
        """Give the newest entries of the tenant's recall log, newest first."""
        size = at_least_one(limit)
        with self._lock:
            return tuple(reversed(self._room(tenant).log[-size:]))

    def search(self, tenant: str, lookup: Lookup) -> Findings:
        """Answer a recall's whole reading from one consistent snapshot."""
        with self._lock:
            room = self._room(tenant)
            answer = room.shelf.answer(lookup)
            return replace(answer.findings, memories=tuple(room.records[memory_id].memory for memory_id in answer.ids))

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _room(self, tenant: str, *, opened: bool = False) -> "_Room":
        admit_tenant(tenant)
        # A tenant that is only asked about leaves no trace.
        return self._rooms.setdefault(tenant, _Room()) if opened else self._rooms.get(tenant) or _Room()


class _Room:
    """One tenant's records, their shelf, and the log of recalls."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.shelf = Shelf()
        self.log: list[RecallEntry] = []

    def draft(self) -> Draft:
        def fetch(memory_id: str) -> Memory | None:
            record = self.records.get(memory_id)
            return None if record is None else record.memory

        return Draft(fetch)

    def keep(self, draft: Draft, fresh: Iterable[Record] = ()) -> None:
        """Write down what the draft changed; `fresh` are the records whose content may be new."""
        brought = {record.memory.id: record for record in fresh}
        new = []
        for memory_id, memory in draft.changed.items():
            old = self.records.get(memory_id)
            record = replace(brought.get(memory_id) or self.records[memory_id], memory=memory)
            self.records[memory_id] = record
            if old is not None and _content(old) == _content(record):
                self.shelf.patch(memory_id, facts(memory))
            else:
                new.append(record)
        self._shelve(new)
        self._tidy()

    def drop(self, memory_ids: Iterable[str]) -> None:
        for memory_id in memory_ids:
            del self.records[memory_id]
            self.shelf.remove(memory_id)
        self._tidy()

    def _tidy(self) -> None:
        if self.shelf.wasteful:
            self.shelf = Shelf()
            self._shelve(list(self.records.values()))

    def _shelve(self, records: list[Record]) -> None:
        if not records:
            return
        rows = self.shelf.add(_entries(records))
        groups: defaultdict[tuple[str, int], list[tuple[int, Vector]]] = defaultdict(list)
        for row, record in zip(rows, records, strict=True):
            if record.vector is not None and record.memory.fingerprint is not None:
                groups[record.memory.fingerprint, len(record.vector)].append((row, record.vector))
        for (fingerprint, _), members in groups.items():
            self.shelf.add_vectors(fingerprint, [row for row, _ in members], np.stack([vector for _, vector in members]))


def _copy(record: Record) -> Record:
    # Whoever gave the record may go on changing its array or its dictionary.
    vector = None if record.vector is None else np.array(record.vector, dtype=np.float32)
    return replace(record, terms=dict(record.terms), vector=vector)


def _entries(records: Sequence[Record]) -> Entries:
    memories = [record.memory for record in records]
    return Entries(
        ids=[memory.id for memory in memories],
        keys=[0] * len(memories),
        sessions=[memory.source.session for memory in memories],
        turns=[memory.source.turn for memory in memories],
        forwards=[pack(record) for record in records],
        facts=FactColumns.of(map(facts, memories)),
    )


def _content(record: Record) -> tuple[object, ...]:
    memory = record.memory
    vector = b"" if record.vector is None else record.vector.tobytes()
    return record.terms, memory.entities, memory.tags, memory.source, memory.created_at, memory.fingerprint, vector


def _place(memory: Memory) -> tuple[int, str]:
    return micros(memory.created_at), memory.id


def _superseded(memory: Memory) -> bool:
    return any(each.scope is None for each in memory.superseded)


def _expired(memory: Memory, at: datetime) -> bool:
    return memory.expires_at is not None and memory.expires_at <= at


def _wanted(memory: Memory, wanted: Filter, at: datetime) -> bool:
    shown = wanted.hidden or not (memory.forgotten_at is not None or _superseded(memory) or _expired(memory, at))
    return (
        shown
        and wanted.scope in (None, memory.scope)
        and wanted.session in (None, memory.source.session)
        and (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tiers or memory.tier in wanted.tiers)
        and set(wanted.tags) <= set(memory.tags)
        and (wanted.since is None or wanted.since <= memory.created_at)
        and (wanted.until is None or memory.created_at < wanted.until)
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
