"""Listings in pages, in one of several orders and from either end, continued by an opaque cursor that knows both."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any
from zlib import crc32

from msgspec import DecodeError, Meta, ValidationError, json

from cued.errors import InputError
from cued.model import KINDS, TIERS, TRUSTS, Memory, Order, Page, Slice, Use
from cued.model.rows import OrderKey
from cued.stores.arrays import ALWAYS, NEVER, micros

Standing = tuple[OrderKey, int, str]
"""Where a memory stands in a listing: its place in the order, when it was created, and its id."""

_Created = Annotated[int, Meta(ge=ALWAYS, le=NEVER)]


def paged(found: Sequence[Memory], total: int, asked: Slice) -> Page:
    """The page of what was found; one row more than it has was asked for, and says that there is a next one."""
    size = asked.limit - 1
    return Page(memories=tuple(found[:size]), next=_cursor(found[size - 1], asked) if len(found) > size else None, total=total)


def part(at: int, cursor: str | None, limit: int, *, oldest_first: bool, order_by: Order) -> Slice:
    """So many rows beyond a cursor, or from the start for None; a cursor of another listing, or any other string, is an InputError."""
    if cursor is None:
        return Slice(at, ((ALWAYS if oldest_first else NEVER), ""), limit, oldest_first, order_by)
    try:
        order, oldest, place, created, memory_id = json.decode(urlsafe_b64decode(cursor.encode("ascii")), type=_CURSORS[order_by])
    except (DecodeError, ValidationError, ValueError) as error:
        raise _unknown(cursor) from error
    if (order, oldest) != (order_by, oldest_first):
        raise _unknown(cursor)
    return Slice(at, (created, memory_id), limit, oldest_first, order_by, None if order_by == "written" else place)


def standing(memory: Memory, order_by: Order) -> Standing:
    """Where a memory stands in an order."""
    return _PLACES[order_by](memory), micros(memory.created_at), memory.id


def beyond(place: Standing, asked: Slice) -> bool:
    """Whether a memory that stands there lies beyond what a part of a listing continues."""
    if asked.order_by == "written":
        return place[1:] != asked.after and (place[1:] > asked.after) == asked.oldest_first
    if asked.place is None:
        return True
    last = (asked.place, *asked.after)
    return place != last and (place > last) == asked.oldest_first


def by_chance(memory_id: str) -> int:
    """A place that has nothing to do with what a memory is, and is the same each time."""
    return crc32(memory_id.encode())


def last_used(use: Use) -> int:
    """When a memory was used last, before everything where it never was."""
    return ALWAYS if use.last_at is None else micros(use.last_at)


def _cursor(memory: Memory, asked: Slice) -> str:
    """What continues a listing after this memory."""
    return urlsafe_b64encode(json.encode((asked.order_by, asked.oldest_first, *standing(memory, asked.order_by)))).decode()


def _unknown(cursor: str) -> InputError:
    return InputError("after", cursor, "the `next` of an earlier page of the same listing")


_PLACES: Mapping[Order, Callable[[Memory], OrderKey]] = MappingProxyType(
    {
        "written": lambda memory: micros(memory.created_at),
        "used": lambda memory: last_used(memory.use),
        "importance": lambda memory: memory.importance,
        "kind": lambda memory: KINDS.index(memory.kind),
        "tier": lambda memory: TIERS.index(memory.tier),
        "trust": lambda memory: TRUSTS.index(memory.trust),
        "scope": lambda memory: memory.scope,
        "session": lambda memory: memory.source.session or "",
        "chance": lambda memory: by_chance(memory.id),
    }
)
_Whole, _Name = tuple[Order, bool, _Created, _Created, str], tuple[Order, bool, str, _Created, str]
_CURSORS: Mapping[Order, Any] = MappingProxyType(
    {
        **dict.fromkeys(("written", "used", "kind", "tier", "trust", "chance"), _Whole),
        **dict.fromkeys(("scope", "session"), _Name),
        "importance": tuple[Order, bool, float, _Created, str],
    }
)
