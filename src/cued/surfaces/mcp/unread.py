"""The answer to a line that is not a message: its sender waits for one, and the SDK gives none."""

import json
import re
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from cued.surfaces.mcp.pending import Pending

_LOOKED_AT = 300
_ID = r'"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*'
# A line that is nested too deeply to be read still tells its id where clients write it: right at its start, or right at its end.
_AT_START, _AT_END = re.compile(r"\s*\{\s*" + _ID + ","), re.compile(r",\s*" + _ID + r"\}\s*\Z")


async def passed_on(incoming: Any, onward: Any, outgoing: Any, pending: Pending) -> None:  # noqa: ANN401 - the SDK's streams
    """Pass messages on as they come, and answer lines that are none; it ends when the client has its answers, or the server ends."""
    async with incoming, onward:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for each in incoming:
                answer = refused(each) if isinstance(each, ValidationError) else None
                if answer is not None:
                    await outgoing.send(SessionMessage(answer))
                elif not isinstance(each, Exception):
                    pending.note(each.message)
                    await onward.send(each)
            await pending.none_left()


def refused(error: ValidationError) -> types.JSONRPCError | None:
    """The answer to a line that is not JSON; None for other errors, where no answer is waited for."""
    first = error.errors(include_url=False)[0]
    if first["type"] != "json_invalid":
        return None
    message = (
        f"{first['msg']}; accepted: JSON in UTF-8, without lone surrogates and nested less deeply than 200. Correct it and send it again."
    )
    return types.JSONRPCError(jsonrpc="2.0", id=_id_of(str(first["input"])), error=types.ErrorData(code=types.PARSE_ERROR, message=message))


def _id_of(line: str) -> int | str | None:
    """The id of the request that a broken line was meant to be; None where it cannot be told."""
    try:
        whole = json.loads(line)
    except (ValueError, RecursionError):
        at = _AT_START.match(line[:_LOOKED_AT]) or _AT_END.search(line[-_LOOKED_AT:])
        return None if at is None else json.loads(at[1])
    found = whole.get("id") if isinstance(whole, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None
