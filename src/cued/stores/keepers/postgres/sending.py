"""Rows as the columns that are sent to PostgreSQL: an array of values for each, which the server makes rows of."""

from collections.abc import Sequence
from typing import Any

from msgspec import json, msgpack
from msgspec.structs import replace

from cued.model import Judged, Row, Use
from cued.stores.admission import body
from cued.stores.standing.instants import micros, time_or_none

_UNUSED = Use()


def as_bytes(text: str | None) -> bytes | None:
    """A text as the database keeps it, None where there is none."""
    return None if text is None else text.encode()


def columns(rows: Sequence[Row], change: int) -> dict[str, list[Any]]:
    """The columns that may change while the content of a row stays, a value a row in each."""
    judged = [_judged(row) for row in rows]
    memories = [row.memory for row in rows]
    return {
        "key": [row.key for row in rows],
        "change": [change] * len(rows),
        "scope": [each.scope.encode() for each in judged],
        "kind": [each.kind for each in judged],
        "tier": [each.tier for each in judged],
        "trust": [each.trust for each in judged],
        "quarantined": [None if memory.quarantined_at is None else micros(memory.quarantined_at) for memory in memories],
        "created": [each.created for each in judged],
        **{
            name: [time_or_none(getattr(each, name)) for each in judged]
            for name in ("valid_from", "valid_until", "expires", "forgotten", "superseded")
        },
        "locally": [msgpack.encode(each.marks) if each.marks else None for each in judged],
        "session": [as_bytes(memory.source.session) for memory in memories],
        "turn": [memory.source.turn for memory in memories],
        "tags": [_array(memory.tags) for memory in memories],
        "meta": [json.encode(memory.source.meta).decode() for memory in memories],
        "body": [body(replace(memory, use=_UNUSED)) for memory in memories],
    }


def _judged(row: Row) -> Judged:
    if row.judged is None:
        raise TypeError("a row is written with what the gates judge of it")
    return row.judged


def _array(texts: Sequence[str]) -> str:
    """Texts as PostgreSQL writes an array of bytes: arrays of unequal length cannot be sent within one array."""
    return "{" + ",".join(f'"\\\\x{text.encode().hex()}"' for text in texts) + "}"
