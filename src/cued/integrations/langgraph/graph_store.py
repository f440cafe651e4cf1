"""The store itself: LangGraph's operations, each answered by verbs of a tenant's handle."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from cued.errors import InputError, NotFoundError
from cued.forking import OwnLock
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.integrations.langgraph.filters import checked, matches, matching
from cued.integrations.langgraph.graph_searches import newest, ranked
from cued.integrations.langgraph.indexing import IndexedFields
from cued.integrations.langgraph.items import Kept, Namespace, change, drafts, guest, item_id, kept, part_id, seconds, tag_of, tags_of
from cued.integrations.langgraph.lent_embedder import LentEmbedder
from cued.integrations.langgraph.opening import opened
from cued.integrations.langgraph.sweeping import EVERY_MINUTES, Sweeper
from cued.integrations.searching import every, stands_alone, stays, stored, whole
from cued.model import Memory
from cued.requests.draft import Draft

_TRIES = 10


class CuedStore(BaseStore):
    """A LangGraph store over memories: items by namespace and key, filters, time to live, and search by recall.

    The first label of a namespace is the tenant, unless `tenant` names one for all. Other memories of that tenant appear as items of the
    namespace `(tenant,)`.
    """

    supports_ttl = True

    def __init__(
        self,
        memories: Memories,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        tenant: str | None = None,
        floor: float | None = None,
    ) -> None:
        """Keep items in these memories, which stay open; `floor` is the least relevance that a search shows, None for no floor."""
        self.memories, self.index_config, self.index = memories, index, IndexedFields.of(index)
        # As SqliteStore has it: a read lengthens a life only where that is asked for, in the configuration or in the call.
        self.ttl_config = None if ttl is None else TTLConfig(**{"refresh_on_read": False, **ttl})
        self._tenant, self._floor, self._lock = tenant, floor, OwnLock()
        self._sweeper = Sweeper(self.sweep_ttl)
        lent = memories.parts.embedder if self.index.own_embedder else None
        if self.index.own_embedder and not isinstance(lent, LentEmbedder):
            raise InputError("index", "an `embed`", "memories that are open with it: cued.open(…, embedder=LentEmbedder(index))")
        self.embeddings = lent.embeddings if isinstance(lent, LentEmbedder) else None

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, conn_string: str, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None, tenant: str | None = None
    ) -> Iterator[Self]:
        """A store over the memories in a file, which is made if it is not there, at a postgresql:// address, or on a server.

        `https://TOKEN@host` is a server's address, whose token may also stand in CUED_TOKEN; `:memory:` keeps them in this process alone.
        """
        memories = opened(conn_string, index)
        try:
            store = cls(memories, index=index, ttl=ttl, tenant=tenant)
            yield store
            store.stop_ttl_sweeper()
        finally:
            memories.close()

    def setup(self) -> None:
        """Nothing: memories that can be opened are ready; LangGraph's own stores ask for this call before the first use."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The results in the order of the operations; reads see the state before the writes, and the last of several puts of a key wins."""
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        results = [None if isinstance(op, PutOp) else _ANSWERS[type(op)](self, op) for op in asked]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        if puts:
            with self._lock:
                self._write_settled(puts.values())
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """What `batch` gives, from a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """How many expired items were deleted."""
        count = 0
        for name in self._tenants():
            tenant = self.memories.tenant(name)
            gone = {memory.id for memory in tenant.expired() if kept(whole(tenant, memory)) is not None}
            count += len(gone.intersection(tenant.sweep()))
        return count

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> "Future[None]":
        """A future that is done when the sweeping ends; without a `ttl` configuration there is nothing to sweep."""
        if self.ttl_config is None:
            nothing: Future[None] = Future()
            nothing.set_result(None)
            return nothing
        return self._sweeper.start(sweep_interval_minutes or self.ttl_config.get("sweep_interval_minutes") or EVERY_MINUTES)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Whether the sweeper has stopped."""
        return self._sweeper.stop(timeout)

    def _get(self, op: GetOp) -> Result:
        name, labels = self._place(op.namespace)
        tenant = self.memories.tenant(name)
        found = _stored(tenant, item_id(op.namespace, op.key))
        item = None if found is None else kept(found)
        if item is None and not labels and self._tenant is None:
            found = _stored(tenant, op.key)
            item = None if found is None or kept(found) else guest(found)
        if item is None or self._omitted(item):
            return None
        self._refresh([item], asked=op.refresh_ttl)
        return item.item()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = checked(op.filter)
        query = (op.query or "").strip()
        found = self._ranked(op, query, wanted) if query else self._newest(op, wanted)
        page = found[op.offset : op.offset + op.limit]
        self._refresh([item for item, _ in page], asked=op.refresh_ttl)
        return [item.found(score) for item, score in page]

    def _ranked(self, op: SearchOp, query: str, wanted: Mapping[str, Any]) -> list[tuple[Kept, float | None]]:
        found: list[tuple[Kept, float | None]] = []
        for name, labels in self._places(op.namespace_prefix):
            asked = ranked(self.memories.tenant(name), query, tag=tag_of(labels) if labels else None, index=self.index, floor=self._floor)
            found += asked(op.offset + op.limit, lambda memory: self._shown(memory, wanted))
        # By the score that is shown: what was recalled before would else move from one page to another.
        return sorted(found, key=lambda pair: -(pair[1] or 0.0))

    def _newest(self, op: SearchOp, wanted: Mapping[str, Any]) -> list[tuple[Kept, None]]:
        found: list[tuple[datetime, Kept]] = []
        for name, labels in self._places(op.namespace_prefix):
            asked = newest(self.memories.tenant(name), tag=tag_of(labels) if labels else None)
            found += asked(op.offset + op.limit, lambda memory: self._shown(memory, wanted))
        return [(item, None) for _, item in sorted(found, key=lambda pair: pair[0], reverse=True)]

    def _shown(self, memory: Memory, wanted: Mapping[str, Any]) -> Kept | None:
        item = self._item(memory)
        return item if item is not None and matches(item.value, wanted) and not self._omitted(item) else None

    def _item(self, memory: Memory) -> Kept | None:
        item = kept(memory)
        return guest(memory) if item is None and self._tenant is None else item

    def _list_namespaces(self, op: ListNamespacesOp) -> Result:
        present = {item.namespace for item in self._below(())}
        chosen = matching(present, op.match_conditions)
        if op.max_depth is not None:
            chosen = list({namespace[: op.max_depth] for namespace in chosen})
        return sorted(chosen)[op.offset : op.offset + op.limit]

    def _below(self, prefix: Namespace) -> Iterator[Kept]:
        """Every item at or below a namespace, searched or not."""
        for name, labels in self._places(prefix):
            tenant = self.memories.tenant(name)
            for memory in every(tenant, tags=(tag_of(labels),) if labels else (), hidden=True):
                item = self._shown(memory, {}) if stays(tenant, memory) else None
                if item is not None:
                    yield item

    def _places(self, prefix: Namespace) -> list[tuple[str, Namespace]]:
        """The tenants that a prefix reaches, each with the labels below it."""
        if not prefix and self._tenant is None:
            return [(name, ()) for name in self._tenants()]
        return [self._place(prefix)]

    def _place(self, namespace: Namespace) -> tuple[str, Namespace]:
        """The tenant of a namespace, and the labels below it."""
        if self._tenant is not None:
            return self._tenant, namespace
        if not namespace:
            raise InputError("namespace", namespace, "at least one label, which names the tenant")
        return namespace[0], namespace[1:]

    def _tenants(self) -> Sequence[str]:
        return self.memories.tenants() if self._tenant is None else (self._tenant,)

    def _omitted(self, item: Kept) -> bool:
        return bool(self.ttl_config and self.ttl_config.get("omit_expired")) and item.expired(datetime.now(UTC))

    def _refresh(self, items: Iterable[Kept], *, asked: bool) -> None:
        """Restart the items' time to live, where that is asked for."""
        for item in items:
            if asked and item.ttl_minutes is not None:
                tenant = self.memories.tenant(self._place(item.namespace)[0])
                for number in range(item.rows):
                    _tried(tenant, part_id(item_id(item.namespace, item.key), number), ttl=seconds(item.ttl_minutes))

    def _write_settled(self, puts: Collection[PutOp]) -> None:
        """Write, and once more if another process put the same key in between, which is then replaced."""
        for attempt in range(1, _TRIES + 1):
            try:
                return self._write(puts)
            except InputError as error:
                if error.field != "id" or attempt == _TRIES:
                    raise
        return None

    def _write(self, puts: Iterable[PutOp]) -> None:
        """Delete, replace and add; new items of a tenant are stored in one step, and what cannot be stored is refused before that."""
        new: dict[str, list[Draft]] = {}
        for op, parts in [(op, self._drafts(op)) for op in puts]:
            name, _ = self._place(op.namespace)
            tenant = self.memories.tenant(name)
            before = _stored(tenant, item_id(op.namespace, op.key), hidden=True)
            if not parts or (before is not None and not stands_alone(before)):
                # what was forgotten or merged would hide from recalls what is put now, or another item
                _erase(tenant, before)
                before = None
            if before is None:
                new.setdefault(name, []).extend(parts)
            else:
                _replace(tenant, before, parts)
        for name, parts in new.items():
            self.memories.tenant(name).remember_many(parts)

    def _drafts(self, op: PutOp) -> list[Draft]:
        """The memories of a put; none for a deletion."""
        if op.value is None:
            return []
        now = datetime.now(UTC)
        item = Kept(namespace=op.namespace, key=op.key, value=dict(op.value), created_at=now, updated_at=now, ttl_minutes=op.ttl)
        return drafts(item, self.index.texts(op.value, op.index), tags_of(self._place(op.namespace)[1]))


def _stored(tenant: Tenant, memory_id: str, *, hidden: bool = False) -> Memory | None:
    memory = stored(tenant, memory_id)
    return memory if memory is not None and (hidden or stays(tenant, memory)) else None


def _tried(tenant: Tenant, memory_id: str, *, ttl: float) -> None:
    """Restart a memory's time to live, unless somebody has deleted it."""
    try:
        tenant.update(memory_id, ttl=ttl)
    except NotFoundError:
        return


def _erase(tenant: Tenant, memory: Memory | None) -> None:
    if memory is not None:
        item = kept(memory)
        parts = [part_id(memory.id, number) for number in range(1 if item is None else item.rows)]
        tenant.forget(*(each for each in parts if _stored(tenant, each, hidden=True) is not None), erase=True)


def _replace(tenant: Tenant, before: Memory, parts: Sequence[Draft]) -> None:
    """Replace an item's memories by these drafts; the first memory keeps its time of creation."""
    item = kept(before)
    tenant.update(before.id, change(parts[0]))
    stale = [part_id(before.id, number) for number in range(1, 1 if item is None else item.rows)]
    tenant.forget(*(each for each in stale if _stored(tenant, each, hidden=True) is not None), erase=True)
    if parts[1:]:
        tenant.remember_many(parts[1:])


_ANSWERS: dict[type, Callable[[CuedStore, Any], Any]] = {
    GetOp: CuedStore._get,  # noqa: SLF001 - the table of this class
    SearchOp: CuedStore._search,  # noqa: SLF001
    ListNamespacesOp: CuedStore._list_namespaces,  # noqa: SLF001
}
