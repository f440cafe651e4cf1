"""What can still be read of a damaged file: each row by itself, and only those that are what was written."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from cued.model import Indexed, Memory, Row
from cued.stores.encoding import decoded, fault, fits
from cued.stores.handing import as_indexed
from cued.stores.standing.facts import judged

_WALKS = (
    "SELECT key FROM memory WHERE key BETWEEN ? AND ? ORDER BY key",
    "SELECT key FROM memory WHERE key BETWEEN ? AND ? ORDER BY key DESC",
)
_BY_INDEX = (
    "SELECT key FROM memory INDEXED BY memory_id WHERE tenant = ?",
    "SELECT key FROM memory INDEXED BY memory_id WHERE tenant = ? ORDER BY id DESC",
    "SELECT key FROM memory INDEXED BY memory_created WHERE tenant = ?",
)
_ROW = "SELECT id, content, change, forward, forward_sum, body, body_sum FROM memory WHERE key = ?"
_VECTOR = "SELECT data, data_sum FROM vector WHERE key = ?"

FOREIGN = (apsw.CorruptError, apsw.IOError, apsw.NotADBError)
"""What SQLite raises over damage."""


class Saved(NamedTuple):
    """A row that is whole: its key, the changes that wrote its content and anything of it, its memory and its forward index."""

    key: int
    content: int
    change: int
    memory: Memory
    forward: bytes


def keys_of(connection: apsw.Connection, tenant: int, keys: tuple[int, int]) -> list[int]:
    """The keys of a tenant's rows, as far as the table or any index still tells."""
    found: set[int] = set()
    for sql in _WALKS:
        found.update(key for (key,) in tolerant(connection, sql, keys) if keys[0] <= key <= keys[1])
    for sql in _BY_INDEX:
        found.update(key for (key,) in tolerant(connection, sql, (tenant,)) if keys[0] <= key <= keys[1])
    return sorted(found)


def tolerant(connection: apsw.Connection, sql: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement up to the first that cannot be read."""
    try:
        yield from connection.execute(sql, tuple(values))
    except FOREIGN:
        return


def row(connection: apsw.Connection, key: int) -> Saved | None:
    """The row of this key; None for one that is not whole."""
    for memory_id, content, change, forward, forward_sum, body, body_sum in tolerant(connection, _ROW, (key,)):
        if isinstance(body, bytes) and isinstance(forward, bytes) and isinstance(memory_id, str):
            if not fits(forward, forward_sum) or fault(body, body_sum, memory_id=memory_id):
                return None
            return Saved(key, content, change, decoded(body, body_sum), forward)
    return None


def vector(connection: apsw.Connection, key: int) -> bytes | None:
    """The vector of this key; None for one that is not there or not whole."""
    for data, checksum in tolerant(connection, _VECTOR, (key,)):
        return data if isinstance(data, bytes) and fits(data, checksum) else None
    return None


def rows(connection: apsw.Connection, tenant: int, keys: tuple[int, int]) -> tuple[list[Saved], set[int]]:
    """Those of a tenant's rows that are whole, and the keys of those that are not."""
    found = {key: row(connection, key) for key in keys_of(connection, tenant, keys)}
    return [each for each in found.values() if each is not None], {key for key, each in found.items() if each is None}


def indexed(whole: Sequence[Saved]) -> Indexed:
    """Rows as the columns that a search needs, all but the forward index from their bodies."""
    return as_indexed([Row(row.memory, row.key, judged(row.memory), row.forward) for row in whole], [row.content for row in whole])
