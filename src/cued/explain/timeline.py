"""timeline: what stood around a memory or a moment."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from cued.model import GLOBAL, Filter, Memory
from cued.ports import Store
from cued.requests.checks import whole
from cued.stores.arrays import LAST

MAX_AROUND = 1000
_PAGE = 200
_LARGEST_PAGE = 25_600
_TICK = timedelta(microseconds=1)


class Timeline(Struct, frozen=True, kw_only=True):
    """What stood around a memory or a moment, oldest first; `centre` is None for a moment."""

    before: tuple[Memory, ...]
    centre: Memory | None
    after: tuple[Memory, ...]


def timeline(  # noqa: PLR0913 - a stretch of time has a centre, two sides and three ways to narrow it
    tenant: str,
    store: Store,
    *,
    around: str | datetime,
    at: datetime,
    before: int = 5,
    after: int = 5,
    scope: str | None = None,
    session: str | None = None,
    hidden: bool = False,
) -> Timeline:
    """The memories that were stored right before and after a memory or a moment, by time of creation and then by id.

    A `scope` shows that project and what is global, as a recall there sees them; a `session` shows that one alone; neither shows
    all the tenant has. Forgotten, superseded and expired memories are shown when `hidden` is asked for; the centre always is.
    """
    for name, size in (("before", before), ("after", after)):
        whole(name, size, least=0, most=MAX_AROUND)
    centre, middle = _centre(tenant, store, around)
    scopes = (None,) if scope is None else tuple(dict.fromkeys((scope, GLOBAL)))
    listings = _Listings(tenant, store, at, [Filter(scope=each, session=session, hidden=hidden) for each in scopes])
    earlier = (memory for memory in listings.backward(middle[0]) if _place(memory) < middle)
    later = (memory for memory in listings.forward(middle[0]) if _place(memory) > middle)
    return Timeline(before=tuple(islice(earlier, before))[::-1], centre=centre, after=tuple(islice(later, after)))


def _centre(tenant: str, store: Store, around: str | datetime) -> tuple[Memory | None, tuple[datetime, str]]:
    if isinstance(around, datetime):
        # No id is empty, so whatever was created at the very moment stands after it.
        return None, (around, "")
    memory = store.get(tenant, [around])[0]
    return memory, _place(memory)


class _Listings:
    """Several listings of one tenant as one, from a moment on or back from it."""

    def __init__(self, tenant: str, store: Store, at: datetime, filters: Sequence[Filter]) -> None:
        self._tenant, self._store, self._at, self._filters = tenant, store, at, filters

    def forward(self, since: datetime) -> Iterator[Memory]:
        """What was created at this moment or later, oldest first."""
        return merge(*(self._pages(replace(each, since=since), oldest_first=True) for each in self._filters), key=_place)

    def backward(self, until: datetime) -> Iterator[Memory]:
        """What was created at this moment or earlier, newest first."""
        end = min(until, LAST - _TICK) + _TICK
        return merge(*(self._pages(replace(each, until=end), oldest_first=False) for each in self._filters), key=_place, reverse=True)

    def _pages(self, wanted: Filter, *, oldest_first: bool) -> Iterator[Memory]:
        # A page costs a store as much as the whole listing, and thousands of memories may be of the very moment: so pages grow.
        cursor, size = None, _PAGE
        while True:
            page = self._store.list(self._tenant, wanted, at=self._at, limit=size, after=cursor, oldest_first=oldest_first)
            yield from page.memories
            cursor, size = page.next, min(2 * size, _LARGEST_PAGE)
            if cursor is None:
                return


def _place(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.id
