"""Tenants spread over servers by PostgreSQL itself: the same promises, one server a tenant, and one that is down takes only its own."""

from contextlib import closing

import pytest
from click.testing import CliRunner
from msgspec import json

from cued.conformance import KeeperConformance
from cued.conformance.samples import NOW, entry, lookup, near, record, words
from cued.errors import LostConnectionError
from cued.model import LogQuery
from cued.stores import Store
from cued.stores.keepers.postgres import PostgresKeeper
from cued.stores.keepers.postgres.schema import TABLES
from cued.surfaces.cli.root import cued_command
from tests.stores.nodes import Nodes, psycopg

PARTS, TENANTS = 4, [f"tenant-{number}" for number in range(12)]
ASKED = lookup(lexical=words("tea"), dense=near(2))


@pytest.fixture(scope="module")
def nodes():
    """Three servers: the first is asked, and the other two keep the rows."""
    started = Nodes(3)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def address(nodes):
    spread = [word for number in (1, 2) for word in ("--node", nodes.url(number))]
    made = CliRunner().invoke(cued_command, ["db", "init", nodes.url(0), *spread, "--parts", str(PARTS), "--json"])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(cued_command, ["db", "init", nodes.url(0), *spread]).exit_code == 4
    return json.decode(made.stdout)["url"]


@pytest.fixture
def keeper(nodes, address):
    with closing(PostgresKeeper(address)) as keeper:
        yield keeper
    for number in (1, 2):
        with nodes.connected(number) as connection:
            for table in TABLES:
                for part in range(number - 1, PARTS, 2):
                    connection.execute(f"DELETE FROM cued.{table}_{part}")


class TestNodesKeeper(KeeperConformance):
    @pytest.fixture
    def keeper(self, keeper):
        return keeper


def kept_on(nodes, number):
    """The tenants whose rows are on a node."""
    with nodes.connected(number) as connection:
        rows = [connection.execute(f"SELECT DISTINCT tenant FROM cued.memory_{part}").fetchall() for part in range(number - 1, PARTS, 2)]
    return {tenant.decode() for found in rows for (tenant,) in found}


def stocked(keeper):
    store = Store(keeper)
    for tenant in TENANTS:
        store.remember(tenant, [record(tenant, f"m{number}", f"tea number {number}", vector=number) for number in range(5)])
        store.settle(tenant, [], [entry("r")])
    return store


def test_a_tenant_is_on_one_node_and_its_statements_touch_no_other(nodes, keeper, address):
    store = stocked(keeper)
    homes = [kept_on(nodes, number) for number in (1, 2)]
    assert homes[0] | homes[1] == set(TENANTS)
    assert not homes[0] & homes[1]
    assert all(homes)
    assert store.tenants() == tuple(sorted(TENANTS))
    with keeper.begin(TENANTS[0], write=False) as rows:
        plan = "\n".join(row[0] for row in rows._all("EXPLAIN SELECT body FROM cued.memory WHERE tenant = %s", TENANTS[0].encode()))  # noqa: SLF001
    assert plan.count("Foreign Scan") == 1, plan


def test_a_node_that_is_down_takes_only_its_own_tenants_along(nodes, keeper):
    store = stocked(keeper)
    before = {tenant: store.search(tenant, ASKED).memories for tenant in TENANTS}
    lost, left = kept_on(nodes, 2), kept_on(nodes, 1)
    nodes.halt(2)
    try:
        for tenant in sorted(left):
            assert store.search(tenant, ASKED).memories == before[tenant]
            store.remember(tenant, [record(tenant, "later", "more tea")])
        for tenant in sorted(lost)[:2]:
            with pytest.raises(LostConnectionError, match="node_1"):
                store.search(tenant, ASKED)
            with pytest.raises(LostConnectionError, match="node_1"):
                store.remember(tenant, [record(tenant, "later", "more tea")])
    finally:
        nodes.start(2)
    for tenant in sorted(lost):
        assert store.search(tenant, ASKED).memories == before[tenant]
        assert store.size(tenant) == 5
        assert len(store.log(tenant, LogQuery())) == 1
    assert {store.size(tenant) for tenant in left} == {6}
    assert store.stats(min(lost), at=NOW).memories == 5


@pytest.fixture(scope="module")
def followed(nodes):
    """A database and the port of a server that follows its own."""
    with nodes.connected(1) as connection:
        connection.execute("CREATE DATABASE single")
    made = CliRunner().invoke(cued_command, ["db", "init", nodes.url(1).rpartition("/")[0] + "/single", "--role", "single_app", "--json"])
    assert made.exit_code == 0, made.output
    return json.decode(made.stdout)["url"], nodes.follow(1)


def test_a_replica_answers_warm_recalls_but_not_where_it_lags_behind_this_client(followed):
    url, port = followed
    spread = f"{url}?replica=127.0.0.1:{port}"
    admin = f"postgresql://postgres:postgres@127.0.0.1:{port}/single"
    with closing(Store(PostgresKeeper(spread))) as store, closing(Store(PostgresKeeper(url))) as other:
        store.remember("a", [record("a", f"m{number}", f"tea number {number}", vector=number) for number in range(5)])
        assert len(store.search("a", ASKED).memories) == 5
        with psycopg.connect(admin, autocommit=True) as replica:
            assert asked_of(replica) == 0
            assert len(store.search("a", ASKED).memories) == 5
            assert asked_of(replica) == 1
            replica.execute("SELECT pg_wal_replay_pause()")
            store.remember("a", [record("a", "own", "my own tea")])
            assert len(store.search("a", ASKED).memories) == 6, "what this client wrote is never missing"
            other.remember("a", [record("a", "foreign", "their tea")])
            assert len(store.search("a", ASKED).memories) == 7, "the shelf is ahead of the replica, so the first server is asked"
            replica.execute("SELECT pg_wal_replay_resume()")
        assert len(store.search("a", ASKED).memories) == 7


def test_a_replica_that_is_down_is_no_loss(followed):
    url, _ = followed
    with closing(Store(PostgresKeeper(f"{url}?replica=127.0.0.1:1"))) as store:
        store.remember("b", [record("b", "m", "tea")])
        assert [len(store.search("b", ASKED).memories) for _ in range(3)] == [1, 1, 1]


def asked_of(connection):
    """How many connections of ours a server has."""
    return connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'single_app'").fetchone()[0]


def test_tables_of_an_earlier_schema_are_brought_up_to_date_on_every_server(nodes):
    urls = []
    for number in range(3):
        with nodes.connected(number) as connection:
            connection.execute("CREATE DATABASE older")
        urls.append(nodes.url(number).rpartition("/")[0] + "/older")
    spread = [word for url in urls[1:] for word in ("--node", url)]
    made = CliRunner().invoke(cued_command, ["db", "init", urls[0], *spread, "--role", "older_app", "--parts", "3", "--json"])
    assert made.exit_code == 0, made.output
    for number, url in enumerate(urls):
        with psycopg.connect(url, autocommit=True) as connection:
            for part in [""] if not number else [f"_{part}" for part in range(number - 1, 3, 2)]:
                connection.execute(f"ALTER TABLE cued.memory{part} DROP COLUMN body_sum, DROP COLUMN forward_sum")
                connection.execute(f"ALTER TABLE cued.vector{part} DROP COLUMN data_sum")
    with psycopg.connect(urls[0], autocommit=True) as connection:
        connection.execute("ALTER TABLE cued.version DROP COLUMN vectors; UPDATE cued.version SET number = 1")
    unnamed = CliRunner().invoke(cued_command, ["db", "init", urls[0]])
    assert unnamed.exit_code == 4
    assert "spread over 2 nodes: name each with --node" in unnamed.output
    done = CliRunner().invoke(cued_command, ["db", "init", urls[0], *spread, "--json"])
    assert (done.exit_code, json.decode(done.stdout)) == (0, {"earlier": 1})
    with closing(PostgresKeeper(json.decode(made.stdout)["url"])) as keeper:
        store = Store(keeper)
        for tenant in TENANTS:
            store.remember(tenant, [record(tenant, f"m{number}", "tea", vector=number % 20) for number in range(40)])
            assert store.search(tenant, ASKED).stored == 40
            assert [fault for fault in keeper.faults(tenant) if fault] == []
