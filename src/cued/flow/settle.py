"""settle: what a recall leaves behind. Pure: it says what to write, and the engine has it written after the answer."""

from datetime import datetime, timedelta

from cued.model import Recall, RecallEntry, Touch, Use
from cued.policy.spec import Policy, Settle

_DAY = timedelta(days=1)


def touches(recall: Recall, policy: Policy, *, now: datetime) -> tuple[Touch, ...]:
    """Give the touch of every chosen memory that was not touched within the refresh floor.

    So a loop of a hundred identical recalls in a second counts once. The count fades by `count_kept_per_day` before 1 is added.
    """
    rules = policy.settle
    if not rules.touch:
        return ()
    due = (r.memory for r in recall.memories if r.memory.use.last_at is None or now - r.memory.use.last_at >= rules.refresh_floor)
    return tuple(Touch(memory.id, used(memory.use, rules, now=now)) for memory in due)


def used(use: Use, rules: Settle, *, now: datetime) -> Use:
    """Give the state of use after one more recall at `now`."""
    days = max(0.0, (now - use.counted_at) / _DAY) if use.counted_at else 0.0
    return Use(
        last_at=now,
        previous_at=use.last_at,
        count=use.count * rules.count_kept_per_day**days + 1.0,
        counted_at=now,
        boost=use.boost,
    )


def entry(recall: Recall, *, now: datetime) -> RecallEntry:
    """Give the recall's line in the log: ids and numbers, no text."""
    relevances = [r.relevance for r in (*recall.memories, *recall.near_misses)]
    return RecallEntry(
        recall_id=recall.recall_id,
        at=now,
        policy=recall.policy,
        outcome=recall.outcome,
        candidates=len(recall.trace.ids),
        chosen=tuple(r.memory.id for r in recall.memories),
        best_relevance=max(relevances, default=0.0),
        below_floor=recall.trace.stages.count("floor"),
        tokens=recall.tokens,
        total_ms=recall.timings_ms.get("total", 0.0),
    )


def log_line(recall: Recall) -> str:
    """Give a recall's log line: candidates, survivors with kind and score, how many fell below the floor, tokens."""
    chosen = " ".join(f"[{_TAGS[r.memory.kind]}] {r.score:.2f}" for r in recall.memories) or "nothing"
    below = recall.trace.stages.count("floor")
    return f"candidates {len(recall.trace.ids)} · {chosen} · {below} below floor · {recall.tokens} tokens · not compacted"


_TAGS = {"semantic": "sem", "episodic": "epi", "procedural": "proc", "reflection": "refl"}
