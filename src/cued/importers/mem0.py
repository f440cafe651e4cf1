"""mem0's rows: what get_all, /memories and /search give, as a JSON array, an object with `results`, or JSON lines."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct

from cued.errors import InputError
from cued.importers.drafting import drafted, meta, session, short, shorts, source_id, when
from cued.importers.files import MAX_BYTES, Member, decoded, members, rows
from cued.importers.intake import Skipped
from cued.requests.draft import Draft

WHAT = "mem0's memories: the JSON that get_all or a search gives, or one row a line"
WANTED = re.compile(r".*\.jsonl?")

_SHOWN = 5
_LONGEST = timedelta(days=365 * 100)


class _Listing(Struct):
    results: list[Raw] | None = None
    memories: list[Raw] | None = None
    relations: list[Raw] | None = None


class _Row(Struct):
    memory: str | None = None
    text: str | None = None
    data: str | None = None
    id: str | int | None = None
    metadata: dict[str, Any] | None = None
    categories: list[Any] | None = None
    created_at: Any = None
    expiration_date: Any = None
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    actor_id: str | None = None
    role: str | None = None


def read(path: Path, *, max_bytes: int = MAX_BYTES, user: str | None = None) -> Iterator[Draft | Skipped]:
    """A draft for each row, or for those of one user; rows of several users are no one tenant's, and are refused."""
    found = [decoded(raw, _Row) for member in members(path, WANTED, max_bytes=max_bytes) for raw in _rows(member)]
    users = dict.fromkeys(row.user_id for row in found if row is not None and row.user_id)
    if user is None and len(users) > 1:
        shown = ", ".join(map(repr, list(users)[:_SHOWN])) + (", …" if len(users) > _SHOWN else "")
        raise InputError("user", None, f"one of the {len(users)} users whose rows these are, each for a tenant of its own: {shown}")
    if user is not None and user not in users:
        raise InputError("user", user, f"a user who has rows here: {', '.join(map(repr, list(users)[:_SHOWN]))}")
    for row in found:
        if row is None:
            yield Skipped("malformed row")
        elif user is not None and row.user_id != user:
            yield Skipped("row of another user")
        else:
            yield _draft(row)


def _rows(member: Member) -> Iterator[Raw]:
    found = rows(member)
    for raw in found:
        listing = decoded(raw, _Listing) or _Listing()
        inner = listing.results if listing.results is not None else listing.memories
        yield from [raw] if inner is None else inner
    if not found:
        raise InputError("file", member.name, f"at least one row; accepted is {WHAT}")


def _draft(row: _Row) -> Draft | Skipped:
    text = row.memory or row.text or row.data or ""
    at, ends = when(row.created_at), when(row.expiration_date)
    if ends is not None and at is not None and ends <= at:
        return Skipped("row that had expired when it was written")
    owner = (row.user_id or "", row.agent_id or "", row.run_id or "")
    return drafted(
        text,
        id=source_id("mem0", str(row.id)) if row.id is not None else source_id("mem0", *owner, text),
        tags=shorts(row.categories or ()),
        session=session("mem0", row.run_id) if row.run_id else None,
        speaker=short(row.actor_id or row.role) or None,
        at=at,
        ttl=None if ends is None or at is None or ends - at > _LONGEST else (ends - at).total_seconds(),
        meta=meta({**(row.metadata or {}), "user_id": row.user_id, "agent_id": row.agent_id}),
    )
