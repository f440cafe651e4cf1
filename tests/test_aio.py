"""The verbs for asyncio: all of them, with the same arguments, in a few threads, and closed cleanly."""

import asyncio
import inspect
import threading

import pytest

import cued
from cued import aio
from tests.fakes import FixedClock, ListEmbedder

PAIRS = [(cued.Tenant, aio.AsyncTenant), (cued.Memories, aio.AsyncMemories), (cued.Conversation, aio.AsyncConversation)]
NOT_AWAITED = {"tenant", "conversation", "heard"}


def public(kind):
    return {name: member for name, member in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


@pytest.mark.parametrize(("plain", "wrapped"), PAIRS, ids=lambda kind: kind.__name__)
def test_every_verb_is_there_with_the_same_arguments(plain, wrapped):
    assert set(public(plain)) == set(public(wrapped))
    for name, verb in public(plain).items():
        there = public(wrapped)[name]
        assert list(inspect.signature(there).parameters.values()) == list(inspect.signature(verb).parameters.values()), name
        assert (inspect.iscoroutinefunction(there) or inspect.isasyncgenfunction(there)) is (name not in NOT_AWAITED), name


@pytest.mark.parametrize(("plain", "wrapped"), [(cued.open, aio.open), (cued.connect, aio.connect)], ids=["open", "connect"])
def test_memories_are_opened_with_the_same_arguments(plain, wrapped):
    theirs = inspect.signature(wrapped).parameters
    for name, parameter in inspect.signature(plain).parameters.items():
        assert theirs.get(name, parameter) == parameter, name


def test_whoever_forgets_to_await_is_told_so():
    opened = aio.open(embedder=None)
    with pytest.raises(AttributeError, match="tenant: nothing is open yet; accepted: `await` this first, or use it in an `async with`"):
        opened.tenant("alice")


def test_memories_are_remembered_and_recalled_and_the_loop_stays_free(tmp_path):
    async def use():
        heard, loops = [], set()
        async with aio.open(tmp_path / "m.db", embedder="hashing", clock=FixedClock(), settle="now") as memories:
            alice = memories.tenant("alice")

            def progress(done, total):
                heard.append((done, total))
                loops.add(threading.current_thread())

            await alice.remember_many(["The tap was repaired by Novak.", "Gym ends in October."], progress=progress)
            recall = await alice.recall("who repaired the tap?")
            turn = await alice.conversation().recall("when does the gym end?")
            lines = [line async for line in alice.export()]
            assert await memories.tenants() == ("alice",)
            return [each.text for each in recall], [each.text for each in turn], len(lines), heard, loops

    recalled, turned, lines, heard, loops = asyncio.run(use())
    assert (recalled, turned) == (["The tap was repaired by Novak."], ["Gym ends in October."])
    assert lines > 2
    assert (heard, loops) == ([(2, 2)], {threading.current_thread()})
    with cued.open(tmp_path / "m.db", embedder=None) as memories:
        assert memories.tenant("alice").stats().memories == 2


class SlowEmbedder(ListEmbedder):
    """An embedder that waits until it is let go, tells when it has begun, and counts how many wait."""

    def __init__(self):
        super().__init__()
        self.go, self.waiting, self.most, self.lock = threading.Event(), 0, 0, threading.Lock()
        self._begun = threading.Semaphore(0)

    async def begun(self):
        assert await asyncio.to_thread(self._begun.acquire, timeout=30)

    def embed(self, texts, *, role):
        with self.lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        self._begun.release()
        self.go.wait(30)
        with self.lock:
            self.waiting -= 1
        return super().embed(texts, role=role)


def test_no_more_verbs_run_at_once_than_there_are_threads():
    async def use():
        slow = SlowEmbedder()
        async with aio.open(embedder=slow, clock=FixedClock(), threads=2) as memories:
            alice = memories.tenant("alice")
            calls = [asyncio.ensure_future(alice.remember(f"Note {number}.")) for number in range(6)]
            await slow.begun()
            await slow.begun()
            slow.go.set()
            await asyncio.gather(*calls)
            return slow.most, (await alice.stats()).memories

    assert asyncio.run(use()) == (2, 6)


def test_a_cancelled_call_is_written_whole_or_not_at_all():
    async def use():
        slow = SlowEmbedder()
        memories = await aio.open(embedder=slow, clock=FixedClock(), threads=1)
        alice = memories.tenant("alice")
        begun = asyncio.ensure_future(alice.remember_many(["One.", "Two."]))
        await slow.begun()
        queued = asyncio.ensure_future(alice.remember("Three."))
        await asyncio.sleep(0)
        for call in (begun, queued):
            call.cancel()
        outcomes = await asyncio.gather(begun, queued, return_exceptions=True)
        slow.go.set()
        kept = [memory.text for memory in (await alice.list()).memories]
        await memories.close()
        await memories.close()
        with pytest.raises(cued.StoreError, match="closed"):
            await alice.stats()
        return [type(outcome) for outcome in outcomes], sorted(kept)

    assert asyncio.run(use()) == ([asyncio.CancelledError] * 2, ["One.", "Two."])


class SlowFile:
    """Memories that take their time to open, and can be closed."""

    def __init__(self):
        self.began, self.go, self.closed = threading.Event(), threading.Event(), False

    def open(self):
        self.began.set()
        self.go.wait(30)
        return self

    def close(self):
        self.closed = True


def test_memories_whose_opening_is_cancelled_do_not_stay_open():
    async def use():
        file = SlowFile()
        opening = asyncio.ensure_future(aio._Opened(file.open, aio.Threads(1)).__aenter__())  # noqa: SLF001 - the part that `open` gives
        await asyncio.to_thread(file.began.wait, 30)
        opening.cancel()
        file.go.set()
        with pytest.raises(asyncio.CancelledError):
            await opening
        return file.closed

    assert asyncio.run(use())


def test_whoever_closes_again_waits_until_the_file_is_let_go():
    async def use():
        slow = SlowEmbedder()
        memories = await aio.open(embedder=slow, clock=FixedClock(), threads=1)
        begun = asyncio.ensure_future(memories.tenant("alice").remember("One."))
        await slow.begun()
        first = asyncio.ensure_future(memories.close())
        await asyncio.sleep(0)
        first.cancel()
        second = asyncio.ensure_future(memories.close())
        waited, _ = await asyncio.wait([second], timeout=0.05)
        slow.go.set()
        await second
        return len(waited), begun.done() and not begun.cancelled()

    assert asyncio.run(use()) == (0, True)


def test_an_error_is_raised_where_it_is_awaited_and_a_bad_limit_is_refused():
    async def use():
        async with aio.open(embedder=None) as memories:
            with pytest.raises(cued.NotFoundError):
                await memories.tenant("alice").get("nope")
        with pytest.raises(cued.StoreError):
            await aio.open("/nowhere/at/all.db", embedder=None)

    asyncio.run(use())
    with pytest.raises(cued.InputError, match="1 or more"):
        aio.open(threads=0)
