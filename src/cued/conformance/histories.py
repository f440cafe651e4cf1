"""Random histories of beliefs: what is done one hour after the other, and what is left when the undone and the erased drop out.

What an erased memory claimed passes to those that claimed it, since both claims were there.
"""

from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Literal, NamedTuple

from msgspec.structs import replace

from cued.conformance.samples import HOUR, NAMES, NOW, WORDS, record, revision
from cued.model import DERIVED_FROM, GLOBAL, Edge, Memory, Record
from cued.ports import Store

Verb = Literal["remember", "revise", "forget", "restore", "erase"]

_OFTEN: dict[Verb, int] = {"remember": 3, "revise": 3, "forget": 3, "restore": 2, "erase": 1}
_VERBS = [verb for verb, times in _OFTEN.items() for _ in range(times)]


class Claim(NamedTuple):
    """That a memory supersedes another since a step, everywhere (scope None) or in one project."""

    newer: str
    older: str
    since: int
    scope: str | None


class Step(NamedTuple):
    """One thing done to one memory; `record` has it as it is afterwards, and `passed` the claims that others get by its erasure."""

    verb: Verb
    record: Record
    passed: tuple[Claim, ...] = ()

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.record.memory.id


def hour(number: int) -> datetime:
    """The time of a history's step."""
    return NOW + number * HOUR


def random_history(random: Random) -> list[Step]:
    """Up to thirty steps that a store accepts one after the other.

    A memory supersedes only what was there before it, so there are no circles, and none lets go of anything while it is forgotten.
    """
    steps, held, claims = list[Step](), dict[str, Record](), dict[tuple[str, str], Claim]()
    for number in range(random.randint(1, 30)):
        step = _step(random.choice(_VERBS), number, held, random)
        passed = _passing(step.id, held, claims) if step.verb == "erase" else ()
        if not all(claim.scope == _scope(held[claim.newer], held[claim.older]) for claim in passed):
            # No history without the erased one could have brought this claim about: something else is done.
            step, passed = _step("remember", number, held, random), ()
        step = step._replace(passed=passed)
        if step.verb == "erase":
            _erase(step, held, claims)
        else:
            held[step.id] = step.record
            _note(step, number, held, claims)
        steps.append(step)
    return steps


def what_is_left(steps: Sequence[Step]) -> list[list[Step]]:
    """What is left of each step, as if what was restored had not been forgotten and what was erased had never been.

    What an erased memory claimed was then claimed by those that claimed it.
    """
    left: list[list[Step]] = []
    forgotten: dict[str, int] = {}
    for step in steps:
        left.append([step])
        if step.verb == "forget":
            forgotten[step.id] = len(left) - 1
        elif step.verb == "restore":
            left[-1], left[forgotten[step.id]] = [], []
        elif step.verb == "erase":
            for claim in step.passed:
                _pass_on(claim, left)
            left = [[each for each in some if each.id != step.id] for some in left]
    erased = {step.id for step in steps if step.verb == "erase"}
    return [[each._replace(record=without(each.record, erased)) for each in some] for some in left]


def without(one: Record, ids: set[str]) -> Record:
    """The record, superseding none of these."""
    return replace(one, memory=replace(one.memory, supersedes=tuple(old for old in one.memory.supersedes if old not in ids)))


def claiming(one: Record, older: str) -> Record:
    """The record, superseding one more."""
    return replace(one, memory=replace(one.memory, supersedes=tuple(dict.fromkeys((*one.memory.supersedes, older)))))


def take(store: Store, tenant: str, step: Step, *, at: datetime) -> None:
    """Do one step in a tenant of a store."""
    memory = replace(step.record.memory, tenant=tenant)

    match step.verb:
        case "remember":
            store.remember(tenant, [replace(step.record, memory=memory)])
        case "revise":
            store.revise(tenant, [revision(step.id, supersedes=memory.supersedes)], at=at)
        case "forget":
            store.forget(tenant, [step.id], at=at)
        case "restore":
            store.restore(tenant, [step.id])
        case "erase":
            store.erase(tenant, [step.id])


def _scope(newer: Record, older: Record) -> str | None:
    return None if newer.memory.scope in (GLOBAL, older.memory.scope) else newer.memory.scope


def _note(step: Step, number: int, held: dict[str, Record], claims: dict[tuple[str, str], Claim]) -> None:
    """Note what a memory claims now: what it did before since then, and the rest since this step."""
    stated = [older for older in step.record.memory.supersedes if older in held]
    for pair in [pair for pair in claims if pair[0] == step.id and pair[1] not in stated]:
        del claims[pair]
    for older in stated:
        claims.setdefault((step.id, older), Claim(step.id, older, number, _scope(step.record, held[older])))


def _passing(erased: str, held: dict[str, Record], claims: dict[tuple[str, str], Claim]) -> tuple[Claim, ...]:
    """The claims that pass from a memory to those that claim it, unless they have as good a one already."""
    passed = []
    for above in [each for each in claims.values() if each.older == erased]:
        if above.scope is not None and held[erased].memory.forgotten_at is not None:
            continue
        for below in [each for each in claims.values() if each.newer == erased]:
            place = held[below.older].memory.scope
            scopes = {above.scope, below.scope} - {None, place}
            if scopes and (len(scopes) > 1 or place != GLOBAL):
                continue
            joint = Claim(above.newer, below.older, max(above.since, below.since), next(iter(scopes), None))
            known = claims.get((joint.newer, joint.older))
            if known is None or (joint.scope is not None, joint.since) < (known.scope is not None, known.since):
                passed.append(joint)
    return tuple(passed)


def _erase(step: Step, held: dict[str, Record], claims: dict[tuple[str, str], Claim]) -> None:
    del held[step.id]
    held.update({memory_id: without(one, {step.id}) for memory_id, one in held.items() if step.id in one.memory.supersedes})
    for pair in [pair for pair in claims if step.id in pair]:
        del claims[pair]
    for claim in step.passed:
        claims[claim.newer, claim.older] = claim
        held[claim.newer] = claiming(held[claim.newer], claim.older)


def _pass_on(claim: Claim, left: list[list[Step]]) -> None:
    """Let a memory make a claim from a step on, in what it did then or, where it did nothing, in a revision."""
    made: Record | None = None
    for number, some in enumerate(left):
        theirs = [place for place, each in enumerate(some) if each.id == claim.newer]
        for place in theirs:
            made = some[place].record
            if number >= claim.since:
                some[place] = some[place]._replace(record=claiming(made, claim.older))
        if number == claim.since and not theirs and made is not None:
            some.append(Step("revise", claiming(made, claim.older)))


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
