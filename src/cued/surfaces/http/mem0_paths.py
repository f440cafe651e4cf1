"""mem0's REST interface at `/mem0`, behind the server's own gate: a client of mem0 only needs this address.

The token says which tenant. A `user_id` is a scope of it, so that a token never reaches more than its tenant's memories.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from starlette import routing
from starlette.requests import Request
from starlette.responses import Response

from cued import __version__
from cued.errors import InputError
from cued.handles.memories import Memories
from cued.integrations.mem0 import Memory
from cued.integrations.mem0.homes import ENTITIES
from cued.model.plain import JSON
from cued.surfaces.http.app import Mounted
from cued.surfaces.http.asking import MAX_BODY, read_body
from cued.surfaces.http.problems import RefusedError
from cued.surfaces.verb import Authority

if TYPE_CHECKING:
    from cued.surfaces.http.guard import Caller

PATH = "/mem0"
Answer = Callable[[Memory, Request, JSON], Any]


def mem0(memories: Memories, *, most_bytes: int = MAX_BODY) -> tuple[Mounted, ...]:
    """The endpoint, behind the server's gate, for requests of at most so many bytes."""
    return (Mounted(path=PATH, app=routing.Router(_routes(memories, most_bytes), redirect_slashes=False)),)


def _routes(memories: Memories, most: int) -> list[routing.Route]:
    paths: dict[str, dict[str, tuple[Authority, Answer]]] = {
        "/memories": {"POST": ("write", _add), "GET": ("read", _get_all), "DELETE": ("write", _delete_all)},
        "/memories/{id}": {"GET": ("read", _get), "PUT": ("write", _update), "DELETE": ("write", _delete)},
        "/memories/{id}/history": {"GET": ("read", _history)},
        "/search": {"POST": ("read", _search)},
        "/reset": {"POST": ("admin", _reset)},
        "/configure": {"GET": ("read", _configured), "POST": ("admin", _configure)},
    }
    return [routing.Route(path, _endpoint(memories, methods, most), methods=list(methods)) for path, methods in paths.items()]


def _endpoint(memories: Memories, methods: dict[str, tuple[Authority, Answer]], most: int) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        needed, told = methods["GET" if request.method == "HEAD" else request.method]
        request.scope["cued.route"] = f"mem0{told.__name__}"
        caller: Caller = request.scope["cued.caller"]
        caller.require(needed)
        body = await read_body(request, most) if request.method in {"POST", "PUT"} else dict(request.query_params)
        memory = Memory(memories.tenant(caller.tenant, trust=caller.token.trust))
        answered = await request.scope["cued.run"](caller.tenant, partial(told, memory, request, body))
        return Response(msgspec.json.encode(answered), media_type="application/json")

    return answer


def _add(memory: Memory, _request: Request, body: JSON) -> JSON:
    options = {name: body[name] for name in (*ENTITIES, "metadata", "expiration_date", "memory_type") if body.get(name) is not None}
    # No extractor is served, so messages are kept as they are.
    return memory.add(body.get("messages"), **options, infer=False)  # type: ignore[arg-type]  # it refuses what it does not know


def _get_all(memory: Memory, _request: Request, query: JSON) -> JSON:
    most = str(query.get("top_k") or query.get("limit") or "20")
    if not most.isdecimal():
        raise InputError("top_k", most, "a whole number")
    return memory.get_all(filters=_entities(query), top_k=int(most[:6]), show_expired=query.get("show_expired") in {"true", "1"})


def _get(memory: Memory, request: Request, _query: JSON) -> JSON:
    found = memory.get(request.path_params["id"])
    if found is None:
        raise RefusedError(404, "Memory not found", "an id as add, search and the list of memories tell it")
    return found


def _update(memory: Memory, request: Request, body: JSON) -> JSON:
    _get(memory, request, body)
    known = {name: body[name] for name in ("text", "metadata", "expiration_date", "data") if name in body}
    return memory.update(request.path_params["id"], **known)


def _delete(memory: Memory, request: Request, query: JSON) -> JSON:
    _get(memory, request, query)
    memory.delete(request.path_params["id"])
    return {"message": "Memory deleted successfully"}


def _delete_all(memory: Memory, _request: Request, query: JSON) -> JSON:
    memory.delete_all(**_entities(query))
    return {"message": "All relevant memories deleted"}


def _history(memory: Memory, request: Request, _query: JSON) -> list[JSON]:
    return memory.history(request.path_params["id"])


def _search(memory: Memory, _request: Request, body: JSON) -> JSON:
    options = {name: body[name] for name in ("top_k", "limit", "threshold", "explain") if body.get(name) is not None}
    return memory.search(body.get("query", ""), filters=body.get("filters"), **_entities(body), **options)


def _reset(memory: Memory, _request: Request, _body: JSON) -> JSON:
    memory.reset()
    return {"message": "All memories reset"}


def _configured(_memory: Memory, _request: Request, _query: JSON) -> JSON:
    return {"version": "v1.1", "cued": __version__}


def _configure(_memory: Memory, _request: Request, _body: JSON) -> JSON:
    raise RefusedError(400, "there is nothing to configure here", "the options of `cued serve`, and its policy")


def _entities(given: JSON) -> JSON:
    return {name: given[name] for name in ENTITIES if given.get(name)}
