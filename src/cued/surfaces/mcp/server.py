"""The server: it answers the protocol's requests for tools, resources and prompts, for any caller.

It uses the SDK's request handlers and not its decorators, because our schemas come from the table of verbs.
"""

import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
import mcp_types as types
import msgspec
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from msgspec import Struct
from starlette.applications import Starlette

from cued import __version__
from cued.errors import CuedError
from cued.handles.tenant import Tenant
from cued.surfaces.mcp import prompts, resources
from cued.surfaces.mcp.answers import ToolAnswer, answered
from cued.surfaces.mcp.arguments import BUDGET_TOKENS, body, input_schema
from cued.surfaces.mcp.pending import Pending
from cued.surfaces.mcp.refusals import NOT_ALLOWED, refusal
from cued.surfaces.mcp.search_and_fetch import PAIR, pair_answered
from cued.surfaces.mcp.tools import BY_NAME, TOOLS, Tool
from cued.surfaces.mcp.unread import passed_on
from cued.surfaces.verbs import VERBS, call, schema_of

Context = ServerRequestContext[Any]
_NEVER_CHANGING: Final = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
"""The requests that a server answers in the same way for as long as it runs."""


class ToolCaller(Struct, frozen=True, kw_only=True):
    """Who calls: the tenant and the scope come from the connection, never from an argument; `run` runs work on the store in a thread."""

    tenant: Tenant
    scope: str
    may_write: bool = True
    run: Callable[[Callable[[], Any]], Awaitable[Any]] = anyio.to_thread.run_sync


ToolCallerOf = Callable[[Context], ToolCaller]


class HttpEndpoint(NamedTuple):
    """The HTTP endpoint: an application to mount, and a context that its host must keep open while it serves."""

    app: Starlette
    running: Callable[[], AbstractAsyncContextManager[None]]


def serve(caller_of: ToolCallerOf, *, search_and_fetch: bool = False) -> Server[Any]:
    """The server; `caller_of` tells who calls, and `search_and_fetch` adds the two tools that some clients ask for."""
    handlers = _Handlers(caller_of, search_and_fetch=search_and_fetch)
    return Server(
        "cued",
        version=__version__,
        title="Cued",
        description="Long-term memory: the right memory at the right moment, or nothing at all.",
        instructions=prompts.instructions(),
        cache_hints=dict.fromkeys(_NEVER_CHANGING, CacheHint(ttl_ms=300_000, scope="public")),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def run_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until it leaves, with or without its answers; old and new versions of the protocol work."""

    async def served() -> None:
        async with stdio_server() as (incoming, outgoing):
            onward, passed = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            answering, answers = anyio.create_memory_object_stream[SessionMessage](0)
            pending = Pending()
            async with passed, anyio.create_task_group() as tasks:
                tasks.start_soon(passed_on, incoming, onward, outgoing, pending)
                tasks.start_soon(pending.passed_on, answers, outgoing)
                async with answering:
                    await server.run(passed, answering, server.create_initialization_options())

    heard = sys.unraisablehook
    # for the rest of the process: a buffer is flushed once more when it is collected
    sys.unraisablehook = lambda told: None if isinstance(told.exc_value, BrokenPipeError) else heard(told)
    try:
        anyio.run(served)
    except* BrokenPipeError:
        pass  # the client did not wait for its answer


def http_endpoint(server: Server[Any]) -> HttpEndpoint:
    """The streamable HTTP endpoint, which answers at the path where it is mounted.

    The app that mounts it has authenticated the caller and checked hosts and origins before, and keeps `running` open while it serves.
    """
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(streamable_http_path="/", json_response=True, stateless_http=True, transport_security=security)
    return HttpEndpoint(app, server.session_manager.run)


class _Handlers:
    """The protocol's requests; whatever touches the store runs in a worker thread."""

    def __init__(self, caller_of: ToolCallerOf, *, search_and_fetch: bool) -> None:
        self._caller_of = caller_of
        self._tools = [*map(_shown, TOOLS), *(map(_shown_of_pair, PAIR) if search_and_fetch else ())]

    def _caller(self, context: Context) -> ToolCaller:
        try:
            return self._caller_of(context)
        except CuedError as error:
            raise MCPError(types.INVALID_PARAMS, refusal(error)) from error

    async def list_tools(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        known = [tool.name for tool in self._tools]
        if params.name not in known:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool {params.name[:60]!r}; known: {', '.join(known)}")
        caller = self._caller(context)
        if params.name in BY_NAME and VERBS[params.name].authority != "read" and not caller.may_write:
            return _refused(NOT_ALLOWED)
        try:
            answer = await caller.run(partial(_called, params.name, params.arguments or {}, caller))
        except (CuedError, OSError) as error:
            return _refused(refusal(error))
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=msgspec.to_builtins(answer.data))

    async def list_resources(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=each.name, title=each.title, description=each.about, mime_type=each.mime_type)
                for uri, each in resources.RESOURCES.items()
            ]
        )

    async def list_templates(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        about = "Everything about one memory, its text in full."
        template = types.ResourceTemplate(
            uri_template=resources.TEMPLATE, name="memory", title="A memory", description=about, mime_type="application/json"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller, uri = self._caller(context), str(params.uri)
        try:
            mime_type, text = await caller.run(partial(resources.read, uri, tenant=caller.tenant, scope=caller.scope))
        except (CuedError, OSError) as error:
            raise MCPError(types.INVALID_PARAMS, refusal(error), {"uri": uri}) from error
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)])

    async def list_prompts(self, _context: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=name,
                    title=each.title,
                    description=each.about,
                    arguments=[types.PromptArgument(name=each.argument, description=each.argument_about, required=False)],
                )
                for name, each in prompts.prompts().items()
            ]
        )

    async def get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        try:
            text = prompts.written(params.name, params.arguments or {})
        except CuedError as error:
            raise MCPError(types.INVALID_PARAMS, refusal(error)) from error
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompts.prompts()[params.name].about, messages=[message])


def _called(name: str, said: Mapping[str, Any], caller: ToolCaller) -> ToolAnswer:
    if name in PAIR:
        return pair_answered(name, said, tenant=caller.tenant, scope=caller.scope)
    tool = BY_NAME[name]
    asked = body(tool, said, tenant=caller.tenant, scope=caller.scope)
    budget = asked.get("budget_tokens", BUDGET_TOKENS)
    return answered(tool.verb, call(tool.verb, caller.tenant, asked), budget=budget)


def _refused(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _shown(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=VERBS[tool.verb].authority == "read",
        destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats_safely,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.verb,
        title=tool.title,
        description=tool.about,
        annotations=hints,
        input_schema=input_schema(tool),
        output_schema=schema_of(tool.answer),
    )


def _shown_of_pair(name: str) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    tool = PAIR[name]
    takes, gives = schema_of(tool.takes), schema_of(tool.gives)
    return types.Tool(name=name, title=tool.title, description=tool.about, annotations=hints, input_schema=takes, output_schema=gives)
