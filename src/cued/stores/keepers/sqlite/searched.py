"""What a search reads of one tenant's rows: their columns, their vectors, and the winners; those that are broken are left out."""

from collections.abc import Iterable, Sequence
from operator import lt
from typing import Any

import apsw
import numpy as np
from msgspec import DecodeError

from cued.model import DERIVED_FROM, Indexed, Memory
from cued.stores.encoding import decoded, fits, runs
from cued.stores.keepers.sql_values import indexed, reflections, sources_by_key
from cued.stores.keepers.sqlite import page_sums, salvage

_RUN_KEYS = 2048

_COLUMNS = """
    SELECT memory.id, memory.key, content, ifnull(fingerprint.text, ''), session, turn, forward, scope, kind, tier, trust,
           quarantined IS NOT NULL, created, ifnull(valid_from, -9223372036854775808),
           ifnull(valid_until, 9223372036854775807), ifnull(expires, 9223372036854775807),
           ifnull(forgotten, 9223372036854775807), ifnull(superseded, 9223372036854775807), locally, forward_sum
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint
"""
_ALL = _COLUMNS + "WHERE memory.key BETWEEN ? AND ? ORDER BY memory.key"
_CHANGED = _COLUMNS + "WHERE memory.tenant = ? AND memory.change > ? ORDER BY memory.key"
_ALL_VECTORS = "SELECT key, data, data_sum FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_BOUNDS = "SELECT min(key), max(key) FROM vector WHERE key BETWEEN ? AND ?"
# Put end to end by SQLite itself, which takes a third of the time that one row after the other does.
_RUN = """
    SELECT count(*), min(length(data)), max(length(data)), CAST(group_concat(data, '') AS BLOB)
    FROM (SELECT data FROM vector WHERE key BETWEEN ? AND ? ORDER BY key)
"""
_KEYS = "SELECT key FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_VECTORS = """
    SELECT key, data, data_sum FROM memory CROSS JOIN vector USING (key)
    WHERE memory.tenant = ? AND memory.change > ? AND memory.content > ? ORDER BY key
"""
_BODIES = "SELECT key, memory.body, body_sum FROM carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value"
_SOURCES = "SELECT edge.key, edge.target FROM carray(?) AS wanted CROSS JOIN edge ON edge.key = wanted.value AND edge.relation = ?"


def key_range(tenant: int) -> tuple[int, int]:
    """The lowest and the highest key that the memories of the tenant with this key can have."""
    return tenant << 32, (tenant << 32) + 2**32 - 1


class Searched:
    """Reads the rows of the tenant of a name, which is found under a key."""

    def __init__(self, connection: apsw.Connection, name: bytes) -> None:
        """Start with no row known to be broken."""
        self._connection, self._name = connection, name
        self._left_out: set[int] = set()

    def own(self, memory_body: bytes, body_sum: int | None) -> Memory:
        """A memory from its body; one that is not what was written, or is another tenant's, is a DecodeError."""
        memory = decoded(memory_body, body_sum)
        if memory.tenant != self._name.decode():
            raise DecodeError("another tenant's memory lies among these")
        return memory

    def changed(self, tenant: int, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""
        asked = (_CHANGED, (tenant, since)) if since else (_ALL, key_range(tenant))
        try:
            rows: list[Any] = self._connection.execute(*asked).fetchall()
            return self._indexed(rows) if self._in_place(tenant, rows) else self._salvaged(tenant, since)
        except (*salvage.FOREIGN, DecodeError, UnicodeDecodeError, TypeError):
            return self._salvaged(tenant, since)

    def _in_place(self, tenant: int, rows: Sequence[Any]) -> bool:
        """Whether rows are what was written; a page that lies in another's place is, but its rows are not in order or not this tenant's."""
        first, last = key_range(tenant)
        keys = [first - 1, *(row[1] for row in rows), last]
        return all(map(lt, keys, keys[1:])) and all(fits(row[6], row[-1]) for row in rows)

    def _indexed(self, rows: Sequence[Any]) -> Indexed:
        columns = list(zip(*rows, strict=True))[:-1]
        if not columns:
            return indexed((), ())
        keys, kinds = columns[1], columns[8]
        found = by_keys(self._connection, _SOURCES, reflections(keys, kinds), DERIVED_FROM)
        return indexed(columns, sources_by_key(keys, found))

    def vectors(self, tenant: int, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, all for 0, in runs of one size; broken ones are left out."""
        if since or self._left_out or not page_sums.summed(self._connection):
            yield from runs(self._checked_vectors(tenant, since))
            return
        given = -1
        try:
            for keys, data in self._runs(tenant):
                yield keys, data
                given = keys[-1]
        except salvage.FOREIGN:
            yield from runs((key, data) for key, data in self._salvaged_vectors(tenant, 0) if key > given)

    def _runs(self, tenant: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """All vectors as they stand in pages that are what was written."""
        first, last = self._connection.execute(_BOUNDS, key_range(tenant)).get
        for start in range(first or 0, (last or -1) + 1, _RUN_KEYS):
            keys = start, min(start + _RUN_KEYS - 1, last)
            count, least, most, data = self._connection.execute(_RUN, keys).get
            if count and least == most and least and not least % 4:
                together = count == keys[1] - keys[0] + 1
                yield range(keys[0], keys[1] + 1) if together else [key for (key,) in self._connection.execute(_KEYS, keys)], data
            elif count:
                found: list[Any] = self._connection.execute(_ALL_VECTORS, keys).fetchall()
                yield from runs((key, data) for key, data, checksum in found if fits(data, checksum))

    def _checked_vectors(self, tenant: int, since: int) -> list[tuple[int, bytes]]:
        asked = (_VECTORS, (tenant, since, since)) if since else (_ALL_VECTORS, key_range(tenant))
        try:
            found: list[Any] = self._connection.execute(*asked).fetchall()
        except salvage.FOREIGN:
            return self._salvaged_vectors(tenant, since)
        return [(key, data) for key, data, checksum in found if fits(data, checksum) and key not in self._left_out]

    def _salvaged_vectors(self, tenant: int, since: int) -> list[tuple[int, bytes]]:
        with page_sums.unchecked(self._connection):
            kept = [row for row in self._whole_rows(tenant) if row.content > since]
            return [(row.key, data) for row in kept if (data := salvage.vector(self._connection, row.key)) is not None]

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows in their order, without their use; None for one that is broken."""
        try:
            bodies = {key: (data, checksum) for key, data, checksum in by_keys(self._connection, _BODIES, keys)}
            return [self.own(*bodies[key]) for key in keys]
        except (*salvage.FOREIGN, DecodeError, UnicodeDecodeError, KeyError):
            with page_sums.unchecked(self._connection):
                rows = [salvage.row(self._connection, key) for key in keys]
            return [None if row is None or row.memory.tenant != self._name.decode() else row.memory for row in rows]

    def _salvaged(self, tenant: int, since: int) -> Indexed:
        """What `changed` gives, of a damaged file: each row read by itself, and judged by its body."""
        with page_sums.unchecked(self._connection):
            return salvage.indexed([row for row in self._whole_rows(tenant) if row.change > since])

    def _whole_rows(self, tenant: int) -> list[salvage.Saved]:
        rows, broken = salvage.rows(self._connection, tenant, key_range(tenant))
        self._left_out |= broken
        return [row for row in rows if row.memory.tenant == self._name.decode()]


def by_keys(connection: apsw.Connection, sql: str, keys: Sequence[int], *more: str) -> list[Any]:
    """What a statement finds for these keys, which are its first value."""
    return connection.execute(sql, (apsw.carray(np.array(keys, dtype=np.int64)), *more)).fetchall() if keys else []
