"""Connections to one server, kept open and reused, with retries: what may be asked again is, and nothing is done twice."""

import random
import select
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from cued import __version__
from cued.errors import InputError, ServerError
from cued.forking import across_forks
from cued.model.plain import JSON
from cued.surfaces.remote.calls import Call
from cued.surfaces.remote.raised import raised

MOST_OPEN = 16
"""How many open connections are kept for later calls."""
LONG = 11
"""How many times as long a long verb is waited for: the server gives it 600 seconds, and others 60."""
MOST_WAIT_S = 30.0
_BACKOFF_S = 0.1
_REFUSED = frozenset({429})
_LATER = frozenset({408, 502, 503, 504})


class ServerAddress(Struct, frozen=True, kw_only=True):
    """The address of a server, which others to ask while it cannot be reached, and how long and how often to try."""

    url: str
    token: str
    timeout_s: float = 60.0
    tries: int = 4
    tls: ssl.SSLContext | None = None
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be an address, a token or a limit."""
        for url in (self.url, *self.others):
            refuse_no_server(url)
        if not isinstance(self.token, str) or not self.token or not self.token.isascii() or not self.token.isprintable():
            raise InputError("token", "…", "a token, as `cued token create` prints it")
        if self.timeout_s <= 0 or self.tries < 1:
            raise InputError("timeout_s", self.timeout_s, "more than 0, and tries of 1 or more")


def refuse_no_server(url: object) -> None:
    """Nothing, where a server can be at this address; else an InputError, which shows nothing of a password in it."""
    accepted = "a server's address without a path, a user or a password, such as http://127.0.0.1:7333"
    shown = "(hidden)" if isinstance(url, str) and "@" in url else url
    if not isinstance(url, str):
        raise InputError("url", shown, accepted)
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:  # its words quote what may be a password
        raise InputError("url", shown, accepted) from None
    beyond = parts.username is not None or parts.query or parts.path.strip("/")
    if parts.scheme not in {"http", "https"} or not host or b" " in host or beyond:
        raise InputError("url", shown, accepted)


class Connections:
    """The connections to one server, for any number of threads."""

    def __init__(self, place: ServerAddress, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Open no connection yet; `pause` waits before a call is sent again."""
        self._place, self._pause, self.url = place, pause, place.url
        self._closed = False
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start without connections: those there are belong to the parent process."""
        self.free: list[HTTPConnection] = []
        """The open connections that are not in use."""
        self._lock = threading.Lock()

    def ask(self, call: Call) -> JSON:
        """The answer as JSON; a refusal is raised as the error that it stands for."""
        connection, response = self._answered(call)
        try:
            raw = response.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise ServerError(f"the server's answer broke off ({error!r})") from error
        self._keep(connection, response)
        try:
            answer: JSON = msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ServerError("the server answered, and not with JSON: is the address right?") from error
        return answer

    def lines(self, call: Call) -> Iterator[bytes]:
        """The lines of an answer, one at a time as they come."""
        connection, response = self._answered(call)
        with closing(connection):
            try:
                yield from response
            except (OSError, HTTPException) as error:
                raise ServerError(f"the server's answer broke off ({error!r})") from error

    def close(self) -> None:
        """Close all connections, and refuse further calls."""
        self._closed = True
        with self._lock:
            free, self.free = self.free, []
        for connection in free:
            connection.close()

    def _answered(self, call: Call) -> tuple[HTTPConnection, HTTPResponse]:
        """A connection with the answer of a successful call; a call that may be sent again is, with growing pauses, up to `tries` times."""
        if self._closed:
            raise ServerError("closed: these memories cannot be used any more; connect again")
        body: bytes | None = call.body
        for number in range(1, self._place.tries + 1):
            last = number == self._place.tries
            try:
                connection, response = self._sent(call, body or b"")
            except _UnreachableError as error:
                if last:
                    raise ServerError(f"{self._place.url} cannot be reached: {error}") from error
                self._wait(number, 0.0)
                continue
            except (OSError, HTTPException) as error:
                body = call.again
                if last or body is None:
                    raise ServerError(f"the server's answer was lost ({error!r}); what was asked may have been done") from error
                self._wait(number, 0.0)
                continue
            if response.status < 400:  # noqa: PLR2004 - a status
                return connection, response
            error_raised, wait_s = raised(response.status, _rest(response)), _retry_after(response)
            self._keep(connection, response)
            if response.status in _LATER:
                body = call.again
            if last or body is None or response.status not in _REFUSED | _LATER:
                raise error_raised
            self._wait(number, wait_s)
        raise AssertionError("the last try raises or answers")

    def _sent(self, call: Call, body: bytes) -> tuple[HTTPConnection, HTTPResponse]:
        connection = self._take(self._place.timeout_s * (LONG if call.long else 1))
        headers = {"Authorization": f"Bearer {self._place.token}", "User-Agent": f"cued/{__version__}", **call.headers}
        try:
            connection.request(call.method, call.target, body=body or None, headers=headers)
            return connection, connection.getresponse()
        except BaseException:  # half of an answer may be on its way, also where somebody interrupts: nobody may get the rest of it
            connection.close()
            raise

    def _take(self, timeout_s: float) -> HTTPConnection:
        """An open connection: one that was used before and still works, or a new one."""
        while True:
            with self._lock:
                connection = self.free.pop() if self.free else None
            if connection is None:
                return self._opened(timeout_s)
            if connection.sock is not None and not _readable(connection):
                connection.sock.settimeout(timeout_s)
                return connection
            connection.close()

    def _opened(self, timeout_s: float) -> HTTPConnection:
        """A new connection to the server, or to the first of the others that can be reached."""
        *before, last = (self._place.url, *self._place.others)
        for url in before:
            with suppress(_UnreachableError):
                return self._opened_to(url, timeout_s)
        return self._opened_to(last, timeout_s)

    def _opened_to(self, url: str, timeout_s: float) -> HTTPConnection:
        parts = urlsplit(url)
        host = parts.hostname or ""
        connection = (
            HTTPSConnection(host, parts.port, timeout=timeout_s, context=self._place.tls)
            if parts.scheme == "https"
            else HTTPConnection(host, parts.port, timeout=timeout_s)
        )
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise _UnreachableError(error.strerror or str(error)) from error
        return connection

    def _keep(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        if response.isclosed() and connection.sock is not None and not self._closed:
            with self._lock:
                if len(self.free) < MOST_OPEN:
                    self.free.append(connection)
                    return
        connection.close()

    def _wait(self, number: int, at_least_s: float) -> None:
        grown = _BACKOFF_S * 2**number * random.uniform(0.5, 1.0)  # noqa: S311 - spreads callers, and is no secret
        self._pause(min(MOST_WAIT_S, max(at_least_s, grown)))


class _UnreachableError(Exception):
    """No connection could be made, so nothing was sent."""


def _readable(connection: HTTPConnection) -> bool:
    """Whether an unused connection has something to read, which means that the server has closed it."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def _rest(response: HTTPResponse) -> bytes:
    try:
        return response.read()
    except (OSError, HTTPException):
        return b""


def _retry_after(response: HTTPResponse) -> float:
    told = response.headers.get("Retry-After", "")
    return float(told) if told.isdecimal() else 0.0
