"""Expiry: memories whose time to live has run out are hidden at once by a gate, and a sweep removes them for good.

A sweep changes no recall: what a swept memory had superseded stays superseded, by a memory that is no longer there.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from cued.errors import InputError
from cued.model import Filter, Memory
from cued.ports import Progress, Store, silent
from cued.stores.gone_ids import with_those_left
from cued.stores.standing.shown import out_of_time
from cued.upkeep.pages import PAGE, batches, listed

BATCH = 200
NO_GRACE = timedelta(0)


def expired(tenant: str, store: Store, *, at: datetime, grace: timedelta = NO_GRACE) -> tuple[Memory, ...]:
    """The memories that expired at least `grace` before `at`, hidden ones included, the longest expired first."""
    if grace < NO_GRACE:
        raise InputError("grace", grace, "zero or a positive duration")
    everything = batches(listed(tenant, store, Filter(hidden=True), at=at), PAGE)
    found = [memory for page in everything for memory in out_of_time(page, at=at - grace)]
    return tuple(sorted(found, key=lambda memory: (memory.expires_at, memory.id)))


def sweep(tenant: str, store: Store, *, at: datetime, grace: timedelta = NO_GRACE, progress: Progress = silent) -> tuple[str, ...]:
    """Erase what expired at least `grace` before `at`, some hundred a transaction, and give the ids; a run cut short is run again."""
    due = [memory.id for memory in expired(tenant, store, at=at, grace=grace)]
    swept: list[str] = []
    for start in range(0, len(due), BATCH):
        more = start + BATCH < len(due)
        erased, _ = with_those_left(due[start : start + BATCH], partial(_erase, tenant, store, at - grace, more=more))
        swept += erased or ()
        progress(len(swept), len(due))
    return tuple(swept)


def _erase(tenant: str, store: Store, until: datetime, memory_ids: Sequence[str], *, more: bool) -> list[str]:
    """Erase those of the memories that are still due when they are read once more: a time to live may have been extended."""
    due = [memory.id for memory in out_of_time(store.get(tenant, memory_ids), at=until)]
    if due:
        store.erase(tenant, due, more=more, expired=True)
    return due
