"""Making the tables in a database, as whoever is to own them, and the role that the service connects as."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from cued.errors import StoreError
from cued.folders import Address
from cued.model import VectorShape
from cued.stores.keepers.postgres.keeper import translated
from cued.stores.keepers.postgres.replicas import addresses
from cued.stores.keepers.postgres.schema import PARTS, VERSION, Statement, setup, setup_node, upgrade, upgrade_node

_FAR: Final = {"fetch_size": "10000", "batch_size": "500", "connect_timeout": "5", "keep_connections": "on"}
"""How a server reads from another: rows in large portions, and an answer soon where nobody is there."""
_OWN: Final = "a password of your own"
_SPREAD: Final = """
    SELECT (SELECT count(DISTINCT ftserver) FROM pg_foreign_table WHERE ftrelid IN (SELECT inhrelid FROM pg_inherits
                WHERE inhparent = 'cued.memory'::regclass)),
           (SELECT count(*) FROM pg_inherits WHERE inhparent = 'cued.memory'::regclass)
"""


class Laid(NamedTuple):
    """How the tables are laid out: in how many parts, on which servers beside the first, and in which shape vectors are kept."""

    parts: int = PARTS
    nodes: Sequence[Address] = ()
    vectors: VectorShape = "float32"


_AS_USUAL: Final = Laid()


def prepare(address: Address, role: str, *, password: str, laid: Laid = _AS_USUAL) -> bool:
    """Whether the role was made too: all of it, tables and rights, in one transaction a server.

    With nodes the tables' parts are on those servers, taken in turn, and the first server reaches them as the role of that name.
    """
    parts, nodes, vectors = laid
    for number, node in enumerate(nodes):
        with _connected(node) as connection:
            _refuse_known(connection, node)
            _refuse_role(connection, node, role)
            connection.execute(_new_role(role, password))
            _run(connection, setup_node(number, role, parts=parts, nodes=len(nodes)))
    with _connected(address) as connection:
        _refuse_known(connection, address)
        if nodes:
            _refuse_role(connection, address, role)
        known = _known(connection, role)
        if not known:
            connection.execute(_new_role(role, password))
        _run(connection, [*_servers(nodes, role, password), *setup(role, parts=parts, nodes=len(nodes), vectors=vectors)])
        return not known


def brought_up_to_date(address: Address, nodes: Sequence[Address]) -> int | None:
    """The version from which the tables were brought to the current one; None where there are none, or they are of that version already.

    Columns are added and no row is rewritten, so that others go on meanwhile; where a table is in use for long, it is refused and can be
    tried again. The nodes come first.
    """
    with _connected(address) as connection:
        version = _version(connection)
        if version is None or version >= VERSION:
            return None
        far, parts = connection.execute(_SPREAD).fetchone() or (0, 0)
        if far != len(nodes):
            raise StoreError(f"{address}: the tables are spread over {far} nodes: name each with --node, in the same order")
        for number, node in enumerate(nodes):
            with _connected(node) as there:
                _run(there, upgrade_node(number, version, parts=parts, nodes=len(nodes)))
        _run(connection, upgrade(version))
        return version


@contextmanager
def _connected(address: Address) -> Iterator[psycopg.Connection]:
    """A connection to this server, whose refusals are ours."""
    first, _ = addresses(address)
    with translated(str(address)), psycopg.connect(first) as connection:
        yield connection


def _version(connection: psycopg.Connection) -> int | None:
    """The version of the tables that are there."""
    if (connection.execute("SELECT to_regclass('cued.version') IS NULL").fetchone() or (True,))[0]:
        return None
    found = connection.execute("SELECT max(number) FROM cued.version").fetchone()
    return found[0] if found else None


def _servers(nodes: Sequence[Address], role: str, password: str) -> list[Statement]:
    """How the first server reaches the others."""
    made: list[Statement] = [sql.SQL("CREATE EXTENSION IF NOT EXISTS postgres_fdw")] if nodes else []
    for number, node in enumerate(nodes):
        name, known = sql.Identifier(f"node_{number}"), conninfo_to_dict(node.url)
        options = {each: str(known[each]) for each in ("host", "port", "dbname") if known.get(each)} | _FAR
        listed = sql.SQL(", ").join(sql.SQL("{} {}").format(sql.Identifier(each), sql.Literal(value)) for each, value in options.items())
        made.append(sql.SQL("CREATE SERVER {} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({})").format(name, listed))
        made.append(sql.SQL("GRANT USAGE ON FOREIGN SERVER {} TO {}").format(name, sql.Identifier(role)))
        made.append(
            sql.SQL("CREATE USER MAPPING FOR {} SERVER {} OPTIONS (user {}, password {})").format(
                sql.Identifier(role), name, sql.Literal(role), sql.Literal(password)
            )
        )
    return made


def _refuse_known(connection: psycopg.Connection, address: Address) -> None:
    found = connection.execute("SELECT to_regnamespace('cued') IS NOT NULL").fetchone()
    if found and found[0]:
        raise StoreError(f"{address}: the tables are there already")


def _refuse_role(connection: psycopg.Connection, address: Address, role: str) -> None:
    if _known(connection, role):
        raise StoreError(
            f"{address}: the role {role} is there already, and servers reach each other by its password: name another with --role"
        )


def _known(connection: psycopg.Connection, role: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is not None


def _run(connection: psycopg.Connection, statements: Sequence[Statement]) -> None:
    for statement in statements:
        connection.execute(statement)


def script(role: str, laid: Laid = _AS_USUAL) -> str:
    """The same as a text for a person to read and to run, but for the password; what is for a node follows under its address."""
    parts, nodes, vectors = laid
    first = [_new_role(role, _OWN), *_servers(nodes, role, _OWN), *setup(role, parts=parts, nodes=len(nodes), vectors=vectors)]
    texts = [_written(first)]
    for number, node in enumerate(nodes):
        texts.append(f"-- on {node}\n" + _written([_new_role(role, _OWN), *setup_node(number, role, parts=parts, nodes=len(nodes))]))
    return "\n".join(texts)


def _written(statements: Sequence[Statement]) -> str:
    return "BEGIN;\n" + "".join(f"{statement.as_string().strip()};\n" for statement in statements) + "COMMIT;\n"


def _new_role(role: str, password: str) -> Statement:
    return sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD {}").format(
        sql.Identifier(role), sql.Literal(password)
    )
