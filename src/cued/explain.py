"""explain: what became of every candidate, and of a memory that did not come back, and what would have to change."""

import math
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from cued.engine import Parts, decide, lookup_of
from cued.flow.floor import COLUMNS as FLOOR_COLUMNS
from cued.model import GLOBAL, Evidence, Gate, Lookup, Memory, Recall, Trace
from cued.policy.spec import Policy


class Verdict(Struct, frozen=True, kw_only=True):
    """What became of one memory: its fate, the stage that decided it, and what would have changed that."""

    id: str
    fate: str
    stage: str
    change: str
    ranks: dict[str, int]
    signals: dict[str, float]
    contributions: dict[str, float]


class Explanation(Struct, frozen=True, kw_only=True):
    """A recall, what it rests on, and the verdict on the memory that was asked about."""

    recall: Recall
    evidence: Evidence
    verdict: Verdict | None = None


def explain(recall: Recall, evidence: Evidence, policy: Policy, *, asked: Memory | None, parts: Parts) -> Explanation:
    """Give the recall with its table, and for the asked memory which gate, channel, floor or cut decided its fate."""
    if asked is None:
        return Explanation(recall=recall, evidence=evidence)
    if asked.id in recall.trace.ids:
        return Explanation(recall=recall, evidence=evidence, verdict=verdict_on(recall, asked.id, policy))
    lookup = lookup_of(evidence, policy, parts)
    gate = gate_of(asked, lookup)
    if gate is not None:
        verdict = Verdict(
            id=asked.id,
            fate=f"struck by the {gate} gate",
            stage="gather",
            change=_GATE_CHANGES[gate](asked, lookup),
            ranks={},
            signals={},
            contributions={},
        )
        return Explanation(recall=recall, evidence=evidence, verdict=verdict)
    return Explanation(recall=recall, evidence=evidence, verdict=_unfound(asked, evidence, policy, parts, lookup))


def gate_of(memory: Memory, lookup: Lookup) -> Gate | None:
    """Give the first gate that strikes this memory in this lookup, or None."""
    at = lookup.at
    strikes: dict[Gate, bool] = {
        "forgotten": memory.forgotten_at is not None and (not lookup.as_of or memory.forgotten_at <= at),
        "scope": memory.scope not in {GLOBAL, lookup.scope},
        "as_of": lookup.as_of and memory.created_at > at,
        "expiry": memory.expires_at is not None and memory.expires_at <= at,
        "validity": not _valid(memory, at),
        "supersession": any(s.at <= at and s.scope in {None, lookup.scope} for s in memory.superseded),
        "kinds": bool(lookup.kinds) and memory.kind not in lookup.kinds,
        "tags": not set(lookup.tags) <= set(memory.tags),
    }
    return next((gate for gate, struck in strikes.items() if struck), None)


def _valid(memory: Memory, at: datetime) -> bool:
    return (memory.valid_from is None or memory.valid_from <= at) and (memory.valid_until is None or at < memory.valid_until)


def _unfound(asked: Memory, evidence: Evidence, policy: Policy, parts: Parts, lookup: Lookup) -> Verdict:
    """Search again with pools as wide as the tenant, to say where in each channel the memory stands."""
    everything = max(1, evidence.findings.visible)
    wide = replace(
        lookup,
        **{
            name: replace(channel, pool=everything)
            for name in ("lexical", "dense", "entity", "temporal")
            if (channel := getattr(lookup, name)) is not None
        },
    )
    widened = replace(evidence, findings=parts.store.search(evidence.tenant, wide))
    recall = decide(widened, policy)
    if asked.id not in recall.trace.ids:
        change = "the cue would have to share a word, a name or a time with it, or the memory needs a vector of this embedder"
        return Verdict(id=asked.id, fate="found by no channel", stage="gather", change=change, ranks={}, signals={}, contributions={})
    verdict = verdict_on(recall, asked.id, policy)
    pools = {name: getattr(policy.channels, name).pool for name in verdict.ranks}
    places = ", ".join(f"{name} rank {rank} with a pool of {pools[name]}" for name, rank in verdict.ranks.items())
    return replace(
        verdict,
        fate=f"found, but beyond every pool: {places}",
        stage="gather",
        change=f"a wider pool would have brought it to the flow, where its fate would be: {verdict.fate}",
    )


def verdict_on(recall: Recall, memory_id: str, policy: Policy) -> Verdict:
    """Give what became of one candidate of the recall."""
    trace = recall.trace
    row = trace.ids.index(memory_id)
    signals = {name: float(column[row]) for name, column in trace.columns.items() if not name.endswith("_rank")}
    return Verdict(
        id=memory_id,
        fate=trace.fates[row],
        stage=trace.stages[row],
        change=_change(trace, row, policy),
        ranks={n.removesuffix("_rank"): int(c[row]) for n, c in trace.columns.items() if n.endswith("_rank") and c[row] > 0},
        signals=signals,
        contributions={name: float(column[row]) for name, column in trace.contributions.items()},
    )


def _change(trace: Trace, row: int, policy: Policy) -> str:
    stage, fate = trace.stages[row], trace.fates[row]
    if stage == "floor":
        reached = float(trace.columns[FLOOR_COLUMNS[policy.floor.on]][row])
        return f"it would pass a floor at or below {math.floor(reached * 1000) / 1000:.3f}"
    if stage == "diversify":
        return "it would come back if its duplicate were not there, or with diversify.collapse above their cosine"
    if "limit" in fate:
        return f"a limit above {policy.budget.limit} would reach it, unless others stand before it"
    if "tokens" in fate:
        return "a larger token budget would hold it"
    return "nothing: it is in the answer" if fate == "chosen" else "leave its id out of `present`"


_GATE_CHANGES: dict[Gate, Callable[[Memory, Lookup], str]] = {
    "forgotten": lambda _m, _: "restoring it (`forget --undo`) brings it back",
    "scope": lambda m, lookup: f"it belongs to scope {m.scope!r}, the cue looks in {lookup.scope!r}",
    "as_of": lambda m, lookup: f"it was written {m.created_at:%Y-%m-%d}, after {lookup.at:%Y-%m-%d}",
    "expiry": lambda m, _: f"it expired {m.expires_at:%Y-%m-%d %H:%M}; `update --ttl` gives it a new term",
    "validity": lambda m, _: f"it holds from {m.valid_from or 'ever'} until {m.valid_until or 'ever'}",
    "supersession": lambda m, _: f"it gave way to {m.superseded[-1].by}; forgetting that one brings it back",
    "kinds": lambda m, lookup: f"it is {m.kind}, the cue asks for {', '.join(lookup.kinds)}",
    "tags": lambda m, lookup: f"it lacks the tags {', '.join(sorted(set(lookup.tags) - set(m.tags)))}",
}
