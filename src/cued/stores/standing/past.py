"""A memory as it was known at a time: what came later is taken away again.

What was changed in place (a text corrected by `update`, feedback's factor) is not kept, so it shows as it is now.
"""

from datetime import datetime

from msgspec.structs import replace

from cued.model import Memory, Supersession, Use
from cued.stores.standing.felling import everywhere


def as_known(memory: Memory, *, at: datetime) -> Memory:
    """The memory without supersessions and uses after `at`, and with the weight that it had before those."""
    faded = next((mark for mark in memory.superseded if mark.at > at and everywhere(mark)), None)
    return replace(
        memory,
        weight=memory.weight if faded is None else faded.weight_before,
        superseded=tuple(_mark(mark, at) for mark in memory.superseded if mark.at <= at),
        use=_use(memory.use, at),
    )


def _mark(mark: Supersession, at: datetime) -> Supersession:
    return mark if mark.lifted_at is None or mark.lifted_at <= at else replace(mark, lifted_at=None)


def _use(use: Use, at: datetime) -> Use:
    """The use as far as it is known to lie before `at`: of uses that were only counted, none is known to."""
    if use.last_at is None or use.last_at <= at:
        return use
    if use.previous_at is not None and use.previous_at <= at:
        return Use(last_at=use.previous_at, count=1.0, counted_at=use.previous_at, boost=use.boost)
    return Use(boost=use.boost)
