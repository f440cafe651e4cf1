"""Where a recall's time goes, stage by stage."""

import time
from collections.abc import Callable

Lap = Callable[[str], None]
"""Hears the name of each step when the step is over."""


def untimed(_step: str) -> None:
    """Take no notice of the time."""


class Stopwatch:
    """Milliseconds spent, by name; each lap counts from the one before it."""

    def __init__(self) -> None:
        """Start the clock."""
        self.ms: dict[str, float] = {}
        self._started = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Book the time since the last lap under this name."""
        now = time.perf_counter()
        self.ms[name] = self.ms.get(name, 0.0) + (now - self._last) * 1000
        self._last = now

    def total(self) -> dict[str, float]:
        """All laps, and their sum as `total`."""
        return {**self.ms, "total": (time.perf_counter() - self._started) * 1000}
