"""What adapters need beyond a tenant's verbs: every memory of a listing, and a search that only ranks.

The tenant may be on a server. Then the server's policy decides, and recalled memories, which come in brief, are fetched whole.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar, Unpack

from msgspec.structs import replace

from cued.errors import NotFoundError
from cued.handles.tenant import Tenant
from cued.model import MERGED, Edge, Memory, Recall, Recalled
from cued.policy.presets import preset
from cued.policy.spec import Diversify, Floor, Policy, Rerank
from cued.requests.checks import MAX_CUE
from cued.requests.keywords import RecallOptions, Wanted
from cued.requests.listing import MAX_PAGE

Kept = TypeVar("Kept")
MOST = 10_000
"""How many memories one search may rank."""


def every(tenant: Tenant, *, first: int = MAX_PAGE, **wanted: Unpack[Wanted]) -> Iterator[Memory]:
    """All memories of a listing, page by page, the newest first; the first page may be a smaller one."""
    wanted["limit"] = min(max(first, 1), MAX_PAGE)
    while True:
        page = tenant.list(**wanted)
        yield from page
        if page.next is None:
            return
        wanted["after"], wanted["limit"] = page.next, MAX_PAGE


def stored(tenant: Tenant, memory_id: str) -> Memory | None:
    """The memory of this id; None where there is none."""
    try:
        return tenant.get(memory_id)
    except NotFoundError:
        return None


def whole(tenant: Tenant, memory: Memory) -> Memory:
    """The memory with everything that is kept of it."""
    return tenant.get(memory.id) if tenant.remote else memory


def holds(memory: Memory) -> bool:
    """Whether a memory is neither forgotten nor superseded; an expired one still holds."""
    return memory.forgotten_at is None and all(each.lifted_at is not None for each in memory.superseded if each.scope is None)


def stays(tenant: Tenant, memory: Memory) -> bool:
    """Whether a memory that a program stored under its own id still exists for it, as one that upkeep has merged into another does."""
    return memory.forgotten_at is None and all(
        each.lifted_at is not None or _merged(tenant, each.by, memory.id) for each in memory.superseded if each.scope is None
    )


def stands_alone(memory: Memory) -> bool:
    """Whether a change of a memory shows in recalls and affects no other: it holds, and upkeep has merged none into it."""
    return holds(memory) and all(edge.relation != MERGED for edge in memory.edges)


def recalled(tenant: Tenant, query: str, **asked: Unpack[RecallOptions]) -> Iterator[Recalled]:
    """What a query brings to mind, as far as a cue goes, each memory whole; nothing without words."""
    for each in tenant.recall(query[:MAX_CUE], **asked) if query.strip() else ():
        yield replace(each, memory=whole(tenant, each.memory))


def ranking(policy: Policy, limit: int, *, floor: float | None) -> Policy:
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
    policy: str | None = None,
    least: float | None = None,
    **where: Unpack[RecallOptions],
) -> list[Kept]:
    """The best results that `keep` selects from a recall, as many as wanted if there are so many of `least` relevance.

    More memories are ranked until there are enough, because most of the first ones may be dropped by `keep`. `policy` is a preset, None
    for the tenant's usual one.
    """
    most = _SERVED if tenant.remote else MOST
    many = min(max(_AT_FIRST * wanted, 1), most)
    while True:
        recall = _ranked(tenant, query[:MAX_CUE], policy, many, least, where)
        kept = keep(recall)
        if len(kept) >= wanted or len(recall) < many or many == most:
            return kept
        many = min(4 * many, most)


def _ranked(  # noqa: PLR0913, PLR0917 - what `best` is asked for
    tenant: Tenant, query: str, policy: str | None, many: int, least: float | None, where: RecallOptions
) -> Recall:
    if not tenant.remote:
        usual = tenant.policy if policy is None else preset(policy)
        return tenant.recall(query, policy=ranking(usual, many, floor=least), **where)
    asked: RecallOptions = {**where, "limit": many, "floor": least or 0.0, "budget_tokens": _ALL_TOKENS}
    recall = tenant.recall(query, policy=policy, **asked)
    # What repeats another counts by itself here, as it does under a ranking.
    spread = [replace(each, memory=tenant.get(known)) for each in recall for known in (each.id, *each.duplicates)]
    return replace(recall, memories=tuple(spread))


def _merged(tenant: Tenant, newer: str, older: str) -> bool:
    memory = stored(tenant, newer)
    return memory is not None and Edge(MERGED, older) in memory.edges


_AT_FIRST = 3
_RERANKED = 100
_SERVED = 100
_ALL_TOKENS = 1_000_000
