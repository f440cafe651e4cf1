"""Writes what recalls leave behind, after the answer: batched in a thread, so that no recall waits for a disk.

A crash loses at most the touches of the last moment, never a memory.
"""

import logging
import queue
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Literal, TypeVar

from msgspec import Struct

from cued.errors import CuedError, ReadOnlyError
from cued.model import RecallEntry, Touch
from cued.ports import Store

log = logging.getLogger("cued")

Mode = Literal["background", "now", "off"]
Rewrite = Callable[[bytes | None], bytes | None]
Value = TypeVar("Value")

_BATCH = 500
_QUEUE = 10_000
_NONE: Mapping[str, Rewrite] = MappingProxyType({})


class _Left(Struct, frozen=True):
    """What one recall leaves behind."""

    tenant: str
    touches: tuple[Touch, ...]
    entry: RecallEntry
    documents: Mapping[str, Rewrite]


class Settler:
    """Takes touches, log entries and changes of documents, and writes them: in the background, at once, or not at all."""

    def __init__(self, store: Store, mode: Mode, *, room: int = _QUEUE) -> None:
        """Write to this store; the thread starts with the first recall, and at most `room` recalls wait for it."""
        self._store, self._mode = store, mode
        self._queue: queue.Queue[_Left | None] = queue.Queue(maxsize=room)
        self._thread: threading.Thread | None = None
        self._taking, self._writing = threading.Lock(), threading.Lock()
        self._closed = self._full = False

    def settle(self, tenant: str, touches: tuple[Touch, ...], *, entry: RecallEntry, documents: Mapping[str, Rewrite] = _NONE) -> None:
        """Take what one recall leaves behind."""
        left = _Left(tenant, touches, entry, documents)
        if self._mode == "now" and not self._closed:
            self._write([left])
        elif self._mode == "background":
            self._take(left)

    def flush(self) -> None:
        """Wait until everything taken so far is written."""
        self._queue.join()
        with self._writing:
            return

    def close(self) -> None:
        """Write what is left and stop; what comes later is dropped."""
        with self._taking:
            self._closed, thread, self._thread = True, self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _take(self, left: _Left) -> None:
        with self._taking:
            if self._closed:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cued-settle", daemon=True)
                self._thread.start()
            try:
                self._queue.put_nowait(left)
            except queue.Full:
                if not self._full:
                    log.warning("the settling queue is full: touches are dropped until there is room, the recalls stand")
                self._full = True
            else:
                self._full = False

    def _work(self) -> None:
        while True:
            batch = [self._queue.get()]
            while len(batch) < _BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            self._write([left for left in batch if left is not None])
            for _ in batch:
                self._queue.task_done()
            if None in batch:
                return

    def _write(self, batch: Sequence[_Left]) -> None:
        tenants: dict[str, list[_Left]] = {}
        for left in batch:
            tenants.setdefault(left.tenant, []).append(left)
        with self._writing:
            for tenant, lefts in tenants.items():
                self._write_tenant(tenant, lefts)

    def _write_tenant(self, tenant: str, lefts: Sequence[_Left]) -> None:
        if self._mode == "off":
            return
        touches = _joined((touch.id, touch.change) for left in lefts for touch in left.touches)
        documents = _joined(chain.from_iterable(left.documents.items() for left in lefts))
        try:
            self._store.touch(tenant, tuple(Touch(*touch) for touch in touches.items()), tuple(left.entry for left in lefts))
            for name, rewrite in documents.items():
                self._store.keep_document(tenant, name, rewrite)
        except ReadOnlyError as error:
            self._mode = "off"
            log.warning("the store cannot be written, so recalls are no longer settled: %s", error)
        except CuedError as error:
            log.warning("settling failed, the recalls stand: %s", error)
        except Exception as error:
            # a plugged-in store may fail in any way; the thread must live on, or `flush` would wait for ever
            log.exception("settling failed, the recalls stand: %s", type(error).__name__)


def _joined(changes: Iterable[tuple[str, Callable[[Value], Value]]]) -> dict[str, Callable[[Value], Value]]:
    """Give one change a name, which makes all of its changes in the order in which they came."""
    by_name: dict[str, list[Callable[[Value], Value]]] = {}
    for name, change in changes:
        by_name.setdefault(name, []).append(change)
    return {name: partial(_in_turn, tuple(listed)) for name, listed in by_name.items()}


def _in_turn(changes: Sequence[Callable[[Value], Value]], value: Value) -> Value:
    for change in changes:
        value = change(value)
    return value
