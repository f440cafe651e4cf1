"""What a tenant's quotas are held against: what it keeps, and how often it recalls."""

from datetime import datetime

from cued.errors import QuotaError, RateError
from cued.model import Head, Quotas
from cued.sharing import Takes
from cued.stores.arrays import micros

_MINUTE_S = 60.0
_TENANTS = 100_000
"""How many tenants' recalls are counted at a time; one that asked long ago is forgotten for another."""


def refuse_growth_beyond(quotas: Quotas, before: Head, after: Head) -> None:
    """Nothing, unless a tenant has grown beyond its quotas; what makes it smaller is always let through."""
    if quotas.memories is not None and before.size < after.size > quotas.memories:
        raise QuotaError("memories", quotas.memories, "erase some (`forget --erase`, `sweep`), or a larger quota")
    if quotas.bytes is not None and before.bytes < after.bytes > quotas.bytes:
        raise QuotaError("bytes", quotas.bytes, "shorter texts, erase some (`forget --erase`, `sweep`), or a larger quota")


class RecallMeter:
    """How many recalls each tenant has left: a minute's worth at most, filled again as time goes by; forked processes count as one."""

    def __init__(self, most: int) -> None:
        """Let so many a minute through."""
        self._most = most
        self._left = Takes(most, per_s=most / _MINUTE_S, names=_TENANTS)

    def count(self, tenant: str, *, at: datetime) -> None:
        """Take one recall of those that the tenant has left; where none is left, a RateError."""
        wait_s = self._left.take(tenant, at_us=micros(at))
        if wait_s:
            raise RateError(self._most, max(1.0, wait_s))
