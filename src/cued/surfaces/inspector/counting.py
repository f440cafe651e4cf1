"""Counts of what a tenant has. In a large store counting takes longer than a page may, so the last counts are shown meanwhile."""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from cued.model.plain import JSON

FRESH_S = 20.0
QUICK_S = 0.05


class _Count(NamedTuple):
    at: float
    took: float
    told: JSON


class Counts:
    """The last counts of each tenant that somebody looks at."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without any counts."""
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, _Count] = {}
        self._counting: set[str] = set()

    def of(self, tenant: str, count: Callable[[], JSON]) -> JSON:
        """A tenant's counts: new ones if counting is quick or was never done, else the last ones, while a thread counts anew."""
        known = self._known.get(tenant)
        if known is None or known.took < QUICK_S:
            return self._counted(tenant, count)
        if self._clock() - known.at > FRESH_S:
            self._count_in_background(tenant, count)
        return known.told

    def changed(self, tenant: str) -> None:
        """Count anew at the next look."""
        with self._lock:
            if (known := self._known.get(tenant)) is not None:
                self._known[tenant] = known._replace(at=known.at - FRESH_S)

    def _counted(self, tenant: str, count: Callable[[], JSON]) -> JSON:
        started = self._clock()
        told = count()
        now = self._clock()
        with self._lock:
            self._known[tenant] = _Count(now, now - started, told)
        return told

    def _count_in_background(self, tenant: str, count: Callable[[], JSON]) -> None:
        with self._lock:
            if tenant in self._counting:
                return
            self._counting.add(tenant)

        def run() -> None:
            try:
                self._counted(tenant, count)
            finally:
                with self._lock:
                    self._counting.discard(tenant)

        threading.Thread(target=run, name="cued-inspector-count", daemon=True).start()
