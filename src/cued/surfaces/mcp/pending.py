"""Requests without an answer yet: a client that closes its end still gets the answers that it waits for.

The SDK drops running requests when its input ends, so a client that writes all its lines and closes its end would get nothing.
"""

from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types

PATIENCE_SECONDS = 5.0
"""How long answers are still sent after a client has closed its end."""


class Pending:
    """The ids of requests that were asked and not answered yet."""

    def __init__(self) -> None:
        """Start without any request."""
        self._ids: set[int | str] = set()
        self._changed = anyio.Event()

    def note(self, message: types.JSONRPCMessage) -> None:
        """Note a request; one that its client cancels waits no longer."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._answered((message.params or {}).get("requestId"))

    async def passed_on(self, answers: Any, outgoing: Any) -> None:  # noqa: ANN401 - the SDK's streams
        """Send answers on as they come; it ends with the server, and closes both streams."""
        async with answers, outgoing:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                async for each in answers:
                    await outgoing.send(each)
                    if isinstance(each.message, types.JSONRPCResponse | types.JSONRPCError):
                        self._answered(each.message.id)

    async def none_left(self) -> None:
        """Wait until every request is answered, at most PATIENCE_SECONDS."""
        with anyio.move_on_after(PATIENCE_SECONDS):
            while self._ids:
                self._changed = anyio.Event()
                await self._changed.wait()

    def _answered(self, request_id: Any) -> None:  # noqa: ANN401 - whatever a client writes
        with suppress(TypeError):
            self._ids.discard(request_id)
        self._changed.set()
