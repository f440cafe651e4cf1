"""Cooling: memories that are old, unimportant and not recalled are listed for whoever decides; nothing here removes any."""

import math
from datetime import datetime, timedelta

from msgspec import Struct

from cued.errors import InputError
from cued.model import Filter, Memory
from cued.ports import Store
from cued.requests.upkeep import IMPORTANCE_BELOW, OLDER_THAN
from cued.text.durations import parse_duration
from cued.upkeep.pages import listed, supporting

_AGE = parse_duration(OLDER_THAN)


class Cool(Struct, frozen=True, kw_only=True):
    """A memory that could go, why, and how cool it is, from 0 to 1."""

    memory: Memory
    reason: str
    coolness: float


def cool(
    tenant: str,
    store: Store,
    *,
    at: datetime,
    older_than: timedelta = _AGE,
    importance_below: float = IMPORTANCE_BELOW,
) -> tuple[Cool, ...]:
    """The visible memories that are older than this, not recalled for as long and less important than that, coolest first.

    Core memories are never listed, nor is what a visible reflection was derived from.
    """
    if older_than <= timedelta(0):
        raise InputError("older_than", older_than, "a positive duration")
    if isinstance(importance_below, bool) or not isinstance(importance_below, int | float) or not 0 <= importance_below <= 1:
        raise InputError("importance_below", importance_below, "a number from 0 to 1")
    before = at - older_than
    found = [memory for memory in listed(tenant, store, Filter(until=before), at=at) if _is_cool(memory, before, importance_below)]
    needed = supporting(tenant, store, [memory.id for memory in found], at=at)
    listed_cool = [_cool(memory, at, older_than) for memory in found if memory.id not in needed]
    return tuple(sorted(listed_cool, key=lambda each: (-each.coolness, each.memory.id)))


def coolness(memory: Memory, *, at: datetime, half: timedelta = _AGE) -> float:
    """(1 − importance) · (1 − 2^(−idle/half)), idle since storing or last recall, importance with feedback's factor; in [0, 1)."""
    idle = max(0.0, (at - (memory.use.last_at or memory.created_at)) / half)
    return (1.0 - _importance(memory)) * (1.0 - math.exp2(-idle))


def _is_cool(memory: Memory, before: datetime, importance_below: float) -> bool:
    last = memory.use.last_at
    return memory.tier != "core" and _importance(memory) < importance_below and (last is None or last < before)


def _cool(memory: Memory, at: datetime, half: timedelta) -> Cool:
    used = memory.use.last_at
    recalled = "never recalled" if used is None else f"last recalled {(at - used).days} days ago"
    reason = f"{recalled}, {(at - memory.created_at).days} days old, importance {_importance(memory):.2f}"
    return Cool(memory=memory, reason=reason, coolness=coolness(memory, at=at, half=half))


def _importance(memory: Memory) -> float:
    return min(1.0, memory.importance * memory.use.boost)
