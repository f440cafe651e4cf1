"""What was erased is nowhere in the bytes of any file."""

import signal
from random import Random
from time import perf_counter

import pytest
from msgspec.structs import replace

from cued.conformance.samples import FINGERPRINT, NOW, entry, lookup, record, touch, words
from cued.model import Edge, LogQuery, Revision, Source
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper, scrubbing
from tests.stocking import found_in
from tests.stores.processes import start

pytestmark = pytest.mark.requirement("X9")

SEEDS = (2, 7, 8, 21, 25)
"""Histories that leave something behind when the file is not rewritten, as seen with SQLite 3.54."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def store(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    yield store
    store.close()


def secret(random):
    return "".join(random.choices(LETTERS, k=16))


def rewritten_as(memory_id, text):
    """Give the revision to another text."""
    new = record("t", memory_id, text)
    return Revision(id=memory_id, set={"text": text, "fingerprint": FINGERPRINT}, terms=new.terms, vector=new.vector)


def fill(store, random):
    """Store memories, some of them revised, and give the secrets that each has held."""
    held = {}
    for number in range(120):
        memory_id = f"m{number:03}"
        held[memory_id] = [secret(random), secret(random)]
        text, tag = held[memory_id]
        store.remember("t", [record("t", memory_id, f"{text} " * random.choice([1, 9, 60, 300]), tags=(tag,))])
        if random.random() < 0.4:
            revised = random.choice(sorted(held))
            held[revised].append(secret(random))
            store.revise("t", [rewritten_as(revised, f"{held[revised][-1]} " * random.choice([1, 9, 60, 300]))], at=NOW)
    return held


def test_an_erased_text_is_nowhere_in_the_files(store, tmp_path):
    store.remember("t", [record("t", "a", "the password is xylophonequartz " + "and more " * 2000), record("t", "b")])
    store.search("t", lookup(lexical=words("tea")))
    assert found_in(tmp_path, ["xylophonequartz"])
    store.erase("t", ["a"])
    assert not found_in(tmp_path, ["xylophonequartz"])
    assert store.get("t", ["b"])[0].text == "tea in the garden"


def test_no_text_of_an_erased_chain_is_left_nor_any_that_was_overwritten(store, tmp_path):
    secrets = ["oldestbelief", "newerbelief", "newestbelief", "overwrittenbelief", "sometagxyz", "somenamexyz", "sessionxyz", "scopexyz"]
    facts = {"tags": ("sometagxyz",), "entities": ("somenamexyz",), "source": Source(session="sessionxyz"), "scope": "scopexyz"}
    store.remember("t", [record("t", "a", "overwrittenbelief " * 40, **facts), record("t", "kept", "tea")])
    store.revise("t", [rewritten_as("a", "oldestbelief")], at=NOW)
    store.remember("t", [record("t", "b", "newerbelief " * 900, supersedes=("a",), edges=(Edge("derived_from", "a"),), **facts)])
    store.remember("t", [record("t", "c", "newestbelief", supersedes=("b",), **facts)])
    store.settle("t", [touch("c")])
    store.forget("t", ["c"], at=NOW)
    assert set(secrets) - {"overwrittenbelief"} <= set(found_in(tmp_path, secrets))
    store.erase("t", ["a", "b", "c"])
    assert found_in(tmp_path, secrets) == []
    assert store.size("t") == 1


def test_an_erased_tenant_leaves_neither_its_name_nor_its_documents_nor_its_recalls(store, tmp_path):
    secrets = ["tenantname", "someonestext", "documentname", "documentbody", "recallidentity", "recalldetail"]
    for tenant in ("tenantname", "other"):
        store.remember(tenant, [record(tenant, f"m{number}", f"tea {number}") for number in range(40)])
    store.remember("tenantname", [record("tenantname", "a", "someonestext " * 700, edges=(Edge("causes", "m1"),))])
    store.settle("tenantname", [], [replace(entry("recallidentity"), degraded=("recalldetail",))])
    store.swap_document("tenantname", "documentname", old=None, new=b"documentbody" * 600)
    store.search("tenantname", lookup(lexical=words("tea")))
    assert found_in(tmp_path, secrets) == secrets
    store.erase_tenant("tenantname")
    assert found_in(tmp_path, secrets) == []
    assert store.search("other", lookup(lexical=words("tea"))).stored == 40


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_left_where_rows_once_lay(store, tmp_path, seed):
    # Rows that grow push others to new pages, rows that go pull others together, and SQLite leaves copies of those behind.
    random = Random(seed)
    held = fill(store, random)
    for _ in range(3):
        gone = random.sample(sorted(held), 35)
        store.erase("t", gone)
        assert found_in(tmp_path, [text for memory_id in gone for text in held.pop(memory_id)]) == []
        assert {each.memory.id for each in store.scan("t", limit=200)} == held.keys()
    assert store.keeper.connection().pragma("integrity_check") == "ok"


@pytest.mark.parametrize("commits", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_who_opens_the_file_after_a_kill_finishes_the_erasure(store, tmp_path, seed, commits):
    random = Random(seed)
    held = fill(store, random)
    store.close()
    gone = random.sample(sorted(held), 35)
    secrets = [text for memory_id in gone for text in held.pop(memory_id)]
    process = start("erase", tmp_path / "memories.db", commits, *gone)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert found_in(tmp_path, secrets) or commits > 1
    again = Store(SqliteKeeper(tmp_path / "memories.db"))
    assert found_in(tmp_path, secrets) == []
    assert {each.memory.id for each in again.scan("t", limit=200)} == held.keys()
    assert again.keeper.connection().execute("SELECT count(*) FROM unscrubbed").get == 0
    again.close()


def test_a_scrub_that_another_process_was_in_the_way_of_is_told_by_the_file(store, tmp_path):
    store.remember("t", [record("t", "a", "the password is xylophonequartz"), record("t", "b")])
    reader = Store(SqliteKeeper(tmp_path / "memories.db"))
    reader.keeper.connection().execute("BEGIN")
    reader.keeper.connection().execute("SELECT count(*) FROM memory").fetchall()
    store.erase("t", ["a"])
    reader.keeper.connection().execute("ROLLBACK")
    assert found_in(tmp_path, ["xylophonequartz"])
    Store(SqliteKeeper(tmp_path / "memories.db", readonly=True)).close()
    assert found_in(tmp_path, ["xylophonequartz"])
    other = Store(SqliteKeeper(tmp_path / "memories.db"))
    assert not found_in(tmp_path, ["xylophonequartz"])
    other.close()
    reader.close()


def test_opening_rewrites_nothing_where_nothing_is_due(store, tmp_path):
    store.remember("t", [record("t", "a"), record("t", "b")])
    store.erase("t", ["a"])
    store.close()
    before = (tmp_path / "memories.db").read_bytes()
    Store(SqliteKeeper(tmp_path / "memories.db")).close()
    assert (tmp_path / "memories.db").read_bytes() == before


def test_a_reader_in_the_way_delays_the_last_bytes_and_no_write_waits_for_it(store, tmp_path, caplog):
    store.remember("t", [record("t", "a", "the password is xylophonequartz"), record("t", "b")])
    reader = Store(SqliteKeeper(tmp_path / "memories.db"))
    reader.keeper.connection().execute("BEGIN")
    reader.keeper.connection().execute("SELECT count(*) FROM memory").fetchall()
    store.erase("t", ["a"])
    assert store.size("t") == 1
    assert "not all overwritten yet" in caplog.text
    assert found_in(tmp_path, ["xylophonequartz"])
    assert "another reader" in store.pending()[0]
    started = perf_counter()
    for number in range(20):
        store.settle("t", [], [entry(f"r{number}")])
    assert perf_counter() - started < 10 * scrubbing.SCRUB_TIMEOUT_S, "each would wait that long"
    assert caplog.text.count("not all overwritten yet") == 1
    reader.keeper.connection().execute("ROLLBACK")
    assert store.pending() == ()
    assert not found_in(tmp_path, ["xylophonequartz"])
    reader.close()


def test_erasing_rewrites_nothing_where_nothing_is_left(store, tmp_path, monkeypatch):
    rewritten = []
    monkeypatch.setattr(scrubbing, "rewrite", rewritten.append)
    for number in range(300):
        store.remember("t", [record("t", f"m{number}", f"{secret(Random(number))} " * 40)])
    store.erase("t", [f"m{number}" for number in range(0, 300, 60)])
    assert rewritten == []
    assert found_in(tmp_path, [secret(Random(number)) for number in range(0, 300, 60)]) == []


def test_what_a_memory_said_before_it_was_changed_is_gone_too(store, tmp_path, monkeypatch):
    rewritten, rewrite = [], scrubbing.rewrite
    monkeypatch.setattr(scrubbing, "rewrite", lambda connection: rewritten.append(rewrite(connection)))
    store.remember("t", [record("t", "a", "first version"), record("t", "b", "tea")])
    store.revise("t", [rewritten_as("a", "second version")], at=NOW)
    store.erase("t", ["b"])
    assert rewritten == []
    store.erase("t", ["a"])
    assert len(rewritten) == 1
    assert store.keeper.connection().execute("SELECT count(*) FROM replaced").get == 0


def test_fingerprints_and_lines_of_the_log_name_nothing_that_was_erased(store, tmp_path):
    theirs = replace(record("t", "someone-else", "rain").memory, fingerprint="privatemodelname/1")
    store.remember("t", [record("t", "secretid1234", "tea"), replace(record("t", "someone-else", "rain"), memory=theirs)])
    store.settle("t", [], [replace(entry("r1"), chosen=("secretid1234", "someone-else"), cited=("secretid1234",))])
    assert found_in(tmp_path, ["secretid1234", "privatemodelname"]) == ["secretid1234", "privatemodelname"]
    store.erase("t", ["secretid1234", "someone-else"])
    assert found_in(tmp_path, ["secretid1234", "privatemodelname"]) == []
    (line,) = store.log("t", LogQuery())
    assert (line.chosen, line.cited) == (("erased", "erased"), ("erased",))


def test_closing_overwrites_what_a_reader_had_delayed(store, tmp_path):
    store.remember("t", [record("t", "a", "the password is xylophonequartz")])
    reader = Store(SqliteKeeper(tmp_path / "memories.db"))
    reader.keeper.connection().execute("BEGIN")
    reader.keeper.connection().execute("SELECT count(*) FROM memory").fetchall()
    store.erase_tenant("t")
    reader.keeper.connection().execute("ROLLBACK")
    store.close()
    assert not found_in(tmp_path, ["xylophonequartz"])
    assert reader.size("t") == 0
    reader.close()
