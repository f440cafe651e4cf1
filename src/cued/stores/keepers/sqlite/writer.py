"""One tenant's rows inside a write transaction."""

from collections.abc import Callable, Iterable, Sequence

import apsw

from cued.model import Memory, RecallEntry, Record, Touch, Use, Vector
from cued.standing.instants import micros
from cued.stores.admission import entry_body
from cued.stores.beliefs.changes import Draft
from cued.stores.columns.forward import pack
from cued.stores.keepers.sqlite import rows

LOG_KEPT = 10_000

_Edge = tuple[int, str, str]

_INSERT = """
    INSERT INTO memory (key, tenant, id, change, content, scope, kind, tier, created, valid_from, valid_until, expires, forgotten,
                        superseded, locally, session, turn, tags, fingerprint, forward, body)
    VALUES (:key, :tenant, :id, :change, :change, :scope, :kind, :tier, :created, :valid_from, :valid_until, :expires, :forgotten,
            :superseded, :locally, :session, :turn, :tags, :fingerprint, :forward, :body)
"""
_UPDATE = """
    UPDATE memory SET change = :change, scope = :scope, kind = :kind, tier = :tier, created = :created, valid_from = :valid_from,
        valid_until = :valid_until, expires = :expires, forgotten = :forgotten, superseded = :superseded, locally = :locally,
        session = :session, turn = :turn, tags = :tags, body = :body
    WHERE tenant = :tenant AND id = :id
"""
_CONTENT = "UPDATE memory SET content = ?, fingerprint = ?, forward = ? WHERE key = ?"
_USED = "SELECT memory.key, use.body FROM memory LEFT JOIN use ON use.key = memory.key WHERE memory.tenant = ? AND memory.id = ?"
_USE = "INSERT INTO use (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body"
_LOG = """
    INSERT INTO recall (tenant, recall_id, at, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (tenant, recall_id) DO UPDATE SET at = excluded.at, body = excluded.body
"""
_LINK = "INSERT OR IGNORE INTO edge (key, relation, target) VALUES (?, ?, ?)"
_KEEP = "INSERT INTO document (tenant, name, body) VALUES (?, ?, ?) ON CONFLICT (tenant, name) DO UPDATE SET body = excluded.body"
_TRIM = """
    DELETE FROM recall
    WHERE tenant = :tenant AND key <= (SELECT key FROM recall WHERE tenant = :tenant ORDER BY key DESC LIMIT 1 OFFSET :kept)
"""


class Writer:
    """Writes to one tenant; `finish` stamps what was done."""

    def __init__(self, connection: apsw.Connection, name: bytes) -> None:
        """Open the tenant, and begin a new change of it."""
        self._connection = connection
        tenant = rows.open_tenant(connection, name)
        self._tenant = tenant._replace(change=tenant.change + 1)

    def find(self, memory_id: str) -> Memory | None:
        """Give a memory as stored, None when there is none."""
        return rows.find_memory(self._connection, self._tenant.key, memory_id)

    def known(self, memory_ids: Iterable[str]) -> list[str]:
        """Give those of the ids that are stored already."""
        sql = "SELECT 1 FROM memory WHERE tenant = ? AND id = ?"
        return [each for each in memory_ids if self._connection.execute(sql, (self._tenant.key, each)).fetchone()]

    def lapsed(self) -> list[str]:
        """Give the ids of all memories that may have a lifted mark."""
        sql = "SELECT id FROM memory WHERE tenant = ? AND locally IS NOT NULL"
        return [memory_id for (memory_id,) in self._connection.execute(sql, (self._tenant.key,))]

    def vector(self, memory_id: str) -> Vector | None:
        """Give the vector of a stored memory."""
        data = self._connection.execute("SELECT data FROM vector WHERE key = ?", (self._key(memory_id),)).fetchone()
        return None if data is None else rows.as_vector(data[0])

    def insert(self, records: Sequence[Record], draft: Draft) -> None:
        """Write new records, with their memories as the draft has them, and what else the draft changed."""
        first = self._tenant.keys[0] + self._tenant.last + 1
        fingerprints = {text: rows.fingerprint_key(self._connection, text) for text in {each.memory.fingerprint for each in records}}
        values, vectors, edges, uses = [], [], list[_Edge](), list[tuple[int, bytes]]()
        for key, record in enumerate(records, start=first):
            memory = draft.changed.pop(record.memory.id)
            values.append(self._values(memory) | {"key": key, "fingerprint": fingerprints[memory.fingerprint], "forward": pack(record)})
            if record.vector is not None:
                vectors.append((key, rows.as_data(record.vector)))
            if memory.use != rows.UNUSED:
                uses.append((key, rows.encoded_use(memory.use)))
            edges += _edges(key, memory)
        self._connection.executemany(_INSERT, values)
        self._connection.executemany("INSERT INTO vector (key, data) VALUES (?, ?)", vectors)
        self._connection.executemany(_USE, uses)
        self._connection.executemany(_LINK, edges)
        self.update(draft)
        count = len(records)
        self._tenant = self._tenant._replace(size=self._tenant.size + count, last=self._tenant.last + count)

    def revise(self, record: Record, *, old: Memory) -> None:
        """Write what of a revised memory lies outside of its row, and its content where that differs from the old one's."""
        memory, key = record.memory, self._key(record.memory.id)
        if memory.use != old.use:
            self._connection.execute(_USE, (key, rows.encoded_use(memory.use)))
        if memory.edges != old.edges:
            self._connection.execute("DELETE FROM edge WHERE key = ?", (key,))
            self._connection.executemany(_LINK, _edges(key, memory))
        forward, data = pack(record), None if record.vector is None else rows.as_data(record.vector)
        before = self._connection.execute("SELECT forward, data FROM memory LEFT JOIN vector USING (key) WHERE key = ?", (key,)).get
        if (forward, data) == before and _place(memory) == _place(old):
            return
        fingerprint = rows.fingerprint_key(self._connection, memory.fingerprint)
        self._connection.execute(_CONTENT, (self._tenant.change, fingerprint, forward, key))
        self._connection.execute("DELETE FROM vector WHERE key = ?", (key,))
        if data is not None:
            self._connection.execute("INSERT INTO vector (key, data) VALUES (?, ?)", (key, data))

    def update(self, draft: Draft) -> None:
        """Write the memories that the draft changed; their content stays."""
        self._connection.executemany(_UPDATE, [self._values(memory) for memory in draft.changed.values()])

    def erase(self, memory_ids: Iterable[str]) -> None:
        """Remove memories with all that hangs on them."""
        erased = [(self._key(memory_id),) for memory_id in memory_ids]
        for table in ("vector", "use", "edge", "memory"):
            self._connection.executemany(f"DELETE FROM {table} WHERE key = ?", erased)  # noqa: S608 - one of ours
        self._tenant = self._tenant._replace(size=self._tenant.size - len(erased), epoch=self._tenant.epoch + 1)

    def erase_all(self) -> None:
        """Remove everything of the tenant and the tenant itself; nothing can be written after it."""
        key = self._tenant.key
        for table in ("vector", "use", "edge", "memory"):
            self._connection.execute(f"DELETE FROM {table} WHERE key BETWEEN ? AND ?", self._tenant.keys)  # noqa: S608 - one of ours
        self._connection.execute("DELETE FROM recall WHERE tenant = ?", (key,))
        self._connection.execute("DELETE FROM document WHERE tenant = ?", (key,))
        self._connection.execute("DELETE FROM tenant WHERE key = ?", (key,))

    def touch(self, touches: Iterable[Touch]) -> None:
        """Change how memories were used; unknown ids are passed over, and what a change leaves as it is is not written."""
        before, after = dict[int, Use](), dict[int, Use]()
        for each in touches:
            row = self._connection.execute(_USED, (self._tenant.key, each.id)).fetchone()
            if row is not None:
                key = int(row[0])
                used = before.setdefault(key, rows.decoded_use(row[1]))
                after[key] = each.change(after.get(key, used))
        changed = [(key, rows.encoded_use(use)) for key, use in after.items() if use != before[key]]
        self._connection.executemany(_USE, changed)

    def log(self, entries: Sequence[RecallEntry]) -> None:
        """Append to the recall log or replace what it knows already, and drop what is older than the newest LOG_KEPT."""
        if not entries:
            return
        lines = [(self._tenant.key, each.recall_id, micros(each.at), entry_body(each)) for each in entries]
        self._connection.executemany(_LOG, lines)
        self._connection.execute(_TRIM, {"tenant": self._tenant.key, "kept": LOG_KEPT})

    def keep_document(self, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Replace a document by `change(document)`; None removes it."""
        before = rows.find_document(self._connection, self._tenant.key, name)
        after = change(before)
        if after is None:
            self._connection.execute("DELETE FROM document WHERE tenant = ? AND name = ?", (self._tenant.key, name))
        elif after != before:
            self._connection.execute(_KEEP, (self._tenant.key, name, after))

    def finish(self) -> None:
        """Stamp the tenant with this change, so that every shelf of it is brought up to date."""
        tenant = self._tenant
        sql = "UPDATE tenant SET change = ?, epoch = ?, size = ?, last = ? WHERE key = ?"
        self._connection.execute(sql, (tenant.change, tenant.epoch, tenant.size, tenant.last, tenant.key))

    def _key(self, memory_id: str) -> int:
        return int(self._connection.execute("SELECT key FROM memory WHERE tenant = ? AND id = ?", (self._tenant.key, memory_id)).get)

    def _values(self, memory: Memory) -> dict[str, rows.Value]:
        return rows.judged_columns(memory) | {"tenant": self._tenant.key, "id": memory.id, "change": self._tenant.change}


def _place(memory: Memory) -> tuple[object, ...]:
    return memory.source.session, memory.source.turn, memory.created_at, memory.fingerprint


def _edges(key: int, memory: Memory) -> list[_Edge]:
    return [(key, edge.relation, edge.target) for edge in memory.edges]
