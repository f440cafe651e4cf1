"""A handle that was opened before a fork works on both sides of it, or says at once why it cannot."""

import os
import signal
import threading
import time
import traceback
import warnings
from datetime import UTC, datetime

import pytest

import cued
from cued import forking
from cued.errors import StoreError

PATIENCE_S = 20

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")


def in_a_child(work) -> str:
    """What the work says in a forked child: its answer as text, "hang" when it took too long, and else the error."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of threads; that they are there is what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE_S)
        try:
            said = f"{work()}"
        except BaseException as error:  # noqa: BLE001 - the child must not go on with the test
            said = "".join(traceback.format_exception(error))[-3000:]
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    _, status = os.waitpid(child, 0)
    return "hang" if os.WIFSIGNALED(status) else said


@pytest.fixture(params=["file", "memory"])
def memories(request, tmp_path):
    with cued.open(tmp_path / "memories.db" if request.param == "file" else None, embedder="hashing") as opened:
        yield opened


VERBS = {
    "flush": lambda opened, _, __: opened.flush(),
    "tenants": lambda opened, _, __: opened.tenants(),
    "remember": lambda _, tenant, __: tenant.remember("The child likes plums."),
    "recall": lambda _, tenant, __: tenant.recall("which tea?"),
    "get": lambda _, tenant, kept: tenant.get(kept.memories[0].memory.id),
    "list": lambda _, tenant, __: tenant.list(),
    "update": lambda _, tenant, kept: tenant.update(kept.memories[0].memory.id, importance=0.9),
    "forget": lambda _, tenant, kept: tenant.forget(kept.memories[0].memory.id),
    "log": lambda _, tenant, __: tenant.log(),
    "feedback": lambda _, tenant, kept: tenant.feedback(kept.recall_id, cited=[kept.memories[0].memory.id]),
    "export": lambda _, tenant, __: list(tenant.export()),
    "explain": lambda _, tenant, __: tenant.explain("which tea?"),
    "why": lambda _, tenant, kept: tenant.why(kept.memories[0].memory.id),
    "timeline": lambda _, tenant, kept: tenant.timeline(kept.memories[0].memory.id),
    "stats": lambda _, tenant, __: tenant.stats(),
    "bootstrap": lambda _, tenant, __: tenant.bootstrap(),
    "sweep": lambda _, tenant, __: tenant.sweep(),
    "consolidate": lambda _, tenant, __: tenant.consolidate(),
    "reembed": lambda _, tenant, __: tenant.reembed(),
    "erase": lambda _, tenant, kept: tenant.forget(kept.memories[0].memory.id, erase=True),
    "erase everything": lambda _, tenant, __: tenant.erase_everything(),
    "close": lambda opened, _, __: opened.close(),
}


def used(opened):
    """A tenant with something in it and a recall behind it, whose thread for settling is alive."""
    tenant = opened.tenant("ada")
    tenant.remember("Ada drinks green tea.")
    recalled = tenant.recall("which tea?")
    opened.flush()
    return tenant, recalled


def test_every_verb_answers_in_the_child_and_in_the_parent_after_it(memories):
    tenant, recalled = used(memories)
    said = {}
    for name, verb in VERBS.items():
        said[name] = in_a_child(lambda verb=verb: (verb(memories, tenant, recalled), "done")[1])
        if name == "close":
            continue
        memories.flush()
    assert said == dict.fromkeys(VERBS, "done")
    tenant.remember("The parent goes on.")
    assert memories.tenants() == ("ada",)


def test_a_backup_can_be_made_in_the_child(tmp_path):
    with cued.open(tmp_path / "memories.db", embedder=None) as memories:
        used(memories)
        assert in_a_child(lambda: memories.backup(tmp_path / "copy.db").bytes > 0) == "True"


def test_a_fork_in_the_middle_of_writing_and_reading_leaves_both_sides_whole(tmp_path):
    with cued.open(tmp_path / "memories.db", embedder=None) as memories:
        tenant, _ = used(memories)
        stop = threading.Event()

        def busy() -> None:
            while not stop.is_set():
                tenant.remember("Something of the parent's.", conflicts=False)
                tenant.recall("which tea?")

        def plums() -> str:
            tenant.remember("plums", conflicts=False)
            return f"{len(tenant.recall('plums').memories) > 0} {len(tenant.log()) > 0}"

        threads = [threading.Thread(target=busy) for _ in range(3)]
        for each in threads:
            each.start()
        try:
            said = [in_a_child(plums) for _ in range(5)]
        finally:
            stop.set()
            for each in threads:
                each.join()
        assert said == ["True True"] * 5
        assert len([each for each in tenant.list(limit=1000, hidden=True).memories if each.text == "plums"]) == 5
        assert memories.parts.store.keeper.connection().pragma("integrity_check") == "ok"


def test_a_fork_inside_a_transaction_is_refused_in_words_at_once(tmp_path):
    with cued.open(tmp_path / "memories.db", embedder=None) as memories:
        tenant, _ = used(memories)

        def refused() -> str:
            started = time.monotonic()
            for attempt in (lambda: tenant.remember("plums"), lambda: cued.open(tmp_path / "memories.db", embedder=None)):
                with pytest.raises(StoreError, match="forked while the store was in use"):
                    attempt()
            return str(time.monotonic() - started < 2 * forking.PATIENCE_S)

        with memories.parts.store.keeper.begin("ada", write=True):
            said = in_a_child(refused)
        assert said == "True"
        tenant.remember("The parent goes on.")


def test_ids_of_parent_and_child_differ_where_the_clock_stands_still(tmp_path):
    with cued.open(tmp_path / "memories.db", embedder=None, clock=lambda: datetime(2030, 1, 1, tzinfo=UTC)) as memories:
        tenant = memories.tenant("ada")
        before = tenant.remember("one").id
        theirs = in_a_child(lambda: tenant.remember("two").id)
        ours = tenant.remember("three").id
        assert before < ours != theirs > before


def test_a_quota_of_recalls_is_that_of_parent_and_child_together(tmp_path):
    stopped = datetime(2030, 1, 1, tzinfo=UTC)
    with cued.open(
        tmp_path / "m.db", embedder=None, quotas=cued.Quotas(recalls_a_minute=3), clock=lambda: stopped, settle="off"
    ) as memories:
        tenant = memories.tenant("ada")
        tenant.recall("which tea?")
        assert in_a_child(lambda: len([tenant.recall("which tea?") for _ in range(2)])) == "2"
        with pytest.raises(cued.RateError):
            tenant.recall("which tea?")
