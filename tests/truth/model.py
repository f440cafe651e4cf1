"""What is true about one tenant's memories, the slow and obvious way: dictionaries, lists and definitions.

Nothing here is computed ahead or kept up to date: what is visible at a moment follows from what was said, each time anew.

A *claim* says that a newer memory takes the place of an older one, since a moment. It hides the older one everywhere when the
newer one is global or of the same scope, and in the newer one's project alone when the older one is global; between two projects
there is none. A claim *counts* until its newer memory is forgotten; and also after that while that one is superseded everywhere
itself, so that in a chain nothing comes back beside the newest. A claim can be let go, and then it is history.

Some things are kept with their times, and so the past can be asked about them: when a memory came, when it was forgotten, when a
claim counted. What is changed in place (scope, time to live, validity) is known as it is now. To restore is to undo: afterwards the
memory was never forgotten. To erase leaves nothing, not even for the past, but that what the erased one claimed is claimed by those
that claim it, since both claims were there and where both hold: of a chain only the newest is shown, whatever is erased from it.

To sweep is to erase what has expired, but that each one of those that was not forgotten leaves its claims to nobody: they count for good.
"""

from dataclasses import dataclass, field, replace
from itertools import pairwise

GLOBAL = "global"
NOBODY = ""
FADED = 0.1


class RefusedError(Exception):
    """What may not be done, and so changes nothing."""


@dataclass
class Belief:
    """One memory, as it was last written."""

    id: str
    text: str
    created_at: object
    scope: str = GLOBAL
    kind: str = "semantic"
    tier: str = "fact"
    weight: float = 1.0
    valid_from: object = None
    valid_until: object = None
    expires_at: object = None
    forgotten_at: object = None
    sources: list = field(default_factory=list)


@dataclass
class Claim:
    """That `newer` takes the place of `older` since a moment, everywhere (`where` is None) or in one project.

    Once it is let go it is history, and `held` are the stretches of time in which it counted, each with its end left out.
    """

    newer: str
    older: str
    where: str | None
    since: object
    merged: bool = False
    held: list | None = None


class Truth:
    """All that is true about one tenant."""

    def __init__(self):
        self.beliefs = {}
        self.claims = []
        self.distinct = set()

    # What may be done.

    def remember(self, belief, supersedes=()):
        """Add a memory; what it supersedes gives way from its beginning on."""
        claims = [self._claim(belief, older, since=belief.created_at) for older in supersedes]
        self.beliefs[belief.id] = belief
        self.claims += claims

    def update(self, memory_id, *, at, supersedes=None, **facts):
        """Change a memory in place; what it supersedes is added to what it did before, and an empty list lets all of it go.

        From another scope it supersedes elsewhere, from now on; where it could not, it does not go.
        """
        before = self.beliefs[memory_id]
        belief = replace(before, **facts)
        moved = []
        if belief.scope != before.scope and supersedes != ():
            kept = [claim for claim in self.stated_by(memory_id) if claim.older in self.beliefs]
            moved = [(claim, replace(self._claim(belief, claim.older, since=at), merged=claim.merged)) for claim in kept]
        if supersedes is not None:
            self._restate(belief, supersedes, at)
        for there, here in moved:
            if there.where != here.where:
                self._let_go(there, at)
                self.claims.append(here)
        self.beliefs[memory_id] = belief

    def forget(self, *memory_ids, at):
        """Hide memories from now on."""
        for memory_id in memory_ids:
            if self.beliefs[memory_id].forgotten_at is None:
                self.beliefs[memory_id].forgotten_at = at

    def restore(self, *memory_ids):
        """Undo that."""
        for memory_id in memory_ids:
            self.beliefs[memory_id].forgotten_at = None

    def erase(self, *memory_ids):
        """Take memories out; what they claimed passes to those that claim them."""
        passed = [claim for older in self.beliefs if older not in memory_ids for claim in self._passed(older, memory_ids)]
        for claim in passed:
            self._inherit(claim)
        for memory_id in memory_ids:
            del self.beliefs[memory_id]
        self.claims = [claim for claim in self.claims if not {claim.newer, claim.older} & set(memory_ids)]

    def merge(self, newer, older, *, at):
        """Let an older memory give way to a newer one that says the same; whatever speaks against it is refused."""
        if reason := self.against_merging(newer, older, at=at):
            raise RefusedError(f"{older} into {newer}: {reason}")
        claim = self._claim(self.beliefs[newer], older, since=at)
        claim.merged = True
        self.claims.append(claim)

    def unmerge(self, newer, *, at):
        """Take back what was merged into a memory, for good, and give the ids of what is still stored of that."""
        parted = [claim for claim in self.stated_by(newer) if claim.merged]
        for claim in parted:
            self._let_go(claim, at)
            self.distinct.add(frozenset((newer, claim.older)))
        return [claim.older for claim in parted if claim.older in self.beliefs]

    def sweep(self, *, at):
        """Take out what has expired, and give its ids; what gave way to one of those that was not forgotten has given way for good."""
        due = [each for each in self.beliefs.values() if self._expired(each, at)]
        for claim in [claim for each in due if each.forgotten_at is None for claim in self.stated_by(each.id)]:
            claim.newer, claim.merged = NOBODY, False
        self.erase(*(each.id for each in due))
        return {each.id for each in due}

    # What can be seen.

    def visible(self, scope, *, at):
        """Give the ids that a recall in this scope may show at a moment: now, or any earlier one."""
        return {each.id for each in self.beliefs.values() if self._visible(each, scope, at)}

    def listed(self, *, at):
        """Give the ids that a listing shows now: whatever somebody may still see somewhere, today or some day."""
        return {
            each.id
            for each in self.beliefs.values()
            if each.forgotten_at is None and not self._expired(each, at) and not self.superseded(each.id, None, at=at)
        }

    def weight(self, memory_id, *, at):
        """Give how much a memory weighs at a moment: what has given way everywhere has faded."""
        return FADED if self.superseded(memory_id, None, at=at) else self.beliefs[memory_id].weight

    def superseded(self, memory_id, scope, *, at):
        """Tell whether a memory has given way at a moment: in this scope, or, for None, everywhere."""
        return any(claim.older == memory_id and claim.where in (None, scope) and self._counts(claim, at) for claim in self.claims)

    def stated_by(self, memory_id):
        """Give the claims that a memory makes now, whether they count or not."""
        return [claim for claim in self.claims if claim.newer == memory_id and claim.held is None]

    def replaces(self, newer, older):
        """Tell whether a memory takes the place of another, at once or through others, whether that counts or not."""
        stated = [claim.older for claim in self.stated_by(newer)]
        return older in stated or any(self.replaces(each, older) for each in stated)

    def merges(self):
        """Give the merges that stand, as pairs of the newer and the older id."""
        return {(claim.newer, claim.older) for claim in self.claims if claim.merged and claim.held is None}

    def mergeable(self, *, at):
        """Give the pairs of a newer and an older id that may be merged now."""
        pairs = ((newer, older) for newer in self.beliefs for older in self.beliefs if newer != older)
        return [pair for pair in pairs if not self.against_merging(*pair, at=at)]

    def against_merging(self, newer, older, *, at):
        """Give what speaks against merging two memories, "" when nothing does."""
        one, other = self.beliefs[newer], self.beliefs[older]
        if (_words(one.text), one.valid_from) != (_words(other.text), other.valid_from):
            return "they do not say the same of the same time"
        objections = {
            "they are of two scopes, kinds or tiers": (one.scope, one.kind, one.tier) != (other.scope, other.kind, other.tier),
            "what is pinned stays": one.tier == "core",
            "the one that would give way is the newer one": (other.created_at, other.id) >= (one.created_at, one.id),
            "one of them is hidden": not (self._speaks(one, at) and self._speaks(other, at)),
            "the newer one would be gone before the older one": self._ends(one) < self._ends(other),
            "the newer one gives way to the older one": self.replaces(older, newer),
            "they were parted before": frozenset((newer, older)) in self.distinct,
            "a reflection stands on it": any(older in self.beliefs[each].sources for each in self.listed(at=at)),
        }
        return next((objection for objection, holds in objections.items() if holds), "")

    # How that follows.

    def _visible(self, belief, scope, at):
        return (
            belief.scope in (GLOBAL, scope)
            and belief.created_at <= at
            and not self._forgotten(belief, at)
            and not self._expired(belief, at)
            and self._valid(belief, at)
            and not self._fallen(belief, scope, at)
        )

    def _fallen(self, belief, scope, at, above=()):
        """Tell whether a memory no longer holds here: given way, forgotten, or a reflection all of whose sources have fallen."""
        if self._forgotten(belief, at) or self.superseded(belief.id, scope, at=at):
            return True
        # Two reflections that lean on each other do not fall by that: what stands above is taken to hold.
        sources = [self.beliefs[source] for source in belief.sources if source in self.beliefs and self.beliefs[source].created_at <= at]
        standing = [each for each in sources if each.id in (*above, belief.id) or not self._fallen(each, scope, at, (*above, belief.id))]
        return belief.kind == "reflection" and bool(sources) and not standing

    def _counts(self, claim, at):
        if claim.held is not None:
            return any(start <= at < end for start, end in claim.held)
        if claim.newer == NOBODY:
            return claim.since <= at
        return claim.since <= at and (not self._forgotten(self.beliefs[claim.newer], at) or self.superseded(claim.newer, None, at=at))

    def _let_go(self, claim, at):
        turns = {each.forgotten_at for each in self.beliefs.values()} | {each.since for each in self.claims}
        turns |= {end for each in self.claims for stretch in each.held or () for end in stretch}
        moments = sorted(turn for turn in turns if turn is not None and claim.since <= turn < at)
        claim.held = [(start, end) for start, end in pairwise([*moments, at]) if self._counts(claim, start)]

    def _passed(self, older, erased):
        """Give the claims on a memory that come to others by an erasure: to each the widest, and of those the first; to nobody, all."""
        claims = sorted(
            self._claims_left(older, erased), key=lambda each: (each.where is not None, each.since, each.where or "", not self._made(each))
        )
        best = {claim.newer: claim for claim in reversed(claims) if claim.newer != NOBODY}
        return [claim for claim in (*best.values(), *(each for each in claims if each.newer == NOBODY)) if not self._made(claim)]

    def _made(self, claim):
        return any(claim is each for each in self.claims)

    def _claims_left(self, older, erased, below=()):
        """Give the claims on a memory by those that are not erased, whether their own or through erased ones."""
        for claim in [each for each in self.claims if each.older == older and each.held is None]:
            if below and self.beliefs[older].forgotten_at is not None and claim.where is not None:
                continue  # It is forgotten and not superseded everywhere, so it holds nothing down by this.
            if claim.newer not in erased:
                yield claim
                continue
            for above in self._claims_left(claim.newer, erased, (*below, older)):
                there = self.beliefs[older].scope
                where = {claim.where, above.where} - {None, there}
                if not where or (len(where) == 1 and there == GLOBAL):
                    yield Claim(above.newer, older, next(iter(where), None), max(claim.since, above.since))

    def _inherit(self, claim):
        for known in [each for each in self.stated_by(claim.newer) if each.older == claim.older and claim.newer != NOBODY]:
            claim.merged = known.merged
            self._let_go(known, claim.since)
            known.merged = False
        self.claims.append(claim)

    def _speaks(self, belief, at):
        """Tell whether a memory speaks for itself: hidden nowhere, by nothing that happened to itself."""
        hidden = any(claim.older == belief.id and self._counts(claim, at) for claim in self.claims)
        return not (hidden or self._forgotten(belief, at) or self._expired(belief, at)) and self._valid(belief, at)

    def _claim(self, newer, older, *, since):
        if older not in self.beliefs:
            raise RefusedError(f"there is no {older}")
        there = self.beliefs[older].scope
        if newer.scope != GLOBAL and there not in (GLOBAL, newer.scope):
            raise RefusedError(f"{older} belongs to another project")
        if self.replaces(older, newer.id):
            raise RefusedError(f"{newer.id} gives way to {older} itself")
        return Claim(newer.id, older, None if newer.scope in (GLOBAL, there) else newer.scope, since)

    def _restate(self, belief, supersedes, at):
        before = {claim.older: claim for claim in self.stated_by(belief.id)}
        self.claims += [self._claim(belief, older, since=at) for older in supersedes if older not in before]
        if not supersedes:
            for claim in before.values():
                self._let_go(claim, at)

    @staticmethod
    def _forgotten(belief, at):
        return belief.forgotten_at is not None and belief.forgotten_at <= at

    @staticmethod
    def _expired(belief, at):
        return belief.expires_at is not None and belief.expires_at <= at

    @staticmethod
    def _valid(belief, at):
        begun = belief.valid_from is None or belief.valid_from <= at
        return begun and (belief.valid_until is None or at < belief.valid_until)

    @staticmethod
    def _ends(belief):
        """Give when a memory ceases to speak, in seconds since 1970; never is infinite."""
        return min((end.timestamp() for end in (belief.expires_at, belief.valid_until) if end is not None), default=float("inf"))


def _words(text):
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == " ").split()
