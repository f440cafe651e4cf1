"""What upkeep reads of a tenant: everything in pages, what is visible, and what reflections still rest on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeVar

from cued.errors import NotFoundError
from cued.model import DERIVED_FROM, Filter, Memory, Stored
from cued.ports import Store

PAGE = 500
Progress = Callable[[int, int], None]
Item = TypeVar("Item")


def silent(_done: int, _total: int) -> None:
    """Hear of progress and say nothing."""


def scanned(tenant: str, store: Store) -> Iterator[Stored]:
    """Give every memory with its vector, hidden ones included, by id; what is written meanwhile may or may not be among them."""
    after: str | None = None
    while page := store.scan(tenant, limit=PAGE, after=after):
        yield from page
        after = page[-1].memory.id


def listed(tenant: str, store: Store, wanted: Filter, *, at: datetime) -> Iterator[Memory]:
    """Give every memory that the filter wants, newest first."""
    after: str | None = None
    while True:
        page = store.list(tenant, wanted, at=at, limit=PAGE, after=after)
        yield from page.memories
        after = page.next
        if after is None:
            return


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Give the items in lists of `size`, the last one shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def visible(memory: Memory, *, at: datetime) -> bool:
    """Tell whether a memory speaks for itself in its own scope: not forgotten, superseded nowhere, not expired, and valid now."""
    return (
        memory.forgotten_at is None
        and all(mark.lifted_at is not None for mark in memory.superseded)
        and (memory.expires_at is None or at < memory.expires_at)
        and (memory.valid_from is None or memory.valid_from <= at)
        and (memory.valid_until is None or at < memory.valid_until)
    )


def supporting(tenant: str, store: Store, memory_ids: Sequence[str], *, at: datetime) -> frozenset[str]:
    """Give those of the ids from which a reflection was derived that still stands somewhere."""
    found: set[str] = set()
    for batch in batches(memory_ids, PAGE):
        for memory in store.linking(tenant, batch):
            if memory.kind == "reflection" and _stands(memory, at):
                found |= {edge.target for edge in memory.edges if edge.relation == DERIVED_FROM}
    return frozenset(found & set(memory_ids))


def _stands(memory: Memory, at: datetime) -> bool:
    beaten = memory.forgotten_at is not None or any(mark.scope is None and mark.lifted_at is None for mark in memory.superseded)
    return not beaten and (memory.expires_at is None or at < memory.expires_at)


def with_those_left(memory_ids: Sequence[str], work: Callable[[Sequence[str]], Item]) -> tuple[Item | None, frozenset[str]]:
    """Do the work for all of the ids that are still there; gives its result, None when none is left, and the ids that are gone."""
    gone: set[str] = set()
    while left := [memory_id for memory_id in memory_ids if memory_id not in gone]:
        try:
            return work(left), frozenset(gone)
        except NotFoundError as error:
            if error.memory_id not in left:
                raise
            gone.add(error.memory_id)
    return None, frozenset(gone)
