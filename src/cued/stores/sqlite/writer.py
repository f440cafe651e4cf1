"""One tenant's rows inside a write transaction."""

from collections.abc import Iterable, Sequence

import apsw

from cued.model import Memory, RecallEntry, Record, Touch
from cued.stores.beliefs import Draft
from cued.stores.forward import pack
from cued.stores.instants import micros
from cued.stores.sqlite import rows

LOG_KEPT = 10_000

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
_TOUCH = """
    INSERT INTO use (key, body) SELECT key, ? FROM memory WHERE tenant = ? AND id = ?
    ON CONFLICT (key) DO UPDATE SET body = excluded.body
"""
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

    def stored(self, memory: Memory) -> Record:
        """Give the memory as a record with its vector; its terms are left out, for only their hashes are stored."""
        sql = "SELECT data FROM vector WHERE key = ?"
        data = self._connection.execute(sql, (self._key(memory.id),)).fetchone()
        return Record(memory=memory, terms={}, vector=None if data is None else rows.as_vector(data[0]))

    def insert(self, records: Sequence[Record], draft: Draft) -> None:
        """Write new records, with their memories as the draft has them, and what else the draft changed."""
        first = self._tenant.keys[0] + self._tenant.last + 1
        fingerprints = {text: rows.fingerprint_key(self._connection, text) for text in {each.memory.fingerprint for each in records}}
        values, vectors = [], []
        for key, record in enumerate(records, start=first):
            memory = draft.changed.pop(record.memory.id)
            values.append(self._values(memory) | {"key": key, "fingerprint": fingerprints[memory.fingerprint], "forward": pack(record)})
            if record.vector is not None:
                vectors.append((key, rows.as_data(record.vector)))
        self._connection.executemany(_INSERT, values)
        self._connection.executemany("INSERT INTO vector (key, data) VALUES (?, ?)", vectors)
        self.touch([Touch(each.memory.id, each.memory.use) for each in records if each.memory.use != rows.UNUSED])
        self.update(draft)
        count = len(records)
        self._tenant = self._tenant._replace(size=self._tenant.size + count, last=self._tenant.last + count)

    def revise(self, record: Record, draft: Draft, *, old: Record) -> None:
        """Write what the draft changed, and the record's content where it differs from the old one's."""
        memory, key = draft.changed[record.memory.id], self._key(record.memory.id)
        if memory.use != old.memory.use:
            self.touch([Touch(memory.id, memory.use)])
        self.update(draft)
        forward, data = pack(record), None if record.vector is None else rows.as_data(record.vector)
        before = self._connection.execute("SELECT forward FROM memory WHERE key = ?", (key,)).get
        same_vector = data == (None if old.vector is None else rows.as_data(old.vector)) and memory.fingerprint == old.memory.fingerprint
        if same_vector and forward == before and _place(memory) == _place(old.memory):
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
        self._connection.executemany("DELETE FROM vector WHERE key = ?", erased)
        self._connection.executemany("DELETE FROM use WHERE key = ?", erased)
        self._connection.executemany("DELETE FROM memory WHERE key = ?", erased)
        self._tenant = self._tenant._replace(size=self._tenant.size - len(erased), epoch=self._tenant.epoch + 1)

    def touch(self, touches: Iterable[Touch]) -> None:
        """Write how memories were used; unknown ids are passed over."""
        self._connection.executemany(_TOUCH, [(rows.encoded_use(each.use), self._tenant.key, each.id) for each in touches])

    def log(self, entries: Sequence[RecallEntry]) -> None:
        """Append to the recall log, and drop what is older than the newest LOG_KEPT."""
        if not entries:
            return
        sql = "INSERT INTO recall (tenant, recall_id, at, body) VALUES (?, ?, ?, ?)"
        lines = [(self._tenant.key, each.recall_id, micros(each.at), rows.encoded_entry(each)) for each in entries]
        self._connection.executemany(sql, lines)
        self._connection.execute(_TRIM, {"tenant": self._tenant.key, "kept": LOG_KEPT})

    def finish(self) -> None:
        """Stamp the tenant with this change, so that every shelf of it is brought up to date."""
        tenant = self._tenant
        sql = "UPDATE tenant SET change = ?, epoch = ?, size = ?, last = ? WHERE key = ?"
        self._connection.execute(sql, (tenant.change, tenant.epoch, tenant.size, tenant.last, tenant.key))

    def _key(self, memory_id: str) -> int:
        return int(self._connection.execute("SELECT key FROM memory WHERE tenant = ? AND id = ?", (self._tenant.key, memory_id)).get)

    def _values(self, memory: Memory) -> dict[str, object]:
        return rows.judged_columns(memory) | {"tenant": self._tenant.key, "id": memory.id, "change": self._tenant.change}


def _place(memory: Memory) -> tuple[object, ...]:
    return memory.source.session, memory.source.turn, memory.created_at
