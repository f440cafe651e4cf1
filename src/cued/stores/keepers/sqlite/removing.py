"""Rows removed from every table, what they said remembered until it is gone from the file, and their keys told to shelves in memory."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
from msgspec import DecodeError

from cued.stores.encoding import decoded
from cued.stores.keepers.sql_values import HANGING
from cued.stores.keepers.sqlite.residue import Traces, spoken

MOST_TOLD = 4096
"""How many removed rows of a tenant are told one by one, before whoever has it in memory reads it anew."""
_CONTENTS = """
    SELECT memory.fingerprint, memory.body, memory.forward, vector.data, use.body, CAST(memory.id AS BLOB)
    FROM {} LEFT JOIN vector ON vector.key = memory.key LEFT JOIN use ON use.key = memory.key
"""
_SOME = _CONTENTS.format("carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value")
_ALL = _CONTENTS.format("memory") + "WHERE memory.key BETWEEN ? AND ?"
_SOME_REPLACED = "SELECT 1 FROM carray(?) AS wanted CROSS JOIN replaced ON replaced.key = wanted.value LIMIT 1"
_ANY_REPLACED = "SELECT 1 FROM replaced WHERE key BETWEEN ? AND ? LIMIT 1"
_UNUSED = "DELETE FROM fingerprint WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM memory WHERE fingerprint = ?1)"


class Gone(NamedTuple):
    """What was removed: the traces of it to look for in the file, and whether some of it once said what they do not tell."""

    traces: Traces
    replaced: bool


def remove(connection: apsw.Connection, name: bytes, keys: Sequence[int]) -> Gone:
    """What these rows of a tenant said, now that they and all that hangs on them are removed."""
    array = np.array(keys, dtype=np.int64)
    rows = connection.execute(_SOME, (apsw.carray(array),)).fetchall() if keys else []
    replaced = bool(keys) and bool(connection.execute(_SOME_REPLACED, (apsw.carray(array),)).fetchall())
    for table in HANGING:
        connection.executemany(f"DELETE FROM {table} WHERE key = ?", [(key,) for key in keys])  # noqa: S608 - one of ours
    ids = [row[-1].decode("utf-8", "replace") for row in _bytes(rows)]
    connection.executemany("DELETE FROM damaged WHERE tenant = ? AND id = ?", [(name, each) for each in ids])
    _drop_fingerprints(connection, rows)
    return Gone(_traces(rows), replaced)


def erase(connection: apsw.Connection, name: bytes, tenant: int, keys: tuple[int, int]) -> Gone:
    """What was kept for a tenant, now that all of it is removed."""
    rows = connection.execute(_ALL, keys).fetchall()
    replaced = bool(connection.execute(_ANY_REPLACED, keys).fetchall())
    documents: list[Any] = connection.execute("SELECT body FROM document WHERE tenant = ?", (tenant,)).fetchall()
    for table in (*HANGING, "removed"):
        connection.execute(f"DELETE FROM {table} WHERE key BETWEEN ? AND ?", keys)  # noqa: S608 - one of ours
    for table in ("recall", "document", "shelf"):
        connection.execute(f"DELETE FROM {table} WHERE tenant = ?", (tenant,))  # noqa: S608 - one of ours
    connection.execute("DELETE FROM tenant WHERE key = ?", (tenant,))
    connection.execute("DELETE FROM damaged WHERE tenant = ?", (name,))
    _drop_fingerprints(connection, rows)
    traces = _traces(rows)
    traces.add([name, *(body for (body,) in documents)], ())
    return Gone(traces, replaced)


def tell(connection: apsw.Connection, all_keys: tuple[int, int], keys: Sequence[int], change: int) -> bool:
    """Whether it is told which rows were removed by this change; False where those are so many that reading all anew costs less."""
    held = connection.execute("SELECT count(*) FROM removed WHERE key BETWEEN ? AND ?", all_keys).get
    if held + len(keys) > MOST_TOLD:
        connection.execute("DELETE FROM removed WHERE key BETWEEN ? AND ?", all_keys)
        return False
    connection.executemany("INSERT INTO removed (key, change) VALUES (?, ?)", [(key, change) for key in keys])
    return True


def _traces(rows: Iterable[Any]) -> Traces:
    """What rows say; one that cannot be read is looked for as it is."""
    traces = Traces()
    for row in rows:
        _, data, *searched, _ = row
        try:
            said = list(spoken(decoded(data, None), data))
        except (DecodeError, UnicodeDecodeError):
            said = [data] if isinstance(data, bytes) else []
        traces.add(said, [piece for piece in searched if isinstance(piece, bytes)])
    return traces


def _bytes(rows: Iterable[Any]) -> list[Any]:
    return [row for row in rows if isinstance(row[-1], bytes)]


def _drop_fingerprints(connection: apsw.Connection, rows: Iterable[Any]) -> None:
    """Drop the texts of fingerprints that no memory has any more."""
    connection.executemany(_UNUSED, [(key,) for key in {row[0] for row in rows} if key is not None])
