"""Rows as the values that SQLite is handed, each with the sum of what it holds."""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from msgspec import DecodeError, json, msgpack

from cued.model import Row, Use
from cued.stores.keepers import row_columns
from cued.stores.keepers.row_columns import UNUSED
from cued.stores.keepers.sqlite.schema import Value

_USE = msgpack.Decoder(Use)


def key_range(tenant: int) -> tuple[int, int]:
    """The lowest and the highest key that the memories of the tenant with this key can have."""
    return tenant << 32, (tenant << 32) + 2**32 - 1


def read_use(data: bytes) -> Use:
    """How a memory was used; what cannot be read counts as never."""
    try:
        return _USE.decode(data)
    except (DecodeError, UnicodeDecodeError, TypeError):
        return UNUSED


def vectors_of(rows: Sequence[Row]) -> list[tuple[int, bytes, int]]:
    """The values of rows' vectors."""
    return [(row.key, row.vector, crc32(row.vector)) for row in rows if row.vector is not None]


def contents_of(rows: Sequence[Row], change: int, fingerprints: Mapping[str | None, int | None]) -> list[tuple[Value, ...]]:
    """The values of what is searched of rows."""
    return [(change, fingerprints[row.memory.fingerprint], row.forward, crc32(row.forward or b""), row.key) for row in rows]


def columns(row: Row, *, change: int) -> dict[str, Any]:
    """The columns that may change while the content of a row stays."""
    values = row_columns.columns(row, change=change)
    return values | {"tags": json.encode(row.memory.tags).decode(), "body_sum": crc32(values["body"])}
