"""Which memories a listing shows, and what a tenant holds, counted the plain way."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from cued.model import Filter, Memory, Scalar, Stats
from cued.standing.marks import everywhere


def wanted_by(memory: Memory, wanted: Filter, *, at: datetime) -> bool:
    """Tell whether a listing with this filter shows the memory."""
    shown = wanted.hidden or not (memory.forgotten_at is not None or _superseded(memory) or _expired(memory, at))
    return (
        shown
        and wanted.scope in (None, memory.scope)
        and wanted.session in (None, memory.source.session)
        and (not wanted.kinds or memory.kind in wanted.kinds)
        and (not wanted.tiers or memory.tier in wanted.tiers)
        and set(wanted.tags) <= set(memory.tags)
        and has_meta(memory.source.meta, wanted.meta)
        and (wanted.since is None or wanted.since <= memory.created_at)
        and (wanted.until is None or memory.created_at < wanted.until)
    )


def has_meta(held: Mapping[str, Scalar], wanted: Mapping[str, Scalar]) -> bool:
    """Whether a memory's own facts have all the wanted ones; true is not 1, and 7 is 7.0."""
    return all(
        name in held and held[name] == value and isinstance(held[name], bool) is isinstance(value, bool) for name, value in wanted.items()
    )


def counted(memories: Sequence[Memory], *, at: datetime) -> Stats:
    """Count these memories; the `by_…` counts are over all of them."""
    times = [memory.created_at for memory in memories]
    return Stats(
        memories=len(memories),
        visible=sum(wanted_by(memory, Filter(), at=at) for memory in memories),
        forgotten=sum(memory.forgotten_at is not None for memory in memories),
        superseded=sum(_superseded(memory) for memory in memories),
        expired=sum(_expired(memory, at) for memory in memories),
        pending_vectors=sum(memory.fingerprint is None for memory in memories),
        by_kind=_counts(memory.kind for memory in memories),
        by_tier=_counts(memory.tier for memory in memories),
        by_scope=_counts(memory.scope for memory in memories),
        by_tag=_counts(tag for memory in memories for tag in set(memory.tags)),
        by_fingerprint=_counts(memory.fingerprint for memory in memories if memory.fingerprint is not None),
        oldest_at=min(times, default=None),
        newest_at=max(times, default=None),
    )


def _superseded(memory: Memory) -> bool:
    return any(map(everywhere, memory.superseded))


def _expired(memory: Memory, at: datetime) -> bool:
    return memory.expires_at is not None and memory.expires_at <= at


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
