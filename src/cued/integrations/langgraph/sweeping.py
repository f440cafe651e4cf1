"""Deleting expired items now and then, in a thread or a task of its own."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future

log = logging.getLogger("cued.langgraph")
EVERY_MINUTES = 5.0


class Sweeper:
    """A thread that sweeps at an interval until it is told to stop."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        """Start nothing yet."""
        self._sweep, self._stop = sweep, threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, minutes: float) -> "Future[None]":
        """A future that is done when the sweeping has ended; cancelling it ends the sweeping."""
        done: Future[None] = Future()
        if self._thread is None or not self._thread.is_alive():
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, args=(minutes * 60, done), name="cued-ttl-sweeper", daemon=True)
            self._thread.start()
        done.add_done_callback(lambda future: self._stop.set() if future.cancelled() else None)
        return done

    def stop(self, timeout: float | None) -> bool:
        """Whether the thread has stopped, after at most so many seconds."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)
        return self._thread is None or not self._thread.is_alive()

    def _run(self, seconds: float, done: "Future[None]") -> None:
        while not self._stop.wait(seconds):
            swept(self._sweep)
        if not done.cancelled():
            done.set_result(None)


def swept(sweep: Callable[[], int]) -> None:
    """Sweep once; an error is only logged, because the next sweep may succeed."""
    try:
        count = sweep()
    except Exception:  # the thread must live on, whatever a store of others raises; the log has all of it
        log.exception("expired items were not swept")
    else:
        if count:
            log.info("swept %d expired items", count)
