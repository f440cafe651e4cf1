"""Ids of memories, recalls and conversations: made here without asking anybody, and in the order of time."""

import os
import threading
from datetime import datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_PAIR_SHIFTS = range(120, -1, -10)
_RANDOM_BITS = 80
_APART_BITS = 72


class IdMaker:
    """Makes ids of 48 bits of milliseconds and 80 random bits, in Crockford's base 32 (the ULID layout).

    They are unique across processes and, within one maker, rise strictly even in one millisecond.
    """

    def __init__(self) -> None:
        """Start with no id made."""
        self._last = 0
        self._lock = threading.Lock()

    def after_fork(self) -> None:
        """Go on apart from the parent: where both count on from one id, as when a clock stands still, they are far from each other."""
        self._lock = threading.Lock()
        self._last += int.from_bytes(os.urandom(_APART_BITS // 8))

    def make(self, at: datetime) -> str:
        """A new id for this moment; a clock that went back does not make ids fall."""
        fresh = (max(0, int(at.timestamp() * 1000)) << _RANDOM_BITS) | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
        with self._lock:
            self._last = fresh if fresh > self._last else self._last + 1
            number = self._last
        return "".join([_PAIRS[(number >> shift) & 1023] for shift in _PAIR_SHIFTS])
