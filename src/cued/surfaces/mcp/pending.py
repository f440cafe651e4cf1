"""Requests that have no answer yet: a client that closes its end still gets the answers that it waits for.

The SDK drops what is under way when its client's lines end, and a client that writes them all and closes its end would hear nothing.
"""

from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types

PATIENCE_SECONDS = 5.0
"""How long a client that has closed its end is answered for."""


class Pending:
    """The ids of requests that were asked and not answered yet."""

    def __init__(self) -> None:
        """Nothing waits yet."""
        self._ids: set[int | str] = set()
        self._changed = anyio.Event()

    def note(self, message: types.JSONRPCMessage) -> None:
        """Note a request; one that its client takes back waits no longer."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._answered((message.params or {}).get("requestId"))

    async def passed_on(self, answers: Any, outgoing: Any) -> None:  # noqa: ANN401 - the SDK's streams
        """Hand answers outward as they come; ends with the server, and closes both ends."""
        async with answers, outgoing:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                async for each in answers:
                    await outgoing.send(each)
                    if isinstance(each.message, types.JSONRPCResponse | types.JSONRPCError):
                        self._answered(each.message.id)

    async def none_left(self) -> None:
        """Come back when every request is answered, or patience is at its end."""
        with anyio.move_on_after(PATIENCE_SECONDS):
            while self._ids:
                self._changed = anyio.Event()
                await self._changed.wait()

    def _answered(self, request_id: Any) -> None:  # noqa: ANN401 - whatever a client writes
        with suppress(TypeError):
            self._ids.discard(request_id)
        self._changed.set()
