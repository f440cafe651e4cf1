"""The gate that every request passes: is the host ours, is the origin our own, whose token is it, and is it too often.

It also gives each request its id, words what fails as a problem, counts it, and writes one line of log: never a text, a query or a tenant.
"""

import asyncio
import ipaddress
import logging
import os
import re
import time
import traceback
from collections.abc import Iterator
from random import getrandbits
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cued.errors import CuedError, EmbedderError, InputError, StoreError
from cued.requests.checks import label
from cued.sharing import Takes
from cued.surfaces.access_tokens import AccessToken, Tokens
from cued.surfaces.http.problems import RefusedError, problem
from cued.surfaces.http.prometheus import Metrics
from cued.surfaces.verb import Authority

log = logging.getLogger("cued.http")
OPEN = ("/healthz", "/inspect/static/", "/inspect/sign-in")
"""Paths that need no token; one that ends in a slash stands for all below it."""
PAGES = "/inspect/"
"""Where the inspector's pages are, beside the front page: only there a browser's cookie counts as a token."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
TENANT = "(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2}){1,800}"
"""The form of a Cued-Tenant header: a name of 200 characters, each of up to four bytes."""
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PIECE = 65_536
"""How many bytes of an answer are handed on at once: TLS buffers whatever it gets, and then gives the client only half a minute."""


class Caller(Struct, frozen=True):
    """Who asks: the token, and whose memories it is about."""

    token: AccessToken
    tenant: str

    def require(self, authority: Authority) -> None:
        """Refuse the request unless its token allows this."""
        if not self.token.allows(authority):
            detail = f"the token's scope is {self.token.scope}, and this needs {authority}"
            raise RefusedError(403, detail, f"a token of scope {authority}: cued token create --scope {authority}")


class Rules(Struct, frozen=True, kw_only=True):
    """What a server lets in."""

    hosts: frozenset[str] = LOOPBACK
    any_address: bool = False
    rate: float = 100.0
    burst: float = 200.0

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server: by a known name, or by an address, which no foreign page can claim."""
        name = _host(host)
        return name in self.hosts or (self.any_address and _is_address(name))


class Guard:
    """An ASGI app before another."""

    def __init__(self, app: ASGIApp, *, tokens: Tokens, rules: Rules, metrics: Metrics, rates: Takes) -> None:
        """Pass to the app what the rules allow, and no more requests of a token than its rate."""
        self._app, self._tokens, self._rules, self._metrics, self._rates = app, tokens, rules, metrics, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request through; lifespan messages pass unchanged."""
        if scope["type"] != "http":
            await self._other(scope, receive, send)
            return
        started, headers = time.perf_counter(), Headers(scope=scope)
        asked_id = headers.get("x-request-id", "")
        # It tells requests apart and keeps nothing secret, so the system is not asked for what nobody could guess.
        request_id = asked_id if _REQUEST_ID.fullmatch(asked_id) else f"{getrandbits(64):016x}"
        scope["app"], scope["cued.request_id"] = self, request_id
        answer = _Answer(send, request_id)
        try:
            await self._admit(scope, headers)
            await self._app(scope, receive, answer.send)
        except Exception as error:  # noqa: BLE001 - whatever fails becomes an answer and a line of log
            _note_failure(error, request_id)
            if answer.status is None:
                await problem(error, request_id=request_id)(scope, receive, answer.send)
        self._done(scope, answer.status or 500, time.perf_counter() - started)

    async def _other(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _admit(self, scope: Scope, headers: Headers) -> None:
        _refuse_unframed(scope, headers)
        if not self._rules.knows(headers.get("host", "")):
            raise RefusedError(421, "the Host header names another server", "the address that the server printed, or --allow-host NAME")
        origin = headers.get("origin")
        if origin is not None and _place(origin) != headers["host"].lower():
            raise RefusedError(
                403, "the request comes from another site's page", "ask from outside a browser, or from a page of this server"
            )
        if any(scope["path"] == path or (path.endswith("/") and scope["path"].startswith(path)) for path in OPEN):
            return
        token = await asyncio.to_thread(self._tokens.find, _written(scope, headers))
        if token is None and is_page(scope["path"]) and "text/html" in headers.get("accept", ""):
            # a person with a browser is asked to sign in, by the page itself
            return
        if token is None:
            raise RefusedError(
                401,
                "no token, or one that is unknown, expired or revoked",
                "Authorization: Bearer TOKEN; `cued token create --scope write` makes one",
                headers={"WWW-Authenticate": 'Bearer realm="cued"'},
            )
        scope["cued.caller"] = Caller(token, _tenant(token, scope["path"], headers))
        self._refuse_beyond_rate(token)

    def _refuse_beyond_rate(self, token: AccessToken) -> None:
        wait_s = self._rates.take(token.id, at_us=time.monotonic_ns() // 1000)
        if wait_s:
            raise RefusedError(
                429,
                f"more than {self._rules.rate:g} requests a second with one token",
                "wait as long as Retry-After says",
                headers={"Retry-After": str(max(1, round(wait_s)))},
            )

    def _done(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("cued.route", "other")
        self._metrics.answered(route, status, seconds)
        if log.isEnabledFor(logging.INFO):
            caller: Caller | None = scope.get("cued.caller")
            line = {
                "at": time.time(),
                "request_id": scope["cued.request_id"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "token": None if caller is None else caller.token.id,
                "process": os.getpid(),
            }
            log.info("%s", msgspec.json.encode(line).decode())


class _Answer:
    """The way back: it notes the status, and adds the headers that every answer has."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._request_id
            headers["X-Content-Type-Options"] = "nosniff"
            headers.setdefault("Cache-Control", "no-store")
        for piece in _pieces(message):
            await self._send(piece)


def _pieces(message: Message) -> Iterator[Message]:
    """The message, a large body in several pieces: between two of them a slow client is waited for."""
    body = message.get("body", b"")
    if len(body) <= _PIECE:
        yield message
        return
    for start in range(0, len(body), _PIECE):
        end = start + _PIECE
        yield {**message, "body": body[start:end], "more_body": end < len(body) or message.get("more_body", False)}


def _refuse_unframed(scope: Scope, headers: Headers) -> None:
    """Refuse a request that says in two ways where it ends: a proxy may read it otherwise, and let a second request through."""
    if "transfer-encoding" in headers and ("content-length" in headers or scope["http_version"] != "1.1"):
        raise RefusedError(
            400,
            "Transfer-Encoding stands beside Content-Length, or in a request that is not HTTP/1.1",
            "say in one way where the body ends",
            headers={"Connection": "close"},
        )


def is_page(path: str) -> bool:
    """Whether a path is one of the inspector's, for people, and not one of the interface for programs."""
    return path == "/" or path.startswith(PAGES)


def cookie_name(headers: Headers, what: str) -> str:
    """The name of a cookie of this server; it has the port in it, because browsers share cookies between the ports of a machine."""
    try:
        port = urlsplit(f"//{headers.get('host', '')}").port
    except ValueError:
        port = None
    return f"cued_{what}_{port or 0}"


def _written(scope: Scope, headers: Headers) -> str:
    """The token that came along: in a header, in the link of the front page, or in the cookie of a page."""
    scheme, _, written = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return written.strip()
    if scope["path"] == "/" and scope["method"] == "GET":
        query: str = scope["query_string"].decode("latin-1")
        if linked := parse_qs(query).get("token"):
            return linked[0]
    return _cookie(headers, "token") if is_page(scope["path"]) else ""


def _cookie(headers: Headers, what: str) -> str:
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers, what), "")


def _tenant(token: AccessToken, path: str, headers: Headers) -> str:
    """The token's tenant; an admin's token may name another, percent-encoded, and an admin's browser in a cookie."""
    named = headers.get("cued-tenant")
    if named is None and is_page(path) and token.allows("admin"):
        named = _cookie(headers, "tenant") or None
    if named is None:
        return token.tenant
    if not re.fullmatch(TENANT, named):
        raise InputError("Cued-Tenant", named, "a tenant's name, percent-encoded")
    try:
        tenant = unquote(named, errors="strict")
    except UnicodeDecodeError as error:
        raise InputError("Cued-Tenant", named, "a tenant's name, its UTF-8 percent-encoded") from error
    if tenant == token.tenant:
        return token.tenant
    if not token.allows("admin"):
        raise RefusedError(403, "the token is for another tenant than Cued-Tenant names", "leave the header out, or a token of scope admin")
    return label("tenant", tenant)


def _place(origin: str) -> str:
    """The host and port of an Origin header, "" for one that is no address."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _host(header: str) -> str:
    """The name or the address in a Host header, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _note_failure(error: Exception, request_id: str) -> None:
    """Log a line for the operator on what is not the caller's fault: only frames and types, for a message may quote a memory."""
    if isinstance(error, RefusedError | HTTPException | CuedError) and not isinstance(error, StoreError | EmbedderError):
        return
    told: dict[str, Any] = {"request_id": request_id, "failed": type(error).__name__}
    if isinstance(error, CuedError):
        told["message"] = str(error)
    else:
        told["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    log.error("%s", msgspec.json.encode(told).decode())
