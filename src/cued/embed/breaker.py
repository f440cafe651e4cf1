"""A circuit breaker: what has failed again and again is not asked for a while, and then by one request at a time until it works."""

from collections.abc import Callable
from typing import Literal

from cued.forking import OwnLock

State = Literal["closed", "open", "half-open"]

FAILURES = 3
PAUSE_S = 30.0


class Breaker:
    """Closed while things work, open for a pause after so many failures in a row, half-open while one request tries again."""

    def __init__(self, clock: Callable[[], float], *, failures: int = FAILURES, pause_s: float = PAUSE_S) -> None:
        """Start closed."""
        self._clock, self._failures, self._pause_s = clock, failures, pause_s
        self._lock = OwnLock()
        self._failed, self._opened_at, self._trying = 0, 0.0, False

    @property
    def state(self) -> State:
        """How things stand now."""
        if self._failed < self._failures:
            return "closed"
        return "open" if self._left_s() > 0 else "half-open"

    def refused_s(self) -> float:
        """How many seconds it is too early to ask, 0 to go ahead; of several that come half-open only the first may."""
        with self._lock:
            if self._failed < self._failures:
                return 0.0
            if self._left_s() > 0 or self._trying:
                return max(self._left_s(), 0.001)
            self._trying = True
            return 0.0

    def worked(self) -> None:
        """Take note that a request was answered."""
        with self._lock:
            self._failed, self._trying = 0, False

    def failed(self) -> None:
        """Take note that a request was not."""
        with self._lock:
            self._failed, self._trying, self._opened_at = self._failed + 1, False, self._clock()

    def _left_s(self) -> float:
        return self._opened_at + self._pause_s - self._clock()
