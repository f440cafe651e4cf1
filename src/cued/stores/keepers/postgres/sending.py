"""Rows as the columns that are sent to PostgreSQL, an array of values for each, and the statements that make rows of them."""

from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from msgspec import json

from cued.model import Row
from cued.stores.keepers import sql_values

_CHANGING = {
    "key": "bigint",
    "change": "bigint",
    "scope": "bytea",
    "kind": "smallint",
    "tier": "smallint",
    "trust": "smallint",
    "quarantined": "bigint",
    "created": "bigint",
    "valid_from": "bigint",
    "valid_until": "bigint",
    "expires": "bigint",
    "forgotten": "bigint",
    "superseded": "bigint",
    "locally": "bytea",
    "session": "bytea",
    "turn": "bigint",
    "tags": "text",
    "meta": "text",
    "body": "bytea",
    "body_sum": "bigint",
}
"""The columns that may change while the content of a row stays, and of what kind they are sent."""
_MADE_OF_TEXT = {"tags": "::bytea[]", "meta": "::jsonb"}
_CONTENT = {"id": "bytea", "content": "bigint", "fingerprint": "bytea", "forward": "bytea", "forward_sum": "bigint"}


def _unnested(columns: dict[str, str]) -> str:
    """The columns as arrays of a value each, which the server makes rows of: one statement, however many rows."""
    arrays = ", ".join(f"%({name})s::{kind}[]" for name, kind in columns.items())
    return f"unnest({arrays}) AS new ({', '.join(columns)})"


def from_new(columns: Iterable[str]) -> str:
    """The columns as they are taken from new rows."""
    return ", ".join(f"new.{name}{_MADE_OF_TEXT.get(name, '')}" for name in columns)


INSERTED = _CHANGING | _CONTENT
INSERT = f"INSERT INTO cued.memory (tenant, {', '.join(INSERTED)}) SELECT %(tenant)s, {from_new(INSERTED)} FROM {_unnested(INSERTED)}"  # noqa: S608 - constants
_SET = ", ".join(f"{name} = {from_new([name])}" for name in _CHANGING if name != "key")
UPDATE = f"UPDATE cued.memory SET {_SET} FROM {_unnested(_CHANGING)} WHERE memory.tenant = %(tenant)s AND memory.key = new.key"  # noqa: S608 - constants
_REPLACED = {"key": "bigint", "fingerprint": "bytea", "forward": "bytea", "forward_sum": "bigint"}
REPLACE = f"""
    UPDATE cued.memory SET content = %(change)s, fingerprint = new.fingerprint, forward = new.forward, forward_sum = new.forward_sum
    FROM {_unnested(_REPLACED)}
    WHERE memory.tenant = %(tenant)s AND memory.key = new.key
"""  # noqa: S608 - constants
VECTOR = {"key": "bigint", "data": "bytea", "data_sum": "bigint"}
ADD_VECTORS = f"INSERT INTO cued.vector (tenant, {', '.join(VECTOR)}) SELECT %(tenant)s, {from_new(VECTOR)} FROM {_unnested(VECTOR)}"  # noqa: S608 - constants
LINK = """
    INSERT INTO cued.edge (tenant, key, relation, target) SELECT %s, * FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[])
"""
# Changed first and then added, not ON CONFLICT, which no table on another server can do; a tenant has one writer at a time.
PUT_USES = """
    WITH new AS (SELECT * FROM unnest(%(keys)s::bigint[], %(bodies)s::bytea[]) AS new (key, body)),
         known AS (UPDATE cued.use SET body = new.body FROM new WHERE use.tenant = %(tenant)s AND use.key = new.key RETURNING use.key)
    INSERT INTO cued.use (tenant, key, body) SELECT %(tenant)s, key, body FROM new WHERE key NOT IN (SELECT key FROM known)
"""
PUT_DOCUMENT = """
    WITH known AS (UPDATE cued.document SET body = %(body)s WHERE tenant = %(tenant)s AND name = %(name)s RETURNING name)
    INSERT INTO cued.document (tenant, name, body) SELECT %(tenant)s, %(name)s, %(body)s WHERE NOT EXISTS (SELECT FROM known)
"""

_TEXTS = ("scope", "session")


def as_bytes(text: str | None) -> bytes | None:
    """A text as the database keeps it, None where there is none."""
    return None if text is None else text.encode()


def columns(rows: Sequence[Row], change: int) -> dict[str, list[Any]]:
    """The columns that may change while the content of a row stays, a value a row in each."""
    made = [sql_values.columns(row, change=change) for row in rows]
    read = {name: [values[name] for values in made] for name in made[0]}
    return read | {
        **{name: [as_bytes(text) for text in read[name]] for name in _TEXTS},
        "tags": [_array(row.memory.tags) for row in rows],
        "meta": [json.encode(row.memory.source.meta).decode() for row in rows],
        "body_sum": [crc32(values["body"]) for values in made],
    }


def contents(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The columns that are replaced where the content of a row changes, a value a row in each."""
    return {
        "key": [row.key for row in rows],
        "fingerprint": [as_bytes(row.memory.fingerprint) for row in rows],
        "forward": [row.forward for row in rows],
        "forward_sum": [crc32(row.forward or b"") for row in rows],
    }


def vectors(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The columns of the vectors of those of the rows that have one."""
    given = [(row.key, row.vector) for row in rows if row.vector is not None]
    return {"key": [key for key, _ in given], "data": [data for _, data in given], "data_sum": [crc32(data) for _, data in given]}


def _array(texts: Sequence[str]) -> str:
    """Texts as PostgreSQL writes an array of bytes: arrays of unequal length cannot be sent within one array."""
    return "{" + ",".join(f'"\\\\x{text.encode().hex()}"' for text in texts) + "}"
