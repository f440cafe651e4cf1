"""What is judged of a memory, in numbers: of one by itself, or of many as columns."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cued.model import DERIVED_FROM, KINDS, TIERS, TRUSTS, UNVERIFIED, Judged, Memory
from cued.stores.arrays import ALWAYS, NEVER, micros
from cued.stores.standing.felling import EVERYWHERE, Mark, mark_of

CORE = TIERS.index("core")
REFLECTION = KINDS.index("reflection")
FIRST_UNVERIFIED = min(TRUSTS.index(trust) for trust in UNVERIFIED)
"""The code of the most trusted of what nobody has vouched for; all that is more trusted has a lower one."""


class FactColumns(NamedTuple):
    """What is judged of many memories: a column for each of the fields of Judged."""

    scope: Sequence[str]
    kind: Sequence[int]
    tier: Sequence[int]
    trust: Sequence[int]
    quarantined: Sequence[int]
    created: Sequence[int]
    valid_from: Sequence[int]
    valid_until: Sequence[int]
    expires: Sequence[int]
    forgotten: Sequence[int]
    superseded: Sequence[int]
    marks: Sequence[tuple[Mark, ...]]
    sources: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, many: Iterable[Judged]) -> "FactColumns":
        """What is judged of at least one memory, as columns."""
        return cls._make(zip(*many, strict=True))


def judged(memory: Memory) -> Judged:
    """What the gates judge of a memory; of several supersessions that hold everywhere the earliest counts."""
    since, marks = _marks(memory) if memory.superseded else (NEVER, ())
    return Judged(
        scope=memory.scope,
        kind=KINDS.index(memory.kind),
        tier=TIERS.index(memory.tier),
        trust=TRUSTS.index(memory.trust),
        quarantined=int(memory.quarantined_at is not None),
        created=micros(memory.created_at),
        valid_from=ALWAYS if memory.valid_from is None else micros(memory.valid_from),
        valid_until=NEVER if memory.valid_until is None else micros(memory.valid_until),
        expires=NEVER if memory.expires_at is None else micros(memory.expires_at),
        forgotten=NEVER if memory.forgotten_at is None else micros(memory.forgotten_at),
        superseded=since,
        marks=marks,
        sources=sources_of(memory) if memory.edges else (),
    )


def bounded(memory: Memory) -> bool:
    """Whether anything was noted of a memory for which it may not stand at some time; what its sources do is not asked."""
    noted = memory.forgotten_at, memory.quarantined_at, memory.expires_at, memory.valid_from, memory.valid_until
    return bool(memory.superseded) or any(each is not None for each in noted)


def sources_of(memory: Memory) -> tuple[str, ...]:
    """What a reflection was derived from, by id; what other memories were makes no difference to any gate."""
    found = {edge.target for edge in memory.edges if edge.relation == DERIVED_FROM}
    return tuple(sorted(found)) if memory.kind == "reflection" else ()


def _marks(memory: Memory) -> tuple[int, tuple[Mark, ...]]:
    """Since when a memory is superseded everywhere, and the marks that this time cannot tell of."""
    marks = [mark_of(each) for each in memory.superseded]
    holding = [mark.since for mark in marks if mark.scope == EVERYWHERE and mark.until == NEVER]
    others = {mark for mark in marks if mark.since < mark.until and (mark.scope != EVERYWHERE or mark.until != NEVER)}
    return min(holding, default=NEVER), tuple(sorted(others))
