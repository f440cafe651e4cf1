"""bootstrap: what an agent should know when a conversation starts, before there is any cue.

Core memories come first, then the facts, preferences, procedures and reflections that are needed most. A pack is a recall without
a cue: everything visible is a candidate, need alone orders, and the flow's own budget and render make the block.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued.engine import decide
from cued.flow import score
from cued.flow.table import Table
from cued.model import GLOBAL, Cue, Evidence, Findings, Interval, Kind, Lookup, Memory, Omitted, TemporalLookup
from cued.policy.spec import Diversify, Floor, Policy, Score, Term
from cued.ports import Store
from cued.requests.checks import whole
from cued.requests.upkeep import BUDGET_TOKENS

MOST_READ = 20_000
SHORTLIST = 200
NEED: Final = Score(
    terms=(
        Term(signal="importance"),
        Term(signal="confidence", weight=0.5),
        Term(signal="activation", weight=0.1, clip=(-4.0, 1.0), exponent=0.5, unit=timedelta(days=1)),
        Term(signal="scope", weight=0.2, values={"project": 1.0, "global": 0.0}),
    )
)
"""Need = importance · feedback's factor + 0.5 · confidence + 0.1 · activation within [−4, 1] + 0.2 in a project; from −0.35 to 1.8.

Activation is bounded so that a memory of great importance is not buried by its age: all of history weighs half as much as importance.
"""

_KINDS: tuple[Kind, ...] = ("semantic", "procedural", "reflection")
_ALL_TIME = Interval(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


class Needed(Struct, frozen=True, kw_only=True):
    """A memory of the pack, and what its need is made of."""

    memory: Memory
    need: float
    contributions: dict[str, float]


class Pack(Struct, frozen=True, kw_only=True):
    """What a conversation starts with; `block`, which is also `str()` of it, is its text for the prompt, "" when there is nothing."""

    core: tuple[Memory, ...] = ()
    memories: tuple[Needed, ...] = ()
    block: str = ""
    omitted: tuple[Omitted, ...] = ()
    tokens: int = 0

    def __str__(self) -> str:
        """The text for the prompt."""
        return self.block

    def __repr__(self) -> str:
        """How much is in it."""
        return f"Pack(core={len(self.core)}, memories={len(self.memories)}, tokens={self.tokens})"

    def __bool__(self) -> bool:
        """Whether there is anything for the prompt."""
        return bool(self.block)


def bootstrap(  # noqa: PLR0913 - a pack has a place, a moment, numbers and a size
    tenant: str, store: Store, policy: Policy, *, at: datetime, scope: str = GLOBAL, budget_tokens: int = BUDGET_TOKENS
) -> Pack:
    """The pack of a scope and of what is global, within the tokens; form, core budget and window are the policy's.

    Of more than 20,000 candidates the newest are looked at. Among `omitted` are the core memories that did not fit and the most
    needed of the others.
    """
    whole("budget_tokens", budget_tokens, least=1)
    lookup = Lookup(
        scope=scope,
        at=at,
        kinds=_KINDS,
        temporal=TemporalLookup(intervals=(_ALL_TIME,), pool=MOST_READ),
        core=True,
    )
    cue = Cue(scope=scope, now=at)
    evidence = Evidence(recall_id="bootstrap", tenant=tenant, cue=cue, lookup=lookup, findings=store.search(tenant, lookup))
    return pack(evidence, _without_cue(policy, budget_tokens))


def pack(evidence: Evidence, policy: Policy) -> Pack:
    """The pack that the policy makes of this evidence: pure, and the same whatever the order of the candidates."""
    decided = decide(replace(evidence, findings=_shortlisted(evidence, policy)), policy)
    return Pack(
        core=decided.core,
        memories=tuple(Needed(memory=r.memory, need=r.score, contributions=r.contributions) for r in decided.memories),
        block=decided.block,
        omitted=decided.omitted,
        tokens=decided.tokens,
    )


def _without_cue(policy: Policy, budget_tokens: int) -> Policy:
    """The policy with need for its score, no floor, and as many memories as the tokens hold."""
    budget = replace(policy.budget, limit=policy.budget.limit_max, tokens=budget_tokens, overflow="omit")
    render = replace(policy.render, neighbours=0)
    return replace(policy, name="bootstrap", score=NEED, floor=Floor(), diversify=Diversify(), budget=budget, render=render)


def _shortlisted(evidence: Evidence, policy: Policy) -> Findings:
    """The findings with the most needed candidates alone, without core memories, which have their own place, and episodes."""
    findings = evidence.findings
    fitting = [row for row, memory in enumerate(findings.memories) if memory.tier not in {"core", "episode"}]
    table = Table(replace(evidence, findings=_rows(findings, fitting)), policy)
    score.run(table)
    most_needed = {table.ids[row] for row in table.survivors()[:SHORTLIST]}
    return _rows(findings, [row for row in fitting if findings.memories[row].id in most_needed])


def _rows(findings: Findings, rows: list[int]) -> Findings:
    kept = np.array(rows, dtype=np.intp)
    return replace(
        findings,
        memories=tuple(findings.memories[row] for row in rows),
        columns={name: column[kept] for name, column in findings.columns.items()},
        vectors=None if findings.vectors is None else findings.vectors[kept],
    )
