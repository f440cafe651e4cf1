"""Consolidation: a near-duplicate of a newer memory gives way to it. Planned first, applied as planned, and undone when asked.

Only memories of one tenant, scope, kind, tier and embedder are compared, only visible ones, and never core ones. What a cosine
does not see is checked beside it (`sameness`), and what a visible reflection was derived from stays, or the reflection would fall.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import DISTINCT, MERGED, Edge, Memory, Record, Stored
from cued.ports import Progress, Store, silent
from cued.standing.listing import speaking
from cued.upkeep import AT_LEAST
from cued.upkeep.duplicates import Group, Merge, Spared
from cued.upkeep.reading import PAGE, batches, revised, scanned, supporting, visible, with_those_left

BATCH = 200


class Plan(Struct, frozen=True, kw_only=True):
    """What a consolidation would do: who gives way to whom, who is spared, and how many memories were looked at."""

    merges: tuple[Merge, ...]
    spared: tuple[Spared, ...]
    scanned: int
    compared: int
    at_least: float


class Skipped(Struct, frozen=True):
    """A planned merge that no longer fits what is stored, and why."""

    merge: Merge
    reason: str


class Applied(Struct, frozen=True, kw_only=True):
    """What became of a plan."""

    merged: tuple[Merge, ...]
    skipped: tuple[Skipped, ...] = ()


class Merged(Struct, frozen=True, kw_only=True):
    """A merge that stands: which memory gave way to which, and since when; no text where the older one has been erased."""

    newer: str
    older: str
    text_newer: str
    text_older: str | None
    at: datetime | None


def plan(tenant: str, store: Store, *, at: datetime, at_least: float = AT_LEAST, progress: Progress = silent) -> Plan:
    """What a consolidation would merge now; nothing is changed."""
    if not 0 < at_least <= 1:
        raise InputError("at_least", at_least, "a cosine above 0 and up to 1")

    def held(memory_ids: Sequence[str]) -> frozenset[str]:
        return supporting(tenant, store, memory_ids, at=at)

    groups: defaultdict[tuple[str, str, str, str], list[Stored]] = defaultdict(list)
    claims: dict[str, tuple[str, ...]] = {}
    seen = 0
    for page in batches(scanned(tenant, store), PAGE):
        seen += len(page)
        claims |= {stored.memory.id: stored.memory.supersedes for stored in page if stored.memory.supersedes}
        able = [stored for stored in page if stored.vector is not None and stored.memory.tier != "core"]
        heard = {memory.id for memory in speaking([stored.memory for stored in able], at=at)}
        for stored in able:
            memory = stored.memory
            if memory.fingerprint is not None and memory.id in heard:
                groups[memory.scope, memory.kind, memory.tier, memory.fingerprint].append(stored)
    total, done = sum(len(group) for group in groups.values()), 0
    taken: list[Merge] = []
    spared: list[Spared] = []
    for key in sorted(groups):
        group = Group(groups[key], at_least, held=held, claims=claims, progress=_from(done, total, progress))
        taken += group.merges()
        spared += group.spared()
        done += len(groups[key])
    return Plan(merges=tuple(taken), spared=tuple(spared), scanned=seen, compared=total, at_least=at_least)


def apply(tenant: str, store: Store, planned: Plan, *, at: datetime, progress: Progress = silent) -> Applied:
    """Carry out a plan, some hundred merges a transaction; whatever has changed since it was planned is skipped, and said.

    A merge is done whole or not at all, so after an interruption a new plan has what was left.
    """
    merged: list[Merge] = []
    skipped: list[Skipped] = []
    ours: dict[str, int] = {}
    for batch in batches(planned.merges, BATCH):
        step = _Step(batch, ours, at)
        ids = [merge.older for merge in batch] + [merge.newer for merge in batch]
        result, gone = with_those_left(ids, partial(step.run, tenant, store))
        if result is not None:
            merged += step.merged
            changed = {merge.newer for merge in step.merged}
            ours |= {memory.id: memory.version for memory in result if memory.id in changed}
        skipped += step.skipped + [Skipped(merge, "erased since") for merge in batch if {merge.newer, merge.older} & gone]
        progress(len(merged) + len(skipped), len(planned.merges))
    return Applied(merged=tuple(merged), skipped=tuple(skipped))


def undo(tenant: str, store: Store, newer_ids: Sequence[str], *, at: datetime, only: Sequence[str] = ()) -> tuple[str, ...]:
    """Bring back what was merged into these memories, or of that `only` these, and return the ids that are back.

    The two are marked as distinct, so that no later consolidation merges them again.
    """
    back: list[str] = []

    def parted(memory: Memory) -> Record:
        merged = [old for old in _merged_into(memory) if not only or old in only]
        if not merged:
            raise InputError("id", memory.id, "a memory into which a consolidation merged others, as `merges` lists them")
        back.extend(merged)
        kept = tuple(edge for edge in memory.edges if edge.relation != MERGED or edge.target not in merged)
        return revised(
            replace(
                memory,
                supersedes=tuple(old for old in memory.supersedes if old not in merged),
                edges=(*kept, *(Edge(DISTINCT, old) for old in merged)),
                version=memory.version + 1,
            )
        )

    store.revise(tenant, newer_ids, parted, at=at)
    _, gone = with_those_left(back, partial(store.get, tenant))
    return tuple(old for old in back if old not in gone)


def merges(tenant: str, store: Store) -> tuple[Merged, ...]:
    """Every merge that stands, by the newer memory's id."""
    memories = {stored.memory.id: stored.memory for stored in scanned(tenant, store)}
    found = []
    for memory in memories.values():
        for older_id in _merged_into(memory):
            older = memories.get(older_id)
            since = next((mark.at for mark in reversed(older.superseded) if mark.by == memory.id), None) if older else None
            found.append(
                Merged(newer=memory.id, older=older_id, text_newer=memory.text, text_older=older.text if older else None, at=since)
            )
    return tuple(found)


def _merged_into(memory: Memory) -> list[str]:
    """What a consolidation merged into a memory, but for what an update has let go of since."""
    return [edge.target for edge in memory.edges if edge.relation == MERGED and edge.target in memory.supersedes]


def _from(done: int, total: int, progress: Progress) -> Progress:
    """A progress that counts on from what is done already."""
    return lambda more, _: progress(done + more, total)


class _Step:
    """One transaction of a plan: the older memories are looked at first, then the newer ones take those that are as planned."""

    def __init__(self, batch: Sequence[Merge], ours: dict[str, int], at: datetime) -> None:
        """Take a batch; `ours` are the versions that earlier batches of the same plan have left."""
        self._batch, self._ours, self._at = batch, ours, at
        self.merged: list[Merge] = []
        self.skipped: list[Skipped] = []

    def run(self, tenant: str, store: Store, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Revise these memories; called again without the ids that turned out to be gone."""
        self.merged, self.skipped, self._fit = [], [], set[str]()
        self._wanted: defaultdict[str, list[Merge]] = defaultdict(list)
        for merge in self._batch:
            if {merge.newer, merge.older} <= set(ids):
                self._wanted[merge.newer].append(merge)
        self._older = {merge.older: merge for merges_of_one in self._wanted.values() for merge in merges_of_one}
        return store.revise(tenant, ids, self._change, at=self._at)

    def _change(self, memory: Memory) -> Record:
        if memory.id in self._older:
            if memory.version == self._older[memory.id].version_older and visible(memory, at=self._at):
                self._fit.add(memory.id)
            return revised(memory)
        wanted = self._wanted.get(memory.id, [])
        taken = [merge for merge in wanted if not self._reason(memory, merge)]
        self.merged += taken
        self.skipped += [Skipped(merge, reason) for merge in wanted if (reason := self._reason(memory, merge))]
        if not taken:
            return revised(memory)
        olds = tuple(merge.older for merge in taken)
        # What an update has let go of since an earlier merge is marked already.
        edges = tuple(dict.fromkeys((*memory.edges, *(Edge(MERGED, old) for old in olds))))
        return revised(replace(memory, supersedes=(*memory.supersedes, *olds), edges=edges, version=memory.version + 1))

    def _reason(self, memory: Memory, merge: Merge) -> str:
        if merge.older in memory.supersedes:
            return "merged before"
        if memory.version != self._ours.get(memory.id, merge.version_newer) or not visible(memory, at=self._at):
            return "the newer one has changed since"
        return "" if merge.older in self._fit else "the older one has changed since"
