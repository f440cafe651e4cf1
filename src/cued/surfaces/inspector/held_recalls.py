"""The evidence of recalls that somebody looks at, held for a while in this process, so that deciding again needs no search."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from cued.engine.envelope import Envelope

MOST = 64
HELD_S = 3600.0


class HeldRecall(Struct, frozen=True):
    """A recall to look at: its evidence with its policy, and how long each stage took when it was recalled."""

    saved: Envelope
    stage_ms: dict[str, float]


class Held:
    """Recalls by tenant and id; the oldest is dropped when there are too many, and each after an hour."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[float, HeldRecall]] = OrderedDict()

    def put(self, tenant: str, looked: HeldRecall) -> HeldRecall:
        """The recall itself, which is held from now on."""
        with self._lock:
            self._kept[tenant, looked.saved.evidence.recall_id] = self._clock(), looked
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return looked

    def get(self, tenant: str, recall_id: str) -> HeldRecall | None:
        """The recall of this id; None where it is not, or no longer, held."""
        with self._lock:
            since, looked = self._kept.get((tenant, recall_id), (0.0, None))
            if looked is not None and self._clock() - since > HELD_S:
                del self._kept[tenant, recall_id]
                return None
            return looked

    def drop(self, tenant: str, recall_id: str) -> None:
        """Drop this recall."""
        with self._lock:
            self._kept.pop((tenant, recall_id), None)
