"""How many recalls work at a time: as many as Python runs, the others in the order in which they came.

A recall is Python for the most part, and of that one thread runs at a time. More threads only interrupt each other, in the middle of
their work and in no order: all of them are late then, and some very late. Two at a time do three quarters of what one does alone, for
whoever leaves Python for a moment finds the other in it. So a recall takes a place once its cue is embedded, and leaves it to others for
as long as it needs no Python: while it waits for a database, or for whom it asks, or scans very many vectors.

Nothing depends on it but speed. Whoever has waited a second for a place goes on without one, so that no lock of the caller's, held by
one who waits and wanted by one who works, holds up both for good.
"""

import os
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Final

from cued.forking import across_forks

_PATIENCE_S: Final = 1.0


def places() -> int:
    """How many may work at a time: one, or as many as there are cores where Python runs threads side by side."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return 1 if enabled is None or enabled() else os.cpu_count() or 1


class Pace:
    """So many places, given to those who wait in the order in which they came."""

    def __init__(self, places: int, *, patience_s: float = _PATIENCE_S) -> None:
        """Start with all places free; nobody waits longer than `patience_s` for one."""
        self._places, self._patience_s = places, patience_s
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start with all places free, and with nobody there: whoever worked or waited is not in the child."""
        self._lock, self._placed, self._away, self.queue = Lock(), set[int](), set[int](), OrderedDict[int, Lock]()

    @property
    def free(self) -> int:
        """How many places are free."""
        return self._places - len(self._placed)

    @property
    def alone(self) -> bool:
        """Whether no other recall is under way: none works, waits for a place, or has left its own for a while."""
        return not self.queue and not self._away and self._placed <= {get_ident()}

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """With this thread's place left to others, if it has one; afterwards it waits for another. No lock is to be held around this."""
        who = get_ident()
        if who not in self._placed:
            yield
            return
        self._away.add(who)
        self.leave()
        try:
            yield
        finally:
            self._away.discard(who)
            self.take()

    def take(self) -> None:
        """Take a place for this thread, if it has none; if need be, wait for one."""
        who = get_ident()
        with self._lock:
            if who in self._placed:
                return
            if self.free and not self.queue:
                self._placed.add(who)
                return
            woken = self.queue[who] = Lock()
            woken.acquire()
        try:
            woken.acquire(timeout=self._patience_s)
        finally:
            # Whoever left a place has taken this out; it is still there when that took too long, or the waiting was interrupted.
            with self._lock:
                self.queue.pop(who, None)

    def leave(self) -> None:
        """Leave this thread's place, if it has one, to whoever has waited longest."""
        who = get_ident()
        with self._lock:
            if who not in self._placed:
                return
            self._placed.remove(who)
            if self.queue:
                following, woken = self.queue.popitem(last=False)
                self._placed.add(following)
                woken.release()


PACE: Final = Pace(places())
take, leave, waiting = PACE.take, PACE.leave, PACE.waiting
