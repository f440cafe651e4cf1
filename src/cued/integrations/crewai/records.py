"""A record of CrewAI's as a memory, and back."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from crewai.memory.types import MemoryRecord
from pydantic import ValidationError

from cued.integrations.documents import packed, sayable, unpacked
from cued.model import Memory, Scalar
from cued.requests.checks import MAX_LABEL, MAX_TAGS
from cued.requests.draft import Draft

DOCUMENT = "crewai"
_MARK = "crew:"


def draft(record: MemoryRecord, *, scope: str, fingerprint: str | None) -> Draft:
    """The draft of a record, with the record's own vector where that can be compared."""
    vector = tuple(record.embedding) if record.embedding and fingerprint is not None else None
    return Draft(
        text=sayable(record.content),
        id=record.id,
        scope=scope,
        tags=tags(record),
        importance=record.importance,
        trust="agent",
        at=_aware(record.created_at),
        meta=facts(record),
        vector=vector,
        fingerprint=fingerprint if vector else None,
    )


def facts(record: MemoryRecord) -> dict[str, Scalar]:
    """All of a record except its text and vector."""
    whole = record.model_dump(mode="json", exclude={"id", "content", "embedding"})
    return packed(DOCUMENT, {**whole, "content": record.content} if sayable(record.content) != record.content else whole)


def tags(record: MemoryRecord) -> tuple[str, ...]:
    """A tag for each scope that a record lies in or below, so that a scope can be listed and searched."""
    parts = [part for part in record.scope.split("/") if part]
    above = [scope_tag("/" + "/".join(parts[:depth])) for depth in range(len(parts) + 1)]
    return tuple(dict.fromkeys(above))[:MAX_TAGS]


def scope_tag(path: str) -> str:
    """The tag of everything in or below a scope."""
    return f"{_MARK}{'/' + path.strip('/')}"[:MAX_LABEL]


def record(memory: Memory) -> MemoryRecord | None:
    """The record that a memory holds; None where another program stored it."""
    document = unpacked(DOCUMENT, memory, dict[str, Any])
    if document is None:
        return None
    try:
        told = MemoryRecord(**{"content": memory.text, **document, "id": memory.id})
    except ValidationError:
        return None
    seen = memory.use.last_at
    return told if seen is None else told.model_copy(update={"last_accessed": max(told.last_accessed, _naive(seen))})


def fits(
    found: MemoryRecord, categories: Sequence[str] | None, metadata: dict[str, Any] | None, older_than: datetime | None = None
) -> bool:
    """Whether a record has one of the categories, all of the metadata, and is older than a time."""
    if categories and not set(categories).intersection(found.categories):
        return False
    if metadata and any(found.metadata.get(key) != value for key, value in metadata.items()):
        return False
    return older_than is None or _aware(found.created_at) < _aware(older_than)


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
