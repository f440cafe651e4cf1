"""How long a connection may keep the server waiting, and how many there may be: whoever asks for nothing holds no place for ever.

Below: uvicorn, which bounds how long a connection is idle after an answer, and neither how long before the first request nor how many
connections there are. Each is an open file, and without any left nobody is answered. Those whose TLS is still being agreed on are not
known here yet: where they take the files, `serving` lets in no more.
"""

import asyncio
import sys
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 20.0
"""How long the head of a request may take; a connection without one is closed after this long, or twice as long at most."""
_RESERVED: Final = 128
"""Files that are not for connections: the store's, its journals, connections to a database."""
_FEWEST: Final = 32
_WITHOUT_BOUND: Final = 10_000


def open_files() -> int:
    """How many files this process may have open."""
    if sys.platform == "win32":
        return _WITHOUT_BOUND
    import resource  # noqa: PLC0415 - there is none on Windows

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _WITHOUT_BOUND if files == resource.RLIM_INFINITY else files


def few_are_left(file: int) -> bool:
    """Whether the number that a file just got, which is the lowest free one, says that hardly any are left."""
    return sys.platform != "win32" and file >= max(_FEWEST, open_files() - _RESERVED // 2)


class Connection(H11Protocol):
    """A connection of a client: it is closed where no request comes, and sooner where others need its place."""

    head_s = HEAD_S
    most = max(_FEWEST, open_files() - _RESERVED)

    @property
    def waits(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for the first request; where there are too many, whoever has waited longest makes way."""
        super().connection_made(transport)
        self._began, self._before = self.loop.time(), self.cycle
        self._looking = self.loop.call_later(self.head_s, self._look)
        if len(self.connections) > self.most:
            others = [each for each in self.connections if isinstance(each, Connection) and each.waits and not each.transport.is_closing()]
            min(others, key=lambda each: each._began).transport.abort()  # noqa: SLF001 - its own kind

    def _look(self) -> None:
        """Close it where no request is under way and none has come since the last look; else look again later."""
        if self.waits and self.cycle is self._before:
            self.transport.close()
            return
        self._before = self.cycle
        self._looking = self.loop.call_later(self.head_s, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        self._looking.cancel()
        super().connection_lost(exc)
