"""How memories give way to newer ones: pure rules over memories, the same for every store.

The store lays Beliefs over its contents, asks for the change, and writes down `beliefs.changed`.

A memory claims what stands in its `supersedes`, from when that was written. It holds the claimed down while it is not forgotten; and
when it is, for as long as it is superseded everywhere itself: in a chain a ← b ← c, forgetting b does not bring a back beside c.
That is so at every moment, so the marks on the claimed one tell what held when. What a restored memory had been forgotten for, and
what an erased one had ever done, is as if it had not been; but what an erased one claims passes to those that claim it, each since
both claims were there and where both hold: erasing b from the same chain leaves a ← c. A memory whose time has run out leaves its
claims to nobody, if it had not been forgotten: what it held down stays down, for good and where it was.

Nothing gives way to what is less trusted than it, unless somebody whose word is worth as much says so.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from cued.errors import InputError, NotFoundError, TrustError
from cued.model import NOBODY, Memory, Supersession, Trust, outranks
from cued.stores.admission import reaches, superseding_scope
from cued.stores.beliefs.heirs import Heirs
from cued.stores.beliefs.holding import claimed, holding, marks_by, over, span, until
from cued.stores.beliefs.spans import ALWAYS, Spans, cover, onward
from cued.stores.standing.felling import everywhere

FADED_WEIGHT = 0.1
LAPSED_KEPT = 32
LOOKED_AT = 100
"""How many memories of a history are looked at for a circle that a new memory would close."""


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
        claimed_here = {old for memory in new for old in memory.supersedes}
        for memory in (each for each in new if each.supersedes):
            # Only what was erased and left its id behind can claim a memory that is new: no reason to read all of a long history.
            most = None if memory.id in claimed_here else LOOKED_AT
            claimed_by_it = {self.get(old).id for old in memory.supersedes}
            self._claim(memory.id, claimed_by_it, at=memory.created_at, word=memory.trust, most=most)

    def adopt(self, memories: Iterable[Memory]) -> None:
        """Add memories as they were elsewhere, and let them and what is stored agree on who gives way to whom.

        What is stored gives way to what claims it, as of when that was made; where it would not, the claim is left out. Who has given way
        to a stored memory goes on so for as long as that holds, and for good where that does not claim it. Among themselves they are left
        as they were.
        """
        new = {memory.id: memory for memory in memories}
        self.changed |= new
        self.prefetch(each for memory in new.values() for each in (*memory.supersedes, *(mark.by for mark in memory.superseded)))
        for memory in new.values():
            self._give_way_as_stored(memory, new)
        self._settle(rising=False)
        for memory in new.values():
            for old in [old for each in memory.supersedes if each not in new and (old := self.find(each)) and not marks_by(memory.id, old)]:
                if self._may_claim(memory, old):
                    self._claim(memory.id, (old.id,), at=memory.created_at, word=memory.trust)
                else:
                    left = self.get(memory.id)
                    self.put(replace(left, supersedes=tuple(each for each in left.supersedes if each != old.id)))

    def revise(self, old: Memory, new: Memory, *, at: datetime, word: Trust = "user") -> None:
        """Replace a memory by somebody's word; what it supersedes now and did not before gives way as of `at`, and the reverse comes back.

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
        self._claim(new.id, added, at=at, word=word)
        before, after = holding(old), holding(new)
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

    def erase(self, memory_ids: Iterable[str], *, lapsed: Iterable[str], expired: bool = False) -> set[str]:
        """Take away every mark that these memories have left, and every claim on them; the answer is the ids to remove.

        `lapsed` are the ids of the memories that have a lifted mark: one of them may be by a memory that let go of it since. Of those
        that have `expired` and were not forgotten, the marks that hold stay, by nobody.
        """
        memories = self._all(memory_ids)
        erased = {memory.id for memory in memories}
        for memory in memories if expired else ():
            self._leave_to_nobody(memory)
        marked = {old for memory_id in erased for old in self.get(memory_id).supersedes}
        self.prefetch(marked.union(lapsed))
        left = {old_id: old for old_id in sorted(marked.union(lapsed) - erased) if (old := self.find(old_id)) is not None}
        heirs = Heirs(self.find, erased)
        passed = [(old_id, mark) for old_id, old in left.items() if old_id in marked for mark in heirs.of(old)]
        for old_id, mark in passed:
            if mark.by == NOBODY:
                self._hold_for_good(old_id, mark)
            else:
                self._inherit(old_id, mark, erased)
        self._name_no_more(erased)
        for old_id in left:
            old = self.get(old_id)
            gone = [mark for mark in old.superseded if mark.by in erased]
            if gone:
                self._rewrite(old, gone, ())
        self._settle(rising=False)
        for memory_id in erased:
            self.changed.pop(memory_id, None)
        return erased

    def _give_way_as_stored(self, memory: Memory, new: Collection[str]) -> None:
        """Let the marks that stored memories have left on a new one be such as they would leave here."""
        for mark in (each for each in memory.superseded if each.by not in new and each.lifted_at is None):
            newer = self.find(mark.by)
            if newer is None:
                continue
            if memory.id in newer.supersedes:
                self._follow(newer, ALWAYS, self.get(memory.id), rising=False)
            else:
                self._hold_for_good(memory.id, replace(mark, by=NOBODY), instead_of=mark)

    def _may_claim(self, new: Memory, old: Memory) -> bool:
        """Whether a memory would give way to a new one."""
        return not outranks(old.trust, new.trust) and reaches(old, new) and not self._replaces((old.id,), new.id, most=LOOKED_AT)

    def _all(self, memory_ids: Iterable[str]) -> list[Memory]:
        """These memories, read at once with what they supersede; an unknown id is a NotFoundError."""
        asked = list(memory_ids)
        self.prefetch(asked)
        found = [self.get(memory_id) for memory_id in asked]
        self.prefetch(old for memory in found for old in memory.supersedes)
        return found

    def _leave_to_nobody(self, memory: Memory) -> None:
        """Let the marks that a memory has left hold without it; one that is forgotten or in quarantine is as good as erased."""
        if memory.forgotten_at is not None or memory.quarantined_at is not None:
            return
        for old_id in sorted(set(memory.supersedes)):
            old = self.find(old_id)
            for mark in marks_by(memory.id, old) if old is not None else ():
                if mark.lifted_at is None:
                    self._hold_for_good(old_id, replace(mark, by=NOBODY), instead_of=mark)

    def _hold_for_good(self, old_id: str, mark: Supersession, *, instead_of: Supersession | None = None) -> None:
        """Mark a memory as superseded by nobody who is stored; of such marks the first of each scope says it all."""
        old = self.get(old_id)
        same = [each for each in marks_by(NOBODY, old) if each.scope == mark.scope]
        first = min((mark, *same), key=lambda each: each.at)
        self._rewrite(old, [*same, *([] if instead_of is None else [instead_of])], [first])

    def _name_no_more(self, erased: set[str]) -> None:
        """Take the ids of the erased out of what others supersede."""
        claimers = {mark.by for memory_id in erased for mark in self.get(memory_id).superseded} - {NOBODY}
        self.prefetch(claimers)
        for newer in [found for each in sorted(claimers) if (found := self.find(each)) is not None]:
            if not erased.isdisjoint(newer.supersedes):
                self.put(replace(newer, supersedes=tuple(each for each in newer.supersedes if each not in erased)))

    def _inherit(self, old_id: str, mark: Supersession, erased: Collection[str]) -> None:
        heir, old = self.get(mark.by), self.get(old_id)
        marks = marks_by(heir.id, old)
        had = claimed(marks, holding(heir)) if old_id in heir.supersedes else []
        place = next(place for place, each in enumerate(heir.supersedes) if each in erased)
        self.put(replace(heir, supersedes=tuple(dict.fromkeys((*heir.supersedes[:place], old_id, *heir.supersedes[place:])))))
        (since, end), *later = onward(mark.at, holding(heir))
        if since < end:
            # What the heir had let go of after it came to hold it through the erased one was never let go.
            had += [each for each in marks if each not in had and each.scope == mark.scope and until(each) >= since]
            since = min([since, *(each.at for each in had if each.scope == mark.scope)])
        narrower = [replace(each, lifted_at=min(until(each), since)) for each in had if each.scope != mark.scope and each.at < since]
        self._rewrite(old, had, [*narrower, *over(mark, ((since, end), *later))])

    def _moved(self, old: Memory, new: Memory) -> set[str]:
        """What a memory goes on to supersede, though no longer where it did."""
        kept = [each for memory_id in set(old.supersedes).intersection(new.supersedes) if (each := self.find(memory_id)) is not None]
        marks = {each.id: claimed(marks_by(old.id, each), holding(old)) for each in kept}
        return {each.id for each in kept if marks[each.id] and marks[each.id][0].scope != superseding_scope(each, new)}

    def _hide(self, memory: Memory, at: datetime | None) -> None:
        self._unsettled.setdefault(memory.id, holding(memory))
        self.put(replace(self.get(memory.id), forgotten_at=at))

    def _claim(self, new_id: str, old_ids: Iterable[str], *, at: datetime, word: Trust, most: int | None = None) -> None:
        new, asked = self.get(new_id), sorted(old_ids)
        for old_id in asked:
            if outranks(trust := self.get(old_id).trust, word):
                refused = f"supersedes: {old_id!r} comes from {trust}, and gives way to no {word}'s word"
                raise TrustError(refused, f"store both, and let a {trust} resolve it by `update --supersedes`", memory_id=old_id)
        self._refuse_circle(new_id, asked, most=most)
        for old_id in asked:
            old = self.get(old_id)
            last = next(reversed(marks_by(new_id, old)), None)
            if last is not None and last.lifted_at is None:
                continue
            mark = Supersession(by=new_id, at=at, scope=superseding_scope(old, new), weight_before=_unfaded(old))
            spans, gone = onward(at, holding(new)), list[Supersession]()
            if last is not None and (last.lifted_at, last.scope) == (at, mark.scope) and spans[0] != (at, at):
                # Let go and taken up again at the same moment: nothing happened.
                spans, gone = ((last.at, spans[0][1]), *spans[1:]), [last]
            self._rewrite(old, gone, over(mark, spans))
        self._settle(rising=True)

    def _refuse_circle(self, new_id: str, old_ids: Sequence[str], *, most: int | None) -> None:
        """Refuse that a memory claims what itself claims it; of a long history at most so many are looked at."""
        if self._replaces(old_ids, new_id, most=most):
            found = next(old_id for old_id in old_ids if self._replaces([old_id], new_id, most=most))
            raise InputError("supersedes", found, "a memory that this one does not itself give way to")

    def _replaces(self, newer_ids: Iterable[str], older_id: str, *, most: int | None) -> bool:
        """Whether any of these claims the other, at once or through others, whether that holds or not."""
        known, ahead = set[str](), set(newer_ids)
        while ahead and older_id not in ahead and (most is None or len(known) < most):
            known |= ahead
            self.prefetch(ahead)
            found = [memory for memory_id in ahead if (memory := self.find(memory_id)) is not None]
            ahead = {each for memory in found for each in memory.supersedes} - known
        return older_id in ahead

    def _let_go(self, old_id: str, new_id: str, *, at: datetime) -> None:
        old = self.find(old_id)
        if old is None:
            return
        gone = [mark for mark in marks_by(new_id, old) if until(mark) > at or until(mark) <= mark.at]
        if gone:
            self._rewrite(old, gone, [replace(mark, lifted_at=at) for mark in gone if mark.at < min(at, until(mark))])

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
        marks = claimed(marks_by(memory.id, old), before)
        if not marks and (not rising or outranks(old.trust, memory.trust)):
            return
        since = marks[0].at if marks else memory.created_at
        has, wanted = tuple(map(span, marks)), onward(since, holding(memory))
        if wanted == has or not (cover(wanted, has) if rising else cover(has, wanted)):
            return
        if not marks:
            # What was adopted may be restored without the marks that its claims would have left.
            marks = [Supersession(by=memory.id, at=since, scope=superseding_scope(old, memory), weight_before=_unfaded(old))]
        self._rewrite(old, marks, over(marks[0], wanted))

    def _rewrite(self, old: Memory, gone: Collection[Supersession], fresh: Iterable[Supersession]) -> None:
        weight = _unfaded(old)
        left_out = frozenset(gone)
        kept = [mark for mark in old.superseded if mark not in left_out]
        kept += [replace(mark, weight_before=weight) if mark.lifted_at is None else mark for mark in fresh]
        marks = _bounded(sorted(kept, key=lambda mark: (mark.at, until(mark), mark.by)))
        if any(map(everywhere, marks)):
            weight = old.weight if any(map(everywhere, old.superseded)) else FADED_WEIGHT
        changed = replace(old, superseded=marks, weight=weight)
        self.put(changed)
        if holding(changed) != holding(old):
            self._unsettled.setdefault(old.id, holding(old))


def _unfaded(memory: Memory) -> float:
    """The weight that a memory has, or would have if nothing superseded it."""
    return next((mark.weight_before for mark in memory.superseded if everywhere(mark)), memory.weight)


def _faded_still(old: Memory, new: Memory) -> Memory:
    """The revised memory; where it has given way everywhere, another weight is the one that it will come back with."""
    if new.weight == old.weight or not any(map(everywhere, new.superseded)):
        return new
    marks = tuple(replace(mark, weight_before=new.weight) if everywhere(mark) else mark for mark in new.superseded)
    return replace(new, superseded=marks, weight=FADED_WEIGHT)


def _bounded(marks: Sequence[Supersession]) -> tuple[Supersession, ...]:
    # Whoever supersedes and lets go over and over leaves a mark each time: the oldest of those are given up.
    lapsed = [mark for mark in marks if mark.lifted_at is not None]
    given_up = frozenset(lapsed[:-LAPSED_KEPT])
    return tuple(mark for mark in marks if mark not in given_up)
