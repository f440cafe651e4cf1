"""The server as an ASGI app: the routes of the verbs, health, metrics, and a place for other apps behind the same gate."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from gzip import compress
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct
from starlette import routing
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from cued import __version__
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.handles.vouching import refuse_all_but_users
from cued.model import OWN_TENANT
from cued.model.plain import JSON
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http import asking, openapi
from cued.surfaces.http.guard import Caller, Guard, Rules
from cued.surfaces.http.problems import RETRY_AFTER_S, RefusedError
from cued.surfaces.http.prometheus import CONTENT_TYPE as METRICS_TYPE
from cued.surfaces.http.prometheus import Metrics
from cued.surfaces.http.retries import Once
from cued.surfaces.http.routes import ROUTES, Route
from cued.surfaces.http.shared import Shared
from cued.surfaces.http.upkeep import UpkeepTimer
from cued.surfaces.http.workers import THREADS, WAITING, Answer, Workers
from cued.surfaces.inspector.mount import inspector
from cued.surfaces.verbs import call

_SPOOLED = 8_000_000
_CHUNK = 65_536
_CHECKED_S = 30.0
_TOLD_S = 5.0
"""How old the figures of another process's queue and memory in `/metrics` are at most; Prometheus asks every 15 seconds or so."""
_GZIP, _GZIPPED_FROM = 4, 1024
"""The level of compression of an answer, and from how many bytes on it is compressed."""
_NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0*)?\s*(,|$)", re.IGNORECASE)


class Limits(Struct, frozen=True, kw_only=True):
    """How large a request may be, how long it may take, and how many run and wait."""

    body_bytes: int = asking.MAX_BODY
    short_s: float = 60.0
    long_s: float = 600.0
    threads: int = THREADS
    waiting: int = WAITING


class Chores(Struct, frozen=True, kw_only=True):
    """The upkeep that a server does by itself, and how often."""

    jobs: tuple[str, ...] = ()
    every_s: float = 21_600.0


class Mounted(Struct, frozen=True, kw_only=True):
    """Another ASGI app under a path, behind the same gate.

    `scope["cued.caller"]` says who asks, and `scope["cued.run"](tenant, function)` runs work in a thread when it is the tenant's turn.
    """

    path: str
    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None


def make_app(  # noqa: PLR0913 - what a server is made of
    memories: Memories,
    *,
    rules: Rules | None = None,
    limits: Limits | None = None,
    chores: Chores | None = None,
    mounted: Sequence[Mounted] = (),
    tokens: Tokens | None = None,
    shared: Shared | None = None,
) -> ASGIApp:
    """The whole app over an open store; before it ends, it finishes what has begun and writes what recalls left to write.

    `shared` is what the processes of a server have in common, if there are several.
    """
    rules = rules or Rules()
    shared = shared or Shared.of(rules.rate, rules.burst)
    server = _Server(memories, limits or Limits(), chores or Chores(), shared)
    routes: list[routing.BaseRoute] = [
        # a path is looked for from the first to the last: what is asked most stands first
        *_verb_routes(server),
        routing.Route("/v1/openapi.json", server.describe),
        routing.Route("/healthz", server.health),
        routing.Route("/readyz", server.ready),
        routing.Route("/metrics", server.show_metrics),
        *inspector(memories, server.run, front=server.front),
        *(routing.Mount(each.path, each.app) for each in mounted),
    ]
    router = routing.Router(routes, redirect_slashes=False, lifespan=partial(server.lifespan, mounted))
    app = GZipMiddleware(
        _with_mounted(router, server, frozenset(each.path for each in mounted)), minimum_size=_GZIPPED_FROM, compresslevel=_GZIP
    )
    tokens = tokens or Tokens(memories.parts.store)
    return Guard(_without_refused_gzip(app), tokens=tokens, rules=rules, metrics=server.metrics, rates=shared.rates)


def _without_refused_gzip(app: ASGIApp) -> ASGIApp:
    """The app, which drops an Accept-Encoding that refuses gzip by `q=0`: the middleware only looks for the word, and would compress."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _NO_GZIP.search(Headers(scope=scope).get("accept-encoding", "")):
            scope["headers"] = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        await app(scope, receive, send)

    return wrapped


def _with_mounted(app: ASGIApp, server: "_Server", paths: frozenset[str]) -> ASGIApp:
    """The app, which hands a mounted one what runs its work, and reaches it with or without a slash at the end of its path."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (path := "/".join(scope["path"].split("/", 2)[:2])) in paths:
            scope["cued.route"], scope["cued.run"] = path[1:], server.run
            scope["path"] = path + (scope["path"].removeprefix(path) or "/")
        await app(scope, receive, send)

    return wrapped


def _verb_routes(server: "_Server") -> Iterator[routing.Route]:
    """One route for each path, so that a wrong method is refused with those that there are."""
    paths: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = route
    for path, methods in paths.items():
        yield routing.Route(path.replace("{id}", "{id:path}"), partial(server.answer, methods), methods=list(methods))


class _Server:
    """What answers."""

    def __init__(self, memories: Memories, limits: Limits, chores: Chores, shared: Shared) -> None:
        self._memories, self._limits, self._shared = memories, limits, shared
        self._workers = Workers(limits.threads, waiting=limits.waiting)
        self._upkeep = UpkeepTimer(memories, self._workers, jobs=chores.jobs, every_s=chores.every_s)
        self._keys: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._checked: tuple[float, str] = (-_CHECKED_S, "")
        workings = memories.parts.store.workings
        self.metrics = Metrics(waiting=lambda: self._workers.waiting, workings=workings, sums=shared.sums, process=shared.process)

    @asynccontextmanager
    async def lifespan(self, mounted: Sequence[Mounted], _app: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in mounted:
                if each.lifespan is not None:
                    await stack.enter_async_context(each.lifespan())
            tasks = [asyncio.create_task(self._upkeep.go_on()), asyncio.create_task(self._tell_others())]
            yield
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await asyncio.to_thread(self._workers.close)
        await asyncio.to_thread(self._memories.flush)

    async def front(self, request: Request) -> Response:
        """The front page: what this is, and where the rest is."""
        _seen(request, "front")
        return _json({"cued": __version__, "openapi": "/v1/openapi.json", "ready": "/readyz", "metrics": "/metrics"})

    async def run(self, tenant: str, doing: Callable[[], Answer], *, long: bool = False) -> Answer:
        """The function's result, from one of the threads when it is the tenant's turn, within the time that a request has."""
        most = self._limits.long_s if long else self._limits.short_s
        try:
            async with asyncio.timeout(most):
                return await self._workers.run(tenant, doing, long=long)
        except TimeoutError as error:
            raise RefusedError(
                503,
                f"it took longer than {most:g} s; a write that had begun may still be done",
                "ask again; with an Idempotency-Key a write happens once",
                headers={"Retry-After": str(RETRY_AFTER_S)},
            ) from error

    async def health(self, request: Request) -> Response:
        """Whether the process answers, and nothing else about it."""
        _seen(request, "healthz")
        return _json({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        """Whether the store can be read; a failing embedder is only reported, for recalls go on by words alone."""
        _seen(request, "readyz")
        caller: Caller = request.scope["cued.caller"]
        told = await self._workers.run(OWN_TENANT, self._readiness)
        if caller.token.allows("admin"):
            told["upkeep"] = await self._workers.run(OWN_TENANT, self._upkeep.shown)
        return _json(told)

    async def _tell_others(self) -> None:
        """Publish this process's gauges to the others now and then, until it is cancelled."""
        while self._shared.processes > 1:
            await asyncio.to_thread(self.metrics.tell)
            await asyncio.sleep(_TOLD_S)

    async def show_metrics(self, request: Request) -> Response:
        """The counters."""
        _seen(request, "metrics")
        return Response(self.metrics.text(), media_type=METRICS_TYPE)

    async def describe(self, request: Request) -> Response:
        """The interface as OpenAPI."""
        _seen(request, "openapi")
        return Response(openapi.document(), media_type="application/json")

    async def answer(self, methods: Mapping[str, Route], request: Request) -> Response:
        """A verb's answer."""
        route = methods["GET" if request.method == "HEAD" else request.method]
        _seen(request, route.name)
        caller: Caller = request.scope["cued.caller"]
        caller.require(route.of.authority)
        body = await asking.request_fields(request, route, most=self._limits.body_bytes)
        if route.of.works_on == "store" and route.of.writes:
            refuse_all_but_users(caller.token.trust, "changes what is of all tenants")
        target = self._memories if route.of.works_on == "store" else self._memories.tenant(caller.tenant, trust=caller.token.trust)
        if route.of.streams:
            return await self._streamed(route, caller.tenant, partial(call, route.verb, target, body))
        written = await self._done(request, route, target, body)
        if route.verb == "recall":
            self.metrics.recalled(written.answer)
        return Response(written.body, route.status, headers=_headers(route, written), media_type="application/json")

    async def _done(self, request: Request, route: Route, target: Memories | Tenant, body: JSON) -> "_Written":
        doing, gzip = partial(call, route.verb, target), "gzip" in request.headers.get("accept-encoding", "")
        tenant, key = request.scope["cued.caller"].tenant, request.headers.get("idempotency-key")
        if not route.once or key is None or isinstance(target, Memories):
            return await self.run(tenant, lambda: _written(doing(body), gzip=gzip), long=route.of.long)
        once = Once(self._memories.parts.store, target, route.verb, key=key)
        async with self._keys.setdefault((tenant, key), asyncio.Lock()), self._shared.alone(f"{tenant}\n{key}"):
            return await self.run(tenant, lambda: _written(*once.answer(body, doing), gzip=gzip), long=route.of.long)

    async def _streamed(self, route: Route, tenant: str, doing: Callable[..., JSON]) -> Response:
        """The lines that a verb writes, gathered first, so that a slow reader blocks no thread and a failure is a proper answer."""
        lines = SpooledTemporaryFile(max_size=_SPOOLED)  # noqa: SIM115 - closed when it is sent
        try:
            await self.run(tenant, partial(doing, write=lines.write), long=route.of.long)
        except BaseException:  # a caller who went away cancels this: no file stays open, and whatever it was goes on
            lines.close()
            raise
        return StreamingResponse(_sent(lines), media_type="application/x-ndjson")

    def _readiness(self) -> JSON:
        self._memories.parts.store.document(OWN_TENANT, "tokens")
        now = time.monotonic()
        if now - self._checked[0] >= _CHECKED_S:
            self._checked = now, self._embedding()
        return {"ready": True, "store": "ok", "embedder": self._checked[1]}

    def _embedding(self) -> str:
        embedder = self._memories.parts.embedder
        if embedder is None:
            return "none"
        try:
            embedder.embed(["ready"], role="query")
        except Exception:  # noqa: BLE001 - an embedder may be anybody's
            return "failing"
        return "ok"


def _sent(lines: "SpooledTemporaryFile[bytes]") -> Iterator[bytes]:
    with lines:
        lines.seek(0)
        while chunk := lines.read(_CHUNK):
            yield chunk


def _seen(request: Request, route: str) -> None:
    """Note which route this is, for the guard's log and counters."""
    request.scope["cued.route"] = route


def _json(answer: JSON) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")


class _Written(NamedTuple):
    """A verb's answer, whether it was given before, and the bytes that are sent, which may be compressed."""

    answer: JSON
    again: bool
    body: bytes
    pressed: bool


def _written(answer: JSON, again: bool = False, *, gzip: bool) -> _Written:  # noqa: FBT001, FBT002 - as `Once` tells it
    """The answer as it is sent; it is encoded in a worker thread, not in the one that all connections share."""
    body = msgspec.json.encode(answer)
    pressed = gzip and len(body) >= _GZIPPED_FROM
    return _Written(answer, again, compress(body, _GZIP, mtime=0) if pressed else body, pressed)


def _headers(route: Route, written: _Written) -> dict[str, str]:
    headers = {"Idempotent-Replayed": "true"} if written.again else {}
    if written.pressed:
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    if route.verb in {"get", "update"}:
        headers["ETag"] = f'"{written.answer["version"]}"'
    return headers
