"""mem0's `AsyncMemory` over Cued: the same methods, awaited; each runs in a worker thread."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.handles.threads import awaited
from cued.integrations.mem0.mem0_memory import Memory
from cued.ports import Extractor


class AsyncMemory:
    """mem0's memory for asyncio; arguments and answers are those of `Memory`."""

    def __init__(self, over: Memory | Memories | Tenant | str | Path | None = None, *, extractor: Extractor | None = None) -> None:
        """Keep memories where `Memory` would, or await one that is there."""
        self._plain = over if isinstance(over, Memory) else Memory(over, extractor=extractor)
        self._run = asyncio.to_thread

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None) -> Self:
        """A memory for a configuration of mem0's."""
        return cls(Memory.from_config(config_dict))

    add = awaited(Memory.add)
    get = awaited(Memory.get)
    get_all = awaited(Memory.get_all)
    search = awaited(Memory.search)
    update = awaited(Memory.update)
    delete = awaited(Memory.delete)
    delete_all = awaited(Memory.delete_all)
    history = awaited(Memory.history)
    reset = awaited(Memory.reset)

    def close(self) -> None:
        """Close the file, if it was opened here."""
        self._plain.close()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close."""
        await asyncio.to_thread(self._plain.close)
