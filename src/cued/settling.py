"""Writes what recalls leave behind, after the answer: batched in a thread, so that no recall waits for a disk.

A crash loses at most the touches of the last moment, never a memory.
"""

import logging
import queue
import threading
from typing import Literal

from cued.errors import CuedError
from cued.model import RecallEntry, Touch
from cued.ports import Store

log = logging.getLogger("cued")

Mode = Literal["background", "now", "off"]
_Batch = tuple[str, tuple[Touch, ...], RecallEntry]
_MOST = 500


class Settler:
    """Takes touches and log entries, and writes them: in the background, at once, or not at all."""

    def __init__(self, store: Store, mode: Mode) -> None:
        """Write to this store; the thread starts with the first batch."""
        self._store, self._mode = store, mode
        self._queue: queue.Queue[_Batch | None] = queue.Queue(maxsize=10_000)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def settle(self, tenant: str, touches: tuple[Touch, ...], entry: RecallEntry) -> None:
        """Take one recall's touches and log entry."""
        if self._mode == "now":
            self._write([(tenant, touches, entry)])
        elif self._mode == "background":
            self._start()
            try:
                self._queue.put_nowait((tenant, touches, entry))
            except queue.Full:
                log.warning("the settling queue is full; one recall's touches are dropped")

    def flush(self) -> None:
        """Wait until everything taken so far is written."""
        self._queue.join()

    def close(self) -> None:
        """Write what is left and stop."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cued-settle", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            batch = [self._queue.get()]
            while len(batch) < _MOST and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            self._write([item for item in batch if item is not None])
            for _ in batch:
                self._queue.task_done()
            if None in batch:
                return

    def _write(self, batches: list[_Batch]) -> None:
        by_tenant: dict[str, tuple[dict[str, Touch], list[RecallEntry]]] = {}
        for tenant, touches, entry in batches:
            newest, entries = by_tenant.setdefault(tenant, ({}, []))
            newest.update({touch.id: touch for touch in touches})
            entries.append(entry)
        for tenant, (newest, entries) in by_tenant.items():
            try:
                self._store.touch(tenant, tuple(newest.values()), tuple(entries))
            except CuedError as error:
                log.warning("settling failed, the recalls stand: %s", error)
