"""Upkeep on a timer: every tenant, when it is time, by one server at a time, and what came of it is shown."""

import asyncio
import json
import threading
import time

import pytest
from click import Choice

from cued.errors import BusyError
from cued.handles.memories import open_memories
from cued.surfaces.cli.root import cued_command
from cued.surfaces.http import upkeep
from cued.surfaces.http.app import Chores
from cued.surfaces.http.upkeep import JOBS, UpkeepTimer
from cued.surfaces.http.workers import Workers


@pytest.fixture
def memories(tmp_path):
    with open_memories(tmp_path / "memories.db", embedder="hashing") as opened:
        yield opened


@pytest.fixture
def workers():
    made = Workers(2)
    yield made
    made.close()


def stocked(memories):
    """Give two tenants, each with an expired memory and a pair of near-duplicates."""
    tenants = [memories.tenant(name) for name in ("jonas", "mira")]
    for tenant in tenants:
        tenant.remember("The wifi code is 1234.", at="2025-01-01", ttl="1d")
        tenant.remember("Bob bakes a lemon cake.", at="2025-01-01", conflicts=False)
        tenant.remember("Bob bakes a lemon cake.", conflicts=False)
    return tenants


@pytest.mark.requirement("S5")
def test_every_job_is_done_for_every_tenant_and_its_outcome_is_kept(memories, workers):
    tenants = stocked(memories)
    keeping = UpkeepTimer(memories, workers, jobs=("sweep", "preview", "consolidate", "reembed"), every_s=3600)
    assert asyncio.run(keeping.run_if_due())
    assert [tenant.stats().memories for tenant in tenants] == [2, 2]
    told = keeping.shown()
    assert {name: done["changed"] for name, done in told["last"].items()} == {"sweep": 2, "preview": 2, "consolidate": 2, "reembed": 0}
    assert (told["running"], {done["tenants"] for done in told["last"].values()}) == (False, {2})


def test_a_tenant_at_which_it_fails_keeps_it_from_no_other(memories, workers, monkeypatch):
    jonas, mira = stocked(memories)
    usual = upkeep.call

    def failing(verb, tenant, body):
        if tenant.name == "jonas":
            raise ValueError
        return usual(verb, tenant, body)

    monkeypatch.setattr(upkeep, "call", failing)
    keeping = UpkeepTimer(memories, workers, jobs=("sweep", "reembed"), every_s=3600)
    assert asyncio.run(keeping.run_if_due())
    assert (jonas.stats().memories, mira.stats().memories) == (3, 2)
    assert keeping.shown()["last"]["sweep"] == {"tenants": 1, "changed": 1, "failed": 1}


def test_it_is_not_done_again_before_it_is_time_nor_while_another_is_at_it(memories, workers):
    stocked(memories)
    often, seldom = (UpkeepTimer(memories, workers, jobs=("sweep",), every_s=every) for every in (0, 3600))
    assert asyncio.run(seldom.run_if_due())
    assert not asyncio.run(seldom.run_if_due())
    assert asyncio.run(often.run_if_due())
    assert often._take()  # noqa: SLF001 - a server that is at it
    other = UpkeepTimer(memories, workers, jobs=("sweep",), every_s=0)
    assert other.shown()["running"]
    assert not asyncio.run(other.run_if_due())


def test_a_server_that_crashed_at_it_does_not_keep_others_from_it_for_ever(memories, workers, monkeypatch):
    monkeypatch.setattr(upkeep, "LEASE_S", -1.0)
    assert UpkeepTimer(memories, workers, jobs=("sweep",), every_s=0)._take()  # noqa: SLF001 - and then it was gone
    assert asyncio.run(UpkeepTimer(memories, workers, jobs=("sweep",), every_s=0).run_if_due())


def test_nothing_of_it_is_written_in_the_thread_that_all_connections_share(memories, workers, monkeypatch):
    stocked(memories)
    keeping, writers = UpkeepTimer(memories, workers, jobs=("sweep",), every_s=3600), []
    swap = keeping._swap  # noqa: SLF001 - what writes

    def swapped(old, new):
        writers.append(threading.current_thread())
        return swap(old, new)

    monkeypatch.setattr(keeping, "_swap", swapped)
    assert asyncio.run(keeping.run_if_due())
    assert len(writers) > 1
    assert threading.main_thread() not in writers


def test_a_clock_that_was_ahead_once_holds_nobody_up(memories, workers, monkeypatch):
    ahead = UpkeepTimer(memories, workers, jobs=("sweep",), every_s=3600)
    right = time.time()
    monkeypatch.setattr(upkeep.time, "time", lambda: right + 400 * 86_400)
    assert asyncio.run(ahead.run_if_due())
    assert ahead._take() is False  # noqa: SLF001 - by its own clock it was just done
    monkeypatch.setattr(upkeep.time, "time", lambda: right + 401 * 86_400)
    assert ahead._take()  # noqa: SLF001 - and then it was gone
    monkeypatch.setattr(upkeep.time, "time", lambda: right)
    assert not ahead.shown()["running"]
    assert asyncio.run(UpkeepTimer(memories, workers, jobs=("sweep",), every_s=3600).run_if_due())


def test_what_fails_is_told_in_the_log_and_tried_again(memories, workers, monkeypatch, caplog):
    keeping, looks = UpkeepTimer(memories, workers, jobs=("sweep",), every_s=0), []

    async def failing():
        looks.append(len(looks))
        if len(looks) == 3:
            raise asyncio.CancelledError
        raise (BusyError("full"), RuntimeError("nobody thought of it"))[looks[-1]]

    monkeypatch.setattr(keeping, "run_if_due", failing)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(keeping.go_on())
    assert [json.loads(line)["failed"] for line in caplog.messages] == ["BusyError", "RuntimeError"]


def test_a_server_does_it_by_itself_and_shows_it_to_an_admin_alone(serve):
    with serve(chores=Chores(jobs=("sweep",), every_s=0.01)) as server:
        server.memories.tenant("mira").remember("The wifi code is 1234.", at="2025-01-01", ttl="1d")
        admin = server.client("admin")
        for _ in range(500):
            told = admin.get("/readyz").json()["upkeep"]
            if not server.memories.tenant("mira").stats().memories and told["last"]:
                break
        assert server.memories.tenant("mira").stats().memories == 0
        assert (told["jobs"], told["last"]["sweep"]["failed"]) == (["sweep"], 0)
        assert "upkeep" not in server.client("write").get("/readyz").json()


def test_the_command_line_knows_every_job():
    (option,) = (param for param in cued_command.get_command(None, "serve").params if param.name == "jobs")
    assert isinstance(option.type, Choice)
    assert tuple(option.type.choices) == tuple(JOBS)
