"""What forked processes share is counted once, and a lock whose holder is killed is free."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from cued.sharing import SharedLock, Sums, Takes

MICRO = 1_000_000

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")


def forked(work):
    """The id of a process that does the work and ends."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def holding(hold):
    """The id of a process that holds what it is to hold, until it is killed."""
    reading, writing = os.pipe()

    def work():
        with hold():
            os.write(writing, b".")
            signal.pause()

    holder = forked(work)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        assert told.read(1) == b"."
    return holder


def killed(child):
    """Kill a process and wait for its end."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def done_by(count, work):
    """Let so many processes do the work, all at once."""
    children = [forked(work) for _ in range(count)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * count


@posix
def test_what_processes_and_threads_add_at_the_same_time_is_the_sum_of_it():
    sums = Sums()
    sums.add({"known before": 1})

    def add():
        with ThreadPoolExecutor(2) as threads:
            for number in range(400):
                threads.submit(sums.add, {"known before": 1, f"new {number % 7}": 0.5})

    done_by(4, add)
    counted = sums.all()
    assert counted.pop("known before") == 1 + 4 * 400
    assert sum(counted.values()) == 4 * 400 * 0.5
    assert counted.keys() == {f"new {number}" for number in range(7)}


@posix
def test_a_number_that_one_process_puts_is_seen_by_another_and_by_one_that_came_later():
    sums = Sums()
    done_by(1, lambda: sums.put({"größe": 7, "gone": 1}))
    done_by(1, lambda: sums.put({"gone": sums.all()["größe"]}))
    assert sums.all() == {"größe": 7, "gone": 7}


@posix
def test_of_as_many_takes_as_there_are_no_process_has_one_more():
    takes, sums = Takes(50, per_s=1, names=10), Sums()

    def take():
        for _ in range(40):
            sums.add({"taken" if takes.take("mira", at_us=5) == 0 else "refused": 1})

    done_by(4, take)
    assert sums.all() == {"taken": 50, "refused": 110}


def test_takes_come_back_with_time_up_to_the_most_and_a_clock_that_goes_back_gives_none():
    takes = Takes(2, per_s=0.5, names=10)
    assert [takes.take("mira", at_us=0) for _ in range(4)] == [0, 0, 2, 2]
    assert takes.take("noor", at_us=0) == 0
    assert takes.take("mira", at_us=MICRO) == 1
    assert takes.take("mira", at_us=-90 * MICRO) == 1
    assert takes.take("mira", at_us=2 * MICRO) == 0
    assert [takes.take("mira", at_us=900 * MICRO) for _ in range(3)] == [0, 0, 2]


def test_a_clock_that_was_a_year_ahead_keeps_nobody_waiting_once_it_is_right_again():
    takes = Takes(2, per_s=0.5, names=10)
    assert [takes.take("mira", at_us=365 * 86_400 * MICRO) for _ in range(3)] == [0, 0, 2]
    assert [takes.take("mira", at_us=second * MICRO) for second in (0, 2, 3, 4)] == [2, 0, 1, 0]


def test_among_more_names_than_there_is_room_for_whoever_came_longest_ago_is_forgotten():
    takes = Takes(1, per_s=0.001, names=8)
    assert [takes.take(f"{number}", at_us=number + 1) for number in range(8)] == [0] * 8
    assert takes.take("another", at_us=9) == 0
    assert takes.take("7", at_us=10) > 0
    assert takes.take("0", at_us=11) == 0


@posix
def test_a_lock_of_a_name_is_one_process_s_and_free_when_that_is_killed():
    lock = SharedLock()

    @contextmanager
    def hold():
        yield lock.take("turn-17") or os._exit(1)

    holder = holding(hold)
    assert lock.take("turn-18")
    assert not lock.take("turn-17")
    killed(holder)
    assert lock.take("turn-17")
    lock.leave("turn-17")
    killed(holding(hold))


@posix
def test_a_process_that_is_killed_with_the_lock_holds_up_nobody():
    lock = SharedLock()
    killed(holding(lock.held))
    with lock.held():
        done_by(1, lambda: lock.take("another"))


@posix
def test_threads_that_wait_for_one_lock_while_another_of_their_process_holds_a_second_are_no_deadlock():
    locks, sums = (SharedLock(), SharedLock()), Sums()

    def hold(number):
        for _ in range(1500):
            with locks[number % 2].held():
                pass
        sums.add({"done": 1})

    def work():
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(hold, range(4)))

    done_by(3, work)
    assert sums.all() == {"done": 12}
