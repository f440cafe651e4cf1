"""One tenant's rows inside a transaction: how memories are written, and how they are read back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

import apsw
from msgspec import DecodeError, json, msgpack
from msgspec.structs import replace

from cued.model import (
    Filter,
    Head,
    Indexed,
    LogQuery,
    LogRules,
    Memory,
    RecallEntry,
    Row,
    Slice,
    Stats,
    Tallies,
    TallyQuery,
    Use,
)
from cued.stores.encoding import fits
from cued.stores.keepers import sql_values
from cued.stores.keepers.sql_values import Counters, edges_of, in_order, uses_of, uses_read, with_use
from cued.stores.keepers.sqlite import log, queries, removing
from cued.stores.keepers.sqlite.schema import Value
from cued.stores.keepers.sqlite.searched import Searched, by_keys, key_range

_TENANT = "SELECT change, epoch, size, last, bytes, key FROM tenant WHERE name = ?"
_READ = """
    SELECT memory.id, memory.key, memory.body, body_sum, use.body FROM memory LEFT JOIN use USING (key)
    WHERE memory.tenant = ? AND memory.id = ?
"""
_MANY = 8
_LAST_ID = "SELECT max(id) FROM memory WHERE tenant = ?"
_LAPSED = """
    SELECT memory.key, memory.body, body_sum, use.body FROM memory LEFT JOIN use USING (key)
    WHERE memory.tenant = ? AND locally IS NOT NULL
"""
_CONTENT = "SELECT forward, data, forward_sum, data_sum FROM memory LEFT JOIN vector USING (key) WHERE key = ?"
_USES = "SELECT use.key, use.body FROM carray(?) AS wanted CROSS JOIN use ON use.key = wanted.value"
_WEIGHED = "SELECT ifnull(sum(length(memory.body)), 0) FROM carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value"

_INSERT = """
    INSERT INTO memory (key, tenant, id, change, content, scope, kind, tier, trust, quarantined, created, valid_from, valid_until,
                        expires, forgotten, superseded, locally, session, turn, tags, body, body_sum, fingerprint, forward, forward_sum)
    VALUES (:key, :tenant, :id, :change, :change, :scope, :kind, :tier, :trust, :quarantined, :created, :valid_from, :valid_until,
            :expires, :forgotten, :superseded, :locally, :session, :turn, :tags, :body, :body_sum, :fingerprint, :forward, :forward_sum)
"""
_UPDATE = """
    UPDATE memory SET change = :change, scope = :scope, kind = :kind, tier = :tier, trust = :trust, quarantined = :quarantined,
        created = :created, valid_from = :valid_from,
        valid_until = :valid_until, expires = :expires, forgotten = :forgotten, superseded = :superseded, locally = :locally,
        session = :session, turn = :turn, tags = :tags, body = :body, body_sum = :body_sum
    WHERE key = :key
"""
_REPLACE = "UPDATE memory SET content = ?, fingerprint = ?, forward = ?, forward_sum = ? WHERE key = ?"
_ADD_VECTOR = "INSERT INTO vector (key, data, data_sum) VALUES (?, ?, ?)"
_LINK = "INSERT OR IGNORE INTO edge (key, relation, target) VALUES (?, ?, ?)"
_PUT_USE = "INSERT INTO use (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body"
_PUT_DOCUMENT = "INSERT INTO document (tenant, name, body) VALUES (?, ?, ?) ON CONFLICT (tenant, name) DO UPDATE SET body = excluded.body"


class SqliteTransaction:
    """Reads and writes one tenant; `finish` stamps what was written."""

    def __init__(self, connection: apsw.Connection, name: bytes) -> None:
        """Read the tenant's counters; its row is made with the first thing that is written."""
        self._connection, self._name = connection, name
        row = connection.execute(_TENANT, (name,)).fetchone()
        self._tenant = Counters() if row is None else Counters(*row)
        self._started = self._tenant
        self.erased: removing.Gone | None = None
        self.more = False
        self._searched = Searched(connection, name)

    def head(self) -> Head:
        """The tenant's counters."""
        return self._tenant.head

    def read(self, memory_ids: Sequence[str], *, content: bool = False) -> dict[str, Row]:
        """The rows of those of the ids that are stored, by id; with `content` with forward index and vector."""
        found: dict[str, Row] = {}
        # One statement an id: no array that SQLite takes carries a text with NUL in it, and here a statement is no round trip.
        asked = [(self._tenant.key, memory_id) for memory_id in self._stored_perhaps(memory_ids)]
        read: list[Any] = self._connection.executemany(_READ, asked).fetchall()
        for memory_id, *row in read:
            found[memory_id] = self._with_content(self._row(*row)) if content else self._row(*row)
            if found[memory_id].memory.id != memory_id:
                raise DecodeError(f"another memory lies under the id {memory_id!r}")
        return found

    def _stored_perhaps(self, memory_ids: Sequence[str]) -> Sequence[str]:
        """The ids that may be stored already: where there are many, those above the greatest stored id are left out."""
        if len(memory_ids) < _MANY:
            return memory_ids
        last: str | None = self._connection.execute(_LAST_ID, (self._tenant.key,)).get
        return [memory_id for memory_id in memory_ids if last is not None and memory_id <= last]

    def _with_content(self, row: Row) -> Row:
        forward, data, forward_sum, data_sum = self._connection.execute(_CONTENT, (row.key,)).get
        if not fits(forward, forward_sum) or not fits(data or b"", data_sum):
            raise DecodeError(f"what is searched of the memory {row.memory.id!r} is not what was written")
        return row._replace(forward=forward, vector=data)

    def lapsed(self) -> Sequence[Row]:
        """Every row that has a mark."""
        return [self._row(*row) for row in self._connection.execute(_LAPSED, (self._tenant.key,))]

    def insert(self, rows: Sequence[Row]) -> Sequence[int]:
        """The keys of new rows, which are written with edges and use."""
        tenant, change = self._opened(), self._stamp()
        first = key_range(tenant.key)[0] + tenant.last + 1
        keyed = [Row(row.memory, key, row.judged, row.forward, row.vector) for key, row in enumerate(rows, start=first)]
        fingerprints = self._fingerprints(rows)
        values = [columns(row, change=change) for row in keyed]
        for row, each in zip(keyed, values, strict=True):
            each.update(tenant=tenant.key, id=row.memory.id, fingerprint=fingerprints[row.memory.fingerprint])
            each.update(forward=row.forward, forward_sum=crc32(row.forward or b""))
        self._connection.executemany(_INSERT, values)
        self._connection.executemany(_ADD_VECTOR, _vectors(keyed))
        if edges := edges_of(keyed):
            self._connection.executemany(_LINK, edges)
        if uses := uses_of(keyed):
            self.put_uses(uses)
        self._tenant = self._tenant.with_more(len(rows), sum(len(each["body"]) for each in values))
        return range(first, first + len(rows))

    def update(self, rows: Sequence[Row]) -> None:
        """Replace rows by their keys, all but their use, and where `forward` is None all but forward index and vector."""
        change = self._stamp()
        values = [columns(row, change=change) for row in rows]
        grown = sum(len(each["body"]) for each in values) - self._weight([row.key for row in rows])
        self._tenant = self._tenant._replace(bytes=self._tenant.bytes + grown)
        self._connection.executemany(_UPDATE, values)
        self._connection.executemany("DELETE FROM edge WHERE key = ?", [(row.key,) for row in rows])
        self._connection.executemany(_LINK, edges_of(rows))
        new = [row for row in rows if row.forward is not None]
        if not new:
            return
        fingerprints = self._fingerprints(new)
        self._connection.executemany(_REPLACE, _contents(new, change, fingerprints))
        self._connection.executemany("DELETE FROM vector WHERE key = ?", [(row.key,) for row in new])
        self._connection.executemany(_ADD_VECTOR, _vectors(new))
        self._connection.executemany("INSERT INTO replaced (key) VALUES (?)", [(row.key,) for row in new])

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:
        """Remove rows and all that hangs on them; with `more` to be removed right after, the file is not looked through for these alone."""
        change, left = self._stamp(), self._tenant.bytes - self._weight(keys)
        gone = removing.remove(self._connection, self._name, keys)
        self._drop_shelf()
        told = removing.tell(self._connection, key_range(self._tenant.key), keys, change)
        size, epoch = self._tenant.size - len(keys), self._tenant.epoch + (not told)
        self._tenant = self._tenant._replace(size=size, epoch=epoch, bytes=left)
        self.erased, self.more = gone, more

    def removed(self, since: int) -> Sequence[int]:
        """The keys of the rows that were removed after the change of this number, as long as the epoch is the same."""
        sql = "SELECT key FROM removed WHERE key BETWEEN ? AND ? AND change > ?"
        return [key for (key,) in self._connection.execute(sql, (*key_range(self._tenant.key), since))]

    def erase(self) -> None:
        """Remove all that is kept for the tenant."""
        if self._tenant.key >= 0:
            self.erased = removing.erase(self._connection, self._name, self._tenant.key, key_range(self._tenant.key))
        self._tenant = self._started = Counters()

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""
        return self._searched.changed(self._tenant.key, since)

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, all for 0, in runs of one size; broken ones are left out."""
        return self._searched.vectors(self._tenant.key, since)

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows in their order, without their use; None for one that is broken."""
        return self._searched.memories(keys)

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""
        return uses_read(self._by_keys(_USES, keys))

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key."""
        self._connection.executemany(_PUT_USE, [(key, msgpack.encode(use)) for key, use in uses])

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, and how many it wants in all."""
        found, total = queries.page(self._connection, self._tenant.key, wanted, asked)
        return [self._decoded(*row) for row in found], total

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows with forward index and vector, by id, from the first id greater than `after`."""
        found = list[Row]()
        for *row, forward, vector, forward_sum, vector_sum in queries.scan(self._connection, self._tenant.key, limit=limit, after=after):
            if not fits(forward, forward_sum) or not fits(vector or b"", vector_sum):
                raise DecodeError("what is searched of a memory is not what was written")
            found.append(self._row(*row)._replace(forward=forward, vector=vector))
        return in_order(found, after)

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids, each once."""
        return [self._decoded(*row) for row in queries.linking(self._connection, key_range(self._tenant.key), memory_ids)]

    def stats(self, at: int) -> Stats:
        """What the tenant holds, counted, as of a moment in microseconds."""
        return replace(queries.stats(self._connection, self._tenant.key, at=at), bytes=self._tenant.bytes)

    def log(self, query: LogQuery) -> Sequence[RecallEntry]:
        """The lines that the query asks for, by time and then as they were written."""
        return log.read(self._connection, self._tenant.key, query)

    def tally(self, query: TallyQuery) -> Tallies:
        """The lines that the query means, counted."""
        return log.tally(self._connection, self._tenant.key, query)

    def put_log(self, entries: Sequence[RecallEntry], rules: LogRules) -> None:
        """Write lines, in place of those with the same `recall_id`, and drop what the rules do not keep."""
        log.write(self._connection, self._opened().key, entries)
        log.trim(self._connection, self._tenant.key, entries, rules)

    def document(self, name: str) -> bytes | None:
        """A document, None when there is none."""
        row = self._connection.execute("SELECT body FROM document WHERE tenant = ? AND name = ?", (self._tenant.key, name)).fetchone()
        return None if row is None else row[0]

    def put_document(self, name: str, body: bytes | None) -> None:
        """Write a document; None removes it."""
        if body is None:
            self._connection.execute("DELETE FROM document WHERE tenant = ? AND name = ?", (self._tenant.key, name))
        else:
            self._connection.execute(_PUT_DOCUMENT, (self._opened().key, name, body))

    def documents(self) -> Sequence[str]:
        """The names of the tenant's documents, in order."""
        return sorted(name for (name,) in self._connection.execute("SELECT name FROM document WHERE tenant = ?", (self._tenant.key,)))

    def shelf(self) -> Sequence[bytes]:
        """The parts of the tenant's shelf as they were last put."""
        return [body for (body,) in self._connection.execute("SELECT body FROM shelf WHERE tenant = ? ORDER BY part", (self._tenant.key,))]

    def put_shelf(self, parts: Sequence[bytes]) -> None:
        """Keep the parts of the tenant's shelf, in place of those before."""
        self._drop_shelf()
        key = self._opened().key
        self._connection.executemany("INSERT INTO shelf (tenant, part, body) VALUES (?, ?, ?)", [(key, *each) for each in enumerate(parts)])

    def finish(self) -> None:
        """Stamp the tenant with this change, if there was any, so that every shelf of it is brought up to date."""
        tenant = self._tenant
        if tenant != self._started:
            sql = "UPDATE tenant SET change = ?, epoch = ?, size = ?, last = ?, bytes = ? WHERE key = ?"
            self._connection.execute(sql, (tenant.change, tenant.epoch, tenant.size, tenant.last, tenant.bytes, tenant.key))

    def _opened(self) -> Counters:
        """The tenant, its row made if need be."""
        if self._tenant.key < 0:
            # A tenant that was erased and made anew may get its old key; that its epoch starts anywhere tells the two apart in every cache.
            self._connection.execute("INSERT INTO tenant (name, epoch) VALUES (?, random() >> 2)", (self._name,))
            row: tuple[int, ...] = self._connection.execute(_TENANT, (self._name,)).get
            self._tenant = self._started = Counters(*row)
        return self._tenant

    def _drop_shelf(self) -> None:
        self._connection.execute("DELETE FROM shelf WHERE tenant = ?", (self._tenant.key,))

    def _stamp(self) -> int:
        """The number of this change: one a transaction, whatever it writes."""
        self._tenant = self._tenant._replace(change=self._started.change + 1)
        return self._tenant.change

    def _fingerprints(self, rows: Sequence[Row]) -> dict[str | None, int | None]:
        """The key of each fingerprint's text, made if need be."""
        keys: dict[str | None, int | None] = {None: None}
        for text in {row.memory.fingerprint for row in rows} - {None}:
            known = self._connection.execute("SELECT key FROM fingerprint WHERE text = ?", (text,)).get
            keys[text] = known or self._connection.execute("INSERT INTO fingerprint (text) VALUES (?) RETURNING key", (text,)).get
        return keys

    def _weight(self, keys: Sequence[int]) -> int:
        """How many bytes these rows' memories take."""
        found = self._by_keys(_WEIGHED, keys)
        return int(found[0][0]) if found else 0

    def _decoded(self, memory_body: bytes, body_sum: int | None, use_body: bytes | None) -> Memory:
        """A memory from its two bodies; one that is not what was written, or is another tenant's, is a DecodeError."""
        return with_use(self._searched.own(memory_body, body_sum), use_body)

    def _row(self, key: int, memory_body: bytes, body_sum: int | None, use_body: bytes | None) -> Row:
        return Row(self._decoded(memory_body, body_sum, use_body), key)

    def _by_keys(self, sql: str, keys: Sequence[int]) -> list[Any]:
        return by_keys(self._connection, sql, keys)


def columns(row: Row, *, change: int) -> dict[str, Any]:
    """The columns that may change while the content of a row stays, with the sum of its body."""
    values = sql_values.columns(row, change=change)
    values.update(tags=json.encode(row.memory.tags).decode() if row.memory.tags else "[]", body_sum=crc32(values["body"]))
    return values


def _vectors(rows: Sequence[Row]) -> list[tuple[int, bytes, int]]:
    """The values of rows' vectors, with their sums."""
    return [(row.key, row.vector, crc32(row.vector)) for row in rows if row.vector is not None]


def _contents(rows: Sequence[Row], change: int, fingerprints: Mapping[str | None, int | None]) -> list[tuple[Value, ...]]:
    """The values of what is searched of rows, with its sum."""
    return [(change, fingerprints[row.memory.fingerprint], row.forward, crc32(row.forward or b""), row.key) for row in rows]
