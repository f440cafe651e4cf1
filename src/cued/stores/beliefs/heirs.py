"""Who takes over what erased memories claim: those that claim them, at once or through others that are erased too.

Every memory and every claim is looked at a bounded number of times, however many ways lead from one to another: of all the ways to an
heir only the widest and first claim is kept, and a longer way is never wider or earlier than its part.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from cued.model import GLOBAL, NOBODY, Memory, Supersession
from cued.stores.beliefs.holding import claimed, holding
from cued.stores.beliefs.walks import closure, components, upward

Find = Callable[[str], Memory | None]
Inherited = dict[tuple[str, str | None], Supersession]
"""By heir and scope the first claim that the heir has there."""


class _Claim(NamedTuple):
    newer_id: str
    mark: Supersession


class Heirs:
    """The claims that pass to others when these memories are erased."""

    def __init__(self, find: Find, erased: Collection[str]) -> None:
        """Read who claims the erased ones, and what passes through each of them."""
        self._find, self._erased = find, erased
        self._claims = {memory_id: self._claims_on(memory) for memory_id in sorted(erased) if (memory := find(memory_id)) is not None}
        above = {memory_id: [each.newer_id for each in claims if each.newer_id in erased] for memory_id, claims in self._claims.items()}
        self._order, self._circular = upward(above)
        # Where what was adopted has a circle, none of it passes to whoever gives way itself.
        self._circle_of: Mapping[str, int] = {}
        self._inherited = self._passed_on()
        heirs = {by for inherited in self._inherited.values() for by, _ in inherited}
        if heirs:
            below = closure([each for each, inherited in self._inherited.items() if inherited], self._supersedes)
            if not heirs.isdisjoint(below):
                self._circle_of = components(below)
                self._inherited = self._passed_on()

    def of(self, old: Memory) -> list[Supersession]:
        """The claims on a memory that pass to others: the widest to each heir, and of those the first; to nobody, those of each scope."""
        best: dict[tuple[str, str | None], Supersession] = {}
        marks = frozenset(old.superseded)
        for mark in self._marks(old, self._claims_on(old)):
            heir = mark.by, (mark.scope if mark.by == NOBODY else None)
            known = best.get(heir, mark)
            best[heir] = min(known, mark, key=lambda each: (each.scope is not None, each.at, each.scope or "", each not in marks))
        return [mark for mark in best.values() if mark not in marks]

    def _passed_on(self) -> dict[str, Inherited]:
        """What passes through each erased memory: what its claimers claim of it, each after those above it."""
        inherited: dict[str, Inherited] = {memory_id: {} for memory_id in self._order}
        again = True
        while again:
            again = False
            for memory_id in self._order:
                memory = self._find(memory_id)
                if memory is not None and self._take(memory, inherited):
                    again = self._circular
        return inherited

    def _take(self, memory: Memory, inherited: Mapping[str, Inherited]) -> bool:
        # What a forgotten memory is superseded by in one project alone makes it hold nothing down.
        claims = [each for each in self._claims[memory.id] if memory.forgotten_at is None or each.mark.scope is None]
        mine, better = inherited[memory.id], False
        for mark in self._marks(memory, claims, inherited):
            known = mine.get((mark.by, mark.scope))
            if known is None or mark.at < known.at:
                mine[mark.by, mark.scope], better = mark, True
        return better

    def _marks(self, old: Memory, claims: Iterable[_Claim], inherited: Mapping[str, Inherited] | None = None) -> Iterable[Supersession]:
        """What those claim of a memory that are not erased, at once or through erased ones, each as the claim's first mark."""
        through = self._inherited if inherited is None else inherited
        for newer_id, mark in claims:
            if newer_id not in self._erased:
                yield mark
                continue
            for above in through[newer_id].values():
                joint = None if self._in_a_circle(old.id, above.by) else _joint(old, mark, above)
                if joint is not None:
                    yield joint

    def _claims_on(self, old: Memory) -> list[_Claim]:
        """Who claims a memory now, each with the first mark of the claim."""
        marks: defaultdict[str, list[Supersession]] = defaultdict(list)
        for mark in old.superseded:
            marks[mark.by].append(mark)
        by_nobody = [_Claim(NOBODY, mark) for mark in marks.pop(NOBODY, ())]
        newer = ((self._find(newer_id), each) for newer_id, each in marks.items())
        claims = [_Claim(new.id, claimed(each, holding(new))[0]) for new, each in newer if new is not None and old.id in new.supersedes]
        return claims + by_nobody

    def _supersedes(self, memory_id: str) -> tuple[str, ...]:
        memory = self._find(memory_id)
        return () if memory is None else memory.supersedes

    def _in_a_circle(self, old_id: str, heir_id: str) -> bool:
        circle = self._circle_of.get(old_id)
        return circle is not None and circle == self._circle_of.get(heir_id)


def _joint(old: Memory, mark: Supersession, above: Supersession) -> Supersession | None:
    """The claim on a memory that a mark on it and one on the marking memory make together, None where no scope has both."""
    scopes = {mark.scope, above.scope} - {None, old.scope}
    if scopes and (len(scopes) > 1 or old.scope != GLOBAL):
        return None
    return replace(mark, by=above.by, at=max(mark.at, above.at), scope=next(iter(scopes), None), lifted_at=None)
