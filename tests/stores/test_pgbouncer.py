"""PostgreSQL behind a pooler that hands each transaction to another session: nothing that we do may need the session of before."""

import os
import shutil
import subprocess
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from time import monotonic
from urllib.parse import parse_qs, urlsplit

import pytest

import cued
from cued.conformance import KeeperConformance
from cued.conformance.samples import lookup, near, record, words
from cued.stores import Store
from tests.stores.nodes import USER, free_port
from tests.stores.postgres import PostgresKeeper, psycopg, server

PROGRAM = os.environ.get("CUED_PGBOUNCER") or shutil.which("pgbouncer")
SESSIONS = 2
SETTINGS = """
[databases]
postgres = host={host} dbname=postgres user=cued_app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {sessions}
unix_socket_dir =
server_reset_query_always = 0
admin_users = cued_app
"""

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed (Debian: pgbouncer; or name it in CUED_PGBOUNCER)")


@pytest.fixture(scope="module")
def pooled():
    """The address of the server behind a pooler with two sessions for everybody."""
    folder, port = Path(tempfile.mkdtemp(prefix="cued-pgbouncer-")), free_port()
    host = parse_qs(urlsplit(server().url).query)["host"][0]
    (folder / "settings").write_text(SETTINGS.format(host=host, port=port, folder=folder, sessions=SESSIONS))
    (folder / "users").write_text('"cued_app" ""\n')
    command = [PROGRAM, str(folder / "settings")]
    if os.geteuid() == 0:
        for each in (folder, *folder.iterdir()):
            shutil.chown(each, USER)
        command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
    with (folder / "said").open("w") as said, subprocess.Popen(command, stdout=said, stderr=said) as pooler:
        url = f"postgresql://cued_app@127.0.0.1:{port}/postgres"
        awaited(url, pooler, folder)
        yield url
        pooler.terminate()
    shutil.rmtree(folder)


def awaited(url, pooler, folder):
    """Wait until the pooler answers."""
    until = monotonic() + 20
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert pooler.poll() is None, (folder / "said").read_text()
            if monotonic() > until:
                raise
        else:
            return


class TestPooledKeeper(KeeperConformance):
    @pytest.fixture
    def keeper(self, pooled):
        with closing(PostgresKeeper(pooled)) as keeper:
            yield keeper
        server().empty()


def test_many_clients_of_many_tenants_share_two_sessions_and_see_their_own_alone(pooled):
    with closing(Store(PostgresKeeper(pooled))) as store:
        wrong, asked = [], lookup(lexical=words("tea"), dense=near(1))

        def work(tenant):
            for number in range(6):
                # So many that they are copied in, through tables of the transaction.
                store.remember(tenant, [record(tenant, f"{tenant}-{number}-{each}", "tea", vector=each % 20) for each in range(40)])
                found = store.search(tenant, asked)
                if found.stored != 40 * (number + 1) or any(memory.tenant != tenant for memory in found.memories):
                    wrong.append((tenant, found.stored))

        threads = [threading.Thread(target=work, args=(f"tenant {number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        with server().connected() as connection:
            (sessions,) = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'cued_app'").fetchone()
        assert sessions <= SESSIONS
        with cued.open(store, embedder=None) as memories:
            assert memories.check().ok
    server().empty()
