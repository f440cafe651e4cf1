"""A search by words and meaning: Cued's recall without its floor, or the plain similarity that a configuration asks for."""

import math
from collections.abc import Callable, Iterator

from cued.handles.tenant import Tenant
from cued.integrations.langgraph.indexing import Distance, Index
from cued.integrations.langgraph.items import PART_OF, Kept
from cued.integrations.searching import MOST, ranking
from cued.model import Memory, Recall
from cued.policy.presets import preset
from cued.requests.checks import MAX_CUE

Shown = Callable[[Memory], Kept | None]
Asked = Callable[[int, Shown], list[tuple[Kept, float | None]]]
_AT_FIRST = 3


def ranked(tenant: Tenant, query: str, *, tag: str | None, index: Index, floor: float | None) -> Asked:
    """A search of one tenant: asked for so many items that are to be shown, it gives the best of them, each once with its score.

    More memories are ranked until there are enough, for a filter or an item of many texts may take most of the places.
    """
    usual = tenant.policy if index.distance is None else preset("dense")

    def search(wanted: int, shown: Shown) -> list[tuple[Kept, float | None]]:
        many = max(_AT_FIRST * wanted, 1)
        while True:
            many = min(many, MOST)
            recall = tenant.recall(query[:MAX_CUE], policy=ranking(usual, many, floor=floor), tags=(tag,) if tag else ())
            found = _best(_scored(recall, index.distance), tenant, shown)
            if len(found) >= wanted or len(recall) < many or many == MOST:
                return found
            many *= 4

    return search


def _scored(recall: Recall, distance: Distance | None) -> Iterator[tuple[Memory, float]]:
    rows = {memory_id: row for row, memory_id in enumerate(recall.trace.ids)}
    for each in recall:
        cosine = float(recall.trace.columns["cosine"][rows[each.id]])
        yield each.memory, each.relevance if distance is None else _similarity(cosine, distance)


def _best(scored: Iterator[tuple[Memory, float]], tenant: Tenant, shown: Shown) -> list[tuple[Kept, float | None]]:
    """Each item that is to be shown, once, with the score of its best text; a further text of an item stands for the item."""
    found: dict[str, tuple[Kept, float | None]] = {}
    for memory, score in scored:
        first = str(memory.source.meta.get(PART_OF, memory.id))
        if first not in found:
            item = shown(memory if first == memory.id else tenant.get(first))
            if item is not None:
                found[first] = item, score
    return list(found.values())


def _similarity(cosine: float, distance: Distance) -> float:
    """A cosine as the similarity that was asked for; vectors have unit length, so that all three order alike."""
    return -math.sqrt(max(0.0, 2.0 - 2.0 * cosine)) if distance == "l2" else cosine
