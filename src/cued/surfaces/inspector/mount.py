"""The inspector's routes: pages, their parts, what their buttons do, downloads, and signing in."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec
from starlette import routing
from starlette.requests import Request
from starlette.responses import Response

from cued import __version__
from cued.errors import CuedError, InputError
from cued.handles.memories import Memories
from cued.model.plain import JSON
from cued.requests.checks import label
from cued.surfaces.http.asking import body_of
from cued.surfaces.http.guard import Caller
from cued.surfaces.http.problems import RefusedError, problem
from cued.surfaces.inspector import doing, file_transfer
from cued.surfaces.inspector.counting import Counts
from cued.surfaces.inspector.held_recalls import Held
from cued.surfaces.inspector.pages import beliefs, health, meaning, memories, provenance, recall, tenants, timeline
from cued.surfaces.inspector.rendering import drawn, static_files, static_mark
from cued.surfaces.inspector.visiting import Visit, find_token, key_of, moved_to, require_key, signed_in, signed_out

Handler = Callable[[Request], Awaitable[Response]]
Run = Callable[..., Awaitable[Any]]
_CROSS_SITE = "cross-site"
_FOR_GOOD = "public, max-age=31536000, immutable"


class InspectorPage(NamedTuple):
    """A page: its template, the function that fills it, its name in the navigation ("" for none), and its keyboard shortcut."""

    template: str
    shows: Callable[[Visit], JSON]
    name: str = ""
    key: str = ""


PAGES: Mapping[str, InspectorPage] = MappingProxyType(
    {
        "/": InspectorPage("recall", recall.page, "Recall", "r"),
        "/inspect/memories": InspectorPage("memories", memories.page, "Memories", "m"),
        "/inspect/beliefs": InspectorPage("beliefs", beliefs.page, "Beliefs", "b"),
        "/inspect/timeline": InspectorPage("timeline", timeline.page, "Timeline", "t"),
        "/inspect/map": InspectorPage("map", meaning.page, "Map", "p"),
        "/inspect/health": InspectorPage("health", health.page, "Health", "h"),
        "/inspect/tenants": InspectorPage("tenants", tenants.page, "Tenants", "a"),
        "/inspect/memory": InspectorPage("memory", provenance.page),
        "/inspect/candidate": InspectorPage("candidate", recall.candidate),
        "/inspect/expected": InspectorPage("expected", recall.expected),
        "/inspect/effect": InspectorPage("effect", memories.effect),
    }
)


def inspector(memories: Memories, run: Run, *, front: Handler) -> list[routing.Route]:
    """The inspector's routes over an open store; `run` runs work in a thread, `front` answers `/` to programs."""
    handlers = _Handlers(memories, run, front)
    return [
        routing.Route("/inspect/static/{path:path}", handlers.file),
        routing.Route("/inspect/sign-in", handlers.sign_in, methods=["GET", "POST"]),
        routing.Route("/inspect/sign-out", handlers.sign_out, methods=["POST"]),
        routing.Route("/inspect/look-at", handlers.look_at, methods=["POST"]),
        routing.Route("/inspect/do", handlers.do, methods=["POST"]),
        *(routing.Route(f"/inspect/{name}", partial(handlers.change, name), methods=["POST"]) for name in _CHANGES),
        routing.Route("/inspect/files/{name}", handlers.download),
        *(routing.Route(path, partial(handlers.show, path), methods=["GET"]) for path in PAGES),
        routing.Route("/inspect/{path:path}", handlers.not_found, methods=["GET"]),
    ]


class _Handlers:
    """The handlers of the routes."""

    def __init__(self, memories: Memories, run: Run, front: Handler) -> None:
        self._memories, self._run, self._front = memories, run, front
        self._held, self._counts = Held(), Counts()

    async def show(self, path: str, request: Request) -> Response:
        """A page, or the part of it that is asked for."""
        page = PAGES[path]
        request.scope["cued.route"] = f"inspect_{page.template}"
        if path == "/" and "text/html" not in request.headers.get("accept", "") and "cued-part" not in request.headers:
            return await self._front(request)
        caller: Caller | None = request.scope.get("cued.caller")
        if caller is None:
            return _sign_in_page(request)
        if path == "/" and (written := request.query_params.get("token")):
            return signed_in(request, written)
        part = request.headers.get("cued-part", "")
        try:
            shown = await self._run(caller.tenant, partial(page.shows, self._visit(request, caller)))
        except (CuedError, RefusedError) as error:
            if part:
                raise
            return self._error_page(error, request, caller)
        return drawn(page.template, {**_frame(path, request, caller, self._memories.clock()), **shown}, part=part)

    async def not_found(self, request: Request) -> Response:
        """The answer where there is no page: a page for a browser, a problem for a program."""
        request.scope["cued.route"] = "inspect_other"
        error = RefusedError(404, "there is no such page", "the bar above has those that there are")
        if "text/html" not in request.headers.get("accept", ""):
            raise error
        caller: Caller | None = request.scope.get("cued.caller")
        if caller is None:
            return _sign_in_page(request)
        return self._error_page(error, request, caller)

    async def do(self, request: Request) -> Response:
        """What a button does, and how to undo it."""
        visit, body = await self._changing(request, "do")
        steps = _read(body, list[doing.VerbCall])
        return _json(await self._run(visit.caller.tenant, partial(doing.done, visit, steps), long=any(each.long for each in steps)))

    async def change(self, name: str, request: Request) -> Response:
        """The outcome of one of the other changes that pages ask for."""
        visit, body = await self._changing(request, name)
        return _json(await self._run(visit.caller.tenant, partial(_CHANGES[name], visit, body), long=name == "import"))

    async def download(self, request: Request) -> Response:
        """A file to download."""
        request.scope["cued.route"] = "inspect_files"
        caller: Caller | None = request.scope.get("cued.caller")
        if caller is None:
            return _sign_in_page(request)
        given = await self._run(caller.tenant, partial(file_transfer.handed_out, self._visit(request, caller), request.path_params["name"]))
        headers = {"Content-Disposition": f'attachment; filename="{given.name}"'}
        return Response(given.body, media_type=given.type, headers=headers)

    async def file(self, request: Request) -> Response:
        """A script or a style sheet; with the current mark in its address a browser may cache it for good."""
        request.scope["cued.route"] = "inspect_static"
        mark, _, name = request.path_params["path"].partition("/")
        found = static_files().get(name)
        if found is None:
            raise RefusedError(404, "no such file", "the pages name those that there are")
        kept = {"Cache-Control": _FOR_GOOD} if mark == static_mark() else {}
        return Response(found.body, media_type=found.type, headers=kept)

    async def sign_in(self, request: Request) -> Response:
        """The page to sign in at, or the front page once a valid token is given."""
        request.scope["cued.route"] = "inspect_sign_in"
        if request.method == "GET":
            return drawn("sign_in", {"again": False, "refused": False})
        form = parse_qs((await body_of(request, 10_000)).decode("utf-8", "replace"))
        written = form.get("token", [""])[0].strip()
        found = await self._run(" ", partial(find_token, self._memories, written))
        if found is None:
            return drawn("sign_in", {"again": False, "refused": True}, status=401)
        return signed_in(request, found)

    async def sign_out(self, request: Request) -> Response:
        """The front page, without the cookies."""
        return signed_out(request)

    async def look_at(self, request: Request) -> Response:
        """The front page of another tenant, for whoever looks after the store."""
        caller: Caller | None = request.scope.get("cued.caller")
        form = parse_qs((await body_of(request, 10_000)).decode("utf-8", "replace"))
        if caller is None or form.get("key") != [key_of(request)]:
            raise RefusedError(403, "the page's key is missing or old", "load the page again")
        caller.require("admin")
        return moved_to(request, label("tenant", form.get("tenant", [caller.token.tenant])[0]))

    def _visit(self, request: Request, caller: Caller) -> Visit:
        return Visit(
            memories=self._memories,
            caller=caller,
            query=request.query_params,
            held=self._held,
            counts=self._counts,
            part=request.headers.get("cued-part", ""),
        )

    def _error_page(self, error: CuedError | RefusedError, request: Request, caller: Caller) -> Response:
        told = msgspec.json.decode(bytes(problem(error, request_id=request.scope["cued.request_id"]).body))
        return drawn("sorry", {**_frame("", request, caller, self._memories.clock()), "problem": told}, status=told["status"])

    async def _changing(self, request: Request, name: str) -> tuple[Visit, bytes]:
        request.scope["cued.route"] = f"inspect_{name}"
        caller: Caller | None = request.scope.get("cued.caller")
        if caller is None:
            raise RefusedError(401, "nobody is signed in", "load the page again")
        require_key(request)
        self._counts.changed(caller.tenant)
        return self._visit(request, caller), await body_of(request)


def _sign_in_page(request: Request) -> Response:
    """The page to sign in at.

    After a link from another site this page loads itself once more, because the browser holds the cookie back the first time.
    """
    again = request.headers.get("sec-fetch-site") == _CROSS_SITE
    return drawn("sign_in", {"again": again, "refused": False}, status=200 if again else 401)


def _frame(path: str, request: Request, caller: Caller, now: datetime) -> JSON:
    """What every page has around its content."""
    named = {each: page for each, page in PAGES.items() if page.name}
    return {
        "nav": [{"path": each, "name": page.name, "key": page.key, "here": each == path} for each, page in named.items()],
        "title": PAGES[path].name or "Memory" if path else "Not there",
        "now": now,
        "tenant": caller.tenant,
        "rights": caller.token.scope,
        "may_write": caller.token.allows("write"),
        "key": key_of(request),
        "version": __version__,
    }


def _read(body: bytes, kind: type[Any]) -> Any:  # noqa: ANN401 - of the kind that is asked for
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("request", body[:80].decode("utf-8", "replace"), f"what a page of the inspector sends ({error})") from error


def _json(answer: JSON) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")


_CHANGES: Mapping[str, Callable[[Visit, bytes], JSON]] = MappingProxyType(
    {
        "keep": lambda visit, _: recall.keep(visit),
        "policy": lambda visit, _: recall.save(visit),
        "import": file_transfer.taken_in,
        "tokens": lambda visit, body: tenants.change_tokens(visit, _read(body, dict[str, str | None])),
    }
)
"""What a page may change beside what its buttons do."""
