"""Several processes that do the same work: started, started again when one dies, and ended together.

Above: `serving`, which makes what they have in common, and says what each of them does. Below: fork, which copies what holds neither
threads nor connections (`forking`), and shares sockets and what is `shared`.

A process that ends by itself is started again: at once if it has worked for a while, else after growing pauses. Where none works and
one ends again and again before it ever did, all are ended. No process outlives the one that started it: it sees a pipe close.
"""

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from mmap import mmap
from socket import socket
from threading import Thread
from typing import Final, NoReturn

import msgspec
from msgspec import Struct

from cued.errors import StoreError

log = logging.getLogger("cued.http")
_ENDING: Final = (signal.SIGTERM, signal.SIGINT)
_TRIES: Final = 3
"""How often in a row a process may end before it is ready, while no other works either."""
_STEADY_S: Final = 60.0
"""How long a process must have run to be started again at once."""
_LATER_S, _LATEST_S = 0.5, 30.0
"""The first pause before a process is started again, which doubles each time, and the longest."""
Work = Callable[[int, Callable[[], None]], None]
"""What a process does: it takes its number, and calls back when it is ready."""
Hear = Callable[[float | None], bytes]
"""What gives the signals that have come, waiting for one at most so many seconds; None waits for ever."""


class _Place(Struct):
    """One of the processes, running or to be started: when, how often in a row it ended early, and how often before it was ready."""

    number: int
    pid: int = 0
    at: float = 0.0
    soon: int = 0
    unready: int = 0


class Processes:
    """A number of processes, supervised by the one that starts them."""

    def __init__(self, count: int, work: Work, *, listening: Sequence[socket], end_s: float) -> None:
        """Let each do the work, which listens at these sockets; a process that is told to end has `end_s` for it."""
        self._places, self._work, self._listening, self._end_s = [_Place(number) for number in range(count)], work, listening, end_s
        self._ready = mmap(-1, count)
        self._life, self._lives = os.pipe()

    def run(self) -> int:
        """The signal that ended them, once the last process has ended; a StoreError where none can be started."""
        with _signals() as hear:
            try:
                while True:
                    self._start_due()
                    if ended := [number for number in hear(self._wait_s()) if number in _ENDING]:
                        return ended[0]
                    self._note_ended()
            finally:
                self._end(hear)
                os.close(self._life)
                os.close(self._lives)

    def _start_due(self) -> None:
        for place in self._places:
            if not place.pid and time.monotonic() >= place.at:
                self._start(place)

    def _wait_s(self) -> float | None:
        """How long until a process is to be started; None where all are running."""
        return min((max(0.0, place.at - time.monotonic()) for place in self._places if not place.pid), default=None)

    def _start(self, place: _Place) -> None:
        place.at, self._ready[place.number] = time.monotonic(), 0
        # a signal that comes before the child has its own ways with it waits
        let = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            pid = os.fork()
            if not pid:
                self._run_child(place.number, let)
            place.pid = pid
        except OSError as error:  # no memory, or too many processes
            self._failed(place, error.strerror or str(error))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, let)

    def _note_ended(self) -> None:
        """Note which processes have ended, and when each is to be started again."""
        for place in self._places:
            if place.pid and (how := _ended(place.pid)) is not None:
                self._failed(place, how)

    def _failed(self, place: _Place, how: str) -> None:
        now, ready = time.monotonic(), bool(self._ready[place.number])
        place.soon = 0 if now - place.at >= _STEADY_S else place.soon + 1
        place.unready = 0 if ready else place.unready + 1
        again = place.soon - ready
        wait_s = min(_LATEST_S, _LATER_S * 2 ** (again - 1)) if again > 0 else 0.0
        log.warning("%s", msgspec.json.encode({"process": place.pid, "ended": how, "again_in_s": wait_s}).decode())
        place.pid, place.at, self._ready[place.number] = 0, now + wait_s, 0
        if place.unready >= _TRIES and not any(self._ready[:]):
            raise StoreError(f"none of the server's processes can be started ({how}); what each said of it stands above")

    def _end(self, hear: Hear) -> None:
        """End all: by SIGTERM, at a second signal by SIGINT, and after their time by SIGKILL."""
        for each in self._listening:
            each.close()
        until = time.monotonic() + self._end_s
        self._signal_all(signal.SIGTERM)
        while any(place.pid for place in self._places):
            left = until - time.monotonic()
            if left <= 0:
                self._signal_all(signal.SIGKILL)
            elif any(number in _ENDING for number in hear(left)):
                self._signal_all(signal.SIGINT)
            for place in self._places:
                if place.pid and _ended(place.pid, wait=left <= 0) is not None:
                    place.pid = 0

    def _signal_all(self, number: int) -> None:
        for place in self._places:
            if place.pid:
                os.kill(place.pid, number)

    def _run_child(self, number: int, let: Collection[int]) -> NoReturn:
        """Do the work in the new process, and leave it for good."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for each in (*_ENDING, signal.SIGCHLD):
                signal.signal(each, signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, let)
            os.close(self._lives)
            Thread(target=self._outlive_nobody, name="cued-life", daemon=True).start()
            self._work(number, partial(self._ready.__setitem__, number, 1))
            code = 0
        except (SystemExit, KeyboardInterrupt) as ended:
            code = ended.code if isinstance(ended, SystemExit) and isinstance(ended.code, int) else 0
        except BaseException as error:  # noqa: BLE001 - whatever it is, it goes no further than this process
            told = {"process": os.getpid(), "failed": type(error).__name__, "message": str(error)}
            log.error("%s", msgspec.json.encode(told).decode())  # noqa: TRY400 - frames are nothing for a line
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _outlive_nobody(self) -> None:
        """Wait until the pipe closes, because the parent is gone; then end by SIGTERM, and after its time by force."""
        os.read(self._life, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(self._end_s)
        os._exit(1)


@contextmanager
def _signals() -> Iterator[Hear]:
    """What hears the signals that come; meanwhile none of them has any other effect."""
    reading, writing = os.pipe()
    for each in (reading, writing):
        os.set_blocking(each, False)
    before = {number: signal.signal(number, lambda *_: None) for number in (*_ENDING, signal.SIGCHLD)}
    woken = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def hear(wait_s: float | None) -> bytes:
        select.select([reading], [], [], wait_s)
        try:
            return os.read(reading, 4096)
        except BlockingIOError:
            return b""

    try:
        yield hear
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in (reading, writing):
            os.close(each)


def _ended(pid: int, *, wait: bool = False) -> str | None:
    """How a process has ended; None while it runs."""
    found, status = os.waitpid(pid, 0 if wait else os.WNOHANG)
    if not found:
        return None
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
