"""The fair queue: tenants take turns, none holds all threads, long work holds half of them at most, and a full lane says so."""

import asyncio
import threading

import pytest

from cued.errors import BusyError
from cued.surfaces.http.workers import Workers


class Gate:
    """Work that waits until it is let through, and notes the order in which it began."""

    def __init__(self):
        self.began, self._open = [], threading.Event()

    def work(self, name):
        self.began.append(name)
        assert self._open.wait(20)
        return name

    def open(self):
        self._open.set()


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.open()


async def until(holds):
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError


def test_one_tenant_cannot_hold_all_the_threads(gate):
    async def scenario():
        workers = Workers(4)
        greedy = [asyncio.create_task(workers.run("greedy", lambda: gate.work("greedy"))) for _ in range(10)]
        await until(lambda: gate.began == ["greedy", "greedy"])
        assert await workers.run("other", lambda: "at once") == "at once"
        gate.open()
        assert await asyncio.gather(*greedy) == ["greedy"] * 10
        workers.close()

    asyncio.run(scenario())


def test_long_work_of_many_tenants_leaves_threads_for_the_short(gate):
    async def scenario():
        workers = Workers(4)
        long = [asyncio.create_task(workers.run(f"t{n}", lambda: gate.work("long"), long=True)) for n in range(8)]
        await until(lambda: len(gate.began) == 2)
        assert await asyncio.gather(*(workers.run(f"t{n}", lambda: "short") for n in range(8))) == ["short"] * 8
        assert gate.began == ["long", "long"]
        gate.open()
        await asyncio.gather(*long)
        workers.close()

    asyncio.run(scenario())


def test_tenants_take_turns_however_many_calls_each_has(gate):
    order = []

    async def scenario():
        workers = Workers(2)
        held = [asyncio.create_task(workers.run(name, lambda: gate.work("held"))) for name in ("x", "y")]
        await until(lambda: len(gate.began) == 2)
        calls = [asyncio.create_task(workers.run("many", lambda n=n: order.append(f"many {n}"))) for n in range(5)]
        calls.append(asyncio.create_task(workers.run("one", lambda: order.append("one"))))
        await until(lambda: workers.waiting == 6)
        gate.open()
        await asyncio.gather(*held, *calls)
        workers.close()

    asyncio.run(scenario())
    assert order.index("one") <= 2


def test_a_full_lane_and_a_closed_server_are_busy(gate):
    async def scenario():
        workers = Workers(2, waiting=2)
        calls = [asyncio.create_task(workers.run("t", lambda: gate.work("t")))]
        await until(lambda: len(gate.began) == 1)
        calls += [asyncio.create_task(workers.run("t", lambda: gate.work("t"))) for _ in range(2)]
        await until(lambda: workers.waiting == 2)
        with pytest.raises(BusyError):
            await workers.run("t", lambda: None)
        gate.open()
        await asyncio.gather(*calls)
        workers.close()
        with pytest.raises(BusyError):
            await workers.run("t", lambda: None)

    asyncio.run(scenario())


def test_what_nobody_waits_for_any_more_is_not_begun_and_what_fails_says_so(gate):
    async def scenario():
        workers = Workers(2)
        held = asyncio.create_task(workers.run("t", lambda: gate.work("held")))
        await until(lambda: len(gate.began) == 1)
        gone = asyncio.create_task(workers.run("t", lambda: gate.work("gone")))
        await until(lambda: workers.waiting == 1)
        gone.cancel()
        failing = asyncio.create_task(workers.run("u", lambda: 1 / 0))
        with pytest.raises(ZeroDivisionError):
            await failing
        gate.open()
        await held
        workers.close()
        assert gate.began == ["held"]

    asyncio.run(scenario())
