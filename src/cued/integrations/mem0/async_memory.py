"""mem0's `AsyncMemory` over Cued: the same methods, awaited; each runs in a worker thread."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.integrations.mem0.mem0_memory import Memory
from cued.model.plain import JSON
from cued.ports import Extractor


class AsyncMemory:
    """mem0's memory for asyncio; arguments and answers are those of `Memory`."""

    def __init__(self, over: Memory | Memories | Tenant | str | Path | None = None, *, extractor: Extractor | None = None) -> None:
        """Keep memories where `Memory` would, or await one that is there."""
        self._memory = over if isinstance(over, Memory) else Memory(over, extractor=extractor)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None) -> Self:
        """A memory for a configuration of mem0's."""
        return cls(Memory.from_config(config_dict))

    async def add(self, messages: Any, **options: Any) -> JSON:  # noqa: ANN401 - mem0's own
        """What `Memory.add` gives."""
        return await asyncio.to_thread(self._memory.add, messages, **options)

    async def get(self, memory_id: str) -> JSON | None:
        """What `Memory.get` gives."""
        return await asyncio.to_thread(self._memory.get, memory_id)

    async def get_all(self, **options: Any) -> JSON:  # noqa: ANN401 - mem0's own
        """What `Memory.get_all` gives."""
        return await asyncio.to_thread(self._memory.get_all, **options)

    async def search(self, query: str, **options: Any) -> JSON:  # noqa: ANN401 - mem0's own
        """What `Memory.search` gives."""
        return await asyncio.to_thread(self._memory.search, query, **options)

    async def update(self, memory_id: str, *values: Any, **options: Any) -> JSON:  # noqa: ANN401 - mem0's own
        """What `Memory.update` gives."""
        return await asyncio.to_thread(self._memory.update, memory_id, *values, **options)

    async def delete(self, memory_id: str) -> JSON:
        """What `Memory.delete` gives."""
        return await asyncio.to_thread(self._memory.delete, memory_id)

    async def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> JSON:
        """What `Memory.delete_all` gives."""
        return await asyncio.to_thread(self._memory.delete_all, user_id, agent_id, run_id)

    async def history(self, memory_id: str) -> list[JSON]:
        """What `Memory.history` gives."""
        return await asyncio.to_thread(self._memory.history, memory_id)

    async def reset(self) -> None:
        """Erase everything, of everybody, for good."""
        await asyncio.to_thread(self._memory.reset)

    def close(self) -> None:
        """Close the file, if it was opened here."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close."""
        await asyncio.to_thread(self._memory.close)
