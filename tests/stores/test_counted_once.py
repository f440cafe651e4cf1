"""What several handles, threads and processes say of one recall or one memory counts once, and nothing is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import cued
from cued.conformance.samples import entry, record
from cued.errors import NotFoundError, StoreError
from cued.flow.feedback import feedback
from cued.model import LogQuery
from cued.policy.spec import Settle
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.stores.processes import start


@pytest.mark.requirement("P7")
def test_one_verdict_sent_by_six_processes_counts_once(tmp_path):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [record("t", "a"), record("t", "b")])
    store.settle("t", (), [entry(f"r{number}") for number in range(8)])
    others = [start("judge", path, 8) for _ in range(6)]
    counted = [int(other.communicate()[0].split()[1]) for other in others]
    assert [other.returncode for other in others] == [0] * 6
    assert sum(counted) == 8
    assert store.get("t", ["a"])[0].use.boost == pytest.approx(min(1.5, 1.05**8))
    assert {line.cited for line in store.log("t", LogQuery())} == {("a",)}
    store.close()


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_one_verdict_sent_by_many_threads_counts_once(kind, tmp_path):
    store = Store(MemoryKeeper() if kind == "memory" else SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [record("t", "a")])
    store.settle("t", (), [entry("r")])
    said = feedback("r", cited=["a"], rules=Settle())
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: store.feedback("t", said), range(16)))
    assert sorted(told) == [()] * 15 + [("a",)]
    assert store.get("t", ["a"])[0].use.boost == pytest.approx(1.05)
    store.close()


@pytest.mark.requirement("P7")
def test_two_handles_of_two_openings_count_a_verdict_once(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path, embedder=None, settle="now") as one, cued.open(path, embedder=None, settle="now") as other:
        one.tenant("t").remember("The deploy runs on Friday.", id="deploy")
        recall = one.tenant("t").recall("when does the deploy run?")
        assert one.tenant("t").feedback(recall.recall_id, cited=["deploy"]) == ("deploy",)
        assert other.tenant("t").feedback(recall.recall_id, cited=["deploy"]) == ()


def test_ids_rise_over_all_handles_of_one_opening():
    with cued.open(embedder=None) as memories:
        handles = memories.tenant("t"), memories.tenant("t"), memories.tenant("u")
        made = [handles[number % 3].remember(f"Note {number}.").id for number in range(60)]
    assert made == sorted(made)


def test_an_update_of_what_is_gone_says_so_and_one_that_changes_nothing_is_no_error():
    with cued.open(embedder=None) as memories:
        handle = memories.tenant("t")
        handle.remember("The deploy runs on Friday.", id="deploy")
        assert handle.update("deploy", importance=0.9).version == 2
        handle.forget("deploy", erase=True)
        with pytest.raises(NotFoundError):
            handle.update("deploy", importance=0.9)


def test_a_keeper_of_ones_own_is_opened_like_a_store(tmp_path):
    for kept in (MemoryKeeper(), Store(MemoryKeeper()), SqliteKeeper(tmp_path / "memories.db")):
        with cued.open(kept, embedder=None) as memories:
            memories.tenant("t").remember("The deploy runs on Friday.")
            assert memories.tenants() == ("t",)
        with pytest.raises(StoreError, match="closed"):
            memories.tenants()
