"""The tools of agents at `/mcp`, behind the server's own gate: the token says whose memories, and whether it may write.

Above: `cued serve` mounts it where the packages of MCP are installed. Below: `surfaces.mcp`, which is the same over stdio.
What a model stores is trusted as an agent's word at most, and less where the token says so. The scope stands in the address,
`/mcp?scope=atlas`, which is written once when a client is set up: it is never an argument that a model could give.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Receive, Scope, Send

from cued.errors import BusyError
from cued.handles.memories import Memories
from cued.model import GLOBAL, lower_of
from cued.requests.checks import label
from cued.surfaces.http.app import Mounted
from cued.surfaces.http.problems import RefusedError

if TYPE_CHECKING:
    from cued.surfaces.mcp.server import ToolCaller

PATH = "/mcp"


def agents(memories: Memories) -> tuple[Mounted, ...]:
    """The endpoint, behind the server's gate; an empty sequence where MCP is not installed."""
    if find_spec("mcp") is None:
        return ()
    from cued.surfaces.mcp.server import ToolCaller, http_endpoint, serve  # noqa: PLC0415 - its packages are an extra, and slow to load

    def caller_of(context: Any) -> "ToolCaller":  # noqa: ANN401 - the SDK's context
        asked = context.request.scope["cued.caller"]
        scope = label("scope", context.request.query_params.get("scope", GLOBAL))
        tenant = memories.tenant(asked.tenant, trust=lower_of(asked.token.trust, "agent"))
        run = partial(_in_turn, context.request.scope["cued.run"], asked.tenant)
        return ToolCaller(tenant=tenant, scope=scope, may_write=asked.token.allows("write"), run=run)

    end = http_endpoint(serve(caller_of))
    return (Mounted(path=PATH, app=_posted(end.app), lifespan=end.running),)


def _posted(app: ASGIApp) -> ASGIApp:
    """The endpoint without the stream that a GET asks for: every answer comes with its POST, so the stream would stay open and empty."""

    async def posted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            raise RefusedError(405, "no stream is offered here", "POST each message; its answer has all", headers={"Allow": "POST"})
        await app(scope, receive, send)

    return posted


async def _in_turn(run: Callable[..., Awaitable[Any]], tenant: str, function: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the function gives
    """The function's result, when it is the tenant's turn; a turn that does not come in time is an error that the model is told."""
    try:
        return await run(tenant, function)
    except RefusedError as error:
        raise BusyError(str(error)) from error
