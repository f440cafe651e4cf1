"""Making the tables in a database, as whoever is to own them, and the role that the service connects as."""

import psycopg
from psycopg import sql

from cued.errors import StoreError
from cued.folders import Address
from cued.stores.keepers.postgres.keeper import translated
from cued.stores.keepers.postgres.schema import Statement, setup


def prepare(address: Address, role: str, *, password: str, parts: int) -> bool:
    """Whether the role was made too: all of it, tables and rights, in one transaction."""
    with translated(str(address)), psycopg.connect(address.url) as connection:
        found = connection.execute("SELECT to_regclass('cued.version') IS NOT NULL").fetchone()
        if found and found[0]:
            raise StoreError(f"{address}: the tables are there already")
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if not known:
            connection.execute(_new_role(role, password))
        for statement in setup(role, parts=parts):
            connection.execute(statement)
        return not known


def script(role: str, *, parts: int) -> str:
    """The same as a text for a person to read and to run, but for the password."""
    statements = [_new_role(role, "a password of your own"), *setup(role, parts=parts)]
    return "BEGIN;\n" + "".join(f"{statement.as_string().strip()};\n" for statement in statements) + "COMMIT;\n"


def _new_role(role: str, password: str) -> Statement:
    return sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD {}").format(
        sql.Identifier(role), sql.Literal(password)
    )
