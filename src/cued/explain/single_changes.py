"""What would it take: every single change of a policy by which a memory would have come back, the smallest first."""

import math
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from cued.engine import decide
from cued.engine.narrowing import narrowed
from cued.flow.floor import FLOOR_COLUMNS
from cued.model import CHANNELS, Evidence, Recall
from cued.policy.adjust import slower
from cued.policy.spec import Policy

_FLOOR_STEP = 0.05
_HALF_DOUBLING = 0.5
_SWITCH = 5.0
_DOUBLINGS = (0.5, 1.0, 2.0, 3.0)
_WEIGHT = 100.0
_LONG = 4_000
_READ = 600_000
"""How many characters of long texts are read for all the tries together: each reads the cue and the candidates once more."""
_FEWEST = 2


class Change(Struct, frozen=True, kw_only=True):
    """One setting, from what it is to what would do, and how far that is in small steps.

    A step is 0.05 of a floor, one more place, or half a doubling of a weight; to switch something on or off counts as five.
    """

    setting: str
    before: str
    after: str
    steps: float


def single_changes(evidence: Evidence, policy: Policy, memory_id: str, *, decided: Recall | None = None) -> tuple[Change, ...]:
    """The single changes that would have brought this candidate back, the smallest first; none for one that came back.

    `decided` is what the policy makes of the evidence, where that is known. Where texts of many thousand characters were found, only the
    smallest changes are tried.
    """
    recall = decided or decide(evidence, policy)
    if memory_id not in recall.trace.ids or _came(recall, memory_id):
        return ()
    tries = sorted(_tries(evidence, policy, recall, memory_id), key=lambda each: (each[0].steps, each[0].setting))
    enough = [change for change, other in tries[: _affordable(evidence)] if _came(_again(evidence, other), memory_id)]
    least: dict[str, Change] = {}
    for change in enough:
        least.setdefault(change.setting, change)
    return tuple(least.values())


def _affordable(evidence: Evidence) -> int | None:
    """How many changes may be tried; all of them where no text is long."""
    cue, texts = evidence.cue, [memory.text for memory in evidence.findings.memories]
    long = sum(max(0, len(text) - _LONG) for text in (cue.utterance, cue.goal, cue.step, cue.conversation, *texts))
    return max(_FEWEST, _READ // long) if long else None


def _again(evidence: Evidence, policy: Policy) -> Recall:
    return decide(narrowed(evidence, policy), policy)


def _came(recall: Recall, memory_id: str) -> bool:
    return any(each.id == memory_id for each in (*recall, *recall.core))


def _tries(evidence: Evidence, policy: Policy, recall: Recall, memory_id: str) -> Iterator[tuple[Change, Policy]]:
    row = recall.trace.ids.index(memory_id)
    column = recall.trace.columns.get(FLOOR_COLUMNS[policy.floor.on])
    if policy.floor.at is not None and column is not None and column[row] < policy.floor.at:
        yield _floor(policy, float(column[row]))
    yield from _channels(policy)
    if policy.floor.on != "score" and recall.trace.stages[row] == "floor":
        # What is not relevant enough becomes so by no place, weight or half-life: those come after the floor.
        return
    yield from _room(evidence, policy, memory_id)
    yield from _switches(policy)
    yield from _weights(policy)
    yield from _fading(policy)


def _floor(policy: Policy, reached: float) -> tuple[Change, Policy]:
    at, old = math.floor(reached * 1000) / 1000, policy.floor.at or 0.0
    change = Change(setting="floor.at", before=f"{old:g}", after=f"{at:g}", steps=(old - at) / _FLOOR_STEP)
    return change, replace(policy, floor=replace(policy.floor, at=at))


def _room(evidence: Evidence, policy: Policy, memory_id: str) -> Iterator[tuple[Change, Policy]]:
    budget = policy.budget
    roomy = replace(policy, budget=replace(budget, limit=max(budget.limit, budget.limit_max)))
    rank = next((each.rank for each in _again(evidence, roomy) if each.id == memory_id), None)
    if rank is not None and rank > budget.limit:
        change = Change(setting="budget.limit", before=str(budget.limit), after=str(rank), steps=rank - budget.limit)
        yield change, replace(policy, budget=replace(budget, limit=rank))
    for name in ("tokens", "window"):
        held = getattr(budget, name)
        if held is not None:
            for doublings in _DOUBLINGS:
                more = round(held * 2**doublings)
                change = Change(setting=f"budget.{name}", before=str(held), after=str(more), steps=doublings / _HALF_DOUBLING)
                yield change, replace(policy, budget=replace(budget, **{name: more}))


def _switches(policy: Policy) -> Iterator[tuple[Change, Policy]]:
    if policy.diversify.collapse <= 1.0:
        off = replace(policy, diversify=replace(policy.diversify, collapse=2.0))
        yield Change(setting="diversify.collapse", before=f"{policy.diversify.collapse:g}", after="2", steps=_SWITCH), off
    if policy.diversify.trade < 1.0:
        off = replace(policy, diversify=replace(policy.diversify, trade=1.0))
        yield Change(setting="diversify.trade", before=f"{policy.diversify.trade:g}", after="1", steps=_SWITCH), off
    if policy.score.decay:
        off = replace(policy, score=replace(policy.score, decay=False))
        yield Change(setting="score.decay", before="true", after="false", steps=_SWITCH), off
    if policy.score.renewal:
        off = replace(policy, score=replace(policy.score, renewal=False))
        yield Change(setting="score.renewal", before="true", after="false", steps=_SWITCH), off


def _channels(policy: Policy) -> Iterator[tuple[Change, Policy]]:
    opened = [name for name in CHANNELS if getattr(policy.channels, name) is not None]
    for name in opened if len(opened) > 1 else ():
        shut = replace(policy, channels=replace(policy.channels, **{name: None}))
        yield Change(setting=f"channels.{name}", before="open", after="shut", steps=_SWITCH), shut


def _weights(policy: Policy) -> Iterator[tuple[Change, Policy]]:
    terms = policy.score.terms
    for place, term in enumerate(terms):
        for doublings in (*_DOUBLINGS, *(-each for each in _DOUBLINGS)):
            weight = term.weight * 2**doublings
            if term.weight and abs(weight) <= _WEIGHT and policy.score.combine == "sum":
                change = Change(
                    setting=f"weight of {term.name or term.signal or place}",
                    before=f"{term.weight:g}",
                    after=f"{weight:.3g}",
                    steps=abs(doublings) / _HALF_DOUBLING,
                )
                changed = (*terms[:place], replace(term, weight=weight), *terms[place + 1 :])
                yield change, replace(policy, score=replace(policy.score, terms=changed))


def _fading(policy: Policy) -> Iterator[tuple[Change, Policy]]:
    for doublings in (*_DOUBLINGS, *(-each for each in _DOUBLINGS)):
        terms = tuple(slower(term, 2**doublings) for term in policy.score.terms)
        if terms != policy.score.terms:
            change = Change(setting="half-life", before="×1", after=f"×{2**doublings:.3g}", steps=abs(doublings) / _HALF_DOUBLING)
            yield change, replace(policy, score=replace(policy.score, terms=terms))
