"""One tenant's rows inside a transaction: how memories are written, and how they are read back."""

from collections.abc import Iterable, Sequence
from operator import lt
from typing import Any
from zlib import crc32

import apsw
import numpy as np
from msgspec import DecodeError, msgpack
from msgspec.structs import replace

from cued.model import (
    DERIVED_FROM,
    KINDS,
    Filter,
    Head,
    Indexed,
    Judged,
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
from cued.stores.checksums import decoded as checked
from cued.stores.checksums import fits
from cued.stores.encoding import runs
from cued.stores.keepers.sqlite import log, page_sums, queries, removing, salvage
from cued.stores.keepers.sqlite.row_values import TenantRow, columns, contents_of, edges_of, vectors_of
from cued.stores.standing.marks import Mark

_UNUSED = Use()
_USE = msgpack.Decoder(Use)
_MARKS = msgpack.Decoder(tuple[Mark, ...])
_REFLECTION = KINDS.index("reflection")
_RUN_KEYS = 2048

_TENANT = "SELECT key, change, epoch, size, last, bytes FROM tenant WHERE name = ?"
_READ = "SELECT memory.key, memory.body, body_sum, use.body FROM memory LEFT JOIN use USING (key) WHERE memory.tenant = ? AND memory.id = ?"
_LAPSED = """
    SELECT memory.key, memory.body, body_sum, use.body FROM memory LEFT JOIN use USING (key)
    WHERE memory.tenant = ? AND locally IS NOT NULL
"""
_CONTENT = "SELECT forward, data, forward_sum, data_sum FROM memory LEFT JOIN vector USING (key) WHERE key = ?"
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
        self._tenant = TenantRow() if row is None else TenantRow(*row)
        self._started = self._tenant
        self.erased: removing.Gone | None = None
        self.more = False
        self._left_out: set[int] = set()

    def head(self) -> Head:
        """The tenant's counters."""
        return Head(self._tenant.change, self._tenant.epoch, self._tenant.size, self._tenant.bytes)

    def read(self, memory_ids: Sequence[str], *, content: bool = False) -> dict[str, Row]:
        """The rows of those of the ids that are stored, by id; with `content` with forward index and vector."""
        found: dict[str, Row] = {}
        # One statement an id: no array that SQLite takes carries a text with NUL in it, and here a statement is no round trip.
        for memory_id in memory_ids:
            row = self._connection.execute(_READ, (self._tenant.key, memory_id)).fetchone()
            if row is not None:
                found[memory_id] = self._with_content(self._row(*row)) if content else self._row(*row)
                if found[memory_id].memory.id != memory_id:
                    raise DecodeError(f"another memory lies under the id {memory_id!r}")
        return found

    def _with_content(self, row: Row) -> Row:
        forward, data, forward_sum, data_sum = self._connection.execute(_CONTENT, (row.key,)).get
        if not fits(forward, forward_sum) or not fits(data or b"", data_sum):
            raise DecodeError(f"what is searched of the memory {row.memory.id!r} is not what was written")
        return row._replace(forward=forward, vector=data)

    def lapsed(self) -> Sequence[Row]:
        """Every row that has a mark."""
        return [self._row(*row) for row in self._connection.execute(_LAPSED, (self._tenant.key,))]

    def insert(self, rows: Sequence[Row]) -> None:
        """Write new rows with all that is in them, edges and use included."""
        tenant, change = self._opened(), self._stamp()
        first = tenant.keys[0] + tenant.last + 1
        keyed = [row._replace(key=key) for key, row in enumerate(rows, start=first)]
        fingerprints = self._fingerprints(rows)
        values = [
            columns(row, change=change)
            | {"tenant": tenant.key, "id": row.memory.id, "fingerprint": fingerprints[row.memory.fingerprint]}
            | {"forward": row.forward, "forward_sum": crc32(row.forward or b"")}
            for row in keyed
        ]
        self._connection.executemany(_INSERT, values)
        self._connection.executemany(_ADD_VECTOR, vectors_of(keyed))
        self._connection.executemany(_LINK, edges_of(keyed))
        self.put_uses([(row.key, row.memory.use) for row in keyed if row.memory.use != _UNUSED])
        count = len(rows)
        grown = sum(len(each["body"]) for each in values)
        held = self._tenant
        self._tenant = held._replace(size=held.size + count, last=held.last + count, bytes=held.bytes + grown)

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
        self._connection.executemany(_REPLACE, contents_of(new, change, fingerprints))
        self._connection.executemany("DELETE FROM vector WHERE key = ?", [(row.key,) for row in new])
        self._connection.executemany(_ADD_VECTOR, vectors_of(new))
        self._connection.executemany("INSERT INTO replaced (key) VALUES (?)", [(row.key,) for row in new])

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:
        """Remove rows and all that hangs on them; with `more` to be removed right after, the file is not looked through for these alone."""
        change, left = self._stamp(), self._tenant.bytes - self._weight(keys)
        gone = removing.remove(self._connection, self._name, keys)
        self._drop_shelf()
        told = removing.tell(self._connection, self._tenant.keys, keys, change)
        size, epoch = self._tenant.size - len(keys), self._tenant.epoch + (not told)
        self._tenant = self._tenant._replace(size=size, epoch=epoch, bytes=left)
        self.erased, self.more = gone, more

    def removed(self, since: int) -> Sequence[int]:
        """The keys of the rows that were removed after the change of this number, as long as the epoch is the same."""
        sql = "SELECT key FROM removed WHERE key BETWEEN ? AND ? AND change > ?"
        return [key for (key,) in self._connection.execute(sql, (*self._tenant.keys, since))]

    def erase(self) -> None:
        """Remove all that is kept for the tenant."""
        if self._tenant.key >= 0:
            self.erased = removing.erase(self._connection, self._name, self._tenant.key, self._tenant.keys)
        self._tenant = self._started = TenantRow()

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""
        asked = (_CHANGED, (self._tenant.key, since)) if since else (_ALL, self._tenant.keys)
        try:
            rows: list[Any] = self._connection.execute(*asked).fetchall()
            return self._indexed(rows) if self._in_place(rows) else self._salvaged(since)
        except (*salvage.FOREIGN, DecodeError, UnicodeDecodeError, TypeError):
            return self._salvaged(since)

    def _in_place(self, rows: Sequence[Any]) -> bool:
        """Whether rows are what was written; a page that lies in another's place is, but its rows are not in order or not this tenant's."""
        first, last = self._tenant.keys
        keys = [first - 1, *(row[1] for row in rows), last]
        return all(map(lt, keys, keys[1:])) and all(fits(row[6], row[-1]) for row in rows)

    def _indexed(self, rows: Sequence[Any]) -> Indexed:
        if not rows:
            return Indexed((), (), (), (), (), (), (), [()] * len(Judged._fields))
        ids, keys, contents, fingerprints, sessions, turns, forwards, *judged, locally, _ = zip(*rows, strict=True)
        marks = [() if each is None else _MARKS.decode(each) for each in locally]
        return Indexed(ids, keys, contents, fingerprints, sessions, turns, forwards, [*judged, marks, self._sources(keys, judged[1])])

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, all for 0, in runs of one size; broken ones are left out."""
        if since or self._left_out or not page_sums.summed(self._connection):
            yield from runs(self._checked_vectors(since))
            return
        given = -1
        try:
            for keys, data in self._runs():
                yield keys, data
                given = keys[-1]
        except salvage.FOREIGN:
            yield from runs((key, data) for key, data in self._salvaged_vectors(0) if key > given)

    def _runs(self) -> Iterable[tuple[Sequence[int], bytes]]:
        """All vectors as they stand in pages that are what was written."""
        first, last = self._connection.execute(_BOUNDS, self._tenant.keys).get
        for start in range(first or 0, (last or -1) + 1, _RUN_KEYS):
            keys = start, min(start + _RUN_KEYS - 1, last)
            count, least, most, data = self._connection.execute(_RUN, keys).get
            if count and least == most and least and not least % 4:
                together = count == keys[1] - keys[0] + 1
                yield range(keys[0], keys[1] + 1) if together else [key for (key,) in self._connection.execute(_KEYS, keys)], data
            elif count:
                found: list[Any] = self._connection.execute(_ALL_VECTORS, keys).fetchall()
                yield from runs((key, data) for key, data, checksum in found if fits(data, checksum))

    def _checked_vectors(self, since: int) -> list[tuple[int, bytes]]:
        asked = (_VECTORS, (self._tenant.key, since, since)) if since else (_ALL_VECTORS, self._tenant.keys)
        try:
            found: list[Any] = self._connection.execute(*asked).fetchall()
        except salvage.FOREIGN:
            return self._salvaged_vectors(since)
        return [(key, data) for key, data, checksum in found if fits(data, checksum) and key not in self._left_out]

    def _salvaged_vectors(self, since: int) -> list[tuple[int, bytes]]:
        with page_sums.unchecked(self._connection):
            kept = [row for row in self._whole_rows() if row.content > since]
            return [(row.key, data) for row in kept if (data := salvage.vector(self._connection, row.key)) is not None]

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows in their order, without their use; None for one that is broken."""
        try:
            bodies = {key: (data, checksum) for key, data, checksum in self._by_keys(_BODIES, keys)}
            return [self._own(checked(*bodies[key])) for key in keys]
        except (*salvage.FOREIGN, DecodeError, UnicodeDecodeError, KeyError):
            with page_sums.unchecked(self._connection):
                rows = [salvage.row(self._connection, key) for key in keys]
            return [None if row is None or row.memory.tenant != self._name.decode() else row.memory for row in rows]

    def _salvaged(self, since: int) -> Indexed:
        """What `changed` gives, of a damaged file: each row read by itself, and judged by its body."""
        with page_sums.unchecked(self._connection):
            return salvage.indexed([row for row in self._whole_rows() if row.change > since])

    def _whole_rows(self) -> list[salvage.Saved]:
        rows, broken = salvage.rows(self._connection, self._tenant.key, self._tenant.keys)
        self._left_out |= broken
        return [row for row in rows if row.memory.tenant == self._name.decode()]

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""
        return [(key, _USE.decode(each)) for key, each in self._by_keys(_USES, keys)]

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key."""
        self._connection.executemany(_PUT_USE, [(key, msgpack.encode(use)) for key, use in uses])

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, and how many it wants in all."""
        found, total = queries.page(self._connection, self._tenant.key, wanted, asked)
        return [self._decoded(*row) for row in found], total

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows with their vectors, by id, from the first id greater than `after`."""
        rows = queries.scan(self._connection, self._tenant.key, limit=limit, after=after)
        if not all(fits(row[-2] or b"", row[-1]) for row in rows):
            raise DecodeError("a vector is not what was written")
        return [self._row(*row[:-1]) for row in rows]

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids, each once."""
        return [self._decoded(*row) for row in queries.linking(self._connection, self._tenant.keys, memory_ids)]

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
        log.trim(self._connection, self._tenant.key, rules)

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

    def _opened(self) -> TenantRow:
        """The tenant, its row made if need be."""
        if self._tenant.key < 0:
            # A tenant that was erased and made anew may get its old key; that its epoch starts anywhere tells the two apart in every cache.
            self._connection.execute("INSERT INTO tenant (name, epoch) VALUES (?, random() >> 2)", (self._name,))
            row: tuple[int, ...] = self._connection.execute(_TENANT, (self._name,)).get
            self._tenant = self._started = TenantRow(*row)
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
            self._connection.execute("INSERT OR IGNORE INTO fingerprint (text) VALUES (?)", (text,))
            keys[text] = int(self._connection.execute("SELECT key FROM fingerprint WHERE text = ?", (text,)).get)
        return keys

    def _sources(self, keys: Sequence[int], kinds: Sequence[int]) -> Sequence[tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        reflections = [key for key, kind in zip(keys, kinds, strict=True) if kind == _REFLECTION]
        for key, target in self._by_keys(_SOURCES, reflections, DERIVED_FROM):
            found.setdefault(key, []).append(target)
        return [tuple(found.get(key, ())) for key in keys] if found else ((),) * len(keys)

    def _weight(self, keys: Sequence[int]) -> int:
        """How many bytes these rows' memories take."""
        found = self._by_keys(_WEIGHED, keys)
        return int(found[0][0]) if found else 0

    def _decoded(self, memory_body: bytes, body_sum: int | None, use_body: bytes | None) -> Memory:
        """A memory from its two bodies; one that is not what was written, or is another tenant's, is a DecodeError."""
        memory = self._own(checked(memory_body, body_sum))
        return memory if use_body is None else replace(memory, use=_USE.decode(use_body))

    def _own(self, memory: Memory) -> Memory:
        if memory.tenant != self._name.decode():
            raise DecodeError("another tenant's memory lies among these")
        return memory

    def _row(self, key: int, memory_body: bytes, body_sum: int | None, use_body: bytes | None, vector: bytes | None = None) -> Row:
        return Row(self._decoded(memory_body, body_sum, use_body), key, vector=vector)

    def _by_keys(self, sql: str, keys: Sequence[int], *more: str) -> list[Any]:
        return self._connection.execute(sql, (apsw.carray(np.array(keys, dtype=np.int64)), *more)).fetchall() if keys else []
