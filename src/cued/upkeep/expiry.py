"""Expiry: memories whose time to live has run out are hidden at once by a gate, and a sweep removes them for good.

Without a memory that superseded another the older belief would come back, and a sweep changes no recall: so what gave way to it is
forgotten first, and can be restored. Only one that superseded in a project alone stays, for elsewhere the older one still holds.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from cued.errors import InputError
from cued.model import Filter, Memory
from cued.ports import Progress, Store, silent
from cued.stores.standing.shown import out_of_time
from cued.upkeep.pages import PAGE, batches, listed, with_those_left

BATCH = 200
NO_GRACE = timedelta(0)


def expired(tenant: str, store: Store, *, at: datetime, grace: timedelta = NO_GRACE) -> tuple[Memory, ...]:
    """The memories that expired at least `grace` before `at`, hidden ones included, the longest expired first."""
    if grace < NO_GRACE:
        raise InputError("grace", grace, "zero or a positive duration")
    everything = batches(listed(tenant, store, Filter(hidden=True), at=at), PAGE)
    found = [memory for page in everything for memory in _due(tenant, store, page, at - grace)]
    return tuple(sorted(found, key=lambda memory: (memory.expires_at, memory.id)))


def sweep(tenant: str, store: Store, *, at: datetime, grace: timedelta = NO_GRACE, progress: Progress = silent) -> tuple[str, ...]:
    """Erase what expired at least `grace` before `at`, some hundred a transaction, and give the ids; a run cut short is run again."""
    due = [memory.id for memory in expired(tenant, store, at=at, grace=grace)]
    swept: list[str] = []
    for start in range(0, len(due), BATCH):
        more = start + BATCH < len(due)
        erased, _ = with_those_left(due[start : start + BATCH], partial(_erase, tenant, store, at - grace, at=at, more=more))
        swept += erased or ()
        progress(len(swept), len(due))
    return tuple(swept)


def _erase(  # noqa: PLR0913 - what, from where, due when, as of when, and whether more follow
    tenant: str, store: Store, until: datetime, memory_ids: Sequence[str], *, at: datetime, more: bool
) -> list[str]:
    """Erase those of the memories that are still due when they are read once more: a time to live may have been extended."""
    due = [memory.id for memory in _due(tenant, store, store.get(tenant, memory_ids), until)]
    held = {old.id: old for memory in store.get(tenant, due) for old in _given_way(tenant, store, memory)}
    left = [old.id for old in held.values() if old.id not in due and old.forgotten_at is None and _held_by(old) <= set(due)]
    if left:
        store.forget(tenant, left, at=at)
    if due:
        store.erase(tenant, due, more=more)
    return due


def _due(tenant: str, store: Store, memories: Sequence[Memory], until: datetime) -> list[Memory]:
    """What may be erased of what is out of time: not a memory that still supersedes another in a project alone."""
    expired = out_of_time(memories, at=until)
    return [memory for memory in expired if not any(_only_locally(memory, old) for old in _given_way(tenant, store, memory))]


def _given_way(tenant: str, store: Store, memory: Memory) -> tuple[Memory, ...]:
    """The memories that gave way to this one and are still there."""
    if not memory.supersedes:
        return ()
    there = store.known(tenant, memory.supersedes)
    return store.get(tenant, [old for old in memory.supersedes if old in there])


def _only_locally(memory: Memory, old: Memory) -> bool:
    return any(mark.by == memory.id and mark.lifted_at is None and mark.scope is not None for mark in old.superseded)


def _held_by(old: Memory) -> set[str]:
    """Who holds a memory down everywhere."""
    return {mark.by for mark in old.superseded if mark.lifted_at is None and mark.scope is None}
