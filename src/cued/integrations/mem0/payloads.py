"""A memory in mem0's form, and what is stored with it for that: metadata, roles and former texts."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.integrations.documents import packed, plain_facts, unpacked
from cued.integrations.mem0.homes import ENTITIES
from cued.model import Memory, Scalar
from cued.requests.checks import moment
from cued.requests.draft import Draft

DOCUMENT = "mem0"
PROMOTED = (*ENTITIES, "actor_id", "role", "expiration_date")
"""The fields beside `metadata` in an answer, which can be filtered by as if they were in it."""
_FORMER = 20


class Payload(Struct, frozen=True, kw_only=True):
    """What mem0 keeps beside a memory's text: the promoted fields, the caller's metadata, and former texts with the time of each change."""

    promoted: dict[str, Any]
    metadata: dict[str, Any]
    former: tuple[tuple[str, str], ...] = ()

    def facts(self) -> dict[str, Scalar]:
        """The payload as facts of the memory; the oldest former texts are dropped if it would be too long."""
        try:
            return packed(DOCUMENT, {"promoted": self.promoted, "metadata": self.metadata, "former": self.former})
        except InputError:
            if not self.former:
                raise
        return replace(self, former=self.former[1:]).facts()

    def flat(self) -> dict[str, Any]:
        """Everything that a filter can ask for."""
        return {**self.metadata, **self.promoted}


def payload(memory: Memory, entities: Mapping[str, str]) -> Payload:
    """A memory's payload; of a memory that another program stored, its facts and whose it is."""
    own = unpacked(DOCUMENT, memory, Payload)
    return own or Payload(promoted=dict(entities), metadata=plain_facts(DOCUMENT, memory.source.meta))


def item(memory: Memory, told_id: str, kept: Payload, *, score: float | None = None) -> dict[str, Any]:
    """A memory as `get`, `get_all` and `search` show it."""
    shown: dict[str, Any] = {
        "id": told_id,
        "memory": memory.text,
        "hash": md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": kept.metadata or None,
        **({} if score is None else {"score": score}),
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }
    return {**shown, **{name: kept.promoted[name] for name in PROMOTED if kept.promoted.get(name) is not None}}


def with_former(kept: Payload, memory: Memory, at: datetime) -> tuple[tuple[str, str], ...]:
    """The former texts with the one that is about to change, newest last; the oldest are dropped."""
    return (*kept.former, (memory.text, at.isoformat()))[-_FORMER:]


def draft_of(row: Mapping[str, Any], entities: Mapping[str, str]) -> Draft:
    """A row of mem0's as a memory, with its id, its time, its metadata and what is promoted."""
    text = row.get("memory") or row.get("data")
    if not isinstance(text, str) or not row.get("id"):
        raise InputError("rows", dict(row), "rows with an id and a memory, as get_all tells them, or data, as a vector store does")
    day = expiration(row.get("expiration_date"))
    promoted = {**entities, "actor_id": row.get("actor_id"), "role": row.get("role"), "expiration_date": day}
    others = {key: value for key, value in row.items() if key not in (*PROMOTED, *_OWN_KEYS)}
    told = Payload(promoted={key: value for key, value in promoted.items() if value}, metadata={**others, **(row.get("metadata") or {})})
    at = moment("created_at", row.get("created_at"))
    ttl = seconds_until_over(day, at or datetime.now(UTC))
    return Draft(text=text, id=str(row["id"]), at=at, session=entities.get("run_id"), trust="import", meta=told.facts(), ttl=ttl)


def history(memory: Memory, told_id: str, kept: Payload) -> list[dict[str, Any]]:
    """What became of a memory: added, changed, deleted, the oldest first."""
    texts = [text for text, _ in kept.former] + [memory.text]
    times = [memory.created_at.isoformat(), *(at for _, at in kept.former)]
    events = [
        _event(told_id, kept, number, ("UPDATE" if number else "ADD", texts[number - 1] if number else None, text), times)
        for number, text in enumerate(texts)
    ]
    if memory.forgotten_at is not None:
        times.append(memory.forgotten_at.isoformat())
        events.append(_event(told_id, kept, len(texts), ("DELETE", memory.text, None), times))
    return events


def expiration(value: object) -> str | None:
    """A date as YYYY-MM-DD; None for none."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError as error:
        raise InputError("expiration_date", value, "a day: expiration_date must be a valid date in YYYY-MM-DD format") from error


def seconds_until_over(day: str | None, now: datetime) -> float | None:
    """How long it is until a day is over, which is when a memory expires; at least a moment, and None without a day or for one far away."""
    if day is None or date.fromisoformat(day).year - now.year > _FAR_YEARS:
        return None
    end = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC) + timedelta(days=1)
    return max((end - now).total_seconds(), _MOMENT_S)


def _event(told_id: str, kept: Payload, number: int, what: tuple[str, str | None, str | None], times: Sequence[str]) -> dict[str, Any]:
    event, old, new = what
    return {
        "id": f"{told_id}#{number}",
        "memory_id": told_id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": times[0],
        "updated_at": times[number],
        "is_deleted": event == "DELETE",
        "actor_id": kept.promoted.get("actor_id"),
        "role": kept.promoted.get("role"),
    }


_MOMENT_S = 1e-6
_FAR_YEARS = 150
_OWN_KEYS = ("id", "memory", "data", "hash", "score", "metadata", "created_at", "updated_at", "text_lemmatized", "attributed_to")
