"""A search by words and meaning: Cued's recall without its floor, or the plain similarity that a configuration asks for."""

import math
from collections.abc import Callable
from functools import partial

from cued.handles.tenant import Tenant
from cued.integrations.langgraph.indexing import Distance, Index
from cued.integrations.langgraph.items import PART_OF, Kept
from cued.integrations.searching import best
from cued.model import Memory, Recall
from cued.policy.presets import preset

Shown = Callable[[Memory], Kept | None]
Asked = Callable[[int, Shown], list[tuple[Kept, float | None]]]


def ranked(tenant: Tenant, query: str, *, tag: str | None, index: Index, floor: float | None) -> Asked:
    """A search of one tenant: asked for so many items that are to be shown, it gives the best of them, each once with its score."""
    policy = tenant.policy if index.distance is None else preset("dense")
    tags = (tag,) if tag else ()

    def search(wanted: int, shown: Shown) -> list[tuple[Kept, float | None]]:
        keep = partial(_items, tenant=tenant, index=index, shown=shown)
        return best(tenant, query, keep, wanted=wanted, policy=policy, least=floor, tags=tags)

    return search


def _items(recall: Recall, *, tenant: Tenant, index: Index, shown: Shown) -> list[tuple[Kept, float | None]]:
    """Each item that is to be shown, once, with the score of its best text; a further text of an item stands for the item."""
    rows = {memory_id: row for row, memory_id in enumerate(recall.trace.ids)}
    found: dict[str, tuple[Kept, float | None]] = {}
    for each in recall:
        first = str(each.memory.source.meta.get(PART_OF, each.id))
        item = None if first in found else shown(each.memory if first == each.id else tenant.get(first))
        if item is not None:
            cosine = float(recall.trace.columns["cosine"][rows[each.id]])
            found[first] = item, each.relevance if index.distance is None else _similarity(cosine, index.distance)
    return list(found.values())


def _similarity(cosine: float, distance: Distance) -> float:
    """A cosine as the similarity that was asked for; vectors have unit length, so that all three order alike."""
    return -math.sqrt(max(0.0, 2.0 - 2.0 * cosine)) if distance == "l2" else cosine
