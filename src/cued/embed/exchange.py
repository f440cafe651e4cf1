"""One HTTP exchange under a deadline that holds from the look-up of the name to the last byte, over connections that are kept.

Above: `endpoint` decides what is asked and how often. Below: the standard library's HTTP client. Its own timeout counts from one
packet to the next, so a server that drips a byte now and then could keep a recall for ever; here the whole exchange runs in a thread
of its own and its connection is cut when the time is up.
"""

import base64
import os
import select
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from socket import SHUT_RDWR
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from cued.forking import across_forks
from cued.others import within

KEPT_OPEN = 4
_PIECE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Reply:
    """A complete HTTP reply."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def text(self) -> str:
        """The body as text, whatever its bytes are."""
        return self.body.decode("utf-8", "replace")


class HostConnections:
    """The connections to one host: each used by one thread at a time, kept for the next request, and never carried across a fork."""

    def __init__(self, base_url: str) -> None:
        """Open nothing yet."""
        self._url = urlsplit(base_url)
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start with none: the parent goes on with its own, and whoever closed them here would say goodbye in its name."""
        self._lock = threading.Lock()
        self._idle: list[HTTPConnection] = []
        weakref.finalize(self, _close_all, self._idle, os.getpid())

    def post(self, path: str, body: bytes, headers: Mapping[str, str], *, seconds: float, most_bytes: int) -> Reply:
        """The reply to one request; none within the time is a TimeoutError, anything else wrong an OSError or HTTPException."""
        connection = self._connection()
        # A proxy is told the whole address of what it fetches in the clear; through a tunnel it sees none of it.
        place = self._url.path if self._proxy is None or self._secure else self._url.geturl()
        target = f"{place.rstrip('/')}/{path}"

        def exchange() -> Reply:
            connection.timeout = seconds
            if connection.sock is None:
                _connect(connection)
            connection.request("POST", target, body=body, headers=dict(headers))
            return _read(connection, most_bytes)

        try:
            reply = within("embedder", exchange, timedelta(seconds=seconds))
        except BaseException:  # half of an answer may be on its way, also where somebody interrupts: nobody may get the rest of it
            _cut(connection)
            raise
        self._keep(connection)
        return reply

    @property
    def _secure(self) -> bool:
        return self._url.scheme == "https"

    @property
    def _proxy(self) -> str | None:
        """The proxy that the environment names for this host, None without one."""
        return None if proxy_bypass(self._url.hostname or "") else getproxies().get(self._url.scheme)

    def _connection(self) -> HTTPConnection:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                    return connection
                connection.close()
        return self._fresh()

    def _fresh(self) -> HTTPConnection:
        kind = HTTPSConnection if self._secure else HTTPConnection
        if self._proxy is None:
            return kind(self._url.hostname or "", self._url.port)
        proxy = urlsplit(self._proxy if "://" in self._proxy else f"http://{self._proxy}")
        connection = kind(proxy.hostname or "", proxy.port)
        if self._secure:
            connection.set_tunnel(self._url.hostname or "", self._url.port, headers=_authorised(proxy.username, proxy.password))
        return connection

    def _keep(self, connection: HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and len(self._idle) < KEPT_OPEN:
                self._idle.append(connection)
                return
        connection.close()


def refuse_link_local(host: str) -> None:
    """Raise an OSError for an address of the local link, where cloud machines hand out their credentials to whoever asks."""
    try:
        local = ip_address(host.partition("%")[0]).is_link_local
    except ValueError:
        return
    if local:
        raise OSError(f"{host} is a link-local address, and those are not asked")


def _connect(connection: HTTPConnection) -> None:
    """Open a connection, and refuse where it leads before anything is sent: the headers have the key."""
    connection.connect()
    refuse_link_local(str(connection.sock.getpeername()[0]))


def _read(connection: HTTPConnection, most_bytes: int) -> Reply:
    parts, size = list[bytes](), 0
    with connection.getresponse() as response:
        # What is said to be too long is not waited for.
        announced = response.length or 0
        while announced <= most_bytes and size <= most_bytes and (part := response.read1(_PIECE_BYTES)):
            parts.append(part)
            size += len(part)
        if max(announced, size) > most_bytes:
            # The error lives as long as whoever tells of it, and with it all that this function holds.
            parts.clear()
            raise HTTPException(f"a reply of more than {most_bytes} bytes")
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, b"".join(parts))


def _cut(connection: HTTPConnection) -> None:
    """End a connection so that a thread that waits for its next byte wakes up."""
    if connection.sock is not None:
        try:
            connection.sock.shutdown(SHUT_RDWR)
        except OSError:
            return
        finally:
            connection.close()


def _close_all(idle: list[HTTPConnection], process: int) -> None:
    """Close what a line that is gone had kept open, in the process that had opened it."""
    if process == os.getpid():
        for connection in idle:
            connection.close()


def _authorised(user: str | None, password: str | None) -> dict[str, str]:
    if user is None:
        return {}
    pair = base64.b64encode(f"{unquote(user)}:{unquote(password or '')}".encode()).decode()
    return {"Proxy-Authorization": f"Basic {pair}"}
