"""Pydantic AI: a toolset to recall and remember, and a history processor that puts what is recalled before the user's words."""

import asyncio
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.toolsets import FunctionToolset

from cued.handles.tenant import Tenant
from cued.integrations.memory_tools import RECALL, REMEMBER, MemoryTools
from cued.model import GLOBAL

BLOCK = "cued.block"
"""The key in a message's metadata, which no model sees, for the block that was put before the user's words."""


def memory_toolset(tenant: Tenant, *, scope: str = GLOBAL, limit: int | None = None, remember: bool = True) -> FunctionToolset[Any]:
    """The tools `recall_memories` and, unless told otherwise, `remember_memory`, bound to this tenant."""
    tools = MemoryTools(tenant=tenant, scope=scope, limit=limit)

    async def recall_memories(query: str) -> str:
        return await asyncio.to_thread(tools.recall_memories, query)

    async def remember_memory(text: str) -> str:
        return await asyncio.to_thread(tools.remember_memory, text)

    toolset: FunctionToolset[Any] = FunctionToolset()
    toolset.add_function(recall_memories, description=RECALL)
    if remember:
        toolset.add_function(remember_memory, description=REMEMBER)
    return toolset


class RecalledHistory:
    """A history processor: before each model request, what the user's last words bring to mind stands right before them.

    The block of an earlier request is removed, even one of another process, so that blocks do not pile up in the history.
    """

    def __init__(self, tenant: Tenant, *, scope: str = GLOBAL, limit: int | None = None, budget_tokens: int | None = None) -> None:
        """Recall from this tenant."""
        self._tools = MemoryTools(tenant=tenant, scope=scope, limit=limit, budget_tokens=budget_tokens)

    async def __call__(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages with one block, before the last words of the user; as they were where nothing is relevant."""
        plain = [_without(message) for message in messages]
        at = next((at for at in reversed(range(len(plain))) if _words(plain[at])), None)
        if at is None:
            return plain
        block = await asyncio.to_thread(self._tools.block, _words(plain[at]))
        request = plain[at]
        if not block or not isinstance(request, ModelRequest):
            return plain
        first = next(place for place, part in enumerate(request.parts) if isinstance(part, UserPromptPart))
        parts = [*request.parts[:first], UserPromptPart(content=block), *request.parts[first:]]
        given = replace(request, parts=parts, metadata={**(request.metadata or {}), BLOCK: block})
        return [*plain[:at], given, *plain[at + 1 :]]


def _without(message: ModelMessage) -> ModelMessage:
    """The message without the block that it was given."""
    if not isinstance(message, ModelRequest) or not message.metadata or BLOCK not in message.metadata:
        return message
    rest = dict(message.metadata)
    block = rest.pop(BLOCK)
    parts = [part for part in message.parts if not (isinstance(part, UserPromptPart) and part.content == block)]
    return replace(message, parts=parts, metadata=rest or None)


def _words(message: ModelMessage) -> str:
    """What the user says in a message; "" where it is not the user who speaks."""
    if not isinstance(message, ModelRequest):
        return ""
    said: list[str] = []
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            content = [part.content] if isinstance(part.content, str) else part.content
            said += [piece for piece in content if isinstance(piece, str)]
    return "\n".join(said).strip()
