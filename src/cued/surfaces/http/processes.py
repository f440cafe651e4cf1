"""Several processes that do the same work: started, started again when one dies, and ended together.

Above: `serving`, which makes all that is there once, and says what each of them does. Below: fork, which copies what holds neither
threads nor connections (`forking`), and leaves sockets, and what is `shared`, in common.

A process that ends by itself is started again: at once after it has worked for a while, else later and later. Where none works and one
ends before it ever did, again and again, that is the end of all. None outlives the one that started it: it sees a pipe close.
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
"""How often in a row one may end before it works, where no other works either."""
_STEADY_S: Final = 60.0
"""How long a process has to last so that it is started again at once."""
_LATER_S, _LATEST_S = 0.5, 30.0
"""How long the first wait is, which doubles each time, and the longest."""
Work = Callable[[int, Callable[[], None]], None]
"""What a process does: it is told which it is, and tells when it is ready."""
Hear = Callable[[float | None], bytes]
"""What gives the signals that have come, waiting so long for one at most; None waits as long as it takes."""


class _Place(Struct):
    """One of the processes, or who is to take its place: when it was or will be started, how often it ended soon, and how often at once."""

    number: int
    pid: int = 0
    at: float = 0.0
    soon: int = 0
    unready: int = 0


class Processes:
    """So many processes, looked after by the one that starts them."""

    def __init__(self, count: int, work: Work, *, listening: Sequence[socket], end_s: float) -> None:
        """Let each do the work, which is to listen at these sockets; whoever is told to end has so long for it."""
        self._places, self._work, self._listening, self._end_s = [_Place(number) for number in range(count)], work, listening, end_s
        self._ready = mmap(-1, count)
        self._life, self._lives = os.pipe()

    def run(self) -> int:
        """The signal that ended it, after the last process has ended; a StoreError where none can be started."""
        with _signals() as hear:
            try:
                while True:
                    self._start_due()
                    if ended := [number for number in hear(self._wait_s()) if number in _ENDING]:
                        return ended[0]
                    self._look()
            finally:
                self._end(hear)
                os.close(self._life)
                os.close(self._lives)

    def _start_due(self) -> None:
        for place in self._places:
            if not place.pid and time.monotonic() >= place.at:
                self._start(place)

    def _wait_s(self) -> float | None:
        """How long until one is to be started; None where all are there."""
        return min((max(0.0, place.at - time.monotonic()) for place in self._places if not place.pid), default=None)

    def _start(self, place: _Place) -> None:
        place.at, self._ready[place.number] = time.monotonic(), 0
        # a signal that comes before the child has its own ways with it waits
        let = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            pid = os.fork()
            if not pid:
                self._be(place.number, let)
            place.pid = pid
        except OSError as error:  # no memory, or too many processes
            self._failed(place, error.strerror or str(error))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, let)

    def _look(self) -> None:
        """Note who has ended, and when the next is to take its place."""
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
        """Let all end: gently, at a second signal at once, and after their time by force."""
        for each in self._listening:
            each.close()
        until = time.monotonic() + self._end_s
        self._tell(signal.SIGTERM)
        while any(place.pid for place in self._places):
            left = until - time.monotonic()
            if left <= 0:
                self._tell(signal.SIGKILL)
            elif any(number in _ENDING for number in hear(left)):
                self._tell(signal.SIGINT)
            for place in self._places:
                if place.pid and _ended(place.pid, wait=left <= 0) is not None:
                    place.pid = 0

    def _tell(self, number: int) -> None:
        for place in self._places:
            if place.pid:
                os.kill(place.pid, number)

    def _be(self, number: int, let: Collection[int]) -> NoReturn:
        """Be one of the processes, to the end of it."""
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
        """Wait until the pipe closes, for whoever started this is gone then; end gently, and after its time by force."""
        os.read(self._life, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(self._end_s)
        os._exit(1)


@contextmanager
def _signals() -> Iterator[Hear]:
    """What hears the signals that come, none of which does anything else meanwhile."""
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
    """How a process has ended; None while it goes on."""
    found, status = os.waitpid(pid, 0 if wait else os.WNOHANG)
    if not found:
        return None
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
