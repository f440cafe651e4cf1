"""Answers as plain JSON, in one shape on every surface: numbers that are not finite are null, times are RFC 3339 in UTC."""

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec.structs import replace

from cued.handles.bootstrap import Pack
from cued.handles.keeping import OpenConflicts
from cued.model import Evidence, Page, Recall, RecallEntry, Trace
from cued.model.plain import JSON, plain

if TYPE_CHECKING:
    from cued.explain import Explanation, MeaningMap, Timeline, Why


def explanation_json(explanation: "Explanation") -> JSON:
    """A recall's answer with its whole table: every candidate, the chosen first, then the rest from the highest score down."""
    recall, evidence = explanation.recall, explanation.evidence
    return {
        **recall.to_dict(),
        "combine": recall.trace.combine,
        "read": _read(evidence),
        "candidates": _candidates(recall, {memory.id: memory.text for memory in evidence.findings.memories}),
        "verdict": None if explanation.verdict is None else plain(explanation.verdict),
    }


def why_json(why: "Why") -> JSON:
    """A memory with the trees of what it comes from and of what came of it."""
    return {**plain(why), "memory": why.memory.to_dict()}


def timeline_json(timeline: "Timeline") -> JSON:
    """What stood around a memory or a moment, oldest first; `centre` is null for a moment."""
    return {
        "before": [memory.to_dict() for memory in timeline.before],
        "centre": None if timeline.centre is None else timeline.centre.to_dict(),
        "after": [memory.to_dict() for memory in timeline.after],
    }


def map_json(laid_out: "MeaningMap") -> JSON:
    """Memories laid out by meaning, each in brief with its place."""
    points = [{**point.memory.brief(), "x": point.x, "y": point.y} for point in laid_out.points]
    return {**plain(replace(laid_out, points=())), "points": points}


def open_conflicts_json(opened: OpenConflicts) -> JSON:
    """Memories that stand with what each is at odds with; `next` goes on with those before them."""
    found = [{"memory": each.memory.to_dict(), "conflicts": plain(each)["conflicts"]} for each in opened.found]
    return {"found": found, "compared": opened.compared, "next": opened.next, "total": opened.total}


def pack_json(pack: Pack) -> JSON:
    """What a conversation starts with, the most needed first."""
    needed = [{**each.memory.brief(), "need": each.need, "contributions": each.contributions} for each in pack.memories]
    core = [memory.brief() for memory in pack.core]
    return plain({"core": core, "memories": needed, "block": pack.block, "omitted": pack.omitted, "tokens": pack.tokens})


def page_json(page: Page) -> JSON:
    """One page of a listing."""
    return {"memories": [memory.to_dict() for memory in page.memories], "next": page.next, "total": page.total}


def entry_json(entry: RecallEntry) -> JSON:
    """A line of the recall log; kept evidence is the object that `cued explain --from` reads, null where it cannot be decoded."""
    try:
        evidence = None if entry.evidence is None else msgspec.json.decode(entry.evidence)
    except (msgspec.DecodeError, UnicodeDecodeError):
        evidence = None
    return {**plain(replace(entry, evidence=None)), "evidence": evidence}


def _read(evidence: Evidence) -> JSON:
    """What the recall looked at, as counts: how much is stored and visible, and what the cue was understood to say."""
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


def _candidates(recall: Recall, texts: dict[str, str]) -> list[JSON]:
    """The rows of the table; a pinned memory is told as being in the block, whatever the flow made of it as a candidate."""
    from cued.explain.telling import figures  # noqa: PLC0415 - who explains has it and the flow; who remembers does not wait for them
    from cued.flow.budget import PINNED  # noqa: PLC0415

    trace, pinned = recall.trace, {memory.id for memory in recall.core}
    score = trace.columns.get("score", np.zeros(len(trace.ids)))
    rows = sorted(range(len(trace.ids)), key=lambda row: (trace.ranks[row] or math.inf, -score[row], trace.ids[row]))
    told = [plain(_candidate(trace, row, texts, figures(trace, row))) for row in rows]
    return [{**each, "fate": PINNED, "stage": "budget"} if each["id"] in pinned else each for each in told]


def _candidate(trace: Trace, row: int, texts: dict[str, str], told: JSON) -> JSON:
    return {
        "id": trace.ids[row],
        "text": texts[trace.ids[row]],
        "rank": trace.ranks[row] or None,
        **told,
        "fate": trace.fates[row],
        "stage": trace.stages[row],
    }
