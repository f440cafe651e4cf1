"""What a signal raises, as a Ctrl-C does, may come at any moment; whoever catches it goes on with a handle that works."""

import signal
import sys
import threading
from itertools import count

import apsw
import pytest

import cued
from cued.handles.settling import Settler
from cued.model import LogQuery, RecallEntry
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.building import NOW

PATIENCE_S = 20


class Interrupted(BaseException):
    """What the handler of a signal raises."""


def interrupted(step, work):
    """Whether the work was interrupted, at the `step`th place where signals are handled: after a call in C, or as one in Python begins."""
    left = [step]

    def watch(_frame, event, _what):
        if event in {"call", "c_return"} and left[0]:
            left[0] -= 1
            if not left[0]:
                sys.setprofile(None)
                raise Interrupted

    sys.setprofile(watch)
    try:
        work()
    except Interrupted:
        return True
    finally:
        sys.setprofile(None)
    return False


def answered(work):
    """Whether the work ends, in a thread of its own."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    return not thread.is_alive()


@pytest.mark.parametrize("write", [False, True])
def test_whenever_a_transaction_is_interrupted_the_next_one_begins(tmp_path, write):
    keeper = SqliteKeeper(tmp_path / "m.db")

    def work():
        with keeper.begin("alice", write=write) as rows:
            rows.head()

    work()
    for step in count(1):
        if not interrupted(step, work):
            break
        assert answered(work), step
        work()
    assert step > 10
    keeper.close()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_while_a_writer_waits_for_its_turn_leaves_the_file_to_others(tmp_path):
    def interrupt(*_):
        raise Interrupted

    with cued.open(tmp_path / "m.db", embedder=None) as memories:
        alice = memories.tenant("alice")
        alice.remember("Alice likes tea.")
        other = apsw.Connection(str(tmp_path / "m.db"))
        other.execute("BEGIN IMMEDIATE")
        old = signal.signal(signal.SIGALRM, interrupt)
        end = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        end.start()
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(Interrupted):
                alice.remember("Alice likes coffee.")
        finally:
            signal.signal(signal.SIGALRM, old)
        end.join()
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        other.close()
        assert [memory.text for memory in alice.list()] == ["Alice likes tea."]
        alice.remember("Alice likes cake.")


def test_whenever_a_recall_is_interrupted_while_it_is_settled_later_ones_are_settled(tmp_path):
    store = Store(MemoryKeeper())
    settler = Settler(store, "background")

    def settle(recall_id):
        settler.settle("alice", (), entry=line(recall_id))

    for step in count(1):
        if not interrupted(step, lambda: settle("interrupted")):
            break
        later = f"r{step}"
        assert answered(lambda later=later: settle(later)), step
        assert answered(settler.flush), step
        assert store.log("alice", LogQuery(recall_id=later)), step
    assert step > 5
    assert answered(settler.close)


def test_where_no_thread_is_to_be_had_a_recall_is_settled_at_once(monkeypatch):
    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    store = Store(MemoryKeeper())
    settler = Settler(store, "background")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        settler.settle("alice", (), entry=line("r1"))
        settler.flush()
        assert store.log("alice", LogQuery(recall_id="r1"))
    settler.settle("alice", (), entry=line("r2"))
    settler.close()
    assert store.log("alice", LogQuery(recall_id="r2"))


def line(recall_id):
    """A line of the recall log."""
    return RecallEntry(
        recall_id=recall_id,
        at=NOW,
        policy="cued",
        outcome="recalled",
        candidates=1,
        chosen=(),
        best_relevance=0.5,
        below_floor=0,
        tokens=0,
        total_ms=1.0,
    )
