"""What the processes of a server share: rates by token, counters, idempotency keys in use, and how many connections each has.

Above: `serving`, which makes it before it forks them. Below: `cued.sharing`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from mmap import mmap
from struct import Struct as Layout
from typing import Final, NamedTuple

from cued.sharing import SharedLock, Sums, Takes

_TOKENS: Final = 10_000
"""How many tokens' requests are counted at a time."""
_AGAIN_S: Final = 0.005
"""How soon to try again for a key that another process is using; nothing reports when it is done."""

_COUNT: Final = Layout("<I")


class ConnectionCounts:
    """How many connections each process has: each writes its own count, and all read them."""

    def __init__(self, processes: int) -> None:
        """Start with none."""
        self._memory = mmap(-1, processes * _COUNT.size)

    def others_have_fewer(self, process: int, count: int) -> bool:
        """Whether another process has fewer connections than this one, which has `count`."""
        _COUNT.pack_into(self._memory, process * _COUNT.size, count)
        return any(each < count for (each,) in _COUNT.iter_unpack(self._memory))


class Shared(NamedTuple):
    """What the processes share, as one of them sees it, with its number and how many there are."""

    rates: Takes
    sums: Sums
    keys: SharedLock
    connections: ConnectionCounts
    process: int = 0
    processes: int = 1

    @classmethod
    def of(cls, rate: float, burst: float, *, processes: int = 1) -> "Shared":
        """What so many processes share, as the first of them sees it."""
        return cls(Takes(burst, per_s=rate, names=_TOKENS), Sums(), SharedLock(), ConnectionCounts(processes), processes=processes)

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """A block that only one process at a time may run under this name."""
        while not self.keys.take(name):  # noqa: ASYNC110 - no event reaches from one process to another
            await asyncio.sleep(_AGAIN_S)
        try:
            yield
        finally:
            self.keys.leave(name)
