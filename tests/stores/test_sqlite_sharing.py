"""Many processes and threads work on one file."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from time import monotonic

import pytest
from msgspec.structs import replace

from cued.conformance.samples import NOW, lookup, near, record, revision, words
from cued.conformance.searching import ids
from cued.errors import BusyError
from cued.stores import Store
from cued.stores.columns.shelf import Shelf
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.keepers.sqlite.connection import patience
from cued.stores.shelves import ShelfVersion, Shelves
from cued.stores.standing.facts import judged
from cued.stores.winners import Winners
from tests.stores.other_process import next_version, note
from tests.stores.processes import run, start

ROUNDS = int(os.environ.get("CUED_SHARING_ROUNDS", "12"))
PROCESSES = 8


def test_eight_processes_lose_no_update(tmp_path):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [replace(note("t", "counter-0"), memory=replace(note("t", "counter-0").memory, id="counter"))])
    others = [start("mix", path, f"p{number}", ROUNDS) for number in range(PROCESSES)]
    said = [other.communicate()[0] for other in others]
    assert [other.returncode for other in others] == [0] * PROCESSES, said
    (counter,) = store.get("t", ["counter"])
    assert (counter.version, counter.use.count) == (1 + PROCESSES * ROUNDS, PROCESSES * ROUNDS)
    assert store.document("t", "counter") == b"+" * PROCESSES * ROUNDS
    kept = 1 + PROCESSES * (ROUNDS - ROUNDS // 8)
    assert store.size("t") == store.search("t", lookup()).stored == kept
    store.close()


def test_another_processs_write_is_seen_at_the_next_search(tmp_path):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [note("t", "here-1")])
    assert ids(store.search("t", lookup(lexical=words("tea")))) == ["here-1"]
    assert run("one", path, "there-2") == ["written"]
    found = store.search("t", lookup(lexical=words("tea"), dense=near(2)))
    assert ids(found) == ["here-1", "there-2"]
    assert found.columns["cosine"][1] > 0.999
    store.close()


def test_two_processes_may_create_one_file_at_once(tmp_path):
    path = tmp_path / "memories.db"
    others = [start("one", path, f"m-{number}") for number in range(4)]
    assert [other.communicate()[0] for other in others] == ["written\n"] * 4
    store = Store(SqliteKeeper(path))
    assert store.size("t") == 4
    store.close()


def test_threads_share_a_store(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [record("t", "counter")])

    def work(number):
        store.remember("t", [note("t", f"m-{number}")])
        next_version(store, "counter")
        return f"m-{number}" in ids(store.search("t", lookup(lexical=words(f"m-{number}"))))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))
    assert store.get("t", ["counter"])[0].version == 41
    assert store.size("t") == 41
    store.close()


def test_a_forked_child_works_on_and_does_not_disturb_its_parent(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [note("t", "parent-1")])
    assert ids(store.search("t", lookup(lexical=words("tea")))) == ["parent-1"]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.remember("t", [note("t", "child-2")])
            code = 0 if ids(store.search("t", lookup(lexical=words("tea")))) == ["child-2", "parent-1"] else 2
            store.close()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    store.remember("t", [note("t", "parent-3")])
    assert ids(store.search("t", lookup(lexical=words("tea")))) == ["child-2", "parent-1", "parent-3"]
    store.close()


def test_a_writer_waits_for_another_to_finish(tmp_path):
    path = tmp_path / "memories.db"
    store, other = Store(SqliteKeeper(path)), Store(SqliteKeeper(path))
    store.remember("t", [record("t", "a")])
    with ThreadPoolExecutor(1) as pool:
        with store.keeper.begin("t", write=True) as rows:
            # The other writer starts while this one holds the file, and can only come after.
            waiting = pool.submit(other.revise, "t", [revision("a", importance=0.9)], at=NOW)
            row = rows.read(["a"])["a"]
            rows.update([row._replace(memory=replace(row.memory, version=4), judged=judged(row.memory))])
        assert waiting.result().memories[0].version == 5
    assert store.get("t", ["a"])[0].version == 5
    other.close()
    store.close()


def test_who_waits_for_a_file_asks_as_often_at_last_as_at_first():
    wait, begun = patience(), monotonic()
    assert all(wait(asked) for asked in range(200))
    # SQLite's own way to wait takes nineteen seconds for that.
    assert monotonic() - begun < 5
    assert not patience(0.0)(0)


def test_a_file_held_for_too_long_is_a_busy_error_and_nothing_is_written(tmp_path):
    path = tmp_path / "memories.db"
    store, other = Store(SqliteKeeper(path)), Store(SqliteKeeper(path))
    store.keeper.connection().set_busy_timeout(20)
    other.keeper.connection().execute("BEGIN IMMEDIATE")
    with pytest.raises(BusyError):
        store.remember("t", [record("t", "a")])
    assert store.size("t") == 0
    other.keeper.connection().execute("ROLLBACK")
    store.remember("t", [record("t", "a")])
    other.close()
    store.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_a_thread_that_ends_leaves_no_connection_open(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        thread = Thread(target=store.size, args=("t",))
        thread.start()
        thread.join()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 3
    store.close()


def test_shelves_are_let_go_when_they_grow_too_large():
    shelves = Shelves(most_bytes=100)
    for name in "abc":
        shelves.of(name).version = ShelfVersion(Shelf(), Winners(), change=1, epoch=0, shelf_nbytes=60)
        shelves.trim(shelves.of(name))
    assert len(shelves) == 1
    assert shelves.of("c").nbytes == 60


def test_a_shelf_that_was_let_go_while_it_was_searched_takes_no_space_of_the_others():
    shelves = Shelves(most_bytes=100)
    searched = shelves.of("a")
    shelves.drop("a")
    searched.version = ShelfVersion(Shelf(), Winners(), change=1, epoch=0, shelf_nbytes=90)
    shelves.trim(searched)
    for name in "bc":
        shelves.of(name).version = ShelfVersion(Shelf(), Winners(), change=1, epoch=0, shelf_nbytes=40)
        shelves.trim(shelves.of(name))
    assert len(shelves) == 2


def test_a_store_without_room_for_shelves_finds_the_same(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"), shelves_bytes=0)
    for tenant in "abcd":
        store.remember(tenant, [record(tenant, f"m{number}") for number in range(20)])
    for tenant in "abcdabcd":
        assert store.search(tenant, lookup(lexical=words("tea"))).stored == 20
    store.close()


def test_a_tenant_erased_and_made_anew_is_not_taken_for_the_old_one(tmp_path):
    path = tmp_path / "memories.db"
    store, other = Store(SqliteKeeper(path)), Store(SqliteKeeper(path))
    for text in ("tea", "rain", "code"):
        store.remember("t", [record("t", "a", text)])
        found = other.search("t", lookup(lexical=words("tea", "rain", "code")))
        assert [memory.text for memory in found.memories] == [text]
        store.erase_tenant("t")
    assert other.search("t", lookup(lexical=words("code"))).stored == 0
    other.close()
    store.close()


def test_an_erased_memory_leaves_a_shelf_that_another_store_holds(tmp_path):
    path = tmp_path / "memories.db"
    store, other = Store(SqliteKeeper(path)), Store(SqliteKeeper(path))
    store.remember("t", [record("t", "a"), record("t", "b")])
    assert len(other.search("t", lookup(lexical=words("tea"))).memories) == 2
    store.forget("t", ["b"], at=NOW)
    assert ids(other.search("t", lookup(lexical=words("tea")))) == ["a"]
    store.erase("t", ["a"])
    assert other.search("t", lookup(lexical=words("tea"))).stored == 1
    other.close()
    store.close()
