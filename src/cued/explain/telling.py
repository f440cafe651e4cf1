"""explain: what became of every candidate, and of a memory that did not come back, and what would have to change."""

import math
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cued.engine import Parts, decide
from cued.explain.origins import with_origins
from cued.explain.single_changes import Change, single_changes
from cued.flow.budget import PINNED
from cued.flow.floor import FLOOR_COLUMNS
from cued.model import CHANNELS, Evidence, Lookup, Memory, Recall, Trace
from cued.policy.spec import Policy
from cued.stores.standing.judging import judge
from cued.stores.standing.why_not import change_of

_IN_THE_ANSWER = "nothing: it is in the answer"
_SHARED = {"lexical": "a word", "entity": "a name", "temporal": "a time"}
"""What a cue has in common with a memory that a channel finds; the dense one compares vectors."""


class Verdict(Struct, frozen=True, kw_only=True):
    """What became of one memory: its fate, the stage that decided it, and what would have changed that.

    `single` are the single changes of the policy by which it would have come back, the smallest first.
    """

    id: str
    fate: str
    stage: str
    change: str
    ranks: dict[str, int]
    signals: dict[str, float]
    contributions: dict[str, float]
    single: tuple[Change, ...] = ()


class Explanation(Struct, frozen=True, kw_only=True):
    """A recall, what it rests on, the policy that decided it, and the verdict on the memory that was asked about.

    `whole` is the same recall with every channel open, where some were left out.
    """

    recall: Recall
    evidence: Evidence
    policy: Policy
    verdict: Verdict | None = None
    whole: Recall | None = None

    def __repr__(self) -> str:
        """What came of the recall, under which policy, and the verdict."""
        return f"Explanation(recall={self.recall!r}, policy={self.policy.name!r}, verdict={self.verdict!r})"


def explain(recall: Recall, evidence: Evidence, policy: Policy, *, asked: Memory | None, parts: Parts) -> Explanation:
    """The recall with its table, and for the asked memory which gate, channel, floor or cut decided its fate."""
    verdict = None if asked is None else _verdict(recall, evidence, policy, asked=asked, parts=parts)
    return Explanation(recall=recall, evidence=evidence, policy=policy, verdict=verdict)


def _verdict(recall: Recall, evidence: Evidence, policy: Policy, *, asked: Memory, parts: Parts) -> Verdict:
    if asked.id in recall.trace.ids:
        return replace(verdict_on(recall, asked.id, policy), single=single_changes(evidence, policy, asked.id, decided=recall))
    if shown_as_core(recall, asked.id):
        return _plainly(asked, PINNED, "budget", _IN_THE_ANSWER)
    reason = next((each.reason for each in recall.omitted if each.id == asked.id), None)
    if reason is not None:
        return _plainly(asked, reason, "budget", _what_would_fit_it(reason, policy))
    lookup = evidence.lookup
    if lookup is None:
        return _plainly(asked, "stored after the recall had looked", "gather", "asking again finds it, if anything in the cue does")
    judged = judge(with_origins(parts.store, evidence.tenant, [asked]), lookup)
    gate = judged.gate(asked.id)
    if gate is not None:
        return _plainly(asked, f"struck by the {gate} gate", "gather", change_of(judged, asked.id))
    return _unfound(asked, evidence, policy, parts, lookup)


def _plainly(asked: Memory, fate: str, stage: str, change: str) -> Verdict:
    """The verdict on a memory that never was a row of the table."""
    return Verdict(id=asked.id, fate=fate, stage=stage, change=change, ranks={}, signals={}, contributions={})


def _unfound(asked: Memory, evidence: Evidence, policy: Policy, parts: Parts, lookup: Lookup) -> Verdict:
    """Search again with pools as wide as the tenant, to say where in each channel the memory stands."""
    everything = max(1, evidence.findings.visible)
    opened = {name: channel for name in CHANNELS if (channel := getattr(lookup, name)) is not None}
    wide = replace(lookup, **{name: replace(channel, pool=everything) for name, channel in opened.items()})
    widened = replace(evidence, findings=parts.store.search(evidence.tenant, wide))
    recall = decide(widened, policy)
    if asked.id not in recall.trace.ids:
        return _plainly(asked, "found by no channel", "gather", _what_would_find_it(policy, lookup))
    verdict = verdict_on(recall, asked.id, policy)
    pools = {name: getattr(lookup, name).pool for name in verdict.ranks}
    single = _wider(verdict, pools) if verdict.fate == "chosen" else ()
    places = ", ".join(f"{name} rank {rank} with a pool of {pools[name]}" for name, rank in verdict.ranks.items())
    return replace(
        verdict,
        fate=f"found, but beyond every pool: {places}",
        stage="gather",
        change=f"a wider pool would have brought it to the flow, where its fate would be: {verdict.fate}",
        single=single,
    )


def _what_would_find_it(policy: Policy, lookup: Lookup) -> str:
    """What each open channel would need to find a memory, and which channels are shut."""
    shut = [name for name in CHANNELS if getattr(policy.channels, name) is None]
    shared = [what for name, what in _SHARED.items() if name not in shut]
    named = " or ".join(filter(None, (", ".join(shared[:-1]), *shared[-1:])))
    ways = [f"the cue would have to share {named} with it"] if shared else []
    if "dense" not in shut:
        ways.append("an embedder would have to find it by meaning" if lookup.dense is None else "it needs a vector of this embedder")
    return ", or ".join(ways) + (f"; shut in this recall: {', '.join(shut)}" if shut else "")


def _wider(verdict: Verdict, pools: dict[str, int]) -> tuple[Change, ...]:
    """A pool just wide enough, for each channel that found it."""
    wider = ((name, pools[name], rank) for name, rank in verdict.ranks.items() if rank > pools[name])
    found = (
        Change(setting=f"channels.{name}.pool", before=str(old), after=str(new), steps=2 * math.log2(new / old)) for name, old, new in wider
    )
    return tuple(sorted(found, key=lambda change: change.steps))


def shown_as_core(recall: Recall, memory_id: str) -> bool:
    """Whether a memory stands in the block because it is pinned, whatever the flow made of it as a candidate."""
    return any(memory.id == memory_id for memory in recall.core)


def verdict_on(recall: Recall, memory_id: str, policy: Policy) -> Verdict:
    """What became of one candidate of the recall."""
    trace = recall.trace
    row, core = trace.ids.index(memory_id), shown_as_core(recall, memory_id)
    return Verdict(
        id=memory_id,
        fate=PINNED if core else trace.fates[row],
        stage="budget" if core else trace.stages[row],
        change=_IN_THE_ANSWER if core else _change(trace, row, policy),
        **figures(trace, row),
    )


def figures(trace: Trace, row: int) -> dict[str, Any]:
    """What the columns say of one candidate: its rank in each channel that found it, its signals, and its contributions."""
    columns = trace.columns.items()
    return {
        "ranks": {name.removesuffix("_rank"): int(column[row]) for name, column in columns if name.endswith("_rank") and column[row] > 0},
        "signals": {name: float(column[row]) for name, column in columns if not name.endswith("_rank")},
        "contributions": {name: float(column[row]) for name, column in trace.contributions.items()},
    }


def _change(trace: Trace, row: int, policy: Policy) -> str:
    stage, fate = trace.stages[row], trace.fates[row]
    if stage == "floor":
        reached = float(trace.columns[FLOOR_COLUMNS[policy.floor.on]][row])
        return f"it would pass a floor at or below {math.floor(reached * 1000) / 1000:.3f}"
    if stage == "diversify":
        return "it would come back if its duplicate were not there, or with diversify.collapse above their cosine"
    if stage == "trust":
        return "a person's `promote` to user lets it count as verified; asking with `trusts` for it alone shows it as it is"
    return _IN_THE_ANSWER if fate in {"chosen", PINNED} else _what_would_fit_it(fate, policy)


def _what_would_fit_it(fate: str, policy: Policy) -> str:
    """What would let a memory in that the budget has left out."""
    if fate.startswith("core: "):
        return f"a core budget above {policy.budget.core} tokens, or a larger one for the whole block, would hold it"
    if "tokens" in fate:
        return "a larger token budget would hold it"
    if "limit" in fate:
        return f"a limit above {policy.budget.limit} would reach it, unless others stand before it"
    return "leave its id out of `present`"
