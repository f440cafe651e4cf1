"""What adapters ask of a tenant beyond its verbs: every memory of a listing, and a recall that ranks and leaves nothing out."""

from collections.abc import Callable, Iterator
from typing import TypeVar, Unpack

from msgspec.structs import replace

from cued.handles.tenant import Tenant
from cued.model import Memory, Recall
from cued.policy.spec import Diversify, Floor, Policy, Rerank
from cued.requests.checks import MAX_CUE
from cued.requests.keywords import RecallOptions, Wanted
from cued.requests.listing import MAX_PAGE

Kept = TypeVar("Kept")
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


def best(  # noqa: PLR0913 - a search has words, a size, a policy and two ways to narrow it
    tenant: Tenant,
    query: str,
    keep: Callable[[Recall], list[Kept]],
    *,
    wanted: int,
    policy: Policy,
    least: float | None = None,
    **where: Unpack[RecallOptions],
) -> list[Kept]:
    """The best that `keep` makes of a recall, at least as many as wanted where there are so many of `least` relevance.

    More memories are ranked until there are enough, for what is not kept may have taken most of the places.
    """
    many = min(max(_AT_FIRST * wanted, 1), MOST)
    while True:
        recall = tenant.recall(query[:MAX_CUE], policy=ranking(policy, many, floor=least), **where)
        kept = keep(recall)
        if len(kept) >= wanted or len(recall) < many or many == MOST:
            return kept
        many = min(4 * many, MOST)


_AT_FIRST = 3
_RERANKED = 100
