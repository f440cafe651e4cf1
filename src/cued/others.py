"""Asking a part that somebody else wrote: an embedder, or under a deadline another one, and never at the cost of the answer."""

import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from datetime import timedelta
from math import sqrt
from typing import TypeVar

import numpy as np

from cued.errors import EmbedderError
from cued.model import Fingerprint, Matrix
from cued.model.array_types import UNIT_WITHIN
from cued.ports import Embedder, Role

MOST_WAITING = 64
"""So many questions to parts of one kind may be open at a time: one that never answers is not to take a thread a recall."""
_MOST_SAID = 300
"""So many characters of an error's own words are passed on; some errors carry a whole page."""

T = TypeVar("T")


def answer_or_note(what: str, work: Callable[[], T], deadline: timedelta) -> tuple[T | None, str]:
    """The part's answer, or None and a note that says why there is none."""
    if sum(thread.name == _thread_name(what) for thread in threading.enumerate()) >= MOST_WAITING:
        return None, f"{what}: not asked, for {MOST_WAITING} earlier questions have no answer yet"
    try:
        return within(what, work, deadline), ""
    except TimeoutError:
        return None, f"{what}: no answer within {deadline.total_seconds() * 1000:.0f} ms"
    except Exception as error:  # noqa: BLE001 - a part of others may fail in any way, and the answer stands all the same
        return None, f"{what}: {_in_short(error)}"


def embedded(texts: Sequence[str], embedder: Embedder, *, role: Role) -> tuple[Matrix, str]:
    """A vector for each text, and which model made them; whatever else an embedder gives or raises is an EmbedderError."""
    try:
        given = answered(embedder.embed(texts, role=role))
        vectors = np.asarray(given, dtype=np.float32)
    except Exception as error:
        raise _failed(error) from error
    fingerprint = marked(embedder)
    expected = (len(texts), fingerprint.dimensions)
    if vectors.shape != expected:
        raise EmbedderError(f"gave an array of the shape {vectors.shape}, not {expected}")
    # Number by number: mostly it is one, for which each call of numpy takes longer.
    if not all(abs(sqrt(square) - 1.0) <= UNIT_WITHIN for square in np.vecdot(vectors, vectors).tolist()):
        raise EmbedderError("gave a vector that is not finite and of length 1")
    return vectors, str(fingerprint)


def marked(embedder: Embedder) -> Fingerprint:
    """The embedder's fingerprint; whatever else it has in its place is an EmbedderError."""
    try:
        fingerprint: object = embedder.fingerprint
    except Exception as error:
        raise _failed(error) from error
    if not isinstance(fingerprint, Fingerprint):
        raise EmbedderError(f"has a fingerprint that is a {type(fingerprint).__name__}, not a cued.Fingerprint")
    return fingerprint


def answered(answer: T) -> T:
    """The answer, unless it is one that somebody would have to await: whoever asks has no loop to do it in."""
    if isinstance(answer, Coroutine):
        answer.close()
        raise TypeError("its method is async, and is called without a loop: give it one that is not, with asyncio.run inside if need be")
    return answer


def _failed(error: Exception) -> EmbedderError:
    """What an embedder has raised as an error of ours; one that somebody else wrote may raise anything."""
    return error if isinstance(error, EmbedderError) else EmbedderError(_in_short(error))


def within(what: str, work: Callable[[], T], deadline: timedelta) -> T:
    """The work's result, or what it raised; after the deadline a TimeoutError, and the work is left behind in a daemon thread."""
    done: Future[T] = Future()

    def attempt() -> None:
        try:
            done.set_result(work())
        except Exception as error:  # noqa: BLE001 - carried over to the waiting thread
            done.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - it wanted to end its own thread, and not the one that waits
            done.set_exception(RuntimeError(_in_short(error)))

    threading.Thread(target=attempt, name=_thread_name(what), daemon=True).start()
    return done.result(timeout=deadline.total_seconds())


def _thread_name(what: str) -> str:
    return f"cued-{what}"


def _in_short(error: BaseException) -> str:
    said = f"{type(error).__name__}: {error}"
    return said if len(said) <= _MOST_SAID else said[:_MOST_SAID] + "…"
