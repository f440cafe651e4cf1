"""The tables of Cued in PostgreSQL, who may do what with them, and the check that it is so.

Every table has the tenant first in its key, is split by its hash, and shows a transaction only the rows of the tenant that the transaction
has named. Names are bytes: no collation can make two of them one, and their order is that of code points.
"""

from collections.abc import Sequence
from typing import Final, LiteralString

import msgspec
import psycopg
from psycopg import sql

from cued.errors import ForeignFileError, NewerSchemaError, StoreError
from cued.model import VectorShape

Statement = sql.SQL | sql.Composed

VERSION: Final = 2
PARTS: Final = 16
"""Into how many parts each table is split; `cued db init` takes another number."""
ROLE: Final = "cued_app"

TABLES: Final[dict[str, LiteralString]] = {
    "tenant": """
        tenant bytea NOT NULL,
        change bigint NOT NULL DEFAULT 0,   -- grows with every write; rows carry the change that wrote them
        epoch  bigint NOT NULL DEFAULT 0,   -- another after every erasure
        size   bigint NOT NULL DEFAULT 0,   -- memories stored
        last   bigint NOT NULL DEFAULT 0,   -- the highest number given to a memory
        bytes  bigint NOT NULL DEFAULT 0,   -- what its memories' bodies take
        kept   boolean NOT NULL DEFAULT false  -- whether anything is kept for it
    """,
    "memory": """
        tenant      bytea NOT NULL,
        key         bigint NOT NULL,
        id          bytea NOT NULL,
        change      bigint NOT NULL,        -- when anything of the row last changed
        content     bigint NOT NULL,        -- when its terms, vector, time or place last changed
        scope       bytea NOT NULL,
        kind        smallint NOT NULL,
        tier        smallint NOT NULL,
        trust       smallint NOT NULL,
        quarantined bigint,                 -- since when it waits for a person's word
        created     bigint NOT NULL,        -- times are microseconds since 1970
        valid_from  bigint,
        valid_until bigint,
        expires     bigint,
        forgotten   bigint,
        superseded  bigint,                 -- since when it is superseded everywhere
        locally     bytea,                  -- MessagePack [[scope, since, until]]: where else it is superseded
        session     bytea,
        turn        bigint,
        tags        bytea[] NOT NULL,
        meta        jsonb NOT NULL,         -- the memory's own facts, to be filtered by
        fingerprint bytea,
        forward     bytea NOT NULL,         -- hashed terms, entities and tags
        body        bytea NOT NULL,         -- MessagePack of the memory but for its use
        body_sum    bigint,                 -- CRC-32 of what is in the row, NULL where none was taken
        forward_sum bigint
    """,
    "vector": "tenant bytea NOT NULL, key bigint NOT NULL, data bytea NOT NULL, data_sum bigint",  # as `stores.encoding` has it
    "use": "tenant bytea NOT NULL, key bigint NOT NULL, body bytea NOT NULL",
    "edge": "tenant bytea NOT NULL, key bigint NOT NULL, relation bytea NOT NULL, target bytea NOT NULL",
    "recall": """
        tenant         bytea NOT NULL,
        key            bigint NOT NULL,
        recall_id      bytea NOT NULL,
        at             bigint NOT NULL,
        policy         bytea NOT NULL,
        policy_digest  bytea NOT NULL,
        scope          bytea NOT NULL,
        outcome        bytea NOT NULL,
        candidates     bigint NOT NULL,
        chosen         text NOT NULL,       -- JSON array of ids
        found_by       text NOT NULL,
        best_relevance double precision NOT NULL,
        floor          double precision,
        below_floor    bigint NOT NULL,
        suppressed     bigint NOT NULL,
        omitted        bigint NOT NULL,
        tokens         bigint NOT NULL,
        degraded       text NOT NULL,
        total_ms       double precision NOT NULL,
        stage_ms       text NOT NULL,
        cited          text NOT NULL,
        bad            text NOT NULL,
        conversation   bytea NOT NULL,
        cue_mark       bytea NOT NULL,
        shadow         text,                -- JSON object
        cue            bytea,
        evidence       bytea
    """,
    "document": "tenant bytea NOT NULL, name bytea NOT NULL, body bytea NOT NULL",
    "shelf": "tenant bytea NOT NULL, part integer NOT NULL, body bytea NOT NULL",  # never the truth
}
_KEYS: Final[dict[str, LiteralString]] = {
    "tenant": "tenant",
    "memory": "tenant, key",
    "vector": "tenant, key",
    "use": "tenant, key",
    "edge": "tenant, key, relation, target",
    "recall": "tenant, key",
    "document": "tenant, name",
    "shelf": "tenant, part",
}
_INDEXES: Final[dict[str, tuple[LiteralString, ...]]] = {
    "memory": ("UNIQUE INDEX ON cued.{} (tenant, id)", "INDEX ON cued.{} (tenant, change)", "INDEX ON cued.{} (tenant, created, id)"),
    "edge": ("INDEX ON cued.{} (tenant, target)",),
    "recall": ("UNIQUE INDEX ON cued.{} (tenant, recall_id)", "INDEX ON cued.{} (tenant, at, key)"),
}
"""The keys and indexes of a table; of one whose parts are on other servers, each part has its own there."""
ADDED: Final[dict[int, dict[str, tuple[LiteralString, ...]]]] = {
    2: {"memory": ("body_sum bigint", "forward_sum bigint"), "vector": ("data_sum bigint",)},
}
"""The columns that came with a version, by table; without a default, so that adding one rewrites no row and locks for a moment."""
# A subquery, so that it is asked once a statement and not once a row.
_OWN: Final = "tenant = (SELECT decode(current_setting('cued.tenant', true), 'hex'))"
_LISTED: Final = "(SELECT current_setting('cued.listing', true)) = 'on'"


def setup(role: str = ROLE, *, parts: int = PARTS, nodes: int = 0, vectors: VectorShape = "float32") -> list[Statement]:
    """The statements that make the tables for a role that owns nothing: run by whoever is to own them, in an empty database or schema.

    With `nodes` the parts are tables of so many other servers, taken in turn, which are known here as node_0, node_1, and so on.
    `vectors` is how vectors are kept.
    """
    made: list[Statement] = [
        sql.SQL("CREATE SCHEMA cued"),
        sql.SQL("CREATE SEQUENCE cued.line"),
        sql.SQL("CREATE TABLE cued.version (number integer NOT NULL, vectors text NOT NULL DEFAULT 'float32')"),
        sql.SQL("INSERT INTO cued.version VALUES ({}, {})").format(VERSION, sql.Literal(vectors)),
    ]
    for name, columns in TABLES.items():
        made.append(sql.SQL("CREATE TABLE cued.{} ({}) PARTITION BY HASH (tenant)").format(sql.Identifier(name), sql.SQL(columns)))
        made += [_part(name, number, parts, nodes) for number in range(parts)]
        made += [] if nodes else _keyed(name, name)
        made += _walled(name, 0 if nodes else parts)
    made.append(sql.SQL("ALTER TABLE cued.recall ALTER key SET DEFAULT nextval('cued.line')"))
    return [*made, *_granted(role)]


def setup_node(node: int, role: str, *, parts: int, nodes: int) -> list[Statement]:
    """The statements that make a node's parts of the tables, on the node, for the role that the first server comes as."""
    mine = [f"{name}_{number}" for name in TABLES for number in range(node, parts, nodes)]
    made: list[Statement] = [sql.SQL("CREATE SCHEMA cued")]
    for part in mine:
        name = part.rpartition("_")[0]
        made.append(sql.SQL("CREATE TABLE cued.{} ({})").format(sql.Identifier(part), sql.SQL(TABLES[name])))
        made += _keyed(name, part)
    return [*made, *_granted_on(role, mine)]


def upgrade(version: int) -> list[Statement]:
    """The statements that bring the first server's tables from this version to the current one; its nodes go before it."""
    made = [*_patience(), *(_added(table, table, since=version) for table in TABLES)]
    made.append(sql.SQL("ALTER TABLE cued.version ADD COLUMN IF NOT EXISTS vectors text NOT NULL DEFAULT 'float32'"))
    made.append(sql.SQL("UPDATE cued.version SET number = {}").format(VERSION))
    return [each for each in made if each is not None]


def upgrade_node(node: int, version: int, *, parts: int, nodes: int) -> list[Statement]:
    """The statements that bring a node's parts of the tables from this version to the current one."""
    made = [_added(name, f"{name}_{number}", since=version) for name in TABLES for number in range(node, parts, nodes)]
    return [*_patience(), *(each for each in made if each is not None)]


def _patience() -> list[Statement]:
    # Whoever waits for a table lets others wait behind it: rather not now than long.
    return [sql.SQL("SET LOCAL lock_timeout = '5s'")]


def _added(name: str, table: str, *, since: int) -> Statement | None:
    new = [column for version, tables in ADDED.items() if version > since for column in tables.get(name, ())]
    columns = sql.SQL(", ").join(sql.SQL("ADD COLUMN IF NOT EXISTS ") + sql.SQL(column) for column in new)
    return sql.SQL("ALTER TABLE cued.{} {}").format(sql.Identifier(table), columns) if new else None


def _part(name: str, number: int, parts: int, nodes: int) -> Statement:
    table = sql.Identifier(f"{name}_{number}")
    bounds = sql.SQL("PARTITION OF cued.{} FOR VALUES WITH (MODULUS {}, REMAINDER {})").format(sql.Identifier(name), parts, number)
    if not nodes:
        return sql.SQL("CREATE TABLE cued.{} {}").format(table, bounds)
    there = sql.SQL("SERVER {} OPTIONS (schema_name 'cued', table_name {})").format(
        sql.Identifier(f"node_{number % nodes}"), sql.Literal(f"{name}_{number}")
    )
    return sql.SQL("CREATE FOREIGN TABLE cued.{} {} {}").format(table, bounds, there)


def _keyed(name: str, table: str) -> list[Statement]:
    """The key and the indexes of a table of this name, or of a part of it."""
    key = sql.SQL("ALTER TABLE cued.{} ADD PRIMARY KEY ({})").format(sql.Identifier(table), sql.SQL(_KEYS[name]))
    return [key, *(sql.SQL("CREATE ") + sql.SQL(each).format(sql.Identifier(table)) for each in _INDEXES.get(name, ()))]


def _walled(name: str, parts: int) -> list[Statement]:
    """Row-level security on a table and its parts, for their owner too; only a tenant's counters can be listed, by whoever says so."""
    tables = [sql.Identifier(name), *(sql.Identifier(f"{name}_{number}") for number in range(parts))]
    switches = (sql.SQL("ENABLE ROW LEVEL SECURITY"), sql.SQL("FORCE ROW LEVEL SECURITY"))
    walls: list[Statement] = [sql.SQL("ALTER TABLE cued.{} {}").format(table, switch) for table in tables for switch in switches]
    walls.append(sql.SQL(f"CREATE POLICY own ON cued.{{}} USING ({_OWN}) WITH CHECK ({_OWN})").format(tables[0]))
    if name == "tenant":
        walls.append(sql.SQL(f"CREATE POLICY listed ON cued.tenant FOR SELECT USING ({_LISTED})"))
    return walls


def _granted(role: str) -> list[Statement]:
    name = sql.Identifier(role)
    return [
        *_granted_on(role, list(TABLES)),
        sql.SQL("GRANT SELECT ON cued.version TO {}").format(name),
        sql.SQL("GRANT USAGE ON SEQUENCE cued.line TO {}").format(name),
    ]


def _granted_on(role: str, tables: Sequence[str]) -> list[Statement]:
    names = sql.SQL(", ").join(sql.SQL("cued.") + sql.Identifier(table) for table in tables)
    return [
        sql.SQL("GRANT USAGE ON SCHEMA cued TO {}").format(sql.Identifier(role)),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}").format(names, sql.Identifier(role)),
    ]


_POWER: Final = """
    SELECT rolsuper, rolbypassrls,
           (SELECT count(*) FROM pg_class WHERE relnamespace = 'cued'::regnamespace AND relkind IN ('r', 'p', 'f')
                AND pg_has_role(current_user, relowner, 'MEMBER')),
           (SELECT count(*) FROM pg_class WHERE relnamespace = 'cued'::regnamespace AND relkind = 'p'
                AND NOT (relrowsecurity AND relforcerowsecurity))
    FROM pg_roles WHERE rolname = current_user
"""
_HOW: Final = "make the tables and a role of its own for the service with: cued db init ADMIN_URL"


def check(connection: psycopg.Connection, place: str) -> VectorShape:
    """How vectors are kept in a database; one without our tables, or with those of another version, is refused.

    So is a role that could see past row-level security.
    """
    found = connection.execute("SELECT to_regclass('cued.version') IS NOT NULL").fetchone()
    if not found or not found[0]:
        raise ForeignFileError(f"{place}: there are no tables of Cued here; {_HOW}")
    (version,) = connection.execute("SELECT max(number) FROM cued.version").fetchone() or (0,)
    if version > VERSION:
        raise NewerSchemaError(f"{place}: schema {version}, made by a newer Cued than this one, which knows {VERSION}")
    if version < VERSION:
        raise StoreError(f"{place}: schema {version}, and this Cued needs {VERSION}; bring it there with: cued db init ADMIN_URL")
    superuser, bypasses, owned, open_tables = connection.execute(_POWER).fetchone() or (True, True, 0, 0)
    reasons = {
        "is a superuser": superuser,
        "may bypass row-level security": bypasses,
        "owns the tables": owned,
    }
    if powers := [reason for reason, holds in reasons.items() if holds]:
        raise StoreError(f"{place}: the role {' and '.join(powers)}, so the database could not keep tenants apart; {_HOW}")
    if open_tables:
        raise StoreError(f"{place}: row-level security is off on {open_tables} of the tables; {_HOW}")
    row = connection.execute("SELECT vectors FROM cued.version").fetchone()
    shape: VectorShape = msgspec.convert(row[0] if row else "float32", VectorShape)
    return shape
