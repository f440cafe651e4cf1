"""Microsoft's Agent Framework: a context provider that recalls before a run and remembers after it."""

import asyncio
from collections.abc import Iterable
from typing import Any

from agent_framework import ContextProvider, Message

from cued.handles.tenant import Tenant
from cued.integrations.documents import sayable
from cued.integrations.memory_tools import MemoryTools
from cued.model import GLOBAL

_NO_SESSION = "agent-framework"


class CuedContextProvider(ContextProvider):
    """Adds what the new messages bring to mind as a message of its own, and remembers what was said in the run as turns."""

    def __init__(  # noqa: PLR0913 - one keyword a choice
        self,
        tenant: Tenant,
        *,
        source_id: str = "cued",
        scope: str = GLOBAL,
        limit: int | None = None,
        budget_tokens: int | None = 1000,
        remember: bool = True,
    ) -> None:
        """Recall from this tenant and, unless told otherwise, remember for it."""
        super().__init__(source_id)
        self._tools = MemoryTools(tenant=tenant, scope=scope, limit=limit, budget_tokens=budget_tokens)
        self._remember = remember

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:  # noqa: ANN401 - the framework's own
        """Add what the input brings to mind, if anything does."""
        del agent, session, state
        query = "\n".join(message.text for message in context.input_messages if message.role == "user" and message.text)
        block = await asyncio.to_thread(self._tools.block, query)
        if block:
            context.extend_messages(self.source_id, [Message("user", [block])])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:  # noqa: ANN401 - the framework's own
        """Remember what was said."""
        del agent, session, state
        answered = context.response.messages if context.response is not None else ()
        turns = list(_turns([*context.input_messages, *answered]))
        if self._remember and turns:
            name = str(context.session_id or _NO_SESSION)
            await asyncio.to_thread(self._tools.tenant.remember_turns, turns, session=name, scope=self._tools.scope)


def _turns(messages: Iterable[Any]) -> Iterable[dict[str, str]]:
    for message in messages:
        if str(message.role) in {"user", "assistant"} and message.text:
            yield {"role": str(message.role), "content": sayable(message.text)}
