"""Random histories of beliefs: what is done one hour after the other, and what is left when the undone and the erased drop out."""

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Literal, NamedTuple

from msgspec.structs import replace

from cued.conformance.samples import HOUR, NAMES, NOW, WORDS, record
from cued.model import DERIVED_FROM, GLOBAL, Edge, Memory, Record
from cued.ports import Store

Verb = Literal["remember", "revise", "forget", "restore", "erase"]

_OFTEN: dict[Verb, int] = {"remember": 3, "revise": 3, "forget": 3, "restore": 2, "erase": 1}
_VERBS = [verb for verb, times in _OFTEN.items() for _ in range(times)]


class Step(NamedTuple):
    """One thing done to one memory; `record` has it as it is afterwards."""

    verb: Verb
    record: Record

    @property
    def id(self) -> str:
        """Give the memory's id."""
        return self.record.memory.id


def hour(number: int) -> datetime:
    """Give the time of a history's step."""
    return NOW + number * HOUR


def random_history(random: Random) -> list[Step]:
    """Give up to thirty steps that a store accepts one after the other.

    A memory supersedes only what was there before it, so there are no circles, and none lets go of anything while it is forgotten.
    """
    steps, held = list[Step](), dict[str, Record]()
    for number in range(random.randint(1, 30)):
        steps.append(_step(random.choice(_VERBS), number, held, random))
        held[steps[-1].id] = steps[-1].record
        if steps[-1].verb == "erase":
            del held[steps[-1].id]
    return steps


def what_is_left(steps: Sequence[Step]) -> list[Step | None]:
    """Give the history as if what was restored had not been forgotten and what was erased had never been; None for what drops out."""
    erased = {step.id for step in steps if step.verb == "erase"}
    left: list[Step | None] = []
    forgotten: dict[str, int] = {}
    for step in steps:
        left.append(None if step.id in erased else Step(step.verb, without(step.record, erased)))
        if step.verb == "forget":
            forgotten[step.id] = len(left) - 1
        elif step.verb == "restore":
            left[-1] = left[forgotten[step.id]] = None
    return left


def without(one: Record, ids: set[str]) -> Record:
    """Give the record superseding none of these."""
    return replace(one, memory=replace(one.memory, supersedes=tuple(old for old in one.memory.supersedes if old not in ids)))


def take(store: Store, tenant: str, step: Step, *, at: datetime) -> None:
    """Do one step in a tenant of a store."""
    memory = replace(step.record.memory, tenant=tenant)

    def superseding(now: Memory) -> Record:
        return replace(step.record, memory=replace(now, supersedes=memory.supersedes))

    match step.verb:
        case "remember":
            store.remember(tenant, [replace(step.record, memory=memory)])
        case "revise":
            store.revise(tenant, [step.id], superseding, at=at)
        case "forget":
            store.forget(tenant, [step.id], at=at)
        case "restore":
            store.restore(tenant, [step.id])
        case "erase":
            store.erase(tenant, [step.id])


def _step(verb: Verb, number: int, held: dict[str, Record], random: Random) -> Step:
    wanted = {"forget": False, "restore": True}
    ids = [each for each, one in held.items() if wanted.get(verb) in (None, one.memory.forgotten_at is not None)]
    if verb == "remember" or not ids:
        new = _remembered(number, list(held), random)
        return Step("remember", replace(new, memory=replace(new.memory, supersedes=_older(new.memory, held, random))))
    one = held[random.choice(ids)]
    if verb == "revise":
        older = _older(one.memory, held, random)
        kept = one.memory.supersedes if one.memory.forgotten_at is not None or random.random() < 0.3 else ()
        return Step(verb, replace(one, memory=replace(one.memory, supersedes=tuple(dict.fromkeys((*kept, *older))))))
    if verb == "erase":
        return Step(verb, one)
    return Step(verb, replace(one, memory=replace(one.memory, forgotten_at=hour(number) if verb == "forget" else None)))


def _remembered(number: int, ids: list[str], random: Random) -> Record:
    sources = tuple(Edge(DERIVED_FROM, source) for source in random.sample(ids, min(len(ids), random.randint(1, 2))))
    return record(
        "t",
        f"m{number:02}",
        " ".join(random.choices(WORDS, k=3)),
        created_at=hour(number),
        scope=random.choice([GLOBAL, GLOBAL, "p"]),
        weight=random.choice([1.0, 0.75, 0.5]),
        entities=tuple(random.sample(NAMES, random.randint(0, 2))),
        **random.choice([{}, {}, {"kind": "reflection", "edges": sources}]),
    )


def _older(memory: Memory, held: dict[str, Record], random: Random) -> tuple[str, ...]:
    fitting = [
        old.memory.id
        for old in held.values()
        if old.memory.id < memory.id and (memory.scope in (GLOBAL, old.memory.scope) or old.memory.scope == GLOBAL)
    ]
    return tuple(random.sample(fitting, min(len(fitting), random.choice([0, 1, 1, 2]))))
