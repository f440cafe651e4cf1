"""What the processes of a server have in common: how often each token asked, what is counted, keys at work, who has which connections.

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
"""How soon a key is asked for again that another process works under; nothing tells when it is done."""

_COUNT: Final = Layout("<I")


class ConnectionCounts:
    """How many connections each process has: each writes its own number, and all read them."""

    def __init__(self, processes: int) -> None:
        """Start with none."""
        self._memory = mmap(-1, processes * _COUNT.size)

    def others_have_fewer(self, process: int, count: int) -> bool:
        """Whether there is a process with fewer connections than this one, which has so many now."""
        _COUNT.pack_into(self._memory, process * _COUNT.size, count)
        return any(each < count for (each,) in _COUNT.iter_unpack(self._memory))


class Shared(NamedTuple):
    """What one process of a server sees of what all have in common, and which of how many it is."""

    rates: Takes
    sums: Sums
    keys: SharedLock
    connections: ConnectionCounts
    process: int = 0
    processes: int = 1

    @classmethod
    def of(cls, rate: float, burst: float, *, processes: int = 1) -> "Shared":
        """What so many processes are to share, as the first of them sees it."""
        return cls(Takes(burst, per_s=rate, names=_TOKENS), Sums(), SharedLock(), ConnectionCounts(processes), processes=processes)

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """While no other process does anything under this name."""
        while not self.keys.take(name):  # noqa: ASYNC110 - no event reaches from one process to another
            await asyncio.sleep(_AGAIN_S)
        try:
            yield
        finally:
            self.keys.leave(name)
