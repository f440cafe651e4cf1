"""Asking a part that somebody else wrote: under a deadline, and never at the cost of the answer."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")


def asked(what: str, work: Callable[[], T], deadline: timedelta) -> tuple[T | None, str]:
    """The part's answer, or None and a note that says why there is none."""
    try:
        return within(what, work, deadline), ""
    except TimeoutError:
        return None, f"{what}: no answer within {deadline.total_seconds() * 1000:.0f} ms"
    except Exception as error:  # noqa: BLE001 - a part of others may fail in any way, and the answer stands all the same
        return None, f"{what}: {type(error).__name__}: {error}"


def within(what: str, work: Callable[[], T], deadline: timedelta) -> T:
    """The work's result, or what it raised; after the deadline a TimeoutError, and the work is left behind in a daemon thread."""
    done: Future[T] = Future()

    def attempt() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - carried over to the waiting thread
            done.set_exception(error)

    threading.Thread(target=attempt, name=f"cued-{what}", daemon=True).start()
    return done.result(timeout=deadline.total_seconds())
