"""What upkeep reads of a tenant: memories and log, page by page, and what reflections still rest on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeVar

from msgspec.structs import replace

from cued.model import Filter, LogQuery, Memory, RecallEntry, Stored
from cued.ports import Store
from cued.stores.standing.facts import sources_of
from cued.stores.standing.shown import shown

PAGE = 500
Item = TypeVar("Item")


def scanned(tenant: str, store: Store) -> Iterator[Stored]:
    """Every memory with its vector, hidden ones included, by id; what is written meanwhile may or may not be among them."""
    after: str | None = None
    while page := store.scan(tenant, limit=PAGE, after=after):
        yield from page
        after = page[-1].memory.id


def listed(tenant: str, store: Store, wanted: Filter, *, at: datetime) -> Iterator[Memory]:
    """Every memory that the filter wants, newest first."""
    after: str | None = None
    while True:
        page = store.list(tenant, wanted, at=at, limit=PAGE, after=after)
        yield from page.memories
        after = page.next
        if after is None:
            return


def log_pages(read: Callable[[LogQuery], Sequence[RecallEntry]]) -> Iterator[Sequence[RecallEntry]]:
    """The whole of a log, as `read` gives lines of it, from the oldest on; lines of one moment may be more than a page."""
    query, seen = LogQuery(limit=PAGE, oldest_first=True, content=True), set[str]()
    while True:
        page = read(query)
        if fresh := [line for line in page if line.recall_id not in seen]:
            yield fresh
        if len(page) < query.limit:
            return
        last = page[-1].at
        seen = {line.recall_id for line in page if line.at == last}
        query = replace(query, since=last, limit=PAGE if last != query.since else query.limit * 2)


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`, the last one shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def supporting(tenant: str, store: Store, memory_ids: Sequence[str], *, at: datetime) -> frozenset[str]:
    """Those of the ids from which a reflection was derived that a listing still shows."""
    found: set[str] = set()
    for batch in batches(memory_ids, PAGE):
        found.update(*map(sources_of, shown(store.linking(tenant, batch), Filter(), at=at)))
    return frozenset(found & set(memory_ids))
