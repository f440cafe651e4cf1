"""One recall of an evaluation: decided like any recall, with the whole order and other floors noted on the way."""

import copy
import time
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from cued import flow
from cued.flow import relevance
from cued.flow.table import Table
from cued.flow.trace import conclude
from cued.model import Evidence
from cued.policy.calibration import calibrated
from cued.policy.spec import Policy

_BEFORE_FLOOR = flow.ORDER.index(flow.floor)
_BEFORE_BUDGET = flow.ORDER.index(flow.budget)
_OPENED = flow.ORDER[:_BEFORE_FLOOR]
_CHOOSING = flow.ORDER[_BEFORE_FLOOR:_BEFORE_BUDGET]
_CLOSING = flow.ORDER[_BEFORE_BUDGET:]

Floor = float | None


class Variant(Struct, frozen=True, kw_only=True):
    """A policy to be measured, under a name; `without` leaves one column out of its relevance, `floors` are tried beside it."""

    name: str
    policy: Policy
    without: str = ""
    floors: tuple[Floor, ...] = ()


class Ranking(Struct, frozen=True, kw_only=True):
    """Every candidate's id and relevance, best first; what passes each floor; the best relevance; the time to decide, if measured."""

    ids: tuple[str, ...]
    relevances: tuple[float, ...]
    spoken: dict[Floor, tuple[str, ...]]
    best: float
    decide_ms: float | None = None


def unfloored(policy: Policy, *, limit: int) -> Policy:
    """The policy with this limit, no floor and no budget of tokens, and with pools large enough for the limit."""
    lexical, dense = policy.channels.lexical, policy.channels.dense
    channels = replace(
        policy.channels,
        lexical=lexical and replace(lexical, pool=max(lexical.pool, lexical.per_limit * limit), per_limit=0),
        dense=dense and replace(dense, pool=max(dense.pool, dense.per_limit * limit), per_limit=0),
    )
    return replace(
        policy,
        channels=channels,
        floor=replace(policy.floor, at=None),
        budget=replace(policy.budget, limit=limit, limit_max=max(limit, policy.budget.limit_max), tokens=None, window=None),
    )


def rank(evidence: Evidence, variant: Variant, *, timed: bool = False) -> Ranking:
    """The ranking that a variant without a floor makes of the evidence.

    The first of its ids are what `decide` recalls: the same stages run over the same table, in the same order. What comes
    after the choice (budget, render, the trace) changes no rank, and runs only where the time is taken.
    """
    started = time.perf_counter()
    table = Table(evidence, variant.policy)
    if not len(table):
        return Ranking(ids=(), relevances=(), spoken=dict.fromkeys(variant.floors, ()), best=0.0)
    for stage in _OPENED:
        if stage is relevance:
            relevance.run(table, without=variant.without)
        else:
            stage.run(table)
    forks = [_fork(table, floor) for floor in variant.floors]
    rows = _chosen(table)
    spent = _concluded(table, started) if timed else None
    column = table.columns["relevance"]
    return Ranking(
        ids=tuple(table.ids[row] for row in rows),
        relevances=tuple(column[rows].tolist()),
        spoken={fork.policy.floor.at: _first(_chosen(fork), fork) for fork in forks},
        best=float(column.max()),
        decide_ms=spent,
    )


def relevance_columns(policy: Policy, fingerprint: str | None) -> tuple[str, ...]:
    """The columns that the policy's relevance weighs, for this embedder."""
    return tuple(calibrated(policy.relevance, fingerprint)[0].weights)


def _chosen(table: Table) -> list[int]:
    for stage in _CHOOSING:
        stage.run(table)
    return table.survivors()


def _first(rows: Sequence[int], table: Table) -> tuple[str, ...]:
    return tuple(table.ids[row] for row in rows[: table.policy.budget.limit])


def _fork(table: Table, floor: Floor) -> Table:
    """The scored table again, to be floored at another height."""
    fork = copy.copy(table)
    fork.policy = replace(table.policy, floor=replace(table.policy.floor, at=floor))
    fork.alive, fork.order = table.alive.copy(), table.order.copy()
    fork.reasons, fork.stages, fork.duplicates = table.reasons.copy(), table.stages.copy(), {}
    return fork


def _concluded(table: Table, started: float) -> float:
    """The milliseconds since the recall was started, after its last stages were run."""
    for stage in _CLOSING:
        stage.run(table)
    conclude(table)
    return (time.perf_counter() - started) * 1000
