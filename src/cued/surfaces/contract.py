"""The nouns as plain JSON, one shape on every surface: numbers that are not finite are null, times are RFC 3339 in UTC."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from cued.explain import Explanation, Timeline, Verdict, Why
from cued.handles.bootstrap import Pack
from cued.handles.tenant import Remembered
from cued.model import Evidence, Memory, Page, Recall, Recalled, Stats, Trace

JSON = dict[str, Any]


def plain(value: Mapping[str, Any] | Struct) -> JSON:
    """Give the value in dicts, lists, strings, finite numbers, booleans and None alone."""
    cleaned: JSON = _finite(msgspec.to_builtins(value, str_keys=True))
    return cleaned


def memory_json(memory: Memory) -> JSON:
    """Give everything that is kept of a memory, but whose it is and its vector; the fields are named as `remember` takes them."""
    whole = {name: getattr(memory, name) for name in memory.__struct_fields__ if name not in {"tenant", "source", "superseded", "edges"}}
    return plain(
        {
            **whole,
            **{name: getattr(memory.source, name) for name in memory.source.__struct_fields__},
            "superseded": [{"by": s.by, "at": s.at, "scope": s.scope, "lifted_at": s.lifted_at} for s in memory.superseded],
            "edges": [[edge.relation, edge.target] for edge in memory.edges],
        }
    )


def brief_json(memory: Memory) -> JSON:
    """Give what an answer says of a memory that is one of many: the text and what it takes to weigh it."""
    return plain(_brief(memory))


def remembered_json(remembered: Remembered) -> JSON:
    """Give the new ids, and each conflict with its choices; `id` is null unless there is exactly one."""
    ids = list(remembered.ids)
    conflicts = [plain(conflict) for conflict in remembered.conflicts]
    return {"id": ids[0] if len(ids) == 1 else None, "ids": ids, "conflicts": conflicts, "degraded": list(remembered.degraded)}


def recall_json(recall: Recall) -> JSON:
    """Give a recall as its answer: what was chosen, the block for the prompt, and what stayed away and why."""
    fates = dict(zip(recall.trace.ids, recall.trace.fates, strict=True))
    return plain(
        {
            "recall_id": recall.recall_id,
            "policy": recall.policy,
            "outcome": recall.outcome,
            "memories": [_recalled(each) for each in recall.memories],
            "core": [_brief(memory) for memory in recall.core],
            "block": recall.block,
            "compacted": recall.compacted,
            "drift": recall.drift,
            "near_misses": [{**_recalled(each), "rank": None, "fate": fates[each.memory.id]} for each in recall.near_misses],
            "omitted": recall.omitted,
            "suppressed": recall.suppressed,
            "degraded": recall.degraded,
            "tokens": recall.tokens,
            "timings_ms": {stage: round(ms, 3) for stage, ms in recall.timings_ms.items()},
        }
    )


def explanation_json(explanation: Explanation) -> JSON:
    """Give a recall's answer with its whole table: every candidate, the chosen first, then the rest from the highest score down."""
    recall, evidence = explanation.recall, explanation.evidence
    return {
        **recall_json(recall),
        "combine": recall.trace.combine,
        "read": _read(evidence),
        "candidates": _candidates(recall.trace, {memory.id: memory.text for memory in evidence.findings.memories}),
        "verdict": None if explanation.verdict is None else verdict_json(explanation.verdict),
    }


def verdict_json(verdict: Verdict) -> JSON:
    """Give what became of one memory, and what would have changed that."""
    return plain(verdict)


def why_json(why: Why) -> JSON:
    """Give a memory with the trees of what it comes from and of what came of it."""
    return {**plain(why), "memory": memory_json(why.memory)}


def timeline_json(timeline: Timeline) -> JSON:
    """Give what stood around a memory or a moment, oldest first; `centre` is null for a moment."""
    return {
        "before": [memory_json(memory) for memory in timeline.before],
        "centre": None if timeline.centre is None else memory_json(timeline.centre),
        "after": [memory_json(memory) for memory in timeline.after],
    }


def pack_json(pack: Pack) -> JSON:
    """Give what a conversation starts with, the most needed first."""
    needed = [{**_brief(each.memory), "need": each.need, "contributions": each.contributions} for each in pack.memories]
    core = [_brief(memory) for memory in pack.core]
    return plain({"core": core, "memories": needed, "block": pack.block, "omitted": pack.omitted, "tokens": pack.tokens})


def page_json(page: Page) -> JSON:
    """Give one page of a listing."""
    return {"memories": [memory_json(memory) for memory in page.memories], "next": page.next, "total": page.total}


def stats_json(stats: Stats) -> JSON:
    """Give what a tenant holds, counted."""
    return plain(stats)


def _brief(memory: Memory) -> JSON:
    return {
        **{name: getattr(memory, name) for name in ("id", "text", "kind", "tier", "scope", "tags")},
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        **{name: getattr(memory.source, name) for name in ("speaker", "session", "turn")},
        **{name: getattr(memory, name) for name in ("trust", "importance", "weight")},
    }


def _recalled(recalled: Recalled) -> JSON:
    return {
        **_brief(recalled.memory),
        "score": recalled.score,
        "relevance": recalled.relevance,
        "rank": recalled.rank,
        "contributions": recalled.contributions,
        "duplicates": recalled.duplicates,
    }


def _read(evidence: Evidence) -> JSON:
    """Give what the recall looked at, as counts: how much is stored and visible, and what the cue was understood to say."""
    findings = evidence.findings
    return plain(
        {
            "stored": findings.stored,
            "visible": findings.visible,
            "intent": evidence.intent,
            "intervals": evidence.intervals,
            "terms": findings.terms,
            "background": findings.background,
            "embedder": evidence.fingerprint,
        }
    )


def _candidates(trace: Trace, texts: dict[str, str]) -> list[JSON]:
    score = trace.columns.get("score", np.zeros(len(trace.ids)))
    rows = sorted(range(len(trace.ids)), key=lambda row: (trace.ranks[row] or math.inf, -score[row], trace.ids[row]))
    return [plain(_candidate(trace, row, texts)) for row in rows]


def _candidate(trace: Trace, row: int, texts: dict[str, str]) -> JSON:
    ranks = {name.removesuffix("_rank"): int(column[row]) for name, column in trace.columns.items() if name.endswith("_rank")}
    return {
        "id": trace.ids[row],
        "text": texts[trace.ids[row]],
        "rank": trace.ranks[row] or None,
        "ranks": {channel: rank for channel, rank in ranks.items() if rank},
        "signals": {name: float(column[row]) for name, column in trace.columns.items() if not name.endswith("_rank")},
        "contributions": {name: float(column[row]) for name, column in trace.contributions.items()},
        "fate": trace.fates[row],
        "stage": trace.stages[row],
    }


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
