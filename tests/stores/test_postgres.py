"""PostgreSQL for real: tenants that the database itself keeps apart, servers that die, many processes, and the same recalls as a file."""

import os
import re
import signal
import tempfile
import threading
import time
import traceback
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import cued
from cued.conformance.row_samples import break_off
from cued.conformance.samples import NOW, entry, lookup, near, record, words
from cued.errors import ContestedError, ForeignFileError, InputError, LostConnectionError, StoreError
from cued.folders import Address
from cued.model import Edge, Filter, LogQuery, Source, Touch
from cued.stores import Store
from cued.stores.admission import body
from cued.stores.encoding import new_row
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.postgres import log, queries, searched, staging, transaction
from cued.stores.keepers.postgres.keeper import translated
from cued.stores.keepers.postgres.preparing import brought_up_to_date
from cued.stores.keepers.postgres.sending import vectors
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.surfaces.cli.root import cued_command
from tests.stores.other_process import note
from tests.stores.postgres import ROLE, PostgresKeeper, Server, psycopg, server
from tests.stores.processes import start
from tests.truth.test_histories import ASKED, Upkeep, agrees_throughout
from tests.upkeep.test_copying import contents, stocked

ROUNDS, PROCESSES = 6, 8
HISTORIES_HERE = int(ASKED or 6)
CUES = ("who prefers Postgres?", "standup 9:30", "deploy")
TEXTS = ("Alice prefers Postgres for anything relational.", "The staging deploy runs every Friday.", "Bob moved the standup to 9:30.")


@pytest.fixture
def url():
    yield server().url
    server().empty()


@pytest.fixture
def store(url):
    with closing(Store(PostgresKeeper(url))) as store:
        yield store


def filled(store, *tenants):
    for tenant in tenants:
        store.remember(tenant, [record(tenant, f"{tenant}-{number}", f"tea for {tenant} {number}", vector=number) for number in range(5)])
        store.swap_document(tenant, "d", old=None, new=b"of " + tenant.encode())
    return store


def test_the_same_contents_give_the_same_bits_as_in_memory(url):
    kept = [Store(PostgresKeeper(url)), Store(MemoryKeeper())]
    records = [
        record("t", f"m{n}", f"{TEXTS[n % 3]} {n}", vector=n % 20, tags=("x",) * (n % 2), source=Source(session="s", turn=n))
        for n in range(60)
    ]
    found = []
    for store in kept:
        store.remember("t", records)
        store.forget("t", ["m7"], at=NOW)
        with cued.open(store, embedder=None, clock=lambda: NOW) as memories:
            tenant = memories.tenant("t")
            recalls = [
                tenant.recall(text, floor=0.0, limit=20, settle=False) for text in ("who prefers Postgres?", "standup 9:30", "deploy")
            ]
            dense = store.search("t", lookup(lexical=words("postgres"), dense=near(3)))
            found.append(
                (
                    [(each.block, [(r.memory.id, r.score, r.relevance) for r in each.memories], each.trace.fates) for each in recalls],
                    {name: column.tobytes() for name, column in dense.columns.items()},
                    [memory.id for memory in dense.memories],
                    msgspec.to_builtins(tenant.stats()),
                )
            )
    assert found[0] == found[1]


@pytest.mark.requirement("P19")
def test_a_statement_that_forgets_its_tenant_finds_no_foreign_row(store, url):
    filled(store, "a", "b")
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("memory", "vector", "document", "tenant"):
            assert connection.execute(f"SELECT count(*) FROM cued.{table}").fetchone() == (0,)
            with connection.transaction():
                connection.execute("SELECT set_config('cued.tenant', %s, true)", (b"a".hex(),))
                rows = connection.execute(f"SELECT tenant FROM cued.{table}").fetchall()
            assert {bytes(tenant) for (tenant,) in rows} == {b"a"}, table
        connection.execute("SELECT set_config('cued.tenant', %s, false)", (b"a".hex(),))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO cued.document (tenant, name, body) VALUES (%s, 'x', 'x')", (b"b",))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM cued.memory_0")


def unfiltered(statement):
    """A statement, or a table of them, that does not say whose rows it is about."""
    if isinstance(statement, dict):
        return {name: unfiltered(each) for name, each in statement.items()}
    return re.sub(r"(\w+\.)?tenant = %s", "%s::bytea IS NOT NULL", re.sub(r"(\w+\.)?tenant = %\(tenant\)s", "TRUE", statement))


@pytest.mark.requirement("P19")
def test_a_build_without_tenant_filters_still_shows_no_foreign_row(store, monkeypatch):
    filled(store, "a", "b")
    store.settle("b", [Touch(id="b-1", at=NOW, refresh_floor=timedelta(0), kept_per_day=1.0)], [entry("r")])
    whole = reads(store)
    broken = 0
    for module in (transaction, searched, queries, log):
        for name, statement in list(vars(module).items()):
            if isinstance(statement, (str, dict)) and not name.startswith("__") and "tenant = %" in str(statement):
                monkeypatch.setattr(module, name, unfiltered(statement))
                broken += 1
    assert broken > 20
    assert reads(store) == whole
    assert reads(Store(store.keeper)) == whole, "nor where nothing is in memory yet"
    with pytest.raises(cued.NotFoundError):
        store.get("a", ["b-1"])
    assert store.log("a", LogQuery()) == ()


def reads(store):
    """All that can be read of the tenant a."""
    found = store.search("a", lookup(lexical=words("tea"), dense=near(1)))
    listed = store.list("a", Filter(), at=NOW, limit=50)
    return (
        [(memory.id, memory.use) for memory in found.memories],
        [memory.id for memory in listed.memories],
        [each.memory.id for each in store.scan("a", limit=50)],
        [memory.id for memory in store.linking("a", ["b-1", "a-1"])],
        msgspec.to_builtins(store.stats("a", at=NOW)),
        store.document("a", "d"),
    )


def test_a_role_with_too_much_power_is_refused_and_told_how_to_make_the_right_one():
    with pytest.raises(StoreError, match=r"superuser.*cued db init"):
        PostgresKeeper(server().admin)
    with server().connected() as connection:
        connection.execute("CREATE ROLE nearly LOGIN BYPASSRLS; GRANT cued_app TO nearly")
    with pytest.raises(StoreError, match="bypass"):
        PostgresKeeper(server().url.replace("cued_app", "nearly"))
    with server().connected() as connection:
        connection.execute("CREATE DATABASE bare")
    with pytest.raises(ForeignFileError, match="cued db init"):
        PostgresKeeper(server().url.replace("/postgres?", "/bare?"))


def test_what_the_server_refuses_is_told_without_the_row():
    with server().connected() as connection, pytest.raises(StoreError, match="violates check constraint") as refused, translated("db"):
        connection.execute("CREATE TEMP TABLE short (said text CHECK (length(said) < 3)); INSERT INTO short VALUES ('peanuts')")
    assert "peanuts" not in str(refused.value)


def test_an_address_is_shown_without_its_password():
    assert str(Address("postgresql://ada:secret@db.example/cued")) == "postgresql://ada@db.example/cued"
    for odd in ("/", "@", "?", ":", "#"):
        assert str(Address(f"postgresql://ada:sec{odd}ret@db.example/cued")) == "postgresql://ada@db.example/cued"
    assert "secret" not in str(Address("postgresql:///cued?user=ada&password=secret&host=x"))
    with pytest.raises(LostConnectionError, match="ada@") as refused:
        PostgresKeeper("postgresql://ada:secret@127.0.0.1:1/cued")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:sec/ret@127.0.0.1/cued",
        "postgresql://ada:sec@ret@127.0.0.1/cued",
        "postgresql://ada:sec%ret@127.0.0.1/cued",
        "postgresql://ada@127.0.0.1/cued?schema=public",
        "postgresql://[::1",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_and_nothing_of_a_password_is_told(url):
    for doing in (PostgresKeeper, lambda url: brought_up_to_date(Address(url), ())):
        with pytest.raises(InputError, match="percent-encoded") as refused:
            doing(url)
        told = "".join(traceback.format_exception(refused.value))
        assert not re.search(r"sec\W", told)


def messages(store, tmp_path, deed):
    """How many messages go to the server while something is done over the store's only connection, as libpq tells it."""
    (connection,) = store.keeper._connections._idle  # noqa: SLF001 - there is no other way to what is sent
    told = tmp_path / "messages"
    with told.open("w") as file:
        connection.pgconn.trace(file.fileno())
        try:
            deed()
        finally:
            connection.pgconn.untrace()
    return sum(line.split("\t")[1:2] == ["F"] and line.split("\t")[3] in ("Query", "Sync") for line in told.read_text().splitlines())


def test_a_warm_recall_is_one_message_to_the_server_and_so_is_one_after_a_write_of_one_s_own(store, tmp_path):
    filled(store, "a")
    with cued.open(store, embedder=None, clock=lambda: NOW, learnt=False) as memories:
        tenant = memories.tenant("a")

        def ask():
            assert len(tenant.recall("tea", floor=0.0, settle=False).memories) > 2

        ask()
        assert messages(store, tmp_path, ask) == 1
        tenant.remember("More tea for a.", conflicts=False)
        assert messages(store, tmp_path, ask) == 1


@pytest.mark.parametrize("how", [(), ("--json",)], ids=["drawn", "json"])
def test_the_commands_that_resolve_a_conflict_have_no_password_in_them(url, how):
    typed = ["--db", url.replace("@", ":geheim@", 1), "--embedder", "hashing", "--direct", *how]
    runner = CliRunner()
    assert runner.invoke(cued_command, ["remember", "Standup is at 9:30.", *typed]).exit_code == 0
    told = runner.invoke(cued_command, ["remember", "Standup is at 9:30.", *typed]).output
    assert f"--db {url}" in told.replace("'", "")
    assert "geheim" not in told


@pytest.mark.parametrize("setting", ["standard_conforming_strings", "client_encoding", "bytea_output"])
def test_what_is_usual_at_a_server_does_not_change_what_is_kept_and_found(url, setting):
    unusual = {"standard_conforming_strings": "off", "client_encoding": "SQL_ASCII", "bytea_output": "escape"}[setting]
    with server().connected() as admin:
        admin.execute(f"ALTER ROLE {ROLE} SET {setting} TO {unusual}")
        try:
            with cued.open(url, embedder=None) as memories:
                alice = memories.tenant("alice")
                ids = [alice.remember(each).id for each in (*TEXTS, "In \\東京 it's café time.")]
                for _ in "ab":
                    assert [each.id for each in alice.recall("café").memories] == ids[-1:]
        finally:
            admin.execute(f"ALTER ROLE {ROLE} RESET {setting}")
    with cued.open(url, embedder=None) as memories:
        assert {each.id for each in memories.tenant("alice").list()} == set(ids)
        assert memories.check().ok


def test_what_others_write_is_in_the_next_recall_and_what_they_remove_is_not(store, url):
    filled(store, "a")
    found = lookup(lexical=words("tea"))
    assert len(store.search("a", found).memories) == 5
    with closing(Store(PostgresKeeper(url))) as other:
        other.remember("a", [record("a", "new", "more tea")])
        assert {memory.id for memory in store.search("a", found).memories} >= {"new", "a-0"}
        other.settle("a", [Touch(id="a-0", at=NOW, refresh_floor=timedelta(0), kept_per_day=1.0)])
        assert {memory.id: memory.use.count for memory in store.search("a", found).memories}["a-0"] == 1.0
        other.erase("a", ["a-1"])
        assert {memory.id for memory in store.search("a", found).memories} == {"new", "a-0", "a-2", "a-3", "a-4"}
        other.erase_tenant("a")
        assert store.search("a", found).memories == ()
    assert not store.holds("a")


def test_recalls_go_on_while_connections_are_cut(store):
    filled(store, "a")
    stop, answers, failures = threading.Event(), [], []

    def ask():
        while not stop.is_set():
            try:
                answers.append(len(store.search("a", lookup(lexical=words("tea"))).memories))
            except StoreError as error:  # pragma: no cover - what must not happen
                failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    with server().connected() as connection:
        for _ in range(10):
            time.sleep(0.05)
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'cued_app'")
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert set(answers) == {5}


@pytest.fixture
def contested():
    """A server that lets others go first, twice, whenever a memory is inserted: sequences do not go back with what failed."""
    with server().connected() as connection:
        connection.execute("""
            CREATE SEQUENCE tries; GRANT USAGE ON SEQUENCE tries TO cued_app;
            CREATE FUNCTION yielding() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('tries') % 3 <> 0 THEN RAISE EXCEPTION 'others first' USING ERRCODE = 'serialization_failure'; END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER yielding AFTER INSERT ON cued.memory FOR EACH ROW EXECUTE FUNCTION yielding()
        """)
    yield
    with server().connected() as connection:
        connection.execute("DROP TRIGGER yielding ON cued.memory; DROP FUNCTION yielding; DROP SEQUENCE tries")


@pytest.mark.usefixtures("contested")
def test_a_write_that_others_went_before_is_made_again_once_and_counted(store):
    store.remember("a", [record("a", "one", "tea")])
    assert [memory.id for memory in store.list("a", Filter(), at=NOW, limit=5).memories] == ["one"]
    assert store.workings().contested == 2
    with server().connected() as connection:
        connection.execute("ALTER SEQUENCE tries RESTART INCREMENT BY 3")
    with pytest.raises(ContestedError):
        store.remember("a", [record("a", "two", "tea")])
    assert store.size("a") == 1


def test_a_shelf_that_took_long_to_build_is_kept_for_other_nodes(store, url):
    store.remember("a", [record("a", f"m{number:04}", f"tea number {number}", vector=number % 20) for number in range(700)])
    asked = lookup(lexical=words("tea"), dense=near(3))
    found = store.search("a", asked)
    with closing(Store(PostgresKeeper(url))) as other:
        with other.keeper.begin("a", write=False) as rows:
            assert rows.shelf()
        assert other.search("a", asked).memories == found.memories
        other.search("a", asked)
        working = other.workings()
        assert (working.tenants, working.hits, working.misses) == (1, 1, 1)
        assert working.bytes > 700 * 32
    store.erase("a", ["m0001"])
    with store.keeper.begin("a", write=False) as rows:
        assert not rows.shelf()


ROWS = "SELECT row_to_json(m)::jsonb - 'tenant' - 'body' - 'body_sum' FROM cued.{} m WHERE tenant = %s ORDER BY key"


def test_many_rows_are_copied_in_and_are_what_one_after_the_other_would_be(store, url):
    links = {"edges": (Edge("causes", "m001"),), "tags": ("x", "y\\")}
    many = [record("many", f"m{n:03}", f"tea \u00e9 number {n}", vector=n % 20, **links) for n in range(100)]
    many += [record("many", f"bare{n}", "no vector", vector=None, source=Source(session="s", meta={"a": n})) for n in range(40)]
    singly = [replace(each, memory=replace(each.memory, tenant="singly")) for each in many]
    with closing(PostgresKeeper(url)) as keeper:
        for tenant, records, at_once in (("many", many, 70), ("singly", singly, 1)):
            with keeper.begin(tenant, write=True) as rows:
                for start in range(0, len(records), at_once):
                    rows.insert([new_row(each) for each in records[start : start + at_once]])
        with server().connected() as connection:
            for table, count in (("memory", 140), ("vector", 100), ("edge", 100)):
                found = [connection.execute(ROWS.format(table), (name,)).fetchall() for name in (b"many", b"singly")]
                assert found[0] == found[1]
                assert len(found[0]) == count
        assert store.search("many", lookup(lexical=words("tea"))).stored == 140
        with pytest.raises(ZeroDivisionError):
            break_off(keeper, lambda rows: rows.insert([new_row(each) for each in many]), tenant="new")
        assert "new" not in keeper.tenants()
        foreign = vectors([new_row(each)._replace(key=999 + place) for place, each in enumerate(many)])
        with pytest.raises(StoreError, match="row-level security"):
            break_off(keeper, lambda rows: staging.VECTORS.insert(rows._cursor, b"many", foreign), tenant="other")  # noqa: SLF001


def test_eight_processes_lose_no_update(store, url):
    store.remember("t", [replace(note("t", "counter-0"), memory=replace(note("t", "counter-0").memory, id="counter"))])
    others = [start("mix", url, f"p{number}", ROUNDS) for number in range(PROCESSES)]
    said = [other.communicate()[0] for other in others]
    assert [other.returncode for other in others] == [0] * PROCESSES, said
    (counter,) = store.get("t", ["counter"])
    assert (counter.version, counter.use.count) == (1 + PROCESSES * ROUNDS, PROCESSES * ROUNDS)
    assert store.document("t", "counter") == b"+" * PROCESSES * ROUNDS


def test_a_forked_child_has_connections_of_its_own(store):
    filled(store, "a")
    store.search("a", lookup(lexical=words("tea")))
    child = os.fork()
    if not child:
        try:
            store.remember("a", [record("a", "child", "tea of a child")])
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.get("a", ["child", "a-1"])[0].text == "tea of a child"


def test_nothing_acknowledged_is_lost_when_the_server_is_killed():
    folder = tempfile.mkdtemp(prefix="cued-postgres-")
    Path(folder).chmod(0o755)
    doomed = Server(folder)
    writers = [start("write", doomed.url, f"w{number}") for number in range(3)]
    acknowledged = {word for _ in range(20) for writer in writers for word in writer.stdout.readline().split()}
    postmaster = int((Path(folder) / "postmaster.pid").read_text().splitlines()[0])
    children = [int(pid) for pid in (Path("/proc") / str(postmaster) / "task" / str(postmaster) / "children").read_text().split()]
    for pid in (postmaster, *children):
        os.kill(pid, signal.SIGKILL)
    for writer in writers:
        whole, _, _ = writer.communicate()[0].rpartition("\n")
        acknowledged.update(whole.split())
    doomed.restart()
    with closing(Store(PostgresKeeper(doomed.url))) as store:
        assert len(store.get("t", sorted(acknowledged))) == len(acknowledged)
    doomed.stop()


DAMAGES = {
    "UPDATE cued.memory SET body = set_byte(body, 40, get_byte(body, 40) # 4) WHERE id = 'a-1'": ("memory", "not what was written"),
    "UPDATE cued.memory SET forward = set_byte(forward, 5, get_byte(forward, 5) # 4) WHERE id = 'a-1'": ("index", "its words"),
    "UPDATE cued.memory SET scope = 'elsewhere' WHERE id = 'a-1'": ("index", "its columns do not say what it says: scope"),
    "UPDATE cued.vector SET data = set_byte(data, 3, 7) WHERE tenant = 'a' AND key = 2": (
        "vector",
        "not what was written",
    ),
    "DELETE FROM cued.vector WHERE tenant = 'a' AND key = 2": ("vector", "lost"),
    "INSERT INTO cued.edge VALUES ('a', 2, 'causes', 'x')": ("edges", "its edges"),
    "DELETE FROM cued.memory WHERE id = 'a-1'": ("counts", "belong to no memory"),
    "UPDATE cued.memory SET body = (SELECT body FROM cued.memory WHERE id = 'a-2') WHERE id = 'a-1'": (
        "memory",
        "not what was written",
    ),
}


@pytest.mark.parametrize(("damage", "told"), DAMAGES.items(), ids=[each[7:40] for each in DAMAGES])
def test_damage_is_found_by_a_check_and_is_in_no_recall(store, url, damage, told):
    filled(store, "a", "b")
    asked = lookup(lexical=words("tea"), dense=near(1))
    whole = {memory.id: memory for memory in store.search("a", asked).memories}
    with cued.open(store, embedder=None) as memories, server().connected() as connection:
        assert (memories.check().ok, memories.check().memories) == (True, 10)
        connection.execute(damage)
        checked = memories.check()
        assert not checked.ok
        assert {each.tenant for each in checked.problems} == {"a"}
        assert any(each.part == told[0] and told[1] in each.what for each in checked.problems), checked.problems
        if told[0] in {"memory", "index"} and "scope" not in damage:
            with closing(Store(PostgresKeeper(url))) as fresh:
                found = fresh.search("a", asked)
            assert {memory.id: memory for memory in found.memories} == {each: memory for each, memory in whole.items() if each != "a-1"}
            assert found.damaged == 1
    with server().connected() as connection:
        connection.execute("DELETE FROM cued.edge")


def test_broken_rows_that_others_wrote_are_left_out_of_the_next_recall(store, url):
    filled(store, "a")
    asked = lookup(lexical=words("tea"), dense=near(1))
    assert len(store.search("a", asked).memories) == 5
    with closing(Store(PostgresKeeper(url))) as other, server().connected() as connection:
        other.remember("a", [record("a", "new", "more tea", vector=7), record("a", "newer", "more tea", vector=8)])
        connection.execute("UPDATE cued.memory SET forward = set_byte(forward, 5, get_byte(forward, 5) # 4) WHERE id = 'new'")
        found = store.search("a", asked)
    assert {memory.id for memory in found.memories} == {"newer", *(f"a-{number}" for number in range(5))}
    assert found.damaged == 1


def test_tables_of_an_earlier_schema_are_refused_until_they_are_brought_up_to_date(monkeypatch):
    with server().connected() as connection:
        connection.execute("CREATE DATABASE old")
    admin, runner = server().admin.replace("/postgres?", "/old?"), CliRunner()
    made = runner.invoke(cued_command, ["db", "init", admin, "--role", "old_app", "--parts", "2", "--json"])
    address = msgspec.json.decode(made.stdout)["url"]
    with psycopg.connect(admin, autocommit=True) as connection:
        for column in ("memory DROP COLUMN body_sum", "memory DROP COLUMN forward_sum", "vector DROP COLUMN data_sum"):
            connection.execute(f"ALTER TABLE cued.{column}")
        connection.execute("ALTER TABLE cued.version DROP COLUMN vectors; UPDATE cued.version SET number = 1")
        connection.execute("INSERT INTO cued.tenant (tenant, change, size, last, kept) VALUES ('a', 1, 1, 1, true)")
        old = record("a", "old", "tea from before")
        row = new_row(old)
        connection.execute(
            """INSERT INTO cued.memory (tenant, key, id, change, content, scope, kind, tier, trust, created, tags, meta, forward, body)
               VALUES ('a', 1, 'old', 1, 1, 'global', %s, %s, %s, %s, '{}', '{}', %s, %s)""",
            (*row.judged[1:4], row.judged.created, row.forward, body(old.memory)),
        )
    with pytest.raises(StoreError, match=r"schema 1.*cued db init"):
        PostgresKeeper(address)
    done = runner.invoke(cued_command, ["db", "init", admin, "--json"])
    assert (done.exit_code, msgspec.json.decode(done.stdout)) == (0, {"earlier": 1})
    assert runner.invoke(cued_command, ["db", "init", admin]).exit_code == 4
    with closing(Store(PostgresKeeper(address))) as store:
        assert store.get("a", ["old"])[0].text == "tea from before"
        store.remember("a", [record("a", "new", "tea of today")])
        assert len(store.search("a", lookup(lexical=words("tea"))).memories) == 2


def test_the_command_line_prepares_a_database_and_works_on_it(monkeypatch):
    monkeypatch.setenv("CUED_EMBEDDER", "hashing")
    with server().connected() as connection:
        connection.execute("CREATE DATABASE shop")
    admin = server().admin.replace("/postgres?", "/shop?")
    runner = CliRunner()
    printed = runner.invoke(cued_command, ["db", "init", admin, "--print"])
    assert "CREATE POLICY own" in printed.output
    made = runner.invoke(cued_command, ["db", "init", admin, "--role", "shop_app", "--parts", "2", "--json"])
    assert made.exit_code == 0, made.output
    address = msgspec.json.decode(made.stdout)["url"]
    assert runner.invoke(cued_command, ["db", "init", admin]).exit_code == 4
    stored = runner.invoke(cued_command, ["--db", address, "remember", TEXTS[0]])
    assert stored.exit_code == 0, stored.output
    recalled = runner.invoke(cued_command, ["--db", address, "recall", "which database does Alice prefer?", "--block", "--floor", "0"])
    assert "Postgres" in recalled.output
    assert "shop_app@" in runner.invoke(cued_command, ["--db", address, "stats"]).output
    assert runner.invoke(cued_command, ["--db", address, "restore", "x.db"]).exit_code == 2


def test_a_file_is_copied_to_the_server_and_back(url, tmp_path, monkeypatch):
    monkeypatch.setenv("CUED_EMBEDDER", "hashing")
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    with closing(SqliteKeeper(one)) as keeper:
        before = contents(stocked(Store(keeper)).keeper)
    runner = CliRunner()
    there = runner.invoke(cued_command, ["copy", str(one), url, "--json"])
    assert there.exit_code == 0, there.output
    assert msgspec.json.decode(there.stdout)["sampled"] == 84
    with closing(PostgresKeeper(url)) as keeper:
        assert contents(keeper) == before
    back = runner.invoke(cued_command, ["copy", url, str(two), "--json"])
    assert back.exit_code == 0, back.output
    assert msgspec.json.decode(back.stdout)["digest"] == msgspec.json.decode(there.stdout)["digest"]
    with closing(SqliteKeeper(two)) as keeper:
        assert contents(keeper) == before


@pytest.mark.requirement("P13", "P12", "P19")
def test_random_histories_leave_on_the_server_what_they_leave_in_the_model(url):
    class OnServer(Upkeep):
        """Histories of a store in memory and one on the server."""

        elsewhere = url

        def teardown(self):
            super().teardown()
            server().empty()

    agrees_throughout(OnServer, histories=HISTORIES_HERE)
