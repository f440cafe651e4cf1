"""The same verbs for asyncio: each runs in one of a few worker threads, so that no loop waits for a disk or a model.

Above: servers and agents that are asynchronous. Below: the handles, one colour. A call that is cancelled before its turn does nothing;
one that has begun goes on in its thread to its end, so that nothing is written by half, and `close` waits for it.
"""

import ssl
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from cued.aio.async_tenant import AsyncConversation, AsyncTenant
from cued.folders import Address
from cued.handles.memories import Memories, Opening, open_memories
from cued.handles.threads import Threads, awaited
from cued.model import Trust
from cued.ports import Keeper, Store
from cued.surfaces.remote.connecting import connect as connect_memories

THREADS = 4

__all__ = ["THREADS", "AsyncConversation", "AsyncMemories", "AsyncTenant", "connect", "open"]


class AsyncMemories:
    """What `cued.aio.open` gives: every verb of `cued.Memories`, in a few worker threads; close it, or use it in an `async with`."""

    def __init__(self, memories: Memories, threads: Threads) -> None:
        """Wrap an open store."""
        self._plain, self._run, self._threads = memories, threads.run, threads

    def __repr__(self) -> str:
        """Where the memories are."""
        return f"AsyncMemories({self._plain!r})"

    def tenant(self, name: str, *, trust: Trust = "user") -> AsyncTenant:
        """The handle of this tenant; nothing done through it is trusted above `trust`."""
        return AsyncTenant(self._plain.tenant(name, trust=trust), self._threads)

    tenants = awaited(Memories.tenants)
    insight = awaited(Memories.insight)
    tune = awaited(Memories.tune)
    backup = awaited(Memories.backup)
    erasures = awaited(Memories.erasures)
    check = awaited(Memories.check)
    flush = awaited(Memories.flush)

    async def close(self) -> None:
        """Wait for what has begun, write what is left and let go of the file; a second call waits for the first, and does nothing else."""
        await self._threads.close(self._plain.close)


class _Opened:
    """Memories that are about to be opened: by `await`, or by `async with`, which also closes them."""

    def __init__(self, opening: Callable[[], Memories], threads: Threads) -> None:
        self._opening, self._threads = opening, threads
        self._memories: Memories | None = None

    async def _open(self) -> AsyncMemories:
        try:
            return AsyncMemories(await self._threads.run(self._made), self._threads)
        except BaseException:
            # refused, or cancelled while the file was being opened: it must not stay open
            await self._close()
            raise

    def _made(self) -> Memories:
        self._memories = self._opening()
        return self._memories

    async def _close(self) -> None:
        await self._threads.close(lambda: None if self._memories is None else self._memories.close())

    if not TYPE_CHECKING:  # a type checker is to find what is asked of this, and not be told that it raises

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(f"{name}: nothing is open yet; accepted: `await` this first, or use it in an `async with`")

    def __await__(self) -> Generator[Any, None, AsyncMemories]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncMemories:
        return await self._open()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._close()


def open(  # noqa: A001 - as `cued.open`
    path: str | Path | Address | Store | Keeper | None = None, *, threads: int = THREADS, **parts: Unpack[Opening]
) -> _Opened:
    """Memories as `cued.open` opens them, with the same arguments, to be awaited or used in an `async with`.

    `threads` says how many verbs run at the same time; the others wait for their turn.
    """
    return _Opened(partial(open_memories, path, **parts), Threads(threads))


def connect(  # noqa: PLR0913 - as `cued.connect` has it
    url: str | Sequence[str],
    *,
    token: str,
    timeout_s: float = 60.0,
    tries: int = 4,
    tls: ssl.SSLContext | None = None,
    threads: int = THREADS,
) -> _Opened:
    """The memories of a server as `cued.connect` gives them, with the same arguments, to be awaited or used in an `async with`.

    `threads` says how many calls are under way at the same time; the others wait for their turn.
    """
    return _Opened(partial(connect_memories, url, token=token, timeout_s=timeout_s, tries=tries, tls=tls), Threads(threads))
