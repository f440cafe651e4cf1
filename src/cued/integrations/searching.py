"""What adapters ask of a tenant beyond its verbs: every memory of a listing, and a recall that ranks and leaves nothing out."""

from collections.abc import Iterator
from typing import Unpack

from msgspec.structs import replace

from cued.handles.tenant import Tenant
from cued.model import GLOBAL, Memory
from cued.policy.spec import Diversify, Floor, Policy, Rerank
from cued.requests.keywords import Wanted
from cued.requests.listing import MAX_PAGE

MOST = 10_000
"""How many memories one search may rank."""


def every(tenant: Tenant, **wanted: Unpack[Wanted]) -> Iterator[Memory]:
    """All memories of a listing, page by page, the newest first."""
    wanted["limit"] = MAX_PAGE
    while True:
        page = tenant.list(**wanted)
        yield from page
        if page.next is None:
            return
        wanted["after"] = page.next


def holds(memory: Memory) -> bool:
    """Whether nobody has forgotten a memory or let another take its place; an expired one still holds."""
    return memory.forgotten_at is None and all(each.lifted_at is not None for each in memory.superseded if each.scope is None)


def ranking(policy: Policy, limit: int, *, floor: float | None = None) -> Policy:
    """The policy as a plain search needs it: so many results, no floor unless one is given, and nothing collapsed or cut to a budget."""
    many = min(max(limit, 1), MOST)
    channels = policy.channels
    wide = {
        name: replace(channel, pool=max(channel.pool, min(3 * many, MOST)))
        for name in ("lexical", "dense")
        if (channel := getattr(channels, name)) is not None
    }
    return replace(
        policy,
        channels=replace(channels, **wide),
        floor=Floor(at=floor),
        diversify=Diversify(),
        rerank=policy.rerank if many <= _RERANKED else Rerank(),
        budget=replace(policy.budget, limit=many, limit_max=max(many, policy.budget.limit_max), tokens=None, window=None),
    )


def found(tenant: Tenant, query: str, *, limit: int, floor: float | None = None, scope: str = GLOBAL) -> list[tuple[Memory, float]]:
    """The best memories for a query with their relevance, the best first."""
    recall = tenant.recall(query, policy=ranking(tenant.policy, limit, floor=floor), scope=scope)
    return [(each.memory, each.relevance) for each in recall]


_RERANKED = 100
