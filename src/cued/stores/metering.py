"""What a tenant's quotas are held against: what it keeps, and how often it recalls."""

from collections import OrderedDict
from datetime import datetime
from threading import Lock

from cued.errors import QuotaError, RateError
from cued.forking import across_forks
from cued.model import Head, Quotas

_MINUTE_S = 60.0
_TENANTS = 100_000
"""How many tenants' recalls are counted at a time; the one that asked longest ago is forgotten for another."""


def refuse_growth_beyond(quotas: Quotas, before: Head, after: Head) -> None:
    """Nothing, unless a tenant has grown beyond its quotas; what makes it smaller is always let through."""
    if quotas.memories is not None and before.size < after.size > quotas.memories:
        raise QuotaError("memories", quotas.memories, "erase some (`forget --erase`, `sweep`), or a larger quota")
    if quotas.bytes is not None and before.bytes < after.bytes > quotas.bytes:
        raise QuotaError("bytes", quotas.bytes, "shorter texts, erase some (`forget --erase`, `sweep`), or a larger quota")


class RecallMeter:
    """How many recalls each tenant has left: a minute's worth at most, filled again as time goes by."""

    def __init__(self, most: int) -> None:
        """Let so many a minute through."""
        self._most = most
        self.after_fork()
        across_forks(self)

    def after_fork(self) -> None:
        """Count anew: the lock may be held by a thread that is not here."""
        self._lock = Lock()
        self._left: OrderedDict[str, tuple[float, datetime]] = OrderedDict()

    def count(self, tenant: str, *, at: datetime) -> None:
        """Take one recall of those that the tenant has left; where none is left, a RateError."""
        with self._lock:
            left, then = self._left.pop(tenant, (float(self._most), at))
            # a clock that goes back gives nothing
            left = min(float(self._most), left + max(0.0, (at - then).total_seconds()) * self._most / _MINUTE_S)
            self._left[tenant] = (left - 1 if left >= 1 else left, max(at, then))
            if len(self._left) > _TENANTS:
                self._left.popitem(last=False)
        if left < 1:
            raise RateError(self._most, max(1.0, (1 - left) * _MINUTE_S / self._most))
