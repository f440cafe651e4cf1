"""How many recalls work at a time: as many as Python runs, the others in the order in which they came.

A recall is Python for the most part, and of that one thread runs at a time. More threads only interrupt each other, in the middle of
their work and in no order: all of them are late then, and some very late. So a recall takes a place once its cue is embedded, and leaves it
to others for as long as it needs no Python: while it waits for a database, reads a tenant for the first time, or scans very many vectors.

Nothing depends on it but speed. Whoever has waited a second for a place goes on without one, so that no lock of the caller's, held by
one who waits and wanted by one who works, holds up both for good.
"""

import os
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident, local
from typing import Final

from cued.forking import across_forks

_PLACES: Final = 2
"""One works while the next is woken, or is in the middle of what needs no Python."""
_PATIENCE_S: Final = 1.0


def places() -> int:
    """How many may work at a time: two, or as many as there are cores where Python runs threads side by side."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return _PLACES if enabled is None or enabled() else max(_PLACES, os.cpu_count() or 1)


class Pace:
    """So many places, given to those who wait in the order in which they came."""

    def __init__(self, places: int, *, patience_s: float = _PATIENCE_S) -> None:
        """Start with all places free; nobody waits longer than `patience_s` for one."""
        self._places, self._patience_s = places, patience_s
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Start with all places free, and with nobody there: whoever worked or waited is not in the child."""
        self._lock, self._here = Lock(), local()
        self.placed, self._waiting = set[int](), OrderedDict[int, Lock]()

    @property
    def free(self) -> int:
        """How many places are free."""
        return self._places - len(self.placed)

    @property
    def queued(self) -> int:
        """How many wait for a place."""
        return len(self._waiting)

    @contextmanager
    def recalling(self) -> Iterator[None]:
        """With a place for this thread from when it begins to work until the end; inside, it needs no second one."""
        if getattr(self._here, "inside", False):
            yield
            return
        try:
            self._here.inside = True
            yield
        finally:
            self._here.inside = False
            self._leave(get_ident())

    def work(self) -> None:
        """Begin to work: whoever recalls waits for a place, if need be."""
        if getattr(self._here, "inside", False):
            self._take(get_ident())

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """With this thread's place left to others, if it has one; afterwards it waits for another. No lock is to be held around this."""
        if get_ident() not in self.placed:
            yield
            return
        self._leave(get_ident())
        try:
            yield
        finally:
            self._take(get_ident())

    def _take(self, who: int) -> None:
        with self._lock:
            if who in self.placed:
                return
            if self.free and not self._waiting:
                self.placed.add(who)
                return
            woken = self._waiting[who] = Lock()
            woken.acquire()
        try:
            woken.acquire(timeout=self._patience_s)
        finally:
            # Whoever left a place has taken this out; it is still there when that took too long, or the waiting was interrupted.
            with self._lock:
                self._waiting.pop(who, None)

    def _leave(self, who: int) -> None:
        with self._lock:
            if who not in self.placed:
                return
            self.placed.remove(who)
            if self._waiting:
                following, woken = self._waiting.popitem(last=False)
                self.placed.add(following)
                woken.release()


PACE: Final = Pace(places())
recalling, work, waiting = PACE.recalling, PACE.work, PACE.waiting
