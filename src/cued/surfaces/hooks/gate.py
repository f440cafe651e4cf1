"""What needs no store: which event a project wants, and the gate before the first tool of a session.

It runs before every tool, so it loads nothing of the engine.
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
"""The events, each with the line of a `.cued.toml` that can silence it."""
_GATE = "Call the `recall` tool of cued first, with what the user asked, so that what is already known is used. Then go on as you meant to."


class Heard(Struct, frozen=True, kw_only=True):
    """What Claude Code says of an event, as far as it is of use here."""

    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    prompt: str = ""
    tool_name: str = ""


class EventContext(Struct, frozen=True, kw_only=True):
    """What an event is answered from: what was said, whose memories, in which scope, and what the session has seen so far."""

    heard: Heard
    scope: str
    session: Session


class Said(Struct, frozen=True, kw_only=True):
    """The answer, None for silence, what the session has seen then, and a word for the log."""

    session: Session
    outcome: str
    answer: JSON | None = None


def gate(context: EventContext) -> Said:
    """A word before the first tool of a session in which nothing was recalled yet; once, then never again."""
    own = context.heard.tool_name.startswith("mcp__cued__")
    if own or context.session.recalled:
        return Said(session=context.session.after_recall() if own else context.session, outcome="pass")
    refused = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": _GATE}
    return Said(session=context.session.after_recall(), outcome="asked for a recall", answer={"hookSpecificOutput": refused})
