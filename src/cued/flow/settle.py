"""settle: what a recall leaves behind. Pure: it says what to write, and the settler has it written after the answer."""

from bisect import bisect_left
from collections.abc import Callable
from datetime import datetime
from functools import partial
from hashlib import blake2b

from cued.flow import arc
from cued.flow.cue import words
from cued.model import CHANNELS, Cue, Evidence, Recall, RecallEntry, Shadowed, Touch, Trace
from cued.policy.calibration import digest
from cued.policy.spec import Policy


def touches(recall: Recall, policy: Policy, *, cue: Cue, now: datetime) -> tuple[Touch, ...]:
    """The touch of every chosen memory that was not touched within the refresh floor; none for a recall as of another time.

    What is looked up as of the past is archaeology: it says nothing about what is needed now, so it warms nothing.
    """
    rules = policy.settle
    if not rules.touch or cue.as_of is not None:
        return ()
    return tuple(
        Touch(id=r.memory.id, at=now, refresh_floor=rules.refresh_floor, kept_per_day=rules.count_kept_per_day)
        for r in recall.memories
        if r.memory.use.due(now, rules.refresh_floor)
    )


def documents(recall: Recall, policy: Policy, *, cue: Cue, now: datetime) -> dict[str, Callable[[bytes | None], bytes]]:
    """How the recall changes the tenant's documents, by name; nothing unless the policy adapts and the recall is of the present."""
    if policy.settle.adapt != "arc" or cue.as_of is not None or not recall.memories:
        return {}
    chosen = tuple(r.memory.id for r in recall.memories)
    return {arc.DOCUMENT: partial(arc.learn, chosen=chosen, policy=policy, now=now)}


def entry(recall: Recall, evidence: Evidence, policy: Policy, *, now: datetime, content: bytes | None = None) -> RecallEntry:
    """The recall's line in the log: ids and numbers, no text.

    Only with `content`, the bytes of an envelope of the recall, the line also keeps them and the words of the cue.
    """
    chosen = tuple(r.memory.id for r in recall.memories)
    return RecallEntry(
        recall_id=recall.recall_id,
        at=now,
        policy=recall.policy,
        policy_digest=digest(policy),
        scope=evidence.cue.scope,
        outcome=recall.outcome,
        candidates=len(recall.trace.ids),
        chosen=chosen,
        found_by=_found_by(recall.trace, chosen),
        best_relevance=_best(recall),
        floor=policy.floor.at,
        below_floor=recall.trace.stages.count("floor"),
        suppressed=sum(recall.suppressed.values()),
        omitted=len(recall.omitted),
        tokens=recall.tokens,
        degraded=recall.degraded,
        total_ms=recall.timings_ms.get("total", 0.0),
        stage_ms={stage: round(ms, 3) for stage, ms in recall.timings_ms.items() if stage != "total"},
        conversation=_mark(evidence.cue.conversation, 4) if evidence.cue.conversation else "",
        cue_mark=_mark(words(evidence.cue, "cue"), 2),
        cue=None if content is None else words(evidence.cue, "cue", labelled=True),
        evidence=content,
    )


def shadowed(recall: Recall, policy: Policy) -> Shadowed:
    """What the log keeps of a recall that was decided beside the one that was shown."""
    return Shadowed(
        policy=recall.policy,
        policy_digest=digest(policy),
        outcome=recall.outcome,
        chosen=tuple(r.memory.id for r in recall.memories),
        best_relevance=_best(recall),
        floor=policy.floor.at,
        tokens=recall.tokens,
    )


def _best(recall: Recall) -> float:
    return max((r.relevance for r in (*recall.memories, *recall.near_misses)), default=0.0)


def _mark(text: str, size: int) -> str:
    """A digest of so few bytes that it tells texts of one stretch apart and gives none of them away."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def _found_by(trace: Trace, chosen: tuple[str, ...]) -> tuple[str, ...]:
    """The channel that alone found each chosen memory, "" where several did, or none because a neighbour brought it along."""
    rows = [bisect_left(trace.ids, memory_id) for memory_id in chosen]
    ranks = {channel: trace.columns[name][rows].tolist() for channel in CHANNELS if (name := f"{channel}_rank") in trace.columns}
    finders = ([channel for channel, column in ranks.items() if column[place] > 0] for place in range(len(rows)))
    return tuple(found[0] if len(found) == 1 else "" for found in finders)


def log_line(recall: Recall) -> str:
    """A recall's log line: candidates, survivors with kind and score, how many fell below the floor, tokens, compacted or not."""
    chosen = " ".join(f"[{_TAGS[r.memory.kind]}] {r.score:.2f}" for r in recall.memories) or "nothing"
    below = recall.trace.stages.count("floor")
    compacted = "compacted" if recall.compacted else "not compacted"
    return f"candidates {len(recall.trace.ids)} · {chosen} · {below} below floor · {recall.tokens} tokens · {compacted}"


_TAGS = {"semantic": "sem", "episodic": "epi", "procedural": "proc", "reflection": "refl"}
