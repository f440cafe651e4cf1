"""The threads that do the work, and the fair queue before them: tenants take turns, and none can hold all the threads.

A tenant uses at most half of the threads at a time, and so does all long work together. So neither a burst of one tenant nor bulk loads
of several make another tenant's recall wait for more than the short work that is queued before it.
"""

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, TypeVar

from cued.errors import BusyError

THREADS = 4
WAITING = 256
Answer = TypeVar("Answer")
_Lane = tuple[str, bool]


class _Job(NamedTuple):
    call: Callable[[], Any]
    future: Future[Any]


class Workers:
    """A few threads that serve tenants in turns."""

    def __init__(self, threads: int, *, waiting: int = WAITING) -> None:
        """Start so many threads; at most `waiting` calls of a kind may wait for one tenant."""
        self._share, self._most = max(1, threads // 2), waiting
        self._lanes: OrderedDict[_Lane, deque[_Job]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._long = 0
        self._closed = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, name=f"cued-http-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        with self._changed:
            return sum(map(len, self._lanes.values()))

    async def run(self, tenant: str, function: Callable[[], Answer], *, long: bool = False) -> Answer:
        """The function's result, from a thread, when it is the tenant's turn; it is not called if the caller has gone before."""
        job = _Job(partial(copy_context().run, function), Future())
        with self._changed:
            lane = self._lanes.setdefault((tenant, long), deque())
            if self._closed or len(lane) >= self._most:
                raise BusyError("closing" if self._closed else "too many requests of this tenant wait")
            lane.append(job)
            self._changed.notify()
        answer: Answer = await asyncio.wrap_future(job.future)
        return answer

    def close(self) -> None:
        """Accept no more, finish what waits, and stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            (tenant, long), job = taken
            if job.future.set_running_or_notify_cancel():
                try:
                    job.future.set_result(job.call())
                except BaseException as error:  # noqa: BLE001 - it is the caller's, who waits for it
                    job.future.set_exception(error)
            with self._changed:
                self._running[tenant] -= 1
                if not self._running[tenant]:
                    del self._running[tenant]
                self._long -= long
                # What ends makes way for one call of its tenant and one long one: this thread takes the first, another the second.
                self._changed.notify(len(self._threads) if self._closed else 1)

    def _take(self) -> tuple[_Lane, _Job] | None:
        """The next job, from the tenant that has waited longest for a turn; None when there will be no more."""
        with self._changed:
            while (lane := self._next_lane()) is None:
                if self._closed and not any(self._lanes.values()):
                    return None
                self._changed.wait()
            tenant, long = lane
            self._running[tenant] += 1
            self._long += long
            job = self._lanes[lane].popleft()
            self._lanes.move_to_end(lane)
            if not self._lanes[lane]:
                del self._lanes[lane]
            return lane, job

    def _next_lane(self) -> _Lane | None:
        """Of the lanes that may run now, the one that has waited longest."""
        for lane, jobs in self._lanes.items():
            tenant, long = lane
            if jobs and self._running[tenant] < self._share and not (long and self._long >= self._share):
                return lane
        return None
