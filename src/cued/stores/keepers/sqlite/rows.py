"""Memories as rows: how one is written, and how it is read back."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
from msgspec import DecodeError, json, msgpack
from msgspec.structs import replace

from cued.model import DERIVED_FROM, KINDS, TIERS, Memory, RecallEntry, Stored, Use, Vector
from cued.standing.facts import facts
from cued.standing.instants import time_or_none
from cued.stores.admission import body

Value = bytes | float | str | None
"""What a column may hold."""

UNUSED = Use()

_MEMORY = msgpack.Decoder(Memory)
_USE = msgpack.Decoder(Use)
_ENTRY = msgpack.Decoder(RecallEntry)
_TENANT = "SELECT key, change, epoch, size, last FROM tenant WHERE name = ?"
_WITH_USE = "SELECT memory.body, use.body FROM memory LEFT JOIN use ON use.key = memory.key WHERE memory.tenant = ? AND memory.id = ?"
_BODIES = "SELECT memory.body FROM carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value"
_SOURCES = "SELECT edge.key, edge.target FROM carray(?) AS wanted CROSS JOIN edge ON edge.key = wanted.value AND edge.relation = ?"
_USES = "SELECT use.key, use.body FROM carray(?) AS wanted CROSS JOIN use ON use.key = wanted.value"


class Tenant(NamedTuple):
    """A tenant's row: its key and its counters."""

    key: int
    change: int
    epoch: int
    size: int
    last: int

    @property
    def keys(self) -> tuple[int, int]:
        """Give the lowest and the highest key that this tenant's memories can have."""
        return self.key << 32, (self.key << 32) + 2**32 - 1


def find_tenant(connection: apsw.Connection, name: bytes) -> Tenant | None:
    """Give the tenant of this name, None when nothing was ever written for it."""
    row = connection.execute(_TENANT, (name,)).fetchone()
    return None if row is None else Tenant(*row)


def open_tenant(connection: apsw.Connection, name: bytes) -> Tenant:
    """Give the tenant of this name, made if need be."""
    # A tenant that was erased and made anew may get its old key; that its epoch starts anywhere tells the two apart in every cache.
    connection.execute("INSERT OR IGNORE INTO tenant (name, epoch) VALUES (?, random() >> 2)", (name,))
    row: tuple[int, ...] = connection.execute(_TENANT, (name,)).get
    return Tenant(*row)


def fingerprint_key(connection: apsw.Connection, fingerprint: str | None) -> int | None:
    """Give the key of a fingerprint's text, made if need be."""
    if fingerprint is None:
        return None
    connection.execute("INSERT OR IGNORE INTO fingerprint (text) VALUES (?)", (fingerprint,))
    return int(connection.execute("SELECT key FROM fingerprint WHERE text = ?", (fingerprint,)).get)


def find_memory(connection: apsw.Connection, tenant: int, memory_id: str) -> Memory | None:
    """Give one memory with its use, None when there is none."""
    row = connection.execute(_WITH_USE, (tenant, memory_id)).fetchone()
    return None if row is None else decoded(*row)


def find_document(connection: apsw.Connection, tenant: int, name: str) -> bytes | None:
    """Give a tenant's document of this name, None when there is none."""
    row = connection.execute("SELECT body FROM document WHERE tenant = ? AND name = ?", (tenant, name)).fetchone()
    return None if row is None else row[0]


def read_bodies(connection: apsw.Connection, keys: Sequence[int]) -> list[tuple[Memory, int]]:
    """Give the memories of these keys in their order, without their use, and the size of each in the file."""
    bodies = _by_keys(connection, _BODIES, keys)
    if len(bodies) != len(keys):
        raise DecodeError(f"{len(keys) - len(bodies)} indexed memories have no row")
    return [(_MEMORY.decode(body), len(body)) for (body,) in bodies]


def read_uses(connection: apsw.Connection, keys: Sequence[int]) -> list[tuple[int, Use]]:
    """Give the use of those of these memories that were used, by key."""
    return [(key, _USE.decode(body)) for key, body in _by_keys(connection, _USES, keys)]


def read_sources(connection: apsw.Connection, keys: Sequence[int]) -> list[tuple[int, str]]:
    """Give each id that one of these memories was derived from, with the key of that memory."""
    return _by_keys(connection, _SOURCES, keys, DERIVED_FROM)


def _by_keys(connection: apsw.Connection, sql: str, keys: Sequence[int], *more: str) -> list[Any]:
    return connection.execute(sql, (apsw.carray(np.array(keys, dtype=np.int64)), *more)).fetchall() if keys else []


def decoded(memory_body: bytes, use_body: bytes | None) -> Memory:
    """Give a memory from its two bodies."""
    memory = _MEMORY.decode(memory_body)
    return memory if use_body is None else replace(memory, use=_USE.decode(use_body))


def stored(memory_body: bytes, use_body: bytes | None, data: bytes | None) -> Stored:
    """Give a memory with its vector from its two bodies and the vector's data."""
    return Stored(memory=decoded(memory_body, use_body), vector=None if data is None else as_vector(data))


def decoded_use(use_body: bytes | None) -> Use:
    """Give a use back, that of a memory never used for None."""
    return UNUSED if use_body is None else _USE.decode(use_body)


def encoded_use(use: Use) -> bytes:
    """Give a use as MessagePack."""
    return msgpack.encode(use)


def decoded_entry(entry_body: bytes) -> RecallEntry:
    """Give a line of the recall log back."""
    return _ENTRY.decode(entry_body)


def judged_columns(memory: Memory) -> dict[str, Value]:
    """The columns that may change while the content of a memory stays."""
    fact = facts(memory)
    return {
        "scope": memory.scope,
        "kind": KINDS.index(memory.kind),
        "tier": TIERS.index(memory.tier),
        "created": fact.created,
        "valid_from": time_or_none(fact.valid_from),
        "valid_until": time_or_none(fact.valid_until),
        "expires": time_or_none(fact.expires),
        "forgotten": time_or_none(fact.forgotten),
        "superseded": time_or_none(fact.superseded),
        "locally": msgpack.encode(fact.marks) if fact.marks else None,
        "session": memory.source.session,
        "turn": memory.source.turn,
        "tags": json.encode(memory.tags).decode(),
        "body": body(replace(memory, use=UNUSED)),
    }


def as_vector(data: bytes) -> Vector:
    """Give a stored vector."""
    return np.frombuffer(data, dtype="<f4")


def as_data(vector: Vector) -> bytes:
    """Give a vector as it is stored."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def joined(data: Iterable[bytes], dimensions: int) -> Vector:
    """Give stored vectors of one width as a matrix."""
    return np.frombuffer(b"".join(data), dtype="<f4").reshape(-1, dimensions)


def width(size: int) -> int:
    """Give the dimensions of a stored vector of so many bytes; a size that none can have is a DecodeError."""
    dimensions, rest = divmod(size, 4)
    if rest or not dimensions:
        raise DecodeError(f"a vector of {size} bytes")
    return dimensions
