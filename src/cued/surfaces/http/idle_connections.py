"""How long a connection may keep the server waiting, and how many there may be, so that idle clients cannot take all places.

Below: uvicorn, which bounds how long a connection is idle after an answer. It does not bound how long one is idle before its first
request, how long an answer lies unread, how much is read ahead of an answer, or how many connections there are. Each is an open file,
and when none is left nobody is answered. Connections still in their TLS handshake are not known here: `serving` refuses new ones when
these use up the files.
"""

import asyncio
import sys
from typing import Final

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 20.0
"""How long the head of a request may take; a connection without one is closed after this time, or twice as much at most."""
UNREAD_S: Final = 120.0
"""How long an answer may lie without any of it being read; the system reports what was read in steps of about a hundred kilobytes."""
_HELD: Final = 65_536
"""How many bytes of an answer a connection buffers before more is produced; TLS by default buffers eight times as many."""
_RESERVED: Final = 128
"""How many open files are kept free for others than connections: the store's, its journals, connections to a database."""
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
    """Whether hardly any open files are left, which the number of the newest file tells, for it is the lowest free one."""
    return sys.platform != "win32" and file >= max(_FEWEST, open_files() - _RESERVED // 2)


class _Flow(FlowControl):
    """The flow control of a connection: nothing more is read while a request is answered and others already wait behind it."""

    def __init__(self, transport: asyncio.Transport, conn: h11.Connection) -> None:
        super().__init__(transport)
        self._conn = conn

    def resume_reading(self) -> None:
        """Read on, unless requests still wait: else each answered request would bring in more than it was."""
        answering = self._conn.our_state is not h11.DONE and self._conn.their_state is not h11.SEND_BODY
        if not (self.read_paused and answering and self._conn.trailing_data[0]):
            super().resume_reading()


class Connection(H11Protocol):
    """A client's connection: it is closed when no request comes or no answer is read, and sooner when others need its place."""

    head_s, unread_s = HEAD_S, UNREAD_S
    most = max(_FEWEST, open_files() - _RESERVED)

    @property
    def waits(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for the first request; where there are too many connections, the one that has waited longest is closed."""
        super().connection_made(transport)
        self.flow = _Flow(transport, self.conn)
        transport.set_write_buffer_limits(_HELD)
        self._began, self._before = self.loop.time(), self.cycle
        self._unread, self._taken_at = 0, self._began
        self._looking = self.loop.call_later(self.head_s, self._look)
        if len(self.connections) > self.most:
            others = [each for each in self.connections if isinstance(each, Connection) and each.waits and not each.transport.is_closing()]
            min(others, key=lambda each: each._began).transport.abort()  # noqa: SLF001 - its own kind

    def _look(self) -> None:
        """Close the connection if no request has come since the last look, or no answer is read; else look again later."""
        unread, same, now = self.transport.get_write_buffer_size(), self.cycle is self._before, self.loop.time()
        if not (same and self._unread and unread >= self._unread):
            self._taken_at = now
        if now - self._taken_at >= self.unread_s:
            self.transport.abort()
            return
        if self.waits and same and not unread:
            self.transport.close()
            return
        self._before, self._unread = self.cycle, unread
        self._looking = self.loop.call_later(self.head_s, self._look)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; where an answer was already sent, only close."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()

    def resume_writing(self) -> None:
        """Write on, because what was written has been read."""
        self._unread = 0
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        self._looking.cancel()
        super().connection_lost(exc)
