"""Running the server: where it listens, who may reach it, and how it ends."""

import asyncio
import contextlib
import ipaddress
import logging
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Literal, NoReturn
from weakref import WeakSet

import uvicorn
from msgspec import Struct
from starlette.types import ASGIApp

from cued.errors import InputError, StoreError
from cued.handles.memories import Memories
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.app import Chores, Limits, Mounted, make_app
from cued.surfaces.http.guard import LOOPBACK, Rules
from cued.surfaces.http.idle_connections import Connection, few_are_left
from cued.surfaces.http.offering import Started, offered
from cued.surfaces.http.processes import Processes, Work
from cued.surfaces.http.shared import Shared

PORT = 7333
_DRAIN_S, _WRITE_S = 30, 5
"""How long, when the server ends, running requests may take, and then the writing of what is left."""
_BACKLOG, _TAKEN = 512, 8
"""How many connections may wait to be accepted, and how many are accepted in a row (one, where there are several processes)."""
_AFTER_OTHERS_S = 0.001
"""How long a process with more connections than another waits before it accepts one; an idle process has accepted it by then."""
_UNSENT = 65_536
"""How many unsent bytes the system buffers for a connection: by itself it buffers megabytes, and a slow reader would seem to read
nothing."""
_OWN_RATE = 10_000.0
_LOOK_S = 5.0
Say = Callable[[str], None]
_Served = tuple[uvicorn.Config, list[socket.socket]]


class ListenAddress(Struct, frozen=True, kw_only=True):
    """Where a server listens, and what stands before it."""

    host: str = "127.0.0.1"
    port: int = PORT
    names: tuple[str, ...] = ()
    behind_proxy: bool = False
    certificate: Path | None = None
    key: Path | None = None

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host in LOOPBACK


def serve(  # noqa: PLR0913 - what a command line says
    memories: Memories,
    place: ListenAddress,
    *,
    tenant: str,
    say: Say,
    rate: float,
    limits: Limits,
    chores: Chores,
    mounted: Sequence[Mounted],
    started: Started | None,
    processes: int,
) -> None:
    """Serve until a signal ends it: then take no more, finish what has begun, and write what recalls left.

    Where `started` is given, it also answers its own user's commands on this machine. Several `processes` serve at the same sockets, each
    with its own connections to the store, its own model and its own memory.
    """
    _log_lines()
    _end_with_the_terminal()
    _refuse_unusable(place)
    if processes > 1 and not hasattr(os, "fork"):
        raise InputError("--processes", processes, "1 on this system, where no process can be forked")
    tokens = Tokens(memories.parts.store)
    written = _admitted(tokens, place, tenant)
    listening = listen(place)
    address = _address(place, listening)
    say(f"Serving at {address}" if processes == 1 else f"Serving at {address} with {processes} processes")
    if written is not None:
        say(f"A first token, for tenant {tenant!r}, shown this once: {address}?token={written}")
    if not place.local and place.certificate is None and not place.behind_proxy:
        say(_EXPOSED)
    hosts = LOOPBACK | {place.host.lower(), *(name.lower() for name in place.names)}
    rules = Rules(hosts=frozenset(hosts), any_address=not place.local, rate=rate, burst=2 * rate)
    shared = Shared.of(rules.rate, rules.burst, processes=processes)
    with offered(started, token=tokens.lend(tenant)) as local:

        def work(number: int = 0, ready: Callable[[], None] | None = None) -> None:
            mine = shared._replace(process=number)
            if processes > 1:
                listening.others_have_fewer = partial(shared.connections.others_have_fewer, number)
            app = make_app(memories, rules=rules, limits=limits, chores=chores, mounted=mounted, tokens=tokens, shared=mine)
            _run(*_served(app, place, listening, local, ready))

        if processes == 1:
            work()
        else:
            _in_processes(processes, work, memories, [listening, *local])


def _address(place: ListenAddress, listening: socket.socket) -> str:
    scheme = "http" if place.certificate is None else "https"
    shown = f"[{place.host}]" if ":" in place.host else place.host
    return f"{scheme}://{shown}:{listening.getsockname()[1]}/"


def _served(
    app: ASGIApp, place: ListenAddress, listening: socket.socket, local: list[socket.socket], ready: Callable[[], None] | None
) -> list[_Served]:
    """The app with its sockets: with a certificate TLS is spoken at the public socket, but not at those for this machine's commands."""
    if place.certificate is None:
        return [(_config(app, place, ready=ready), [listening, *local])]
    return [(_config(app, place, ready=ready), [listening]), (_config(app, ListenAddress(), lifespan="off"), local)]


def _in_processes(count: int, work: Work, memories: Memories, listening: Sequence[socket.socket]) -> None:
    """Do the work in several processes, each of which closes the memories at its end; a Ctrl-C is raised again when all have ended."""

    def closing(number: int, ready: Callable[[], None]) -> None:
        with memories:
            work(number, ready)

    if Processes(count, closing, listening=listening, end_s=_DRAIN_S + _WRITE_S).run() == signal.SIGINT:
        raise KeyboardInterrupt


def _refuse_unusable(place: ListenAddress) -> None:
    """Refuse a certificate that cannot be used, before anything is served or a token is shown."""
    if (place.certificate is None) is not (place.key is None):
        raise InputError("--tls-cert", str(place.certificate), "a certificate together with its --tls-key")
    if place.certificate is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(place.certificate, place.key)
    except OSError as error:
        accepted = f"a certificate in PEM, and with --tls-key the key that belongs to it ({error.strerror or error})"
        raise InputError("--tls-cert", str(place.certificate), accepted) from error


def stay(memories: Memories, started: Started, *, tenant: str, idle_s: float, limits: Limits, chores: Chores) -> None:  # noqa: PLR0913 - likewise
    """Answer only our own user's commands, at no port and with a token that is never stored, until none has come for `idle_s`."""
    _log_lines()
    _end_with_the_terminal()
    tokens = Tokens(memories.parts.store)
    app = make_app(memories, rules=Rules(rate=_OWN_RATE, burst=_OWN_RATE), limits=limits, chores=chores, tokens=tokens)
    with offered(started, token=tokens.lend(tenant)) as local:
        if not local:
            raise StoreError("no socket of this machine can be made here; without --resident it serves at a port")
        _run((_config(app, ListenAddress()), local), idle_s=idle_s)


def _admitted(tokens: Tokens, place: ListenAddress, tenant: str) -> str | None:
    """A first token, if there is none yet and only this machine can reach the server; else None, and there must already be one."""
    if tokens.any_live():
        return None
    if not place.local:
        raise InputError("--host", place.host, "an address of this machine alone, until there is a token: cued token create --scope …")
    return tokens.create(tenant, scope="admin")[0]


class _Listening(socket.socket):
    """A socket with a long queue, from which asyncio accepts a few at a time: else a flood would take every open file unseen.

    A connection wakes all processes at one socket, and as a rule the same one accepts it. So a process with more connections than another
    waits a moment before it tries to accept one.
    """

    others_have_fewer: Callable[[int], bool] | None = None

    def __init__(self, *what: int) -> None:
        """A socket with no connection yet."""
        super().__init__(*what)
        self._taken = WeakSet[socket.socket]()

    def listen(self, _few: int = _TAKEN, /) -> None:
        """Listen, with as many waiting as ever."""
        super().listen(_BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; it is closed again where hardly any open files are left."""
        if self.others_have_fewer is not None and self.others_have_fewer(len(self._taken)):
            time.sleep(_AFTER_OTHERS_S)
        connection, address = super().accept()
        self._taken.add(connection)
        if few_are_left(connection.fileno()):
            connection.close()
            raise ConnectionAbortedError
        return connection, address


def listen(place: ListenAddress) -> _Listening:
    """A socket at the place; it says that it is TCP, without which asyncio leaves Nagle's algorithm on, at 40 ms an answer."""
    listening = _Listening(socket.AF_INET6 if ":" in place.host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # not on Windows; connections have it from what listens
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
        listening.bind((place.host, place.port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise StoreError(f"{place.host} port {place.port} cannot be listened at: {error.strerror or error}; see --port") from error
    return listening


def _config(
    app: ASGIApp, place: ListenAddress, *, lifespan: Literal["on", "off"] = "on", ready: Callable[[], None] | None = None
) -> uvicorn.Config:
    """The configuration of uvicorn; one of several processes calls `ready` once it serves, and again and again after that."""

    async def told() -> None:
        if ready is not None:
            ready()

    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=Connection,
        ws="none",
        backlog=_TAKEN if ready is None else 1,
        callback_notify=told,
        lifespan=lifespan,
        timeout_graceful_shutdown=_DRAIN_S,
        ssl_certfile=place.certificate,
        ssl_keyfile=place.key,
    )


def _log_lines() -> None:
    """Let what is logged be lines on stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    logging.getLogger("cued.http").setLevel(logging.INFO)
    # it warns of whatever a client sends, such as an upgrade that nobody has to grant, and of packages that nobody needs
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


def _end_with_the_terminal() -> None:
    """Treat a terminal that closes (SIGHUP) as a SIGTERM, unless the server was started to outlive it, as with nohup."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def _run(*served: _Served, idle_s: float | None = None) -> None:
    """Run until a signal; uvicorn raises it again when it is done, and then the store is closed as at any other end."""
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        with asyncio.Runner(loop_factory=served[0][0].get_loop_factory()) as runner:
            runner.run(_until_ended([(uvicorn.Server(config), sockets) for config, sockets in served], idle_s))
    finally:
        signal.signal(signal.SIGTERM, before)


async def _until_ended(servers: Sequence[tuple[uvicorn.Server, list[socket.socket]]], idle_s: float | None) -> None:
    """Run each server on its sockets; a signal reaches the last one, which passes it to the one before when it is done."""
    watching = None if idle_s is None else asyncio.create_task(_idle(servers[0][0], idle_s))
    await asyncio.gather(*(server.serve(sockets) for server, sockets in servers))
    if watching is not None:
        watching.cancel()


async def _idle(server: uvicorn.Server, idle_s: float) -> None:
    """End the server when nothing has been asked of it for so long."""
    asked, since, state = 0, time.monotonic(), server.server_state
    while time.monotonic() - since < idle_s:
        await asyncio.sleep(min(_LOOK_S, idle_s / 2))
        if state.tasks or state.total_requests != asked:
            asked, since = state.total_requests, time.monotonic()
    server.should_exit = True


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


_EXPOSED = (
    "Warning: this is plain HTTP that other machines can reach. Whoever sees the traffic can read the memories and the tokens in it, "
    "and use them. Give --tls-cert and --tls-key, or put it behind a proxy that has TLS and say --behind-proxy."
)
