"""What a search reads of one tenant's rows: their columns, their vectors, and the winners; those that are broken are left out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import lt
from typing import Any
from zlib import crc32

import apsw
import numpy as np
from msgspec import DecodeError

from cued.model import DERIVED_FROM, Indexed, Memory
from cued.stores.encoding import decoded, fits
from cued.stores.keepers.sql_values import indexed, reflections, sources_by_key
from cued.stores.keepers.sqlite import page_sums, salvage
from cued.stores.vector_bytes import runs

_RUN_KEYS = 512
_ROWS_AT_ONCE = 4096

_COLUMNS = """
    SELECT memory.id, memory.key, content, ifnull(fingerprint.text, ''), session, turn, forward, scope, kind, tier, trust,
           quarantined IS NOT NULL, created, ifnull(valid_from, -9223372036854775808),
           ifnull(valid_until, 9223372036854775807), ifnull(expires, 9223372036854775807),
           ifnull(forgotten, 9223372036854775807), ifnull(superseded, 9223372036854775807), locally, forward_sum
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint
"""
_NUMBERS = (1, 2, *range(8, 18))
"""Which of the columns are whole numbers."""
_REPEATED = frozenset({3, 4, 7})
_TEXTS = (0, 3, 4, 5, 6, 7, 18)
_ALL = _COLUMNS + "WHERE memory.key BETWEEN ? AND ? ORDER BY memory.key"
_CHANGED = _COLUMNS + "WHERE memory.tenant = ? AND memory.change > ? ORDER BY memory.key"
_ALL_VECTORS = "SELECT key, data, data_sum FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_RUN = """
    SELECT group_concat(key), CAST(group_concat(data, '') AS BLOB), min(length(data)), max(length(data)),
           count(*) FILTER (WHERE typeof(data) = 'blob'), (SELECT min(key) FROM vector WHERE key BETWEEN :end + 1 AND :last)
    FROM vector WHERE key BETWEEN :start AND :end
"""
"""Many vectors as one value, put together where no other thread waits for it, and the key that the next ones begin with."""
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
        _refuse_others([memory], self._name.decode())
        return memory

    def changed(self, tenant: int, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""
        asked = (_CHANGED, (tenant, since)) if since else (_ALL, key_range(tenant))
        try:
            columns = _in_place(self._connection.execute(*asked), *key_range(tenant))
            if not columns:
                return indexed((), ())
            keys, kinds = columns[1], columns[8]
            found = by_keys(self._connection, _SOURCES, reflections(keys, kinds), DERIVED_FROM)
            return indexed(columns, sources_by_key(keys, found))
        except (*salvage.FOREIGN, DecodeError, UnicodeDecodeError, TypeError, ValueError, OverflowError):
            return self._salvaged(tenant, since)

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
        start, last = key_range(tenant)
        while start is not None:
            bounds = {"start": start, "end": start + _RUN_KEYS - 1, "last": last}
            named, data, size, longest, blobs, start = self._connection.execute(_RUN, bounds).get
            if start is not None and start <= bounds["end"]:
                raise apsw.CorruptError("a page of vectors lies in another's place")
            keys: Any = np.fromstring(named or "", dtype=np.int64, sep=",")
            if not len(keys):
                continue
            # In a damaged file a value may be of any kind, and of any size.
            if not size or size % 4 or size != longest or len(keys) != blobs or len(data) != size * blobs:
                yield from self._fitting(bounds["start"], bounds["end"])
            else:
                yield keys, data

    def _fitting(self, first: int, last: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors between two keys that are what their sums say, whatever their sizes."""
        read = self._connection.execute(_ALL_VECTORS, (first, last))
        while found := list(islice(read, _RUN_KEYS)):
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
            found = {key: decoded(data, checksum) for key, data, checksum in by_keys(self._connection, _BODIES, keys)}
            _refuse_others(found.values(), self._name.decode())
            return [found[key] for key in keys]
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


def _refuse_others(memories: Iterable[Memory], tenant: str) -> None:
    if any(memory.tenant != tenant for memory in memories):
        raise DecodeError("another tenant's memory lies among these")


def by_keys(connection: apsw.Connection, sql: str, keys: Sequence[int], *more: str) -> list[Any]:
    """What a statement finds for these keys, which are its first value."""
    return connection.execute(sql, (apsw.carray(np.array(keys, dtype=np.int64)), *more)).fetchall() if keys else []


def _in_place(read: Iterator[Any], first: int, last: int) -> Sequence[Sequence[Any]]:
    """The columns of rows, read some at a time so that little else is in memory meanwhile; a DecodeError where one is not as written.

    A page that lies in another's place is as it was written, but its rows are not in order, or not between these keys.
    """
    texts: list[list[Any]] = [[] for _ in _TEXTS]
    numbers, known, before = list[Any](), dict[Any, Any](), first - 1
    while some := list(islice(read, _ROWS_AT_ONCE)):
        *columns, sums = zip(*some, strict=True)
        keys, forwards = columns[1], columns[6]
        whole = tuple(map(crc32, forwards)) == sums or all(map(fits, forwards, sums))
        if not whole or not all(map(lt, (before, *keys), (*keys, last))):
            raise DecodeError("what is searched of a memory is not what was written, or lies in another's place")
        before = keys[-1]
        numbers.append(np.array([columns[place] for place in _NUMBERS], dtype=np.int64))
        for held, place in zip(texts, _TEXTS, strict=True):
            # Sessions, scopes and fingerprints come again and again: each is held once.
            held.extend(map(known.setdefault, columns[place], columns[place]) if place in _REPEATED else columns[place])
    if not numbers:
        return ()
    found = dict(zip(_TEXTS, texts, strict=True)) | dict(zip(_NUMBERS, np.concatenate(numbers, axis=1), strict=True))
    return [found[place] for place in sorted(found)]
