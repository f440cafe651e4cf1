"""One tenant's rows inside a transaction: how memories are written, and how they are read back."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
from msgspec import DecodeError, json, msgpack
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
from cued.stores.admission import body
from cued.stores.encoding import runs
from cued.stores.keepers.sqlite import log, queries
from cued.stores.standing.instants import micros, time_or_none
from cued.stores.standing.marks import Mark

_UNUSED = Use()
_MEMORY = msgpack.Decoder(Memory)
_USE = msgpack.Decoder(Use)
_MARKS = msgpack.Decoder(tuple[Mark, ...])
_REFLECTION = KINDS.index("reflection")
_RUN_KEYS = 2048
_HANGING = ("vector", "use", "edge", "memory")

_TENANT = "SELECT key, change, epoch, size, last, bytes FROM tenant WHERE name = ?"
_READ = "SELECT memory.key, memory.body, use.body FROM memory LEFT JOIN use USING (key) WHERE memory.tenant = ? AND memory.id = ?"
_LAPSED = "SELECT memory.key, memory.body, use.body FROM memory LEFT JOIN use USING (key) WHERE memory.tenant = ? AND locally IS NOT NULL"
_CONTENT = "SELECT forward, data FROM memory LEFT JOIN vector USING (key) WHERE key = ?"
_COLUMNS = """
    SELECT memory.id, memory.key, content, ifnull(fingerprint.text, ''), session, turn, forward, scope, kind, tier, trust,
           quarantined IS NOT NULL, created, ifnull(valid_from, -9223372036854775808),
           ifnull(valid_until, 9223372036854775807), ifnull(expires, 9223372036854775807),
           ifnull(forgotten, 9223372036854775807), ifnull(superseded, 9223372036854775807), locally
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint
"""
_ALL = _COLUMNS + "WHERE memory.key BETWEEN ? AND ? ORDER BY memory.key"
_CHANGED = _COLUMNS + "WHERE memory.tenant = ? AND memory.change > ? ORDER BY memory.key"
_BOUNDS = "SELECT min(key), max(key) FROM vector WHERE key BETWEEN ? AND ?"
# Put end to end by SQLite itself, which takes a third of the time that one row after the other does.
_RUN = """
    SELECT count(*), min(length(data)), max(length(data)), CAST(group_concat(data, '') AS BLOB)
    FROM (SELECT data FROM vector WHERE key BETWEEN ? AND ? ORDER BY key)
"""
_KEYS = "SELECT key FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_SOME_VECTORS = "SELECT key, data FROM vector WHERE key BETWEEN ? AND ? ORDER BY key"
_VECTORS = """
    SELECT key, data FROM memory CROSS JOIN vector USING (key) WHERE memory.tenant = ? AND memory.change > ? AND memory.content > ?
    ORDER BY key
"""
_BODIES = "SELECT memory.body FROM carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value"
_SOURCES = "SELECT edge.key, edge.target FROM carray(?) AS wanted CROSS JOIN edge ON edge.key = wanted.value AND edge.relation = ?"
_USES = "SELECT use.key, use.body FROM carray(?) AS wanted CROSS JOIN use ON use.key = wanted.value"

_WEIGHED = "SELECT ifnull(sum(length(memory.body)), 0) FROM carray(?) AS wanted CROSS JOIN memory ON memory.key = wanted.value"

_INSERT = """
    INSERT INTO memory (key, tenant, id, change, content, scope, kind, tier, trust, quarantined, created, valid_from, valid_until,
                        expires, forgotten, superseded, locally, session, turn, tags, body, fingerprint, forward)
    VALUES (:key, :tenant, :id, :change, :change, :scope, :kind, :tier, :trust, :quarantined, :created, :valid_from, :valid_until,
            :expires, :forgotten, :superseded, :locally, :session, :turn, :tags, :body, :fingerprint, :forward)
"""
_UPDATE = """
    UPDATE memory SET change = :change, scope = :scope, kind = :kind, tier = :tier, trust = :trust, quarantined = :quarantined,
        created = :created, valid_from = :valid_from,
        valid_until = :valid_until, expires = :expires, forgotten = :forgotten, superseded = :superseded, locally = :locally,
        session = :session, turn = :turn, tags = :tags, body = :body
    WHERE key = :key
"""
_REPLACE = "UPDATE memory SET content = ?, fingerprint = ?, forward = ? WHERE key = ?"
_ADD_VECTOR = "INSERT INTO vector (key, data) VALUES (?, ?)"
_LINK = "INSERT OR IGNORE INTO edge (key, relation, target) VALUES (?, ?, ?)"
_PUT_USE = "INSERT INTO use (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body"
_PUT_DOCUMENT = "INSERT INTO document (tenant, name, body) VALUES (?, ?, ?) ON CONFLICT (tenant, name) DO UPDATE SET body = excluded.body"


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


class SqliteTransaction:
    """Reads and writes one tenant; `finish` stamps what was written."""

    def __init__(self, connection: apsw.Connection, name: bytes) -> None:
        """Read the tenant's counters; its row is made with the first thing that is written."""
        self._connection, self._name = connection, name
        row = connection.execute(_TENANT, (name,)).fetchone()
        self._tenant = TenantRow() if row is None else TenantRow(*row)
        self._started = self._tenant
        self.erased = self.more = False

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
                found[memory_id] = _row(*row, *(self._connection.execute(_CONTENT, (row[0],)).get if content else ()))
        return found

    def lapsed(self) -> Sequence[Row]:
        """Every row that has a mark."""
        return [_row(*row) for row in self._connection.execute(_LAPSED, (self._tenant.key,))]

    def insert(self, rows: Sequence[Row]) -> None:
        """Write new rows with all that is in them, edges and use included."""
        tenant, change = self._opened(), self._stamp()
        first = tenant.keys[0] + tenant.last + 1
        keyed = [row._replace(key=key) for key, row in enumerate(rows, start=first)]
        fingerprints = self._fingerprints(rows)
        values = [
            columns(row, change=change)
            | {"tenant": tenant.key, "id": row.memory.id, "fingerprint": fingerprints[row.memory.fingerprint], "forward": row.forward}
            for row in keyed
        ]
        self._connection.executemany(_INSERT, values)
        self._connection.executemany(_ADD_VECTOR, [(row.key, row.vector) for row in keyed if row.vector is not None])
        self._connection.executemany(_LINK, _edges(keyed))
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
        self._connection.executemany(_LINK, _edges(rows))
        new = [row for row in rows if row.forward is not None]
        if not new:
            return
        fingerprints = self._fingerprints(new)
        self._connection.executemany(_REPLACE, [(change, fingerprints[row.memory.fingerprint], row.forward, row.key) for row in new])
        self._connection.executemany("DELETE FROM vector WHERE key = ?", [(row.key,) for row in new])
        self._connection.executemany(_ADD_VECTOR, [(row.key, row.vector) for row in new if row.vector is not None])

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:
        """Remove rows and all that hangs on them; with `more` to be removed right after, the file is not rewritten for these alone."""
        self._stamp()
        left = self._tenant.bytes - self._weight(keys)
        for table in _HANGING:
            self._connection.executemany(f"DELETE FROM {table} WHERE key = ?", [(key,) for key in keys])  # noqa: S608 - one of ours
        self._drop_shelf()
        self._tenant = self._tenant._replace(size=self._tenant.size - len(keys), epoch=self._tenant.epoch + 1, bytes=left)
        self.erased, self.more = True, more

    def erase(self) -> None:
        """Remove all that is kept for the tenant."""
        for table in _HANGING:
            self._connection.execute(f"DELETE FROM {table} WHERE key BETWEEN ? AND ?", self._tenant.keys)  # noqa: S608 - one of ours
        for table in ("recall", "document", "shelf"):
            self._connection.execute(f"DELETE FROM {table} WHERE tenant = ?", (self._tenant.key,))  # noqa: S608 - one of ours
        self._connection.execute("DELETE FROM tenant WHERE key = ?", (self._tenant.key,))
        self.erased = self._tenant.key >= 0
        self._tenant = self._started = TenantRow()

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys."""
        asked = (_CHANGED, (self._tenant.key, since)) if since else (_ALL, self._tenant.keys)
        rows: list[Any] = self._connection.execute(*asked).fetchall()
        if not rows:
            return Indexed((), (), (), (), (), (), (), [()] * len(Judged._fields))
        ids, keys, contents, fingerprints, sessions, turns, forwards, *judged, locally = zip(*rows, strict=True)
        if None in forwards or None in ids:
            raise DecodeError("a row has lost its id or its forward index")
        marks = [() if each is None else _MARKS.decode(each) for each in locally]
        return Indexed(ids, keys, contents, fingerprints, sessions, turns, forwards, [*judged, marks, self._sources(keys, judged[1])])

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, all for 0, in runs of one size."""
        if since:
            yield from runs(self._connection.execute(_VECTORS, (self._tenant.key, since, since)))
            return
        first, last = self._connection.execute(_BOUNDS, self._tenant.keys).get
        for start in range(first or 0, (last or -1) + 1, _RUN_KEYS):
            keys = start, min(start + _RUN_KEYS - 1, last)
            count, least, most, data = self._connection.execute(_RUN, keys).get
            if count and least == most:
                together = count == keys[1] - keys[0] + 1
                yield range(keys[0], keys[1] + 1) if together else [key for (key,) in self._connection.execute(_KEYS, keys)], data
            elif count:
                yield from runs(self._connection.execute(_SOME_VECTORS, keys))

    def memories(self, keys: Sequence[int]) -> Sequence[Memory]:
        """The memories of these rows in their order, without their use."""
        bodies = self._by_keys(_BODIES, keys)
        if len(bodies) != len(keys):
            raise DecodeError(f"{len(keys) - len(bodies)} indexed memories have no row")
        return [_MEMORY.decode(each) for (each,) in bodies]

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""
        return [(key, _USE.decode(each)) for key, each in self._by_keys(_USES, keys)]

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key."""
        self._connection.executemany(_PUT_USE, [(key, msgpack.encode(use)) for key, use in uses])

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, and how many it wants in all."""
        found, total = queries.page(self._connection, self._tenant.key, wanted, asked)
        return [decoded(*row) for row in found], total

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows with their vectors, by id, from the first id greater than `after`."""
        return [_row(*row) for row in queries.scan(self._connection, self._tenant.key, limit=limit, after=after)]

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids, each once."""
        return [decoded(*row) for row in queries.linking(self._connection, self._tenant.keys, memory_ids)]

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

    def _by_keys(self, sql: str, keys: Sequence[int], *more: str) -> list[Any]:
        return self._connection.execute(sql, (apsw.carray(np.array(keys, dtype=np.int64)), *more)).fetchall() if keys else []


def decoded(memory_body: bytes, use_body: bytes | None) -> Memory:
    """A memory from its two bodies."""
    memory = _MEMORY.decode(memory_body)
    return memory if use_body is None else replace(memory, use=_USE.decode(use_body))


def _row(key: int, memory_body: bytes, use_body: bytes | None, forward: bytes | None = None, vector: bytes | None = None) -> Row:
    return Row(decoded(memory_body, use_body), key, None, forward, vector)


def columns(row: Row, *, change: int) -> dict[str, Any]:
    """The columns that may change while the content of a row stays."""
    memory, judged = row.memory, row.judged
    if judged is None:
        raise TypeError("a row is written with what the gates judge of it")
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
        "body": body(replace(memory, use=_UNUSED)),
    }


def _edges(rows: Sequence[Row]) -> list[tuple[int, str, str]]:
    return [(row.key, edge.relation, edge.target) for row in rows for edge in row.memory.edges]
