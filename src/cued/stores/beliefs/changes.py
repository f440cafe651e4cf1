"""How memories give way to newer ones: pure rules over memories, the same for every store.

The store lays Beliefs over its contents, asks for the change, and writes down `beliefs.changed`.

A memory claims what stands in its `supersedes`, from when that was written. It holds the claimed down while it is not forgotten; and
when it is, for as long as it is superseded everywhere itself: in a chain a ← b ← c, forgetting b does not bring a back beside c.
That is so at every moment, so the marks on the claimed one tell what held when. What a restored memory had been forgotten for, and
what an erased one had ever done, is as if it had not been; but what an erased one claims passes to those that claim it, each since
both claims were there and where both hold: erasing b from the same chain leaves a ← c.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from cued.errors import InputError, NotFoundError
from cued.model import GLOBAL, Memory, Supersession
from cued.stores.admission import superseding_scope
from cued.stores.beliefs.spans import BEGINNING, END, Span, Spans, cover, onward, united
from cued.stores.standing.marks import everywhere

FADED_WEIGHT = 0.1
LAPSED_KEPT = 32


class Beliefs:
    """A change in the making: what the store holds, overlaid with what has been changed so far."""

    def __init__(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> None:
        """Start with nothing changed; `fetch` reads those of the ids that are stored."""
        self._fetch = fetch
        self._stored: dict[str, Memory | None] = {}
        self._unsettled: dict[str, Spans] = {}
        self.changed: dict[str, Memory] = {}

    def prefetch(self, memory_ids: Iterable[str]) -> None:
        """Read what of these has not been read yet, all at once."""
        missing = [each for each in dict.fromkeys(memory_ids) if each not in self._stored and each not in self.changed]
        if missing:
            found = self._fetch(missing)
            self._stored.update((memory_id, found.get(memory_id)) for memory_id in missing)

    def find(self, memory_id: str) -> Memory | None:
        """A memory as changed so far, None when there is none."""
        self.prefetch((memory_id,))
        return self.changed.get(memory_id) or self._stored[memory_id]

    def get(self, memory_id: str) -> Memory:
        """A memory as changed so far; an unknown id is a NotFoundError."""
        found = self.find(memory_id)
        if found is None:
            raise NotFoundError(memory_id)
        return found

    def put(self, memory: Memory) -> None:
        """Lay a memory over the store's."""
        self.changed[memory.id] = memory

    def remember(self, memories: Iterable[Memory]) -> None:
        """Add new memories; whatever they supersede gives way, and must exist."""
        new = list(memories)
        for memory in new:
            self.put(memory)
        self.prefetch(old for memory in new for old in memory.supersedes)
        for memory in new:
            self._claim(memory.id, {self.get(old).id for old in memory.supersedes}, at=memory.created_at)

    def revise(self, old: Memory, new: Memory, *, at: datetime) -> None:
        """Replace a memory; what it supersedes now and did not before gives way as of `at`, and the reverse comes back.

        What it goes on to supersede from another scope gives way there, as of `at` too.
        """
        new = _faded_still(old, new)
        self.put(new)
        self.prefetch((*old.supersedes, *new.supersedes))
        moved = self._moved(old, new) if old.scope != new.scope else set()
        added = moved.union(self.get(memory_id).id for memory_id in new.supersedes if memory_id not in old.supersedes)
        for memory_id in sorted(moved.union(set(old.supersedes).difference(new.supersedes))):
            self._let_go(memory_id, new.id, at=at)
        self._settle(rising=False)
        self._claim(new.id, added, at=at)
        before, after = _holding(old), _holding(new)
        if before != after:
            self._unsettled[new.id] = before
            self._settle(rising=cover(after, before))

    def forget(self, memory_ids: Iterable[str], *, at: datetime) -> None:
        """Mark memories as forgotten; what they had superseded comes back, unless they were superseded themselves."""
        for memory in self._all(memory_ids):
            if memory.forgotten_at is None:
                self._hide(memory, at)
        self._settle(rising=False)

    def restore(self, memory_ids: Iterable[str]) -> None:
        """Take the mark off again, and with it what forgetting had undone."""
        for memory in self._all(memory_ids):
            if memory.forgotten_at is not None:
                self._hide(memory, None)
        self._settle(rising=True)

    def erase(self, memory_ids: Iterable[str], *, lapsed: Iterable[str]) -> set[str]:
        """Take away every mark that these memories have left; the answer is the ids to remove.

        `lapsed` are the ids of the memories that have a lifted mark: one of them may be by a memory that let go of it since.
        """
        erased = {memory.id for memory in self._all(memory_ids)}
        marked = {old for memory_id in erased for old in self.get(memory_id).supersedes}
        self.prefetch(marked.union(lapsed))
        left = {old_id: old for old_id in sorted(marked.union(lapsed) - erased) if (old := self.find(old_id)) is not None}
        passed = [(old_id, mark) for old_id, old in left.items() if old_id in marked for mark in self._passed(old, erased)]
        for old_id, mark in passed:
            self._inherit(old_id, mark, erased)
        for heir in [self.get(memory_id) for memory_id in {mark.by for _, mark in passed}]:
            self.put(replace(heir, supersedes=tuple(each for each in heir.supersedes if each not in erased)))
        for old_id in left:
            old = self.get(old_id)
            gone = [mark for mark in old.superseded if mark.by in erased]
            if gone:
                self._rewrite(old, gone, ())
        self._settle(rising=False)
        for memory_id in erased:
            self.changed.pop(memory_id, None)
        return erased

    def _all(self, memory_ids: Iterable[str]) -> list[Memory]:
        """These memories, read at once with what they supersede; an unknown id is a NotFoundError."""
        asked = list(memory_ids)
        self.prefetch(asked)
        found = [self.get(memory_id) for memory_id in asked]
        self.prefetch(old for memory in found for old in memory.supersedes)
        return found

    def _passed(self, old: Memory, erased: Collection[str]) -> list[Supersession]:
        """The claims on a memory that pass to others when these are erased: the widest to each heir, and of those the first."""
        best: dict[str, Supersession] = {}
        for mark in self._claims(old, erased):
            known = best.get(mark.by, mark)
            best[mark.by] = min(
                known, mark, key=lambda each: (each.scope is not None, each.at, each.scope or "", each not in old.superseded)
            )
        return [mark for mark in best.values() if mark not in old.superseded]

    def _claims(self, old: Memory, erased: Collection[str], below: tuple[str, ...] = ()) -> Iterator[Supersession]:
        """What those claim of a memory that are not erased, at once or through erased ones, each as the claim's first mark."""
        for newer_id in dict.fromkeys(mark.by for mark in old.superseded):
            newer = self.find(newer_id)
            if newer is None or old.id not in newer.supersedes:
                continue
            mark = _claimed(_marks_by(newer_id, old), _holding(newer))[0]
            if below and old.forgotten_at is not None and mark.scope is not None:
                continue  # It holds nothing down.
            if newer_id not in erased:
                yield mark
            elif newer_id not in below:
                # Where an old file has a circle, none of it passes to whoever gives way itself.
                above = [each for each in self._claims(newer, erased, (*below, old.id)) if not self._replaces(old, each.by)]
                yield from (each for each in (_joint(old, mark, more) for more in above) if each is not None)

    def _inherit(self, old_id: str, mark: Supersession, erased: Collection[str]) -> None:
        heir, old = self.get(mark.by), self.get(old_id)
        marks = _marks_by(heir.id, old)
        had = _claimed(marks, _holding(heir)) if old_id in heir.supersedes else []
        place = next(place for place, each in enumerate(heir.supersedes) if each in erased)
        self.put(replace(heir, supersedes=tuple(dict.fromkeys((*heir.supersedes[:place], old_id, *heir.supersedes[place:])))))
        (since, until), *later = onward(mark.at, _holding(heir))
        if since < until:
            # What the heir had let go of after it came to hold it through the erased one was never let go.
            had += [each for each in marks if each not in had and each.scope == mark.scope and _until(each) >= since]
            since = min([since, *(each.at for each in had if each.scope == mark.scope)])
        narrower = [replace(each, lifted_at=min(_until(each), since)) for each in had if each.scope != mark.scope and each.at < since]
        self._rewrite(old, had, [*narrower, *_over(mark, ((since, until), *later))])

    def _moved(self, old: Memory, new: Memory) -> set[str]:
        """What a memory goes on to supersede, though no longer where it did."""
        claimed = [each for memory_id in set(old.supersedes).intersection(new.supersedes) if (each := self.find(memory_id)) is not None]
        marks = {each.id: _claimed(_marks_by(old.id, each), _holding(old)) for each in claimed}
        return {each.id for each in claimed if marks[each.id] and marks[each.id][0].scope != superseding_scope(each, new)}

    def _hide(self, memory: Memory, at: datetime | None) -> None:
        self._unsettled.setdefault(memory.id, _holding(memory))
        self.put(replace(self.get(memory.id), forgotten_at=at))

    def _claim(self, new_id: str, old_ids: Iterable[str], *, at: datetime) -> None:
        new = self.get(new_id)
        for old_id in sorted(old_ids):
            old = self.get(old_id)
            if self._replaces(old, new_id):
                raise InputError("supersedes", old_id, "a memory that this one does not itself give way to")
            last = next(reversed(_marks_by(new_id, old)), None)
            if last is not None and last.lifted_at is None:
                continue
            mark = Supersession(by=new_id, at=at, scope=superseding_scope(old, new), weight_before=_unfaded(old))
            spans, gone = onward(at, _holding(new)), list[Supersession]()
            if last is not None and (last.lifted_at, last.scope) == (at, mark.scope) and spans[0] != (at, at):
                # Let go and taken up again at the same moment: nothing happened.
                spans, gone = ((last.at, spans[0][1]), *spans[1:]), [last]
            self._rewrite(old, gone, _over(mark, spans))
        self._settle(rising=True)

    def _replaces(self, newer: Memory, older_id: str) -> bool:
        """Whether a memory claims another, at once or through others; the claim need not hold."""
        known, ahead = set[str](), set(newer.supersedes)
        while ahead and older_id not in ahead:
            known |= ahead
            self.prefetch(ahead)
            found = [memory for memory_id in ahead if (memory := self.find(memory_id)) is not None]
            ahead = {claimed for memory in found for claimed in memory.supersedes} - known
        return bool(ahead)

    def _let_go(self, old_id: str, new_id: str, *, at: datetime) -> None:
        old = self.find(old_id)
        if old is None:
            return
        gone = [mark for mark in _marks_by(new_id, old) if _until(mark) > at or _until(mark) <= mark.at]
        if gone:
            self._rewrite(old, gone, [replace(mark, lifted_at=at) for mark in gone if mark.at < min(at, _until(mark))])

    def _settle(self, *, rising: bool) -> None:
        # Holds only grow when rising and only shrink when not, and stretches begin and end at finitely many moments:
        # so it comes to an end even where memories supersede each other in a circle.
        while self._unsettled:
            memory_id = next(iter(self._unsettled))
            memory, before = self.get(memory_id), self._unsettled.pop(memory_id)
            self.prefetch(memory.supersedes)
            for old_id in sorted(set(memory.supersedes)):
                old = self.find(old_id)
                if old is not None:
                    self._follow(memory, before, old, rising=rising)

    def _follow(self, memory: Memory, before: Spans, old: Memory, *, rising: bool) -> None:
        marks = _claimed(_marks_by(memory.id, old), before)
        if not marks and not rising:
            return
        since = marks[0].at if marks else memory.created_at
        has, wanted = tuple(map(_span, marks)), onward(since, _holding(memory))
        if wanted == has or not (cover(wanted, has) if rising else cover(has, wanted)):
            return
        if not marks:
            # Files from before marks could be lifted have none of what a forgotten memory superseded.
            marks = [Supersession(by=memory.id, at=since, scope=superseding_scope(old, memory), weight_before=_unfaded(old))]
        self._rewrite(old, marks, _over(marks[0], wanted))

    def _rewrite(self, old: Memory, gone: Collection[Supersession], fresh: Iterable[Supersession]) -> None:
        weight = _unfaded(old)
        kept = [mark for mark in old.superseded if mark not in gone]
        kept += [replace(mark, weight_before=weight) if mark.lifted_at is None else mark for mark in fresh]
        marks = _bounded(sorted(kept, key=lambda mark: (mark.at, _until(mark), mark.by)))
        if any(map(everywhere, marks)):
            weight = old.weight if any(map(everywhere, old.superseded)) else FADED_WEIGHT
        changed = replace(old, superseded=marks, weight=weight)
        self.put(changed)
        if _holding(changed) != _holding(old):
            self._unsettled.setdefault(old.id, _holding(old))


def _unfaded(memory: Memory) -> float:
    """The weight that a memory has, or would have if nothing superseded it."""
    return next((mark.weight_before for mark in memory.superseded if everywhere(mark)), memory.weight)


def _faded_still(old: Memory, new: Memory) -> Memory:
    """The revised memory; where it has given way everywhere, another weight is the one that it will come back with."""
    if new.weight == old.weight or not any(map(everywhere, new.superseded)):
        return new
    marks = tuple(replace(mark, weight_before=new.weight) if everywhere(mark) else mark for mark in new.superseded)
    return replace(new, superseded=marks, weight=FADED_WEIGHT)


def _holding(memory: Memory) -> Spans:
    """When a memory holds down what it claims."""
    if memory.forgotten_at is None:
        return ((BEGINNING, END),)
    return united([(BEGINNING, memory.forgotten_at), *(_span(mark) for mark in memory.superseded if mark.scope is None)])


def _claimed(marks: Sequence[Supersession], holding: Spans) -> list[Supersession]:
    """Those of a memory's marks on another that its present claim has left: all from the first that explains the rest."""
    spans = tuple(map(_span, marks))
    place = next((place for place, mark in enumerate(marks) if onward(mark.at, holding) == spans[place:]), len(marks) - 1)
    return list(marks[max(place, 0) :])


def _joint(old: Memory, mark: Supersession, above: Supersession) -> Supersession | None:
    """The claim on a memory that a mark on it and one on the marking memory make together, None where no scope has both."""
    scopes = {mark.scope, above.scope} - {None, old.scope}
    if scopes and (len(scopes) > 1 or old.scope != GLOBAL):
        return None
    return replace(mark, by=above.by, at=max(mark.at, above.at), scope=next(iter(scopes), None), lifted_at=None)


def _marks_by(new_id: str, old: Memory) -> list[Supersession]:
    return [mark for mark in old.superseded if mark.by == new_id]


def _span(mark: Supersession) -> Span:
    return mark.at, _until(mark)


def _until(mark: Supersession) -> datetime:
    return END if mark.lifted_at is None else mark.lifted_at


def _over(mark: Supersession, spans: Spans) -> list[Supersession]:
    return [replace(mark, at=since, lifted_at=None if until == END else until) for since, until in spans]


def _bounded(marks: Sequence[Supersession]) -> tuple[Supersession, ...]:
    # Whoever supersedes and lets go over and over leaves a mark each time: the oldest of those are given up.
    lapsed = [mark for mark in marks if mark.lifted_at is not None]
    given_up = lapsed[:-LAPSED_KEPT]
    return tuple(mark for mark in marks if mark not in given_up)
