"""LlamaIndex: a memory block that takes in what falls out of the short-term memory, and gives back what the last words bring to mind."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field

from cued.handles.tenant import Tenant
from cued.integrations.documents import sayable
from cued.integrations.memory_tools import MemoryTools
from cued.model import GLOBAL
from cued.text.token_counts import estimate_tokens

_NO_SESSION = "llama-index"


class CuedMemoryBlock(BaseMemoryBlock[str]):
    """Memories of one tenant as a block of LlamaIndex's `Memory`."""

    name: str = "recalled"
    tenant: Any = Field(exclude=True)
    scope: str = GLOBAL
    limit: int | None = None
    budget_tokens: int | None = 1000

    def __init__(self, tenant: Tenant, **options: Any) -> None:  # noqa: ANN401 - the fields of the block
        """Keep what is put here in this tenant's memories."""
        super().__init__(tenant=tenant, **options)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:  # noqa: ANN401 - LlamaIndex's own
        """The block for the last words of the user; "" where nothing is relevant."""
        query = _last_words(messages or ())
        tools = MemoryTools(tenant=self.tenant, scope=self.scope, limit=self.limit, budget_tokens=self.budget_tokens)
        return await asyncio.to_thread(tools.block, query)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Remember messages as turns of their session."""
        sessions: dict[str, list[dict[str, Any]]] = {}
        for message in messages:
            if message.role in {MessageRole.USER, MessageRole.ASSISTANT} and message.content:
                session = str(message.additional_kwargs.get("session_id") or _NO_SESSION)
                sessions.setdefault(session, []).append({"role": message.role.value, "content": sayable(message.content)})
        for session, turns in sessions.items():
            await asyncio.to_thread(self.tenant.remember_turns, turns, session=session, scope=self.scope)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The block without the last of what was recalled, about so many tokens shorter; None where no memory is left in it."""
        head, *entries, tail = content.rstrip("\n").split("\n")
        freed = 0
        while entries and freed < tokens_to_truncate:
            freed += estimate_tokens(entries.pop())
        return "\n".join([head, *entries, tail, ""]) if entries else None


def _last_words(messages: Sequence[ChatMessage]) -> str:
    said = (message.content for message in reversed(messages) if message.role == MessageRole.USER and message.content)
    return next(said, "")
