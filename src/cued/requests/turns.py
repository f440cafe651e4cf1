"""Turns of a conversation, as chat interfaces give them: who spoke and what was said."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from cued.errors import InputError
from cued.model import GLOBAL, Trust
from cued.requests.checks import label, moment
from cued.requests.draft import Draft


class TurnsRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to remember turns of a conversation, each as an episode of its session."""

    turns: Annotated[tuple[dict[str, Any], ...], Meta(description="The turns: role and content, and `at` where it is known.")]
    session: Annotated[str, Meta(description="The conversation that they belong to.")]
    scope: Annotated[str, Meta(description="The project that it belongs to.")] = GLOBAL
    at: Annotated[datetime | None, Meta(description="When it was said, where a turn does not say so itself. Without it: now.")] = None
    first: Annotated[int | None, Meta(description="The number of the first turn; without it, after the stored ones.")] = None


def drafts_of(turns: Iterable[Mapping[str, Any]], *, session: str, scope: str, at: datetime | str | None, first: int) -> Iterator[Draft]:
    """A draft of each turn that says something, numbered by its place; a turn without words keeps its number and makes none."""
    if isinstance(turns, str | Mapping) or not isinstance(turns, Iterable):
        raise InputError("turns", turns, _ACCEPTED)
    for number, turn in enumerate(turns, first):
        text = _words(turn)
        if text:
            role = label("role", turn["role"])
            said_at = moment("at", turn.get("at", at))
            place: dict[str, Any] = {"session": session, "turn": number, "speaker": role, "scope": scope}
            yield Draft(text=text, kind="episodic", trust=_TRUST.get(role, "user"), at=said_at, **place)


def _words(turn: Mapping[str, Any]) -> str:
    """What a turn says: its content, or the texts among the content's parts."""
    if not isinstance(turn, Mapping) or "role" not in turn or "content" not in turn:
        raise InputError("turns", turn, _ACCEPTED)
    content = turn["content"]
    if isinstance(content, str) or content is None:
        return (content or "").strip()
    if not isinstance(content, list | tuple):
        raise InputError("turns", turn, _ACCEPTED)
    parts = (part if isinstance(part, str) else part.get("text") if isinstance(part, Mapping) else None for part in content)
    return "\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


_TRUST: dict[str, Trust] = {"user": "user", "assistant": "agent", "model": "agent", "tool": "tool", "function": "tool"}
_ACCEPTED = 'a list of turns, each {"role": "user", "content": "…"}; a content may also be a list of parts with texts in them'
