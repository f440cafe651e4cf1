"""The store for asyncio, with the interface of `AsyncSqliteStore` and `AsyncPostgresStore`."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from langgraph.store.base import IndexConfig, Op, Result, TTLConfig
from langgraph.store.base.batch import AsyncBatchedBaseStore

from cued.handles.memories import Memories
from cued.integrations.langgraph.graph_store import CuedStore
from cued.integrations.langgraph.opening import opened
from cued.integrations.langgraph.sweeping import EVERY_MINUTES, swept


class AsyncCuedStore(AsyncBatchedBaseStore):
    """A LangGraph store over memories whose every call is awaited; calls of one moment are one batch.

    The synchronous methods are for other threads: in the loop's own thread, which they would block, they raise an
    `asyncio.InvalidStateError`.
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
        """Keep items in these memories, which stay open; made where a loop is running."""
        super().__init__()
        self.store = CuedStore(memories, index=index, ttl=ttl, tenant=tenant, floor=floor)
        self.ttl_config, self.index_config, self.embeddings = self.store.ttl_config, self.store.index_config, self.store.embeddings
        self._sweeper: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, conn_string: str, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None, tenant: str | None = None
    ) -> AsyncIterator[Self]:
        """A store over memories in the same places as `CuedStore.from_conn_string`."""
        memories = await asyncio.to_thread(opened, conn_string, index)
        try:
            store = cls(memories, index=index, ttl=ttl, tenant=tenant)
            yield store
            await store.stop_ttl_sweeper()
        finally:
            await asyncio.to_thread(memories.close)

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let the sweeper end."""
        self._stop.set()

    async def setup(self) -> None:
        """Nothing: memories that can be opened are ready."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """What `CuedStore.batch` gives, from a worker thread."""
        return await self.store.abatch(ops)

    async def sweep_ttl(self) -> int:
        """How many expired items were deleted."""
        return await asyncio.to_thread(self.store.sweep_ttl)

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> "asyncio.Task[None]":
        """The task that sweeps; without a `ttl` configuration it does nothing."""
        if self.ttl_config is None:
            return asyncio.create_task(asyncio.sleep(0))
        if self._sweeper is None or self._sweeper.done():
            self._stop.clear()
            minutes = sweep_interval_minutes or self.ttl_config.get("sweep_interval_minutes") or EVERY_MINUTES
            self._sweeper = asyncio.create_task(self._sweep(minutes * 60), name="cued-ttl-sweeper")
        return self._sweeper

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - the name that LangGraph's stores have
        """Whether no sweeper runs any more."""
        self._stop.set()
        if self._sweeper is None:
            return True
        done, _ = await asyncio.wait([self._sweeper], timeout=timeout)
        return bool(done)

    async def _sweep(self, seconds: float) -> None:
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), seconds)
            except TimeoutError:
                await asyncio.to_thread(swept, self.store.sweep_ttl)
