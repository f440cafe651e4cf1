"""A recall from end to end: `gathering` reads, the flow decides, `opinions` asks others, and an `envelope` keeps it for later.

Above: the tenant's verbs, and everything that replays or evaluates. Below: the flow, and whatever stands behind the ports.
"""

import time

from msgspec.structs import replace

from cued import flow
from cued.engine.gathering import Parts, Question, gather, log
from cued.flow.table import Table
from cued.flow.trace import conclude
from cued.model import Evidence, Recall
from cued.policy.spec import Policy

__all__ = ["Parts", "Question", "decide", "gather", "log", "recall"]


def recall(question: Question, policy: Policy, parts: Parts) -> tuple[Recall, Evidence]:
    """The recall and the evidence that it rests on: gathered once, run through the flow once, and once more for each outside opinion."""
    clock, spent = time.perf_counter, dict[str, float]()
    started = clock()
    evidence = gather(question, policy, parts, clock=clock, spent=spent)
    table = flow.run(evidence, policy, clock=clock, spent=spent)
    if parts.reranker is not None or parts.summariser is not None:
        evidence, table = _with_opinions(table, parts, spent)
    concluding = clock()
    decided = conclude(table)
    ended = clock()
    spent |= {"trace": ended - concluding, "total": ended - started}
    return replace(decided, timings_ms={step: seconds * 1000 for step, seconds in spent.items()}), evidence


def decide(evidence: Evidence, policy: Policy) -> Recall:
    """The recall that the policy makes of the evidence, purely: the same bytes in give the same bytes out."""
    return conclude(flow.run(evidence, policy))


def _with_opinions(table: Table, parts: Parts, spent: dict[str, float]) -> tuple[Evidence, Table]:
    from cued.engine.opinions import OPINIONS  # noqa: PLC0415 - few recalls ask anybody

    evidence = table.evidence
    for name, opinion in OPINIONS.items():
        asked = time.perf_counter()
        heard = opinion(table, parts)
        if heard is not None:
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - asked
            evidence, table = heard, flow.run(heard, table.policy, clock=time.perf_counter, spent=spent)
    return evidence, table
