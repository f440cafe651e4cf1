"""A few worker threads for asyncio: excess work waits for its turn, and work that has begun is finished."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from threading import Event
from typing import Any, Concatenate, ParamSpec, TypeVar

from cued.errors import StoreError
from cued.forking import across_forks
from cued.ports import Progress
from cued.requests.checks import whole

Params = ParamSpec("Params")
Answer = TypeVar("Answer")


class Threads:
    """A few worker threads, for which excess work waits."""

    def __init__(self, limit: int) -> None:
        """Start with none at work."""
        self._limit, self._closed = whole("threads", limit, least=1), False
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start with new threads, for those of the parent are not in this process."""
        self._pool = ThreadPoolExecutor(self._limit, thread_name_prefix="cued-aio")
        self._ended = Event()
        if self._closed:  # what the parent's threads had left to do is the parent's
            self._ended.set()

    async def run(self, function: Callable[..., Answer], *args: Any, **options: Any) -> Answer:  # noqa: ANN401 - the function's own
        """The function's answer, from a thread; refused once closed."""
        if self._closed:
            raise StoreError("closed: these memories cannot be used any more; open them again")
        call = partial(copy_context().run, function, *args, **options)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def close(self, last: Callable[[], None]) -> None:
        """Accept no more work, wait for what has begun, then call `last` in a thread; a second call waits for the first."""
        first, self._closed = not self._closed, True
        await asyncio.shield(asyncio.to_thread(self._end, last) if first else asyncio.to_thread(self._ended.wait))

    def _end(self, last: Callable[[], None]) -> None:
        try:
            self._pool.shutdown(wait=True)
            last()
        finally:
            self._ended.set()


def in_loop(progress: Progress) -> Progress:
    """A progress callback that is called in the loop's own thread."""
    loop = asyncio.get_running_loop()

    def heard(done: int, total: int) -> None:
        loop.call_soon_threadsafe(progress, done, total)

    return heard


def awaited(verb: Callable[Concatenate[Any, Params], Answer]) -> Callable[Concatenate[Any, Params], Coroutine[Any, Any, Answer]]:
    """A verb for asyncio with the same arguments: `_run` calls that of `_plain` in a thread; `progress` is called in the loop."""

    @wraps(verb)
    async def asked(self: Any, /, *args: Params.args, **options: Params.kwargs) -> Answer:  # noqa: ANN401 - whoever has the two
        if "progress" in options:
            options["progress"] = in_loop(options["progress"])  # type: ignore[arg-type]  # of all verbs the same
        answer: Answer = await self._run(getattr(self._plain, verb.__name__), *args, **options)
        return answer

    return asked
