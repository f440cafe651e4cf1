"""Rows as the values that SQLite is handed, each with the sum of what it holds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from msgspec import DecodeError, json, msgpack
from msgspec.structs import replace

from cued.model import Row, Use
from cued.stores.admission import body
from cued.stores.keepers.sqlite.schema import Value
from cued.stores.standing.instants import micros, time_or_none

_UNUSED = Use()
_USE = msgpack.Decoder(Use)


class TenantRow(NamedTuple):
    """A tenant's row: its key, which no row has for a stranger, and its counters."""

    key: int = -1
    change: int = 0
    epoch: int = 0
    size: int = 0
    last: int = 0
    bytes: int = 0

    @property
    def keys(self) -> tuple[int, int]:
        """The lowest and the highest key that this tenant's memories can have."""
        return self.key << 32, (self.key << 32) + 2**32 - 1


def read_use(data: bytes) -> Use:
    """How a memory was used; what cannot be read counts as never."""
    try:
        return _USE.decode(data)
    except (DecodeError, UnicodeDecodeError, TypeError):
        return _UNUSED


def vectors_of(rows: Sequence[Row]) -> list[tuple[int, bytes, int]]:
    """The values of rows' vectors."""
    return [(row.key, row.vector, crc32(row.vector)) for row in rows if row.vector is not None]


def contents_of(rows: Sequence[Row], change: int, fingerprints: Mapping[str | None, int | None]) -> list[tuple[Value, ...]]:
    """The values of what is searched of rows."""
    return [(change, fingerprints[row.memory.fingerprint], row.forward, crc32(row.forward or b""), row.key) for row in rows]


def columns(row: Row, *, change: int) -> dict[str, Any]:
    """The columns that may change while the content of a row stays."""
    memory, judged = row.memory, row.judged
    if judged is None:
        raise TypeError("a row is written with what the gates judge of it")
    data = body(replace(memory, use=_UNUSED))
    return {
        "key": row.key,
        "change": change,
        "scope": judged.scope,
        "kind": judged.kind,
        "tier": judged.tier,
        "trust": judged.trust,
        "quarantined": None if memory.quarantined_at is None else micros(memory.quarantined_at),
        "created": judged.created,
        "valid_from": time_or_none(judged.valid_from),
        "valid_until": time_or_none(judged.valid_until),
        "expires": time_or_none(judged.expires),
        "forgotten": time_or_none(judged.forgotten),
        "superseded": time_or_none(judged.superseded),
        "locally": msgpack.encode(judged.marks) if judged.marks else None,
        "session": memory.source.session,
        "turn": memory.source.turn,
        "tags": json.encode(memory.tags).decode(),
        "body": data,
        "body_sum": crc32(data),
    }


def edges_of(rows: Sequence[Row]) -> list[tuple[int, str, str]]:
    """The values of rows' edges."""
    return [(row.key, edge.relation, edge.target) for row in rows for edge in row.memory.edges]
