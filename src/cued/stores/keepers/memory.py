"""The reference keeper: rows in this process, gone when it ends."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count, takewhile
from threading import RLock
from typing import Any, NamedTuple

from msgspec.structs import replace

from cued.errors import StoreError
from cued.forking import PATIENCE_S, across_forks
from cued.model import (
    UNUSED,
    Filter,
    Head,
    Indexed,
    LogQuery,
    LogRules,
    Memory,
    RecallEntry,
    Row,
    Slice,
    Stats,
    Tallies,
    TallyQuery,
    Use,
    VectorShape,
)
from cued.stores.admission import admit_tenant, weighed
from cued.stores.arrays import moment_of
from cued.stores.handing import as_indexed
from cued.stores.keepers.memory_log import Lines
from cued.stores.keepers.sql_values import refuse_unknown_shape
from cued.stores.paging import beyond, standing
from cued.stores.recall_log import tallied
from cued.stores.standing.shown import counted, shown


class _Written(NamedTuple):
    """A row, and the changes that last wrote anything of it and its content."""

    row: Row
    change: int
    content: int


class TenantRows:
    """What is kept for one tenant: rows by key, those written last at the end, their keys by id, the log, the documents."""

    def __init__(self, epoch: int) -> None:
        """Start empty."""
        self.head = Head(epoch=epoch)
        self.last = 0
        self.rows: dict[int, _Written] = {}
        self.keys: dict[str, int] = {}
        self.log = Lines()
        self.documents: dict[str, bytes] = {}
        self.removed: dict[int, int] = {}

    @property
    def occupied(self) -> bool:
        """Whether anything is kept."""
        return bool(self.rows or self.log or self.documents)


class MemoryKeeper:
    """Rows in dictionaries; safe for threads, and as durable as the process."""

    def __init__(self, *, vectors: VectorShape = "float32") -> None:
        """Start without any tenant; vectors are kept in this shape."""
        refuse_unknown_shape(vectors)
        self.vectors = vectors
        self._tenants: dict[str, TenantRows] = {}
        self._lock = RLock()
        self._epochs = count()
        self._closed = self._torn = False
        across_forks(self)

    def before_fork(self) -> None:
        """Wait for whoever writes."""
        self._torn = not self._lock.acquire(timeout=PATIENCE_S)

    def go_on(self) -> None:
        """Let others work again."""
        if not self._torn:
            self._lock.release()
        self._torn = False

    def after_fork(self) -> None:
        """Go on with a copy of what was kept at the fork, unless somebody was about to change it."""
        self._lock = RLock()

    @contextmanager
    def begin(self, tenant: str, *, write: bool) -> Iterator["MemoryTransaction"]:
        """A transaction on one tenant; where the block raises, whatever it wrote is taken back."""
        admit_tenant(tenant)
        with self._lock:
            self._open()
            # A tenant that is only asked about leaves no trace, and one that was erased and made anew has another epoch.
            held = self._tenants.get(tenant) or TenantRows(next(self._epochs))
            rows = MemoryTransaction(held)
            try:
                yield rows
            except BaseException:  # an interrupted write is taken back too, and whatever it was goes on
                rows.undo()
                raise
            if write and held.occupied:
                self._tenants[tenant] = held
            elif write:
                self._tenants.pop(tenant, None)

    @contextmanager
    def begin_all(self, tenants: Sequence[str]) -> Iterator[Sequence["MemoryTransaction"]]:
        """A transaction that writes for each of these tenants; where the block raises, whatever any of them wrote is taken back."""
        with ExitStack() as begun:
            yield [begun.enter_context(self.begin(tenant, write=True)) for tenant in tenants]

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which anything is kept, in order."""
        with self._lock:
            self._open()
            return tuple(sorted(self._tenants))

    def pending(self) -> tuple[str, ...]:
        """Nothing: what was removed here is gone."""
        return ()

    def close(self) -> None:
        """Let go of everything; whatever comes later is a StoreError."""
        with self._lock:
            self._closed = True
            self._tenants.clear()

    def _open(self) -> None:
        if self._closed:
            raise StoreError("the store in this process has been closed")
        if self._torn:
            raise StoreError("this process was forked while the store was in use, so what is in memory may be half written: open a new one")


class MemoryTransaction:
    """What can be read and written of one tenant while nobody else does."""

    def __init__(self, held: TenantRows) -> None:
        """Read and write this tenant."""
        self._held = held
        self._started = dict(vars(held))
        self._before: list[tuple[dict[Any, Any], object, object]] = []

    def head(self) -> Head:
        """The tenant's counters."""
        return self._held.head

    def read(self, memory_ids: Sequence[str], *, content: bool = False) -> dict[str, Row]:  # noqa: ARG002 - rows are whole here
        """The rows of those of the ids that are stored, by id."""
        keys = self._held.keys
        return {memory_id: self._held.rows[keys[memory_id]].row for memory_id in memory_ids if memory_id in keys}

    def lapsed(self) -> Sequence[Row]:
        """Every row that has a mark."""
        return [row for row in self._rows() if row.judged is not None and row.judged.marks]

    def insert(self, rows: Sequence[Row]) -> Sequence[int]:
        """The keys of new rows, which are written."""
        change = self._stamp(size=len(rows), grown=sum(weighed(row.memory) for row in rows))
        keys = range(self._held.last + 1, self._held.last + 1 + len(rows))
        for key, row in zip(keys, rows, strict=True):
            self._set(self._held.keys, row.memory.id, key)
            self._set(self._held.rows, key, _Written(row._replace(key=key), change, change))
        self._held.last += len(rows)
        return keys

    def update(self, rows: Sequence[Row]) -> None:
        """Replace rows by their keys, all but their use, and where `forward` is None all but forward index and vector."""
        change = self._stamp()
        for row in rows:
            old, _, content = self._held.rows[row.key]
            new = row._replace(memory=replace(row.memory, use=old.memory.use))
            if row.forward is None:
                new = new._replace(forward=old.forward, vector=old.vector)
            self._stamp(grown=weighed(new.memory) - weighed(old.memory))
            self._set(self._held.rows, row.key, None)
            self._set(self._held.rows, row.key, _Written(new, change, content if row.forward is None else change))

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:  # noqa: ARG002 - nothing is left of a row here
        """Remove rows."""
        change = self._stamp(size=-len(keys), grown=-sum(weighed(self._held.rows[key].row.memory) for key in keys))
        for key in keys:
            self._set(self._held.removed, key, change)
            self._set(self._held.keys, self._held.rows[key].row.memory.id, None)
            self._set(self._held.rows, key, None)

    def removed(self, since: int) -> Sequence[int]:
        """The keys of the rows that were removed after the change of this number."""
        return [key for key, change in self._held.removed.items() if change > since]

    def erase(self) -> None:
        """Remove all that is kept for the tenant."""
        self._held.rows, self._held.keys, self._held.documents, self._held.log = {}, {}, {}, Lines()

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys."""
        late = takewhile(lambda each: each.change > since, reversed(self._held.rows.values()))
        written = sorted(late, key=lambda each: each.row.key)
        return as_indexed([each.row for each in written], [each.content for each in written])

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, each with its key."""
        read = self.changed(since)
        for key, content in zip(read.keys, read.contents, strict=True):
            vector = self._held.rows[key].row.vector
            if content > since and vector is not None:
                yield (key,), vector

    def memories(self, keys: Sequence[int]) -> Sequence[Memory]:
        """The memories of these rows in their order."""
        return [self._held.rows[key].row.memory for key in keys]

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""
        rows = self._held.rows
        return [(key, use) for key in keys if (use := rows[key].row.memory.use) is not UNUSED and use != UNUSED]

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key."""
        for key, use in uses:
            written = self._held.rows[key]
            row = written.row._replace(memory=replace(written.row.memory, use=use))
            self._set(self._held.rows, key, written._replace(row=row))

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, and how many it wants in all."""
        found = shown([row.memory for row in self._rows()], wanted, at=moment_of(asked.at))
        placed = [(standing(memory, asked.order_by), memory) for memory in found]
        placed.sort(key=lambda each: each[0], reverse=not asked.oldest_first)
        rest = [memory for place, memory in placed if beyond(place, asked)]
        return rest[: asked.limit], len(found)

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows, by id, from the first id greater than `after`."""
        keys = self._held.keys
        return [self._held.rows[keys[each]].row for each in sorted(each for each in keys if each > after)[:limit]]

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids."""
        targets, memories = set(memory_ids), (row.memory for row in self._rows())
        return [memory for memory in memories if memory.edges and any(edge.target in targets for edge in memory.edges)]

    def stats(self, at: int) -> Stats:
        """What the tenant holds, counted, as of a moment in microseconds."""
        return counted([row.memory for row in self._rows()], at=moment_of(at))

    def log(self, query: LogQuery) -> Sequence[RecallEntry]:
        """The lines that the query asks for, by time and then as they were written."""
        return self._held.log.read(query)

    def tally(self, query: TallyQuery) -> Tallies:
        """The lines that the query means, counted."""
        return tallied(self.log(LogQuery(since=query.since, until=query.until, limit=len(self._held.log) or 1)), query)

    def put_log(self, entries: Sequence[RecallEntry], rules: LogRules) -> None:
        """Write lines, in place of those with the same `recall_id`, and drop what the rules do not keep."""
        self._held.log = self._held.log.written(entries, rules)

    def document(self, name: str) -> bytes | None:
        """A document, None when there is none."""
        return self._held.documents.get(name)

    def put_document(self, name: str, body: bytes | None) -> None:
        """Write a document; None removes it."""
        self._set(self._held.documents, name, None if body is None else bytes(body))

    def documents(self) -> Sequence[str]:
        """The names of the tenant's documents, in order."""
        return sorted(self._held.documents)

    def shelf(self) -> Sequence[bytes]:
        """Nothing: rows are at hand here."""
        return ()

    def put_shelf(self, parts: Sequence[bytes]) -> None:
        """Keep nothing."""

    def undo(self) -> None:
        """Take back all that was written."""
        vars(self._held).update(self._started)
        for items, name, value in reversed(self._before):
            _put(items, name, value)
        if self._before:
            self._held.rows = dict(sorted(self._held.rows.items(), key=lambda each: each[1].change))

    def _rows(self) -> Iterator[Row]:
        return (written.row for written in self._held.rows.values())

    def _stamp(self, *, size: int = 0, grown: int = 0) -> int:
        """The number of this change: one a transaction, whatever it writes."""
        change, head = int(self._started["head"].change) + 1, self._held.head
        self._held.head = Head(change, head.epoch, head.size + size, head.bytes + grown)
        return change

    def _set(self, items: dict[Any, Any], name: object, value: object) -> None:
        """Set or, for None, remove an item, and remember how it was."""
        self._before.append((items, name, items.get(name)))
        _put(items, name, value)


def _put(items: dict[Any, Any], name: object, value: object) -> None:
    if value is None:
        items.pop(name, None)
    else:
        items[name] = value
