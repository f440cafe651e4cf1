"""Settling: what recalls leave behind is written off the answer's path, in batches, in order."""

import gc
import subprocess
import sys
import threading
import weakref
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from cued.conformance.samples import lookup, words
from cued.engine import decide
from cued.errors import BusyError, ReadOnlyError
from cued.flow.arc import learnt_balance
from cued.flow.feedback import feedback
from cued.flow.settle import documents, entry, touches
from cued.handles.memories import _dropped
from cued.handles.settling import Settler
from cued.model import Cue, LogQuery, Record, Touch, Use
from cued.policy.spec import Settle
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.building import ADAPTING, NOW, evidence, memory, policy

RULES = policy('[settle]\nrefresh_floor = "1m"')
HERE = Cue(utterance="the cue", now=NOW)
WAIT_S = 30


class HeldStore(Store):
    """A store whose writing of touches waits until it is let go, and tells when it began."""

    def __init__(self):
        super().__init__(MemoryKeeper())
        self.began, self.go = threading.Event(), threading.Event()
        self.written = []

    def settle(self, tenant, touches, entries=(), **known):
        self.began.set()
        assert self.go.wait(WAIT_S)
        self.written.append((tenant, tuple(touch.id for touch in touches), len(entries)))
        return super().settle(tenant, touches, entries, **known)


class BrokenStore(Store):
    """A store whose writing of touches fails in a given way, until it is repaired."""

    def __init__(self, error):
        super().__init__(MemoryKeeper())
        self.error, self.tried = error, 0

    def settle(self, tenant, touches, entries=(), **known):
        self.tried += 1
        if self.error is not None:
            raise self.error
        return super().settle(tenant, touches, entries, **known)


class QuietStore(Store):
    """A store that tells when it was asked to keep its shelves, and may fail at it."""

    def __init__(self, keeper, error=None):
        super().__init__(keeper)
        self.asked, self.error, self.times = threading.Event(), error, 0

    def keep_shelves(self):
        self.times += 1
        try:
            if self.error is not None:
                raise self.error
            super().keep_shelves()
        finally:
            self.asked.set()


def stored(store, *names, tenant="t"):
    store.remember(tenant, [Record(memory=replace(memory(name), tenant=tenant), terms={"text": 1}) for name in names])
    return store


def left(*names, recall_id="r1", now=NOW, rules=RULES):
    """What a recall of these memories leaves behind: its touches, and its log entry."""
    found = evidence([memory(name) for name in names], cosine=[0.9] * len(names))
    recall = replace(decide(found, rules), recall_id=recall_id)
    kept = documents(recall, rules, cue=HERE, now=now)
    return touches(recall, rules, cue=HERE, now=now), {"entry": entry(recall, found, rules, now=now), "documents": kept}


def settle(settler, *names, tenant="t", **facts):
    touched, rest = left(*names, **facts)
    settler.settle(tenant, touched, **rest)


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    opened = Store(MemoryKeeper()) if request.param == "memory" else Store(SqliteKeeper(tmp_path / "m.db"))
    yield opened
    opened.close()


def use_of(store, name, tenant="t"):
    return store.get(tenant, [name])[0].use


@pytest.mark.requirement("P4", "F4")
@pytest.mark.parametrize("mode", ["now", "background"])
def test_touches_and_log_are_written(store, mode):
    settler = Settler(stored(store, "a", "b"), mode)
    settle(settler, "a", "b")
    settler.flush()
    assert [use_of(store, name).count for name in "ab"] == [1.0, 1.0]
    assert [line.chosen for line in store.log("t", LogQuery(limit=9))] == [("a", "b")]
    settler.close()


@pytest.mark.requirement("P4")
def test_a_recall_does_not_wait_for_its_touches():
    store = stored(HeldStore(), "a")
    settler = Settler(store, "background")
    settle(settler, "a")
    assert store.began.wait(WAIT_S)
    # the write has begun and cannot end, and here we are
    assert use_of(store, "a") == Use()
    store.go.set()
    settler.flush()
    assert use_of(store, "a").count == 1.0
    settler.close()


@pytest.mark.requirement("P4", "P5", "P6")
def test_touches_of_one_memory_in_one_batch_add_up_in_order():
    store = stored(HeldStore(), "a", "b")
    settler = Settler(store, "background")
    settle(settler, "b", recall_id="first")
    assert store.began.wait(WAIT_S)
    for i in range(3):
        settle(settler, "a", recall_id=f"r{i}", now=NOW + i * timedelta(hours=1))
    store.go.set()
    settler.flush()
    assert store.written == [("t", ("b",), 1), ("t", ("a",) * 3, 3)]
    assert use_of(store, "a") == Use(
        last_at=NOW + timedelta(hours=2), previous_at=NOW + timedelta(hours=1), count=3.0, counted_at=NOW + timedelta(hours=2)
    )
    settler.close()


@pytest.mark.requirement("P4")
def test_a_loop_of_recalls_counts_once_however_it_is_batched(store):
    settler = Settler(stored(store, "a"), "background")
    for i in range(100):
        settle(settler, "a", recall_id=f"r{i:03}", now=NOW + timedelta(milliseconds=10 * i))
    settler.flush()
    assert use_of(store, "a").count == 1.0
    assert len(store.log("t", LogQuery(limit=1000))) == 100
    settler.close()


@pytest.mark.requirement("P4")
def test_several_processes_touch_without_losing_each_others_counts(tmp_path):
    one, other = (Store(SqliteKeeper(tmp_path / "m.db")) for _ in range(2))
    stored(one, "a")
    settlers = [Settler(each, "background") for each in (one, other)]
    for i in range(40):
        settle(settlers[i % 2], "a", recall_id=f"r{i:03}", now=NOW + i * timedelta(hours=1))
        settlers[i % 2].flush()
    assert use_of(one, "a").count == 40.0
    for settler, each in zip(settlers, (one, other), strict=True):
        settler.close()
        each.close()


def test_tenants_in_one_batch_are_kept_apart():
    store = stored(stored(HeldStore(), "a", tenant="t"), "a", tenant="u")
    settler = Settler(store, "background")
    settle(settler, "a", tenant="t")
    assert store.began.wait(WAIT_S)
    settle(settler, "a", tenant="u", recall_id="r2")
    settle(settler, "a", tenant="t", recall_id="r3", now=NOW + timedelta(hours=1))
    store.go.set()
    settler.flush()
    assert [use_of(store, "a", tenant=tenant).count for tenant in "tu"] == [2.0, 1.0]
    settler.close()


class Gathering(HeldStore):
    """A store that is held as long as one tenant is written alone, and tells how many tenants were written together."""

    def __init__(self):
        super().__init__()
        self.together = []

    def settle_all(self, settlements):
        self.together.append(len(settlements))
        return super().settle_all(settlements)


class FailingTogether(SqliteKeeper):
    """A keeper that fails to write several tenants in one step when all but the end of it is done."""

    @contextmanager
    def begin_all(self, tenants):
        with super().begin_all(tenants) as begun:
            yield begun
            if len(tenants) > 1:
                raise BusyError("held")


def recalled_in(settler, tenants):
    """Settle one recall of each of these tenants, whose every touch counts."""
    touched, rest = left("a")
    for tenant in tenants:
        settler.settle(tenant, tuple(replace(each, refresh_floor=timedelta(0)) for each in touched), entry=rest["entry"])


def counts_of(store, tenants):
    return [(use_of(store, "a", tenant).count, len(store.log(tenant, LogQuery()))) for tenant in tenants]


def test_several_tenants_share_a_write_and_so_many_and_no_more():
    store, tenants = stored(Gathering(), "a"), [f"t{number:02}" for number in range(40)]
    for tenant in tenants:
        stored(store, "a", tenant=tenant)
    settler = Settler(store, "background")
    settle(settler, "a")
    assert store.began.wait(WAIT_S)
    recalled_in(settler, tenants)
    store.go.set()
    settler.close()
    assert store.together == [16, 16, 8]
    assert counts_of(store, tenants) == [(1.0, 1)] * 40


def test_what_could_not_be_written_together_is_written_once_all_the_same(tmp_path, caplog):
    store = Store(FailingTogether(tmp_path / "m.db"))
    for tenant in "tuvw":
        stored(store, "a", tenant=tenant)
    settler = Settler(store, "background")
    recalled_in(settler, "tuvw")
    settler.close()
    assert counts_of(store, "tuvw") == [(1.0, 1)] * 4
    assert not [record for record in caplog.records if record.levelname == "WARNING"]
    store.close()


def test_a_recall_that_cannot_be_settled_takes_no_other_tenants_with_it(store, caplog):
    settler = Settler(stored(stored(stored(store, "a", tenant="t"), "a", tenant="u"), "a", tenant="v"), "background")
    touched, rest = left("a")
    for tenant in "tuv":
        line = replace(rest["entry"], tokens=2**70) if tenant == "u" else rest["entry"]
        settler.settle(tenant, touched, entry=line)
    settler.close()
    assert [use_of(store, "a", tenant).count for tenant in "tuv"] == [1.0, 0.0, 1.0]
    assert [record.message.partition(":")[0] for record in caplog.records if record.levelname == "WARNING"] == [
        "settling failed, the recalls stand"
    ]


@pytest.mark.requirement("P7")
def test_feedback_is_counted_on_top_of_what_is_stored(store):
    settler = Settler(stored(store, "a", "b"), "background")
    settle(settler, "a", "b")
    settler.flush()
    for _ in range(3):
        store.feedback("t", feedback("r1", cited=["a"], bad=["b"], rules=Settle()))
    assert [use_of(store, name).boost for name in "ab"] == pytest.approx([1.05, 0.95])
    assert use_of(store, "a").count == 1.0
    (line,) = store.log("t", LogQuery(limit=9))
    assert (line.chosen, line.cited, line.bad) == (("a", "b"), ("a",), ("b",))
    settler.close()


@pytest.mark.requirement("P16")
def test_ghost_hits_are_learnt_in_the_same_step_and_the_next_recall_leans_by_them(store):
    rules = policy(ADAPTING)
    settler = Settler(stored(store, *"abcde"), "background")
    for hour, name in enumerate("aabcdebc"):
        settle(settler, name, rules=rules, recall_id=f"r{hour}", now=NOW + hour * timedelta(hours=1))
    settler.flush()
    learnt = learnt_balance(store.document("t", "arc"), rules)
    assert learnt == pytest.approx((0.3 * 4 + 2) / 4)
    now = NOW + timedelta(days=30)
    often = memory("often", use=Use(last_at=NOW, count=20.0, counted_at=NOW))
    fresh = memory("fresh", use=Use(last_at=now, count=1.0, counted_at=now))
    found = evidence([often, fresh], cue=replace(HERE, now=now))
    assert decide(found, rules).memories[0].memory.id == "often"
    assert decide(replace(found, balance=learnt), rules).memories[0].memory.id == "fresh"
    settler.close()


class ErasedMeanwhile(Store):
    """A store whose tenant is erased when the log of a recall is written, and what was learnt of it is not yet."""

    def settle(self, tenant, touches, entries=(), **known):
        written = super().settle(tenant, touches, entries, **known)
        self.erase_tenant(tenant)
        return written


def test_what_was_learnt_of_a_tenant_does_not_bring_it_back(caplog):
    store = stored(ErasedMeanwhile(MemoryKeeper()), "a")
    touched, rest = left("a", rules=policy(ADAPTING))
    Settler(store, "now").settle("t", touched, known=True, **rest)
    assert store.tenants() == ()
    assert caplog.text == ""


@pytest.mark.parametrize("mode", ["off", "background"])
def test_nothing_is_written_when_settling_is_off_or_closed(store, mode):
    settler = Settler(stored(store, "a"), mode)
    settler.close()
    settle(settler, "a")
    settler.flush()
    settler.close()
    assert use_of(store, "a") == Use()
    assert store.log("t", LogQuery(limit=9)) == ()


def test_what_was_taken_before_closing_is_written(store):
    settler = Settler(stored(store, "a"), "background")
    for i in range(50):
        settle(settler, "a", recall_id=f"r{i:03}", now=NOW + i * timedelta(hours=1))
    settler.close()
    assert use_of(store, "a").count == 50.0


class DroppedMeanwhile(Store):
    """A store whose memories are dropped while what recalls leave is written to it, and collected by the thread that writes."""

    def settle(self, tenant, touches, entries=(), **known):
        self.memories = None
        gc.collect()
        return super().settle(tenant, touches, entries, **known)


def test_memories_that_are_collected_by_the_thread_that_writes_are_written_all_the_same():
    store = stored(DroppedMeanwhile(MemoryKeeper()), "a")
    store.memories = threading.Event()
    settler = Settler(store, "background")
    closed = weakref.finalize(store.memories, _dropped, settler, None)
    settle(settler, "a")
    settler.flush()
    assert not closed.alive
    for thread in threading.enumerate():
        if thread.name.startswith("cued-"):
            thread.join(WAIT_S)
    assert settler.off
    assert use_of(store, "a").count == 1


def test_a_full_queue_drops_touches_with_one_warning(caplog):
    store = stored(HeldStore(), "a")
    settler = Settler(store, "background", most_waiting=2)
    settle(settler, "a", recall_id="r0")
    assert store.began.wait(WAIT_S)
    for i in range(1, 9):
        settle(settler, "a", recall_id=f"r{i}")
    assert [record.message for record in caplog.records] == [
        "the settling queue is full: touches are dropped until there is room, the recalls stand"
    ]
    store.go.set()
    settler.flush()
    assert [line.recall_id for line in store.log("t", LogQuery(limit=9))] == ["r2", "r1", "r0"]
    settler.close()


@pytest.mark.parametrize("mode", ["now", "background"])
@pytest.mark.parametrize("error", [BusyError("held"), RuntimeError("odd")], ids=["busy", "foreign"])
def test_a_store_that_fails_leaves_the_recalls_standing_and_is_tried_again(caplog, mode, error):
    store = stored(BrokenStore(error), "a")
    settler = Settler(store, mode)
    settle(settler, "a")
    settler.flush()
    assert [record.message.partition(":")[0] for record in caplog.records] == ["settling failed, the recalls stand"]
    store.error = None
    settle(settler, "a", recall_id="r2")
    settler.flush()
    assert use_of(store, "a").count == 1.0
    settler.close()


@pytest.mark.parametrize("mode", ["now", "background"])
def test_a_store_that_cannot_be_written_is_told_of_once(caplog, mode):
    store = stored(BrokenStore(ReadOnlyError("the disk is read-only")), "a")
    settler = Settler(store, mode)
    for i in range(5):
        settle(settler, "a", recall_id=f"r{i}")
        settler.flush()
    assert (len(caplog.records), store.tried) == (1, 1)
    settler.close()


def test_threads_may_settle_at_once_and_close_in_between(store):
    settler = Settler(stored(store, "a"), "background")
    start = threading.Barrier(5)

    def busy(number):
        start.wait()
        for i in range(20):
            settle(settler, "a", recall_id=f"{number}-{i:02}")
            settler.flush()

    threads = [threading.Thread(target=busy, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    start.wait()
    settler.close()
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()
    assert use_of(store, "a").count in {0.0, 1.0}


CRASH = """
import os, sys
from datetime import timedelta
from cued.model import Record, RecallEntry, Touch
from cued.handles.memories import _dropped
from cued.handles.settling import Settler
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.building import NOW, memory

store = Store(SqliteKeeper(sys.argv[1]))
settler = Settler(store, "background")
entry = RecallEntry(recall_id="r", at=NOW, policy="p", outcome="recalled", candidates=1, chosen=("a",), best_relevance=1.0,
                    below_floor=0, tokens=1, total_ms=1.0)
for i in range(20):
    store.remember("t", [Record(memory=memory(f"m{i:02}"), terms={"text": 1})])
    settler.settle("t", (Touch(id=f"m{i:02}", at=NOW, refresh_floor=timedelta(minutes=1), kept_per_day=0.9),), entry=entry)
os._exit(9)
"""


@pytest.mark.requirement("P4")
def test_a_crash_loses_touches_at_most_and_never_a_memory(tmp_path):
    root = Path(__file__).parents[1]
    path = tmp_path / "m.db"
    ended = subprocess.run([sys.executable, "-c", CRASH, str(path)], cwd=root, env={"PYTHONPATH": f"{root}:{root / 'src'}"}, check=False)
    assert ended.returncode == 9
    store = Store(SqliteKeeper(path))
    kept = store.get("t", [f"m{i:02}" for i in range(20)])
    once = Use(last_at=NOW, count=1.0, counted_at=NOW)
    assert {each.use for each in kept} <= {Use(), once}
    store.settle("t", [Touch(id="m00", at=NOW, refresh_floor=timedelta(minutes=1), kept_per_day=0.9)])
    assert use_of(store, "m00") == once
    store.close()


def test_when_nobody_has_recalled_for_a_while_the_shelf_is_kept_for_whoever_comes_next(tmp_path):
    store = stored(QuietStore(SqliteKeeper(tmp_path / "m.db")), *(f"m{number:03}" for number in range(600)))
    store.search("t", lookup(lexical=words("text", pool=3)))
    settler = Settler(store, "background", quiet_s=0.001)
    settle(settler, "m001")
    assert store.asked.wait(WAIT_S)
    # nothing was closed: as if the process had been killed here
    with SqliteKeeper(tmp_path / "m.db").begin("t", write=False) as rows:
        assert rows.shelf()
    settler.close()
    store.close()


@pytest.mark.parametrize("error", [BusyError("held"), ValueError("odd")])
def test_what_fails_when_shelves_are_kept_keeps_no_recall_from_being_settled(error):
    store = stored(QuietStore(MemoryKeeper(), error), "a", "b")
    settler = Settler(store, "background", quiet_s=0.001)
    settle(settler, "a")
    assert store.asked.wait(WAIT_S)
    settle(settler, "b", recall_id="r2")
    settler.flush()
    assert [use_of(store, name).count for name in "ab"] == [1.0, 1.0]
    settler.close()
