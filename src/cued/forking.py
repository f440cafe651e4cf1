"""What a fork does to whatever holds locks, threads or connections: each such thing is told before, and after on both sides.

A lock that another thread holds at the fork is held in the child for ever, a thread is not there, and a connection to a database must
not be used on both sides. So whoever has one of these says here what is to become of it.
"""

import os
from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, Final, Protocol, runtime_checkable
from weakref import WeakSet

PATIENCE_S: Final = 2.0
"""How long a fork waits for what is under way."""


class Forkable(Protocol):
    """Something that has to be made anew in a child."""

    def after_fork(self) -> None:
        """Make locks, threads and connections anew, in the child."""
        ...


@runtime_checkable
class Pausable(Forkable, Protocol):
    """Something that has to come to rest before a fork, too."""

    def before_fork(self) -> None:
        """Come to rest, or after a while give up waiting for it."""
        ...

    def go_on(self) -> None:
        """Work again, in the parent."""
        ...


_KNOWN: WeakSet[Any] = WeakSet()
_KNOWING = RLock()
_PAUSED: list[Pausable] = []


def across_forks(*each: Forkable) -> None:
    """Tell these of every fork for as long as they live."""
    with _KNOWING:
        _KNOWN.update(each)


class OwnLock:
    """A lock that is free in a child, whoever held it in the parent."""

    def __init__(self) -> None:
        """Start free."""
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Be free."""
        self._lock = Lock()

    def __enter__(self) -> None:
        """Wait for the lock and take it."""
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        """Let go of it."""
        self._lock.release()


def _before() -> None:
    _KNOWING.acquire()
    _PAUSED[:] = [each for each in list(_KNOWN) if isinstance(each, Pausable)]
    for each in _PAUSED:
        each.before_fork()


def _in_parent() -> None:
    for each in _PAUSED:
        each.go_on()
    _PAUSED.clear()
    _KNOWING.release()


def _in_child() -> None:
    _PAUSED.clear()
    for each in list(_KNOWN):
        each.after_fork()
    _KNOWING.release()


_register: Callable[..., None] | None = getattr(os, "register_at_fork", None)
if _register is not None:  # not everywhere can a process fork
    _register(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
