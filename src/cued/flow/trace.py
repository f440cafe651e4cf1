"""trace: the table that is left when the flow has run is the recall, and its explanation."""

from itertools import islice

from cued.flow.floor import FLOOR_COLUMNS
from cued.flow.table import Table
from cued.model import Omitted, Outcome, Recall, Recalled, Trace
from cued.text.token_counts import estimate_tokens

NEAR_MISSES = 3
_LEAVING_OUT = frozenset({"budget", "trust"})
"""The stages after which what is relevant may be missing all the same."""


def conclude(table: Table) -> Recall:
    """The recall that the table has come to."""
    evidence = table.evidence
    chosen = table.survivors()
    trace = _trace(table, chosen)
    return Recall(
        recall_id=evidence.recall_id,
        tenant=evidence.tenant,
        policy=table.policy.name,
        outcome=_outcome(table, trace, chosen),
        memories=tuple(_recalled(table, row, rank) for rank, row in enumerate(chosen, 1)),
        core=table.core,
        block=table.block,
        compacted=table.compacted,
        near_misses=_near_misses(table, trace),
        omitted=_omitted(table, trace, chosen),
        suppressed={gate: count for gate, count in evidence.findings.struck.items() if count},
        degraded=tuple(table.degraded),
        tokens=estimate_tokens(table.block),
        timings_ms=dict(evidence.timings_ms),
        trace=trace,
    )


def _outcome(table: Table, trace: Trace, chosen: list[int]) -> Outcome:
    findings = table.evidence.findings
    if chosen:
        return "recalled"
    if not findings.stored:
        return "nothing_stored"
    if not findings.visible:
        return "all_gated"
    if not len(table):
        return "nothing_matched"
    return "omitted" if _LEAVING_OUT.intersection(trace.stages) else "below_floor"


def _recalled(table: Table, row: int, rank: int) -> Recalled:
    return Recalled(
        memory=table.memories[row],
        rank=rank,
        score=table.columns["score"].item(row),
        relevance=table.columns["relevance"].item(row),
        contributions={name: column.item(row) for name, column in table.contributions.items()},
        duplicates=tuple(table.duplicates.get(row, ())),
    )


def _omitted(table: Table, trace: Trace, chosen: list[int]) -> tuple[Omitted, ...]:
    """What was left out, each memory once: core memories that did not fit and were not recalled either, then rows in order."""
    if not table.left_out and sum(map(trace.stages.count, _LEAVING_OUT)) == len(chosen):
        return ()
    recalled = {table.ids[row] for row in chosen}
    core = [each for each in table.left_out if each.id not in recalled]
    named = {each.id for each in core}
    struck = (row for row in table.order[~table.alive[table.order]].tolist() if trace.stages[row] in _LEAVING_OUT)
    return (*core, *(Omitted(table.ids[row], trace.reasons[row]) for row in struck if table.ids[row] not in named))


def _near_misses(table: Table, trace: Trace) -> tuple[Recalled, ...]:
    if not len(table):
        return ()
    best_first, shown = (-table.columns[FLOOR_COLUMNS[table.policy.floor.on]]).argsort(kind="stable"), {each.id for each in table.core}
    below = (row for row in best_first.tolist() if trace.stages[row] == "floor" and table.ids[row] not in shown)
    return tuple(_recalled(table, row, 0) for row in islice(below, NEAR_MISSES))


def _trace(table: Table, chosen: list[int]) -> Trace:
    ranks = [0] * len(table)
    for rank, row in enumerate(chosen, 1):
        ranks[row] = rank
    return Trace(
        ids=table.ids,
        columns=table.columns,
        contributions=table.contributions,
        ranks=tuple(ranks),
        reasons=tuple(table.reasons.tolist()),
        stages=tuple(table.stages.tolist()),
        combine=table.policy.score.combine,
        floored=FLOOR_COLUMNS[table.policy.floor.on] if len(table) else "",
    )
