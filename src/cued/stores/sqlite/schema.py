"""The tables of a Cued database, as the list of migrations that make them.

A migration is never edited once released: a change of the tables is a new entry at the end.
"""

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

MIGRATIONS = (_FIRST,)
VERSION = len(MIGRATIONS)
