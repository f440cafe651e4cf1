"""What needs no store: which events a project wants, and the gate before the first tool of a session.

It runs before every tool, so no engine is imported for it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from cued.model.plain import JSON
from cued.surfaces.hooks.session import Session

GATE: Final = "pre-tool-use"
WANTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "session-start": "session_start",
        "user-prompt": "user_prompt",
        GATE: "recall_first",
        "pre-compact": "store_turns",
        "stop": "store_turns",
    }
)
"""The events, each with the key in `.cued.toml` that can turn it off."""
_GATE = "Call the `recall` tool of cued first, with what the user asked, so that what is already known is used. Then go on as you meant to."


class HookEvent(Struct, frozen=True, kw_only=True):
    """The fields of Claude Code's event that are used here."""

    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    prompt: str = ""
    tool_name: str = ""


class EventContext(Struct, frozen=True, kw_only=True):
    """What an event is answered from: its fields, the scope, and what the session has seen so far."""

    event: HookEvent
    scope: str
    session: Session


class HookAnswer(Struct, frozen=True, kw_only=True):
    """The answer (None for silence), the session after it, and a few words for the log."""

    session: Session
    outcome: str
    answer: JSON | None = None


def gate(context: EventContext) -> HookAnswer:
    """A refusal of the first tool of a session in which nothing was recalled yet; it happens once a session."""
    own = context.event.tool_name.startswith("mcp__cued__")
    if own or context.session.recalled:
        return HookAnswer(session=context.session.after_recall() if own else context.session, outcome="pass")
    refused = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": _GATE}
    return HookAnswer(session=context.session.after_recall(), outcome="asked for a recall", answer={"hookSpecificOutput": refused})
