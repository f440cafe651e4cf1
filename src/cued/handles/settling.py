"""Writes what recalls leave behind, after the answer: batched in a thread, so that no recall waits for a disk.

A crash loses at most the touches of the last moment, never a memory. When nobody has recalled for a while, the thread also saves the
store's shelves, so that the next process finds them even if this one is killed.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import CuedError, ReadOnlyError
from cued.model import RecallEntry, Settlement, Shadowed, Touch
from cued.ports import Store

log = logging.getLogger("cued")

Mode = Literal["background", "now", "off"]
Rewrite = Callable[[bytes | None], bytes | None]

_BATCH = 500
_QUEUE = 10_000
_TRIES = 20
_TENANTS = 16
"""How many tenants share one write: enough that writes are few, and few enough that a new memory does not wait long."""
_GATHER_S = 0.1
"""How long the writes of a recall wait for those of the next ones, so that recalls in a row share one write."""
_QUIET_S = 5.0
"""After how long without a recall the shelves are saved, which takes about 0.1 s for 100,000 memories."""
_NONE: Mapping[str, Rewrite] = MappingProxyType({})


class _Left(Struct, frozen=True):
    """What one recall leaves to write."""

    tenant: str
    touches: tuple[Touch, ...]
    entry: RecallEntry
    documents: Mapping[str, Rewrite]
    known: bool
    aside: Callable[[], Shadowed] | None = None

    def line(self) -> RecallEntry:
        """The line for the log, with the decision of the policy on trial, which is made now."""
        return self.entry if self.aside is None else replace(self.entry, shadow=self.aside())


class Settler:
    """Takes touches, log entries and changes of documents, and writes them: in the background, at once, or not at all."""

    def __init__(self, store: Store, mode: Mode, *, most_waiting: int = _QUEUE, quiet_s: float = _QUIET_S) -> None:
        """Write to this store; the thread starts with the first recall, and at most `most_waiting` recalls wait for it."""
        self._store, self._mode, self._most_waiting, self._quiet_s = store, mode, most_waiting, quiet_s
        self._closed = self._full = False
        self.after_fork()

    def after_fork(self) -> None:
        """Start with nothing waiting: what waits at a fork is written by the parent's thread."""
        # Bare locks and a queue in C, not conditions: a Ctrl-C in the middle of one of those leaves its lock taken, and all wait for ever.
        self._queue: SimpleQueue[_Left | Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._taking, self._writing, self._hurry, self._at_work = (threading.Lock() for _ in range(4))
        self._hurry.acquire()

    @property
    def here(self) -> bool:
        """Whether this is the thread that writes, which cannot wait for its own end."""
        return self._thread is threading.current_thread()

    @property
    def off(self) -> bool:
        """Whether nothing is written, or no longer."""
        return self._mode == "off" or self._closed

    def settle(  # noqa: PLR0913 - one keyword a thing that a recall leaves
        self,
        tenant: str,
        touches: tuple[Touch, ...],
        *,
        entry: RecallEntry,
        documents: Mapping[str, Rewrite] = _NONE,
        known: bool = False,
        aside: Callable[[], Shadowed] | None = None,
    ) -> None:
        """Take what one recall leaves to write; if the tenant was `known` then and is gone by now, nothing is written.

        `aside` works out what a policy on trial would have decided, for the recall's line.
        """
        left = _Left(tenant, touches, entry, documents, known, aside)
        if self._mode == "now" and not self._closed:
            self._write([left])
        elif self._mode == "background":
            self._take(left)

    def flush(self) -> None:
        """Wait until everything taken so far is written."""
        written = threading.Lock()
        written.acquire()
        with self._taking:
            thread, closed = self._working(), self._closed
            if thread is not None and not closed:
                self._queue.put(written.release)
        if thread is not None:
            self._hurried()
            thread.join() if closed else written.acquire()
        with self._writing:
            return

    def close(self) -> None:
        """Write what is left and stop; what comes later is dropped."""
        with self._taking:
            self._closed, thread = True, self._working()
            self._queue.put(None)
        if thread is not None:
            self._hurried()
            thread.join()

    def _take(self, left: _Left) -> None:
        with self._taking:
            if self._closed:
                return
            started = self._started()
            fits = self._queue.qsize() < self._most_waiting
            if started and fits:
                self._queue.put(left)
            elif started and not self._full:
                log.warning("the settling queue is full: touches are dropped until there is room, the recalls stand")
            self._full = started and not fits
        if not started:
            self._write([left])

    def _started(self) -> bool:
        """Whether a thread writes, started here if none does; False if none can be started, as when the interpreter ends."""
        if self._working() is None:
            self._thread = threading.Thread(target=self._work, name="cued-settle", daemon=True)
            with suppress(RuntimeError):
                self._thread.start()
        return self._working() is not None

    def _working(self) -> threading.Thread | None:
        """The thread that writes; None if none does."""
        return self._thread if self._thread is not None and self._thread.is_alive() else None

    def _hurried(self) -> None:
        """Let the thread write what it has at once."""
        with suppress(RuntimeError):  # it is told already
            self._hurry.release()

    def _work(self) -> None:
        # One at a time: where the start of a thread was interrupted, the next recall may have started a second one.
        with self._at_work:
            while self._goes_on():
                pass

    def _goes_on(self) -> bool:
        """Whether more may come after the next batch, which is written here."""
        batch = [self._next()]
        self._hurry.acquire(timeout=_GATHER_S)
        while len(batch) < _BATCH and not self._queue.empty():
            batch.append(self._queue.get())
        self._write([left for left in batch if isinstance(left, _Left)])
        for written in batch:
            if callable(written):
                written()
        if None in batch:
            self._queue.put(None)
        return None not in batch

    def _next(self) -> _Left | Callable[[], None] | None:
        """The next item; if none comes for long, the shelves are saved once meanwhile."""
        try:
            return self._queue.get(timeout=self._quiet_s)
        except Empty:
            self._keep_shelves()
            return self._queue.get()

    def _keep_shelves(self) -> None:
        try:
            self._store.keep_shelves()
        except CuedError as error:
            log.info("shelves are not kept for the next process: %s", error)
        except Exception as error:
            log.exception("shelves are not kept for the next process: %s", type(error).__name__)

    def _write(self, batch: Sequence[_Left]) -> None:
        groups: dict[tuple[str, bool], list[_Left]] = {}
        for left in batch:
            groups.setdefault((left.tenant, left.known), []).append(left)
        every = list(groups.values())
        with self._writing:
            for first in range(0, len(every), _TENANTS):
                some = every[first : first + _TENANTS]
                for lefts, written in zip(some, self._written_together(some) or [None] * len(some), strict=True):
                    self._write_tenant(lefts, written)

    def _written_together(self, groups: Sequence[Sequence[_Left]]) -> tuple[bool, ...] | None:
        """What was written for several tenants in one step; None if that failed, and each is to be written by itself."""
        if len(groups) == 1 or self._mode == "off":
            return None
        try:
            return self._store.settle_all([_settlement(lefts) for lefts in groups])
        except Exception as error:  # noqa: BLE001 - nothing of it is kept, and the one that fails is told when each is tried alone
            log.info("recalls are settled one tenant after the other: %s", error)
            return None

    def _write_tenant(self, lefts: Sequence[_Left], written: bool | None) -> None:  # noqa: FBT001 - as the store tells it
        """Write what recalls of one tenant leave, except what is already `written`."""
        if self._mode == "off":
            return
        try:
            if written is None:
                tenant, touches, entries, known = _settlement(lefts)
                written = self._store.settle(tenant, touches, entries, known=known)
            if written:
                for name in dict.fromkeys(name for left in lefts for name in left.documents):
                    self._rewrite(lefts[0], name, [left.documents[name] for left in lefts if name in left.documents])
        except ReadOnlyError as error:
            self._mode = "off"
            log.warning("the store cannot be written, so recalls are no longer settled: %s", error)
        except CuedError as error:
            log.warning("settling failed, the recalls stand: %s", error)
        except Exception as error:
            # a store of others may fail in any way; the thread must live on, or `flush` would wait for ever
            log.exception("settling failed, the recalls stand: %s", type(error).__name__)

    def _rewrite(self, left: _Left, name: str, rewrites: Sequence[Rewrite]) -> None:
        """Apply these changes to a document in order, again if somebody else has changed it meanwhile."""
        old = self._store.document(left.tenant, name)
        for _ in range(_TRIES):
            new = reduce(lambda document, rewrite: rewrite(document), rewrites, old)
            if new == old or self._store.swap_document(left.tenant, name, old=old, new=new, known=left.known):
                return
            old = self._store.document(left.tenant, name)
            if old is None:
                return  # Erased meanwhile, with what it was learnt from.
        log.warning("the document %r was changed by others %d times over, so this change of it is lost", name, _TRIES)


def _settlement(lefts: Sequence[_Left]) -> Settlement:
    """What recalls of one tenant leave to write, as one settlement."""
    touches = tuple(touch for left in lefts for touch in left.touches)
    return Settlement(lefts[0].tenant, touches, tuple(left.line() for left in lefts), lefts[0].known)
