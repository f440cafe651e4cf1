"""One tenant's rows inside a transaction on PostgreSQL: how memories are written, and how they are read back.

Every statement names its tenant, though the database would show no other: so it touches one part of each table.
"""

from collections.abc import Iterable, Sequence
from secrets import randbits
from typing import Any

import psycopg
from msgspec import DecodeError, msgpack
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
from cued.stores.keepers.postgres import log, queries, searched, staging
from cued.stores.keepers.postgres.sending import (
    ADD_VECTORS,
    INSERT,
    LINK,
    PUT_DOCUMENT,
    PUT_USES,
    REPLACE,
    UPDATE,
    columns,
    contents,
    vectors,
)
from cued.stores.keepers.sql_values import HANGING, Counters, edges_of, in_order, uses_of, uses_read, with_use
from cued.stores.vector_bytes import runs

_READ = """
    SELECT m.id, m.key, m.body, m.body_sum, u.body FROM cued.memory m LEFT JOIN cued.use u ON u.tenant = m.tenant AND u.key = m.key
    WHERE m.tenant = %s AND m.id = ANY(%s)
"""
_READ_CONTENT = """
    SELECT m.id, m.key, m.body, m.body_sum, u.body, m.forward, v.data, m.forward_sum, v.data_sum
    FROM cued.memory m LEFT JOIN cued.use u ON u.tenant = m.tenant AND u.key = m.key
                       LEFT JOIN cued.vector v ON v.tenant = m.tenant AND v.key = m.key
    WHERE m.tenant = %s AND m.id = ANY(%s)
"""
_LAPSED = """
    SELECT m.key, m.body, m.body_sum, u.body FROM cued.memory m LEFT JOIN cued.use u ON u.tenant = m.tenant AND u.key = m.key
    WHERE m.tenant = %s AND m.locally IS NOT NULL
"""
_WEIGHED = "SELECT coalesce(sum(length(body)), 0)::bigint FROM cued.memory WHERE tenant = %s AND key = ANY(%s)"

_NEW_TENANT = "INSERT INTO cued.tenant (tenant, epoch) VALUES (%s, %s)"
_STAMP = """
    UPDATE cued.tenant SET change = %(change)s, epoch = %(epoch)s, size = %(size)s, last = %(last)s, bytes = %(bytes)s,
        kept = %(size)s > 0 OR EXISTS (SELECT 1 FROM cued.recall WHERE tenant = %(tenant)s)
                            OR EXISTS (SELECT 1 FROM cued.document WHERE tenant = %(tenant)s)
    WHERE tenant = %(tenant)s
"""


class PostgresTransaction:
    """Reads and writes one tenant; `finish` stamps what was written."""

    def __init__(self, connection: psycopg.Connection, name: bytes, head: Sequence[tuple[int, ...]]) -> None:
        """Begin with the tenant's counters as they are; its row is made with the first thing that is written."""
        self._cursor, self._name = connection.cursor(binary=True), name
        self._tenant = self._started = Counters(*head[0]) if head else Counters()
        self._wrote = self.erased = False
        self._left_out: set[int] = set()

    def head(self) -> Head:
        """The tenant's counters."""
        return self._tenant.head

    def read(self, memory_ids: Sequence[str], *, content: bool = False) -> dict[str, Row]:
        """The rows of those of the ids that are stored, by id; with `content` with forward index and vector."""
        if not memory_ids:
            return {}
        found = self._all(_READ_CONTENT if content else _READ, self._name, [each.encode() for each in memory_ids])
        rows = {bytes(each).decode(): self._row(*rest) for each, *rest in found}
        for each, row in rows.items():
            if row.memory.id != each:
                raise DecodeError(f"another memory lies under the id {each!r}")
        return {each: rows[each] for each in memory_ids if each in rows}

    def lapsed(self) -> Sequence[Row]:
        """Every row that has a mark."""
        return [self._row(*row) for row in self._all(_LAPSED, self._name)]

    def insert(self, rows: Sequence[Row]) -> Sequence[int]:
        """The keys of new rows, which are written with edges and use."""
        if not rows:
            return ()
        self._open()
        change, first = self._stamp(), self._tenant.last + 1
        keyed = [row._replace(key=key) for key, row in enumerate(rows, start=first)]
        values = (
            columns(keyed, change)
            | contents(keyed)
            | {
                "id": [row.memory.id.encode() for row in keyed],
                "content": [change] * len(keyed),
            }
        )
        if len(keyed) < staging.MANY:
            self._run(INSERT, values | {"tenant": self._name})
            self._add_vectors(keyed)
        else:
            staging.MEMORIES.insert(self._cursor, self._name, values)
            staging.VECTORS.insert(self._cursor, self._name, vectors(keyed))
        self._link(keyed)
        self.put_uses(uses_of(keyed))
        self._tenant = self._tenant.with_more(len(rows), sum(map(len, values["body"])))
        return range(first, first + len(rows))

    def update(self, rows: Sequence[Row]) -> None:
        """Replace rows by their keys, all but their use, and where `forward` is None all but forward index and vector."""
        if not rows:
            return
        change, keys = self._stamp(), [row.key for row in rows]
        changed = columns(rows, change)
        self._tenant = self._tenant._replace(bytes=self._tenant.bytes + sum(map(len, changed["body"])) - self._weight(keys))
        self._run(UPDATE, changed | {"tenant": self._name})
        self._run("DELETE FROM cued.edge WHERE tenant = %s AND key = ANY(%s)", (self._name, keys))
        self._link(rows)
        new = [row for row in rows if row.forward is not None]
        if not new:
            return
        values = contents(new)
        self._run(REPLACE, values | {"tenant": self._name, "change": change})
        self._run("DELETE FROM cued.vector WHERE tenant = %s AND key = ANY(%s)", (self._name, values["key"]))
        self._add_vectors(new)

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:  # noqa: ARG002 - what the server frees, it overwrites by itself
        """Remove rows and all that hangs on them."""
        self._stamp()
        left = self._tenant.bytes - self._weight(keys)
        for table in HANGING:
            self._run(f"DELETE FROM cued.{table} WHERE tenant = %s AND key = ANY(%s)", (self._name, list(keys)))  # noqa: S608 - one of ours
        self.put_shelf(())
        self._tenant = self._tenant._replace(size=self._tenant.size - len(keys), epoch=self._tenant.epoch + 1, bytes=left)
        self.erased = True

    def removed(self, since: int) -> Sequence[int]:  # noqa: ARG002 - the epoch tells that something was removed
        """Nothing: after each removal the epoch is another."""
        return ()

    def erase(self) -> None:
        """Remove all that is kept for the tenant."""
        for table in (*HANGING, "recall", "document", "shelf", "tenant"):
            self._run(f"DELETE FROM cued.{table} WHERE tenant = %s", (self._name,))  # noqa: S608 - one of ours
        self.erased = self._tenant.known
        self._tenant = self._started = Counters()
        self._wrote = False

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""
        read, self._left_out = searched.whole(self._all_named(searched.CHANGED, since=since))
        return searched.changed(read)

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of the rows whose content was written after this change, all for 0, in runs of one size; broken ones are left out."""
        found = self._all_named(searched.VECTORS if since else searched.ALL_VECTORS, since=since)
        return runs(sorted(searched.whole_vectors(found, self._left_out)))

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows in their order, without their use; None for one that can no longer be read."""
        return searched.memories(self._name, keys, self._all_named(searched.BODIES, keys=list(keys)) if keys else ())

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""
        return uses_read(self._all_named(searched.USES, keys=list(keys)) if keys else ())

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key."""
        latest = dict(uses)
        if latest:
            self._run(PUT_USES, {"tenant": self._name, "keys": list(latest), "bodies": [msgpack.encode(use) for use in latest.values()]})

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, and how many it wants in all."""
        found, total = queries.page(self._cursor, self._name, wanted, asked)
        return [self._decoded(*row) for row in found], total

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows with forward index and vector, by id, from the first id greater than `after`."""
        return in_order([self._row(*row) for row in queries.scan(self._cursor, self._name, limit=limit, after=after)], after)

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids, each once."""
        return [self._decoded(*row) for row in queries.linking(self._cursor, self._name, memory_ids)]

    def stats(self, at: int) -> Stats:
        """What the tenant holds, counted, as of a moment in microseconds."""
        return replace(queries.stats(self._cursor, self._name, at=at), bytes=self._tenant.bytes)

    def log(self, query: LogQuery) -> Sequence[RecallEntry]:
        """The lines that the query asks for, by time and then as they were written."""
        return log.read(self._cursor, self._name, query)

    def tally(self, query: TallyQuery) -> Tallies:
        """The lines that the query means, counted."""
        return log.tally(self._cursor, self._name, query)

    def put_log(self, entries: Sequence[RecallEntry], rules: LogRules) -> None:
        """Write lines, in place of those with the same `recall_id`, and drop what the rules do not keep."""
        self._open()
        self._wrote = True
        log.write(self._cursor, self._name, entries)
        log.trim(self._cursor, self._name, entries, rules)

    def document(self, name: str) -> bytes | None:
        """A document, None when there is none."""
        return searched.document(self._all_named(searched.DOCUMENT, name=name.encode()))

    def put_document(self, name: str, body: bytes | None) -> None:
        """Write a document; None removes it."""
        self._wrote = True
        if body is None:
            self._run("DELETE FROM cued.document WHERE tenant = %s AND name = %s", (self._name, name.encode()))
        else:
            self._open()
            self._run(PUT_DOCUMENT, {"tenant": self._name, "name": name.encode(), "body": body})

    def documents(self) -> Sequence[str]:
        """The names of the tenant's documents, in order."""
        return sorted(name.decode() for (name,) in self._all("SELECT name FROM cued.document WHERE tenant = %s", self._name))

    def shelf(self) -> Sequence[bytes]:
        """The parts of the tenant's shelf as they were last put."""
        return [bytes(body) for (body,) in self._all("SELECT body FROM cued.shelf WHERE tenant = %s ORDER BY part", self._name)]

    def put_shelf(self, parts: Sequence[bytes]) -> None:
        """Keep the parts of the tenant's shelf, in place of those before."""
        self._run("DELETE FROM cued.shelf WHERE tenant = %s", (self._name,))
        for number, part in enumerate(parts):
            self._run("INSERT INTO cued.shelf (tenant, part, body) VALUES (%s, %s, %s)", (self._name, number, part))

    def finish(self) -> None:
        """Stamp the tenant with this change, if there was any, so that every shelf of it is brought up to date."""
        if self._tenant != self._started or (self._wrote and self._tenant.known):
            self._run(_STAMP, self._tenant._asdict() | {"tenant": self._name})

    def _open(self) -> None:
        """Make the tenant's row if need be."""
        if not self._tenant.known:
            # That an epoch starts anywhere tells a tenant that was erased and made anew from the old one, in every cache.
            self._tenant = Counters(epoch=randbits(61), key=0)
            self._run(_NEW_TENANT, (self._name, self._tenant.epoch))
            self._started = self._tenant

    def _stamp(self) -> int:
        """The number of this change: one a transaction, whatever it writes."""
        self._tenant = self._tenant._replace(change=self._started.change + 1)
        return self._tenant.change

    def _weight(self, keys: Sequence[int]) -> int:
        """How many bytes these rows' memories take."""
        return int(self._all(_WEIGHED, self._name, list(keys))[0][0])

    def _add_vectors(self, rows: Sequence[Row]) -> None:
        if (given := vectors(rows))["key"]:
            self._run(ADD_VECTORS, given | {"tenant": self._name})

    def _link(self, rows: Sequence[Row]) -> None:
        edges = [(key, relation.encode(), target.encode()) for key, relation, target in dict.fromkeys(edges_of(rows))]
        if edges:
            self._run(LINK, (self._name, *map(list, zip(*edges, strict=True))))

    def _all_named(self, statement: str, **values: Any) -> list[Any]:  # noqa: ANN401 - whatever a column takes
        self._run(statement, values | {"tenant": self._name})
        return self._cursor.fetchall()

    def _run(self, statement: str, values: Any) -> None:  # noqa: ANN401 - a tuple or a dict
        self._cursor.execute(statement, values)

    def _all(self, statement: str, *values: Any) -> list[Any]:  # noqa: ANN401 - whatever a column takes
        self._run(statement, values)
        return self._cursor.fetchall()

    def _decoded(self, memory_body: bytes, body_sum: int | None, use_body: bytes | None) -> Memory:
        """A memory from its two bodies; one that is not what was written, or is another tenant's, is a DecodeError."""
        return with_use(searched.own(self._name, memory_body, body_sum), use_body)

    def _row(self, key: int, memory_body: bytes, body_sum: int | None, use_body: bytes | None, *rest: Any) -> Row:  # noqa: ANN401 - bytes and sums
        forward, vector, forward_sum, vector_sum = rest or (None, None, None, None)
        if rest and not (fits(forward, forward_sum) and fits(vector or b"", vector_sum)):
            raise DecodeError("what is searched of a memory is not what was written")
        return Row(self._decoded(memory_body, body_sum, use_body), key, None, forward, vector)
