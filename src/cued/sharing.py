"""What a process shares with those that are forked from it: a lock, sums, and takes that come back with time.

It lies in memory that a fork does not copy, and whoever is killed while it holds a lock leaves it free.
"""

import errno
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from io import FileIO
from mmap import mmap
from struct import Struct as Layout
from typing import Final
from weakref import finalize

from cued.forking import OwnLock

_SUMS_BYTES: Final = 4_000_000
"""Many times what all the names of a server take; the system gives memory only where it is written."""
_USED, _LENGTH, _NUMBER = Layout("<Q"), Layout("<I"), Layout("<d")
_TAKES = Layout("<8sdq")
"""Whose they are, how many are left, and at which microsecond."""
_PLACES: Final = 8
"""In how many places a name may stand: among so many, the one that came longest ago makes way."""
_MICRO: Final = 1_000_000
_AGAIN_S: Final = 0.0001
"""How long to wait where the system will not: several times as long as a lock is held."""


class SharedLock:
    """A lock between threads, and between processes that are forked from one; the system frees what a dead process held."""

    def __init__(self) -> None:
        """Start free."""
        self._threads, self._file = OwnLock(), _file()
        finalize(self, self._file.close)

    @contextmanager
    def held(self) -> Iterator[None]:
        """With the lock, when it is free; for a moment, for meanwhile all others wait."""
        with self._threads:
            _lock(self._file, 0)
            try:
                yield
            finally:
                _unlock(self._file, 0)

    def take(self, name: str) -> bool:
        """Whether this process has the lock of this name from now on; it is not told which of its threads has it."""
        return _lock(self._file, 1 + int.from_bytes(_digest(name)[:7]), wait=False)

    def leave(self, name: str) -> None:
        """Let go of the lock of this name."""
        _unlock(self._file, 1 + int.from_bytes(_digest(name)[:7]))


class Sums:
    """Numbers by name, which all processes add to and see; no name is ever taken out."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock, self._memory = SharedLock(), mmap(-1, _SUMS_BYTES)
        self._places: dict[str, int] = {}
        self._read = _USED.size

    def add(self, amounts: Mapping[str, float]) -> None:
        """Add these amounts, all before anybody sees one of them."""
        with self._lock.held():
            for name, amount in amounts.items():
                place = self._place(name)
                _NUMBER.pack_into(self._memory, place, _NUMBER.unpack_from(self._memory, place)[0] + amount)

    def put(self, values: Mapping[str, float]) -> None:
        """Let these numbers be so large, whatever they were."""
        with self._lock.held():
            for name, value in values.items():
                _NUMBER.pack_into(self._memory, self._place(name), value)

    def all(self) -> dict[str, float]:
        """Every number, in the order in which the names came."""
        with self._lock.held():
            self._learn()
            return {name: _NUMBER.unpack_from(self._memory, place)[0] for name, place in self._places.items()}

    def _place(self, name: str) -> int:
        if name not in self._places:
            self._learn()
        if name not in self._places:
            written = name.encode()
            place = self._read + _LENGTH.size + len(written)
            self._memory[self._read : place + _NUMBER.size] = _LENGTH.pack(len(written)) + written + _NUMBER.pack(0.0)
            _USED.pack_into(self._memory, 0, place + _NUMBER.size)
            self._learn()
        return self._places[name]

    def _learn(self) -> None:
        """Read the names that others have added; what is used is written last, so that all of it is whole."""
        used = _USED.unpack_from(self._memory)[0]
        while self._read < used:
            start = self._read + _LENGTH.size
            place = start + _LENGTH.unpack_from(self._memory, self._read)[0]
            self._places[self._memory[start:place].decode()] = place
            self._read = place + _NUMBER.size


class Takes:
    """How often each name may take: so many times at once, and again as time goes by; counted over all processes together."""

    def __init__(self, most: float, *, per_s: float, names: int) -> None:
        """Let each take `most` times, of which `per_s` come back a second; for about so many names at a time."""
        self._most, self._per_s = most, per_s
        self._rows = -(-names // _PLACES)
        self._lock, self._memory = SharedLock(), mmap(-1, self._rows * _PLACES * _TAKES.size)

    def take(self, name: str, *, at_us: int) -> float:
        """0, where one was left and is taken; else how many seconds it takes until there is one."""
        whose = _digest(name)
        with self._lock.held():
            place, left, then = self._found(whose, at_us)
            # A clock that goes back gives nothing; one that was further ahead than it takes to have all again is not waited for.
            left = min(self._most, left + max(0, at_us - then) / _MICRO * self._per_s)
            known = max(at_us, then) if then - at_us <= self._most / self._per_s * _MICRO else at_us
            _TAKES.pack_into(self._memory, place, whose, left - 1 if left >= 1 else left, known)
        return 0.0 if left >= 1 else (1 - left) / self._per_s

    def _found(self, whose: bytes, at_us: int) -> tuple[int, float, int]:
        """Where a name stands with what it has left and since when; a new one takes the place that was used longest ago."""
        first = int.from_bytes(whose) % self._rows * _PLACES * _TAKES.size
        oldest, since = first, at_us
        for place in range(first, first + _PLACES * _TAKES.size, _TAKES.size):
            found, left, then = _TAKES.unpack_from(self._memory, place)
            if found == whose:
                return place, left, then
            if then < since:
                oldest, since = place, then
        return oldest, self._most, at_us


def _digest(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _file() -> FileIO:
    """A file without a name, of which parts are locked."""
    if hasattr(os, "memfd_create"):
        return FileIO(os.memfd_create("cued"), "r+")
    from tempfile import TemporaryFile  # noqa: PLC0415 - needed where a file is always on a disk

    return TemporaryFile(buffering=0)


if sys.platform == "win32":  # no process is forked there, and the lock between threads is enough

    def _lock(_file: FileIO, _at: int, *, wait: bool = True) -> bool:
        return wait or True

    def _unlock(_file: FileIO, _at: int) -> None:
        pass

else:
    import fcntl

    def _lock(file: FileIO, at: int, *, wait: bool = True) -> bool:
        """Whether this place in the file is our process's now."""
        while True:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, at)
            except (BlockingIOError, PermissionError):  # one or the other, by system
                return False
            except OSError as error:
                # The system takes a process for one: where one thread waits and another has a second lock, it may see a circle of those who
                # wait. There is none, for whoever holds a lock of ours waits for no other.
                if error.errno != errno.EDEADLK:
                    raise
                time.sleep(_AGAIN_S)
            else:
                return True

    def _unlock(file: FileIO, at: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, at)
