"""Making the tables in a database, as whoever is to own them, and the role that the service connects as."""

from collections.abc import Sequence
from typing import Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from cued.errors import StoreError
from cued.folders import Address
from cued.stores.keepers.postgres.keeper import translated
from cued.stores.keepers.postgres.schema import Statement, setup, setup_node

_FAR: Final = {"fetch_size": "10000", "batch_size": "500", "connect_timeout": "5", "keep_connections": "on"}
"""How a server reads from another: rows in large portions, and an answer soon where nobody is there."""
_OWN: Final = "a password of your own"


def prepare(address: Address, role: str, *, password: str, parts: int, nodes: Sequence[Address] = ()) -> bool:
    """Whether the role was made too: all of it, tables and rights, in one transaction a server.

    With `nodes` the tables' parts are on those servers, taken in turn, and the first server reaches them as the role of that name.
    """
    for number, node in enumerate(nodes):
        with translated(str(node)), psycopg.connect(node.url) as connection:
            _refuse_known(connection, node)
            _refuse_role(connection, node, role)
            connection.execute(_new_role(role, password))
            _run(connection, setup_node(number, role, parts=parts, nodes=len(nodes)))
    with translated(str(address)), psycopg.connect(address.url) as connection:
        _refuse_known(connection, address)
        if nodes:
            _refuse_role(connection, address, role)
        known = _known(connection, role)
        if not known:
            connection.execute(_new_role(role, password))
        _run(connection, [*_servers(nodes, role, password), *setup(role, parts=parts, nodes=len(nodes))])
        return not known


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


def script(role: str, *, parts: int, nodes: Sequence[Address] = ()) -> str:
    """The same as a text for a person to read and to run, but for the password; what is for a node follows under its address."""
    first = [_new_role(role, _OWN), *_servers(nodes, role, _OWN), *setup(role, parts=parts, nodes=len(nodes))]
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
