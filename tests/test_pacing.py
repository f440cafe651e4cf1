"""Recalls take places in the order in which they came, leave them while they wait, and never wait for one for good."""

from contextlib import contextmanager, suppress
from threading import Barrier, Event, Lock, Thread
from time import monotonic, sleep

import cued
from cued.embed import load_embedder
from cued.pacing import PACE, Pace, places


def begun(work):
    thread = Thread(target=work)
    thread.start()
    return thread


@contextmanager
def working(pace):
    pace.take()
    try:
        yield
    finally:
        pace.leave()


def waiting_in(pace, count):
    """Return when so many wait."""
    patient_until = monotonic() + 10
    while len(pace.queue) < count:
        assert monotonic() < patient_until
        sleep(0.001)


def test_those_who_wait_work_in_the_order_in_which_they_came_and_one_at_a_time():
    pace, order, at_once, most = Pace(1), [], [], []

    def work(number):
        with working(pace):
            at_once.append(number)
            most.append(len(at_once))
            order.append(number)
            at_once.remove(number)

    threads = []
    with working(pace):
        for number in range(8):
            threads.append(begun(lambda number=number: work(number)))
            waiting_in(pace, number + 1)
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert max(most) == 1


def test_as_many_work_at_a_time_as_there_are_places():
    pace, together = Pace(3), Barrier(3)

    def work():
        with working(pace):
            together.wait(timeout=10)

    threads = [begun(work) for _ in range(3)]
    for thread in threads:
        thread.join()
    assert not together.broken


def test_who_waits_for_somebody_else_leaves_its_place_and_takes_it_again():
    pace, asked, answered, order = Pace(1), Event(), Event(), []

    def ask():
        with working(pace):
            with pace.waiting():
                asked.set()
                answered.wait(timeout=10)
            order.append("answered")

    thread = begun(ask)
    asked.wait(timeout=10)
    with working(pace):
        order.append("worked meanwhile")
        answered.set()
        waiting_in(pace, 1)
    thread.join()
    assert order == ["worked meanwhile", "answered"]


def test_a_thread_that_has_a_place_needs_no_second_one():
    pace = Pace(1)
    with working(pace), working(pace), pace.waiting(), pace.waiting(), working(pace):
        pass
    with working(pace):
        assert pace.free == 0
    assert pace.free == 1


def test_a_lock_of_the_callers_holds_nobody_up_for_good():
    pace, lock, held, order = Pace(1, patience_s=0.05), Lock(), Event(), []

    def work():
        with lock:
            held.set()
            with working(pace):
                order.append("without a place")

    with working(pace):
        thread = begun(work)
        held.wait(timeout=10)
        with lock:
            order.append("with the lock")
    thread.join()
    assert order == ["without a place", "with the lock"]
    with working(pace):
        assert pace.free == 0
    assert pace.free == 1


def test_who_is_under_way_is_alone_until_another_works_waits_or_is_away():
    pace, come, seen = Pace(1), Event(), []

    def work():
        with working(pace), pace.waiting():
            seen.append(pace.alone)
            come.wait(timeout=10)

    assert pace.alone
    with working(pace):
        assert pace.alone
        thread = begun(work)
        waiting_in(pace, 1)
        assert not pace.alone
        with pace.waiting():
            while not seen:
                sleep(0.001)
        assert not pace.alone
        come.set()
    thread.join()
    assert (seen, pace.alone) == ([False], True)


def test_a_failure_leaves_the_place():
    pace = Pace(1)
    with suppress(ZeroDivisionError), working(pace), pace.waiting():
        1 / 0  # noqa: B018 - it fails
    assert pace.free == 1


def test_a_fork_leaves_all_places_free_in_the_child():
    pace = Pace(1)
    with working(pace):
        pace.after_fork()
        assert pace.free == 1
        with pace.waiting():
            assert pace.free == 1
    assert pace.free == 1


def test_an_embedder_is_asked_without_a_place():
    free = []

    class Watching:
        inner = load_embedder("hashing")
        fingerprint = inner.fingerprint

        def embed(self, texts, *, role):
            free.append(PACE.free)
            return self.inner.embed(texts, role=role)

    with cued.open(None, embedder=Watching()) as memories:
        tenant = memories.tenant("t")
        tenant.remember("Prefers tea.")
        free.clear()
        assert tenant.recall("what tea?", boost=lambda _: free.append(PACE.free) or 1.0).memories
    assert free == [places(), places()]
