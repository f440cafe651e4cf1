"""The tables of a Cued database, as the list of migrations that make them.

A migration is never edited once released: a change of the tables is a new entry at the end.
"""

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple
from zlib import crc32

import apsw
from msgspec import Struct, field, json, msgpack

from cued.model import Edge
from cued.stores.columns.postings import with_names

Value = str | int | float | bytes | None
"""What a column can hold. Not `object`: the stubs of apsw know what SQLite takes."""

APPLICATION_ID = 0x43756564
"""The letters "Cued": what tells our files from other SQLite databases."""

_FIRST = """
CREATE TABLE tenant (
    key    INTEGER PRIMARY KEY,
    name   BLOB NOT NULL UNIQUE,        -- exact UTF-8 bytes: no collation can make two tenants one
    change INTEGER NOT NULL DEFAULT 0,  -- grows with every write; rows carry the change that wrote them
    epoch  INTEGER NOT NULL DEFAULT 0,  -- grows with every erasure
    size   INTEGER NOT NULL DEFAULT 0,  -- memories stored
    last   INTEGER NOT NULL DEFAULT 0   -- the highest number given to a memory
) STRICT;

CREATE TABLE fingerprint (
    key  INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE memory (
    key         INTEGER PRIMARY KEY,    -- tenant << 32 | number: a tenant's rows lie together
    tenant      INTEGER NOT NULL REFERENCES tenant,
    id          TEXT NOT NULL,
    change      INTEGER NOT NULL,       -- when anything of the row last changed
    content     INTEGER NOT NULL,       -- when its terms, vector, time or place last changed
    scope       TEXT NOT NULL,
    kind        INTEGER NOT NULL,
    tier        INTEGER NOT NULL,
    created     INTEGER NOT NULL,       -- times are microseconds since 1970
    valid_from  INTEGER,
    valid_until INTEGER,
    expires     INTEGER,
    forgotten   INTEGER,
    superseded  INTEGER,                -- since when it is superseded everywhere
    locally     BLOB,                   -- MessagePack [[scope, since]]: where else it is superseded
    session     TEXT,
    turn        INTEGER,
    tags        TEXT NOT NULL,          -- JSON array
    fingerprint INTEGER REFERENCES fingerprint,
    forward     BLOB NOT NULL,          -- hashed terms, entities and tags
    body        BLOB NOT NULL           -- MessagePack of the memory but for its use
) STRICT;
CREATE UNIQUE INDEX memory_id ON memory (tenant, id);
CREATE INDEX memory_change ON memory (tenant, change);
CREATE INDEX memory_created ON memory (tenant, created, id);

CREATE TABLE vector (
    key  INTEGER PRIMARY KEY REFERENCES memory,
    data BLOB NOT NULL                  -- float32, little-endian
) STRICT;

-- Apart from the memory, so that a recall's touches wake no cache.
CREATE TABLE use (
    key  INTEGER PRIMARY KEY REFERENCES memory,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE recall (
    key       INTEGER PRIMARY KEY,
    tenant    INTEGER NOT NULL REFERENCES tenant,
    recall_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    body      BLOB NOT NULL
) STRICT;
CREATE INDEX recall_tenant ON recall (tenant, key);
"""

_SECOND = """
-- From here on an entry of memory.locally may have a third number, until when, and the scope '' for everywhere;
-- and memory.forward tells entities from terms.

-- The edges of the memories' bodies once more, to be found by where they lead.
CREATE TABLE edge (
    key      INTEGER NOT NULL REFERENCES memory,
    relation TEXT NOT NULL,
    target   TEXT NOT NULL,              -- an id, of the same tenant if of any
    PRIMARY KEY (key, relation, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_target ON edge (target, key);

CREATE TABLE document (
    tenant INTEGER NOT NULL REFERENCES tenant,
    name   TEXT NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

DELETE FROM recall WHERE key NOT IN (SELECT max(key) FROM recall GROUP BY tenant, recall_id);
CREATE UNIQUE INDEX recall_id ON recall (tenant, recall_id);
"""

_THIRD = """
-- A row from each erasure until its bytes are overwritten in the file and its log; a key is never given twice.
CREATE TABLE unscrubbed (key INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
"""


_FOURTH = """
-- A line of the recall log in columns, so that it can be asked.
DROP INDEX recall_tenant;
DROP INDEX recall_id;
ALTER TABLE recall RENAME TO old_recall;
CREATE TABLE recall (
    key            INTEGER PRIMARY KEY,
    tenant         INTEGER NOT NULL REFERENCES tenant,
    recall_id      TEXT NOT NULL,
    at             INTEGER NOT NULL,     -- microseconds since 1970
    policy         TEXT NOT NULL,
    policy_digest  TEXT NOT NULL,
    scope          TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    candidates     INTEGER NOT NULL,
    chosen         TEXT NOT NULL,        -- JSON array of ids
    found_by       TEXT NOT NULL,        -- JSON array, beside chosen: the channel that alone found it, '' where several did
    best_relevance REAL NOT NULL,
    floor          REAL,
    below_floor    INTEGER NOT NULL,
    suppressed     INTEGER NOT NULL,
    omitted        INTEGER NOT NULL,
    tokens         INTEGER NOT NULL,
    degraded       TEXT NOT NULL,        -- JSON array of notes
    total_ms       REAL NOT NULL,
    stage_ms       TEXT NOT NULL,        -- JSON object
    cited          TEXT NOT NULL,        -- JSON array of ids, as bad
    bad            TEXT NOT NULL,
    cue            TEXT,                 -- kept by choice, as evidence
    evidence       BLOB
) STRICT;
CREATE UNIQUE INDEX recall_id ON recall (tenant, recall_id);
CREATE INDEX recall_at ON recall (tenant, at);
"""

_TRUST = """
ALTER TABLE memory ADD COLUMN trust INTEGER NOT NULL DEFAULT 0;  -- 0 user, 1 agent, 2 tool, 3 import
ALTER TABLE memory ADD COLUMN quarantined INTEGER;               -- since when it waits for a person's word
ALTER TABLE tenant ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;  -- what its memories' bodies take
UPDATE tenant SET bytes = (SELECT ifnull(sum(length(body)), 0) FROM memory WHERE memory.tenant = tenant.key);
"""

_TRUSTS = ("user", "agent", "tool", "import")

_LINE = """
    INSERT INTO recall (key, tenant, recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance,
                        below_floor, suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad)
    VALUES (?, ?, ?, ?, ?, '', 'global', ?, ?, ?, '[]', ?, ?, 0, 0, ?, '[]', ?, '{}', ?, ?)
"""


_DAMAGE = """
-- The sums of what is in a row, CRC-32; NULL where none was taken.
ALTER TABLE memory ADD COLUMN body_sum INTEGER;
ALTER TABLE memory ADD COLUMN forward_sum INTEGER;
ALTER TABLE vector ADD COLUMN data_sum INTEGER;

-- The keys of memories that were erased of late and the change that did, so that a shelf in memory lets go of them and of no others.
CREATE TABLE removed (
    key    INTEGER PRIMARY KEY,
    change INTEGER NOT NULL
) STRICT;

-- The keys of memories whose text or vector was replaced since the file was last rewritten: what they said before may still be there.
CREATE TABLE replaced (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key    INTEGER NOT NULL
) STRICT;

-- What tells this file from every other, so that another's log beside it is not believed.
CREATE TABLE file (identity BLOB NOT NULL) STRICT;
INSERT INTO file VALUES (randomblob(16));

-- What `check` took out of the tables because it was broken, with the bytes as they were found.
CREATE TABLE damaged (
    key     INTEGER PRIMARY KEY,
    tenant  BLOB NOT NULL,               -- the name, as in tenant.name
    id      TEXT,                        -- NULL where it cannot be told
    at      INTEGER NOT NULL,            -- when it was found, microseconds since 1970
    fault   TEXT NOT NULL,
    body    BLOB,
    forward BLOB,
    vector  BLOB
) STRICT;
"""

_SHELF = """
-- What a tenant's shelf was when it was last left, in parts, so that the next process need not build it. Never the truth, and gone with
-- the first memory that is erased.
CREATE TABLE shelf (
    tenant INTEGER NOT NULL REFERENCES tenant,
    part   INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (tenant, part)
) STRICT;
"""


_TRIALS = """
-- What tells recalls of one conversation, and cues that stand still, and what a policy on trial made of the same evidence.
ALTER TABLE recall ADD COLUMN conversation TEXT NOT NULL DEFAULT '';
ALTER TABLE recall ADD COLUMN cue_mark     TEXT NOT NULL DEFAULT '';
ALTER TABLE recall ADD COLUMN shadow       TEXT;                     -- JSON object
"""

_SHAPE = """
-- How vectors are kept: float32, float16 or int8; vector.data tells its own shape.
ALTER TABLE file ADD COLUMN vectors TEXT NOT NULL DEFAULT 'float32';
"""


class _Body(Struct):
    """What the second migration reads of a body, whatever else is in it."""

    edges: tuple[Edge, ...] = ()
    entities: tuple[str, ...] = ()


def _fill(connection: apsw.Connection) -> None:
    rows, decode = connection.execute("SELECT key, forward, body FROM memory"), msgpack.Decoder(_Body).decode
    edges, forwards = list[tuple[int, str, str]](), list[tuple[bytes, int]]()
    for key, forward, body in rows:
        read = decode(body)
        edges += [(key, edge.relation, edge.target) for edge in read.edges]
        if read.entities:
            forwards.append((with_names(forward, read.entities), key))
    connection.executemany("INSERT OR IGNORE INTO edge (key, relation, target) VALUES (?, ?, ?)", edges)
    connection.executemany("UPDATE memory SET forward = ? WHERE key = ?", forwards)


class _Line(Struct):
    """What the fourth migration reads of a line of the recall log."""

    policy: str
    outcome: str
    candidates: int
    chosen: tuple[str, ...]
    best_relevance: float
    below_floor: int
    tokens: int
    total_ms: float
    detail: dict[str, Any] = field(default_factory=dict)


def _fill_log(connection: apsw.Connection) -> None:
    rows, decode = connection.execute("SELECT key, tenant, recall_id, at, body FROM old_recall ORDER BY key"), msgpack.Decoder(_Line).decode
    connection.executemany(_LINE, [(*row, *_columns(decode(body))) for *row, body in rows])
    connection.execute("DROP TABLE old_recall")


def _take_sums(connection: apsw.Connection) -> None:
    connection.create_scalar_function("crc32", _sum, 1, deterministic=True)
    connection.execute("UPDATE memory SET body_sum = crc32(body), forward_sum = crc32(forward)")
    connection.execute("UPDATE vector SET data_sum = crc32(data)")


def rows_fit(connection: apsw.Connection) -> bool:
    """Whether every row that has a sum is what was written."""
    connection.create_scalar_function("crc32", _sum, 1, deterministic=True)
    return not connection.execute(_UNFIT).get


_UNFIT = """
    SELECT EXISTS (SELECT 1 FROM memory WHERE crc32(body) <> body_sum OR crc32(forward) <> forward_sum)
        OR EXISTS (SELECT 1 FROM vector WHERE crc32(data) <> data_sum)
"""


def _sum(*given: Any) -> int:  # noqa: ANN401 - values as SQLite hands them over
    return crc32(given[0])


def _columns(line: _Line) -> tuple[Value, ...]:
    # What feedback noted is in the detail, and an import may have brought a detail of any kind.
    lists = line.chosen, *([each for each in _listed(line.detail.get(name)) if isinstance(each, str)] for name in ("cited", "bad"))
    chosen, cited, bad = (json.encode(ids).decode() for ids in lists)
    relevance, spent = (value if isfinite(value) else 0.0 for value in (line.best_relevance, line.total_ms))
    return line.policy, line.outcome, line.candidates, chosen, relevance, line.below_floor, line.tokens, spent, cited, bad


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class _Trusted(Struct):
    """What the migration of trust reads of a body."""

    trust: str = "user"


def _fill_trust(connection: apsw.Connection) -> None:
    rows, decode = connection.execute("SELECT key, body FROM memory"), msgpack.Decoder(_Trusted).decode
    codes = [(_TRUSTS.index(trust), key) for key, body in rows if (trust := decode(body).trust) != "user"]
    connection.executemany("UPDATE memory SET trust = ? WHERE key = ?", codes)


class Migration(NamedTuple):
    """One step from a schema to the next: SQL, and then what SQL cannot do."""

    script: str
    fill: Callable[[apsw.Connection], None] | None = None


MIGRATIONS = (
    Migration(_FIRST),
    Migration(_SECOND, _fill),
    Migration(_THIRD),
    Migration(_FOURTH, _fill_log),
    Migration(_SHELF),
    Migration(_TRIALS),
    Migration(_TRUST, _fill_trust),
    Migration(_DAMAGE, _take_sums),
    Migration(_SHAPE),
)
VERSION = len(MIGRATIONS)
