"""Consolidation: a near-duplicate of a newer memory gives way to it. Planned first, applied as planned, and undone when asked.

Only memories of one tenant, scope, kind, tier and embedder are compared, only visible ones, and never core ones. What a cosine
does not see is checked beside it (`sameness`), and what a visible reflection was derived from stays, or the reflection would fall.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct

from cued.errors import BusyError, InputError
from cued.model import DISTINCT, MERGED, Edge, Memory, Revision, Seen, Stored
from cued.ports import Progress, Store, silent
from cued.requests.upkeep import AT_LEAST
from cued.stores.gone_ids import with_those_left
from cued.stores.standing.shown import speaking
from cued.upkeep.duplicates import Merge, NearDuplicates, Spared
from cued.upkeep.pages import PAGE, batches, scanned, supporting

BATCH = 200
TRIES = 5


class Plan(Struct, frozen=True, kw_only=True):
    """What a consolidation would do: who gives way to whom, who is spared, and how many memories were looked at."""

    merges: tuple[Merge, ...]
    spared: tuple[Spared, ...]
    scanned: int
    compared: int
    at_least: float


class SkippedMerge(Struct, frozen=True):
    """A planned merge that no longer fits what is stored, and why."""

    merge: Merge
    reason: str


class Applied(Struct, frozen=True, kw_only=True):
    """What became of a plan."""

    merged: tuple[Merge, ...]
    skipped: tuple[SkippedMerge, ...] = ()


class Merged(Struct, frozen=True, kw_only=True):
    """A merge that stands: which memory gave way to which, and since when; no text where the older one has been erased."""

    newer: str
    older: str
    text_newer: str
    text_older: str | None
    at: datetime | None


def plan(tenant: str, store: Store, *, at: datetime, at_least: float = AT_LEAST, progress: Progress = silent) -> Plan:
    """What a consolidation would merge now; nothing is changed."""
    if isinstance(at_least, bool) or not isinstance(at_least, int | float) or not 0 < at_least <= 1:
        raise InputError("at_least", at_least, "a cosine above 0 and up to 1")

    def held(memory_ids: Sequence[str]) -> frozenset[str]:
        return supporting(tenant, store, memory_ids, at=at)

    groups: defaultdict[tuple[str, str, str, str, int], list[Stored]] = defaultdict(list)
    claims: dict[str, tuple[str, ...]] = {}
    seen = 0
    for page in batches(scanned(tenant, store), PAGE):
        seen += len(page)
        claims |= {stored.memory.id: stored.memory.supersedes for stored in page if stored.memory.supersedes}
        able = [(stored, len(stored.vector)) for stored in page if stored.vector is not None and stored.memory.tier != "core"]
        heard = {memory.id for memory in speaking([stored.memory for stored, _ in able], at=at)}
        for stored, size in able:
            memory = stored.memory
            if memory.fingerprint is not None and memory.id in heard:
                # Who brings vectors of their own may call those of two models by one name.
                groups[memory.scope, memory.kind, memory.tier, memory.fingerprint, size].append(stored)
    total, done = sum(len(group) for group in groups.values()), 0
    taken: list[Merge] = []
    spared: list[Spared] = []
    for key in sorted(groups):
        group = NearDuplicates(groups[key], at_least, held=held, claims=claims, progress=_from(done, total, progress))
        taken += group.merges()
        spared += group.spared()
        done += len(groups[key])
    return Plan(merges=tuple(taken), spared=tuple(spared), scanned=seen, compared=total, at_least=at_least)


def apply(tenant: str, store: Store, planned: Plan, *, at: datetime, progress: Progress = silent) -> Applied:
    """What became of a plan, some hundred merges a transaction; whatever has changed since it was planned is skipped, and said.

    A merge is done whole or not at all, so after an interruption a new plan has what was left.
    """
    merged: list[Merge] = []
    skipped: list[SkippedMerge] = []
    ours: dict[str, int] = {}
    for batch in batches(planned.merges, BATCH):
        done = store.revise(tenant, [_revision(merge, ours.get(merge.newer, merge.version_newer)) for merge in batch], at=at)
        reasons = {(left.id, left.because): left.reason for left in done.left_out}
        for merge in batch:
            reason = _reason(merge, reasons)
            if reason:
                skipped.append(SkippedMerge(merge, reason))
            else:
                merged.append(merge)
        ours |= {memory.id: memory.version for memory in done.memories}
        progress(len(merged) + len(skipped), len(planned.merges))
    return Applied(merged=tuple(merged), skipped=tuple(skipped))


def undo(tenant: str, store: Store, newer_ids: Sequence[str], *, at: datetime, only: Sequence[str] = ()) -> tuple[str, ...]:
    """The ids that are back of what was merged into these memories, or of that `only` these.

    The two are marked as distinct, so that no later consolidation merges them again.
    """
    parted: dict[str, list[str]] = {}
    left: Sequence[str] = tuple(dict.fromkeys(newer_ids))
    for _ in range(TRIES):
        memories = store.get(tenant, left)
        parted |= {memory.id: _to_part(memory, only) for memory in memories}
        done = store.revise(tenant, [_parting(memory, parted[memory.id]) for memory in memories], at=at)
        left = [each.id for each in done.left_out]
        if not left:
            break
    else:
        raise BusyError(f"memory {left[0]} was changed by others {TRIES} times while its merges were to be undone")
    back = [old for merged in parted.values() for old in merged]
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
    """What a consolidation has merged into a memory, except what an update has released since."""
    return [edge.target for edge in memory.edges if edge.relation == MERGED and edge.target in memory.supersedes]


def _from(done: int, total: int, progress: Progress) -> Progress:
    """A progress callback that adds what is done already."""
    return lambda more, _: progress(done + more, total)


def _revision(merge: Merge, version: int) -> Revision:
    """The merge as a revision of the newer memory, for as long as both are as they were planned."""
    return Revision(
        id=merge.newer,
        supersede=(merge.older,),
        link=(Edge(MERGED, merge.older),),
        made_from=version,
        needs=(Seen(merge.newer, version), Seen(merge.older, merge.version_older)),
    )


def _reason(merge: Merge, left_out: Mapping[tuple[str, str], str]) -> str:
    """Why a merge was left out, "" where it was not."""
    newer, older = left_out.get((merge.newer, merge.newer)), left_out.get((merge.newer, merge.older))
    if "gone" in (newer, older):
        return "erased since"
    if older == "changed":
        return "the older one has changed since"
    return {None: "", "unchanged": "merged before"}.get(newer, "the newer one has changed since")


def _to_part(memory: Memory, only: Sequence[str]) -> list[str]:
    merged = [old for old in _merged_into(memory) if not only or old in only]
    if not merged:
        raise InputError("id", memory.id, "a memory into which a consolidation merged others, as `merges` lists them")
    return merged


def _parting(memory: Memory, merged: Sequence[str]) -> Revision:
    return Revision(
        id=memory.id,
        let_go=tuple(merged),
        unlink=tuple(Edge(MERGED, old) for old in merged),
        link=tuple(Edge(DISTINCT, old) for old in merged),
        made_from=memory.version,
    )
