"""Extraction for those who want it: turns become facts by somebody's extractor, and are kept as they are where it fails.

Nothing does this by default. `ChatExtractor` asks any OpenAI-compatible chat endpoint; an extractor of your own has one method.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.handles.keeping import Remembered
from cued.handles.tenant import Tenant
from cued.integrations.extracting.chat_extractor import ChatExtractor
from cued.model import GLOBAL
from cued.others import answer_or_note, answered
from cued.ports import Extractor
from cued.requests.checks import checked_text
from cued.requests.draft import Draft, read_draft
from cued.requests.turns import drafts_of

__all__ = ["DEADLINE", "ChatExtractor", "Extracted", "extracted", "remember_extracted"]

DEADLINE = timedelta(seconds=30)
MOST = 200
"""How many memories one extraction may give."""


class Extracted(Struct, frozen=True, kw_only=True):
    """What is to be remembered of turns, whether an extractor told it, and a note that says why if it did not."""

    drafts: tuple[Draft, ...]
    inferred: bool = False
    note: str = ""


def extracted(  # noqa: PLR0913 - turns, whose they are, and how long it may take
    extractor: Extractor | None,
    turns: Iterable[Mapping[str, Any]],
    *,
    session: str | None = None,
    scope: str = GLOBAL,
    at: datetime | str | None = None,
    deadline: timedelta = DEADLINE,
) -> Extracted:
    """The extractor's memories, or the turns themselves: without an extractor, after the deadline, and when it gives nothing usable."""
    said = list(turns)
    plain = tuple(_plain(said, session=session, scope=scope, at=at))
    if extractor is None or not plain:
        return Extracted(drafts=plain)
    told, note = answer_or_note("extractor", lambda: _read(answered(extractor.extract(said))), deadline)
    if told is None:
        return Extracted(drafts=plain, note=f"{note}; the turns were kept as they are")
    usual = plain[0]
    placed = (replace(draft, session=draft.session or session, scope=scope, at=draft.at or usual.at) for draft in told)
    return Extracted(drafts=tuple(placed), inferred=True)


def remember_extracted(  # noqa: PLR0913 - likewise
    tenant: Tenant,
    turns: Iterable[Mapping[str, Any]],
    *,
    extractor: Extractor,
    session: str,
    scope: str = GLOBAL,
    deadline: timedelta = DEADLINE,
) -> Remembered:
    """What was stored of the turns: the extractor's memories, or the turns and a note in `degraded`."""
    found = extracted(extractor, turns, session=session, scope=scope, deadline=deadline)
    stored = tenant.remember_many(found.drafts)
    return replace(stored, degraded=(*stored.degraded, found.note)) if found.note else stored


def _plain(turns: Sequence[Mapping[str, Any]], *, session: str | None, scope: str, at: datetime | str | None) -> Iterable[Draft]:
    """The turns as memories; without a session they are single ones."""
    for draft in drafts_of(turns, session=session or "-", scope=scope, at=at, first=1):
        yield draft if session is not None else replace(draft, session=None, turn=None)


def _read(told: Sequence[str | Mapping[str, Any]]) -> list[Draft]:
    """The extractor's memories, checked; they come from an agent, whatever it says of them, and never claim an id or a pin."""
    if isinstance(told, str | Mapping):
        raise InputError("memories", told, "a list of them, even of one")
    drafts = [read_draft(value) for value in told][:MOST]
    for draft in drafts:
        checked_text("text", draft.text)
    return [replace(draft, id=None, tier=None, trust="agent", supersedes=()) for draft in drafts]
