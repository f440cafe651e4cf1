"""The two searches of a tenant: by words and meaning, and without a query, the latest put first."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import partial

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.integrations.langgraph.indexing import Distance, IndexedFields
from cued.integrations.langgraph.items import AGAIN, PART_OF, Kept
from cued.integrations.searching import best, every, stays
from cued.model import Memory, Recall

Shown = Callable[[Memory], Kept | None]
Ranked = Callable[[int, Shown], list[tuple[Kept, float | None]]]
Newest = Callable[[int, Shown], list[tuple[datetime, Kept]]]
_FIRST = 50


def ranked(tenant: Tenant, query: str, *, tag: str | None, index: IndexedFields, floor: float | None) -> Ranked:
    """A search by Cued's recall without its floor, or by the plain similarity that a configuration asks for.

    The search takes how many items to show, and gives the best of them, each once, with its score.
    """
    if tenant.remote and index.distance is not None:
        raise InputError("distance_type", index.distance, "nothing through a server, which scores by relevance")
    policy = None if index.distance is None else "dense"

    def search(wanted: int, shown: Shown) -> list[tuple[Kept, float | None]]:
        keep = partial(_items, tenant=tenant, index=index, shown=shown)
        return best(tenant, query, keep, wanted=wanted, policy=policy, least=floor, tags=(tag,) if tag else ())

    return search


def newest(tenant: Tenant, *, tag: str | None) -> Newest:
    """A listing by when an item was last put, with that time.

    Memories are listed by creation, which is when an item was put, except for items that were put again: all of those are read, and of the
    others only as many as are asked for.
    """
    tags = (tag,) if tag else ()

    def search(wanted: int, shown: Shown) -> list[tuple[datetime, Kept]]:
        again = (shown(memory) for memory in every(tenant, tags=(*tags, AGAIN), hidden=True) if stays(tenant, memory))
        moved = [(item.updated_at, item) for item in again if item is not None]
        found: list[tuple[datetime, Kept]] = []
        for memory in every(tenant, first=max(wanted, _FIRST), tags=tags, hidden=True):
            if len(found) >= wanted:
                break
            item = shown(memory) if AGAIN not in memory.tags and stays(tenant, memory) else None
            if item is not None:
                found.append((memory.created_at, item))
        return moved + found

    return search


def _items(recall: Recall, *, tenant: Tenant, index: IndexedFields, shown: Shown) -> list[tuple[Kept, float | None]]:
    """Each item to show, once, with the score of its best text."""
    rows = {memory_id: row for row, memory_id in enumerate(recall.trace.ids)}
    found: dict[str, tuple[Kept, float | None]] = {}
    for each in recall:
        first = str(each.memory.source.meta.get(PART_OF, each.id))
        item = None if first in found else shown(each.memory if first == each.id else tenant.get(first))
        if item is not None:
            score = each.relevance if index.distance is None else _similarity(recall, rows[each.id], index.distance)
            found[first] = item, score
    return list(found.values())


def _similarity(recall: Recall, row: int, distance: Distance) -> float:
    """The similarity that was asked for; vectors have unit length, so all three give the same order."""
    cosine = float(recall.trace.columns["cosine"][row])
    return -math.sqrt(max(0.0, 2.0 - 2.0 * cosine)) if distance == "l2" else cosine
