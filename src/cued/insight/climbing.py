"""The search for a better policy over labelled pairs: one move at a time, and only such as are better by more than chance."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued import flow
from cued.engine.narrowing import narrowed
from cued.flow.table import Table
from cued.insight.knobs import FLOORS, Move, moves, with_floor
from cued.insight.pairs import Pair, worth
from cued.model import Evidence
from cued.policy.spec import Policy
from cued.ports import Progress, silent

ROUNDS = 8
SURE = 1.0
"""By how many standard errors a move must be better before it is made."""
_LEAST = 0.005
_OPENED = flow.ORDER[: flow.ORDER.index(flow.floor)]
Worths = NDArray[np.float64]
_Floor = float | None


class Start(Struct, frozen=True, kw_only=True):
    """A policy to start from, and the pairs as its channels read them."""

    policy: Policy
    pairs: tuple[Pair, ...]


class Reached(Struct, frozen=True, kw_only=True):
    """Where a search ended: the policy, the names of the moves to it, and what it is worth on each pair."""

    policy: Policy
    moves: tuple[str, ...]
    worths: tuple[float, ...]


def climb(start: Start, *, progress: Progress = silent) -> Reached:
    """The policy that single moves lead to, the best first, for as long as one is better by more than a standard error."""
    policy, made = start.policy, list[str]()
    here = _worths(start.pairs, policy, (policy.floor.at,))[policy.floor.at]
    for number in range(ROUNDS):
        best: tuple[float, Move, Worths] | None = None
        for move in (Move(name="", policy=policy), *moves(policy)):
            for floor, there in _worths(start.pairs, move.policy, (policy.floor.at, *FLOORS)).items():
                sure = _surely(there - here)
                if sure > 0 and (best is None or sure > best[0]):
                    best = sure, Move(name=_told(move.name, policy.floor.at, floor), policy=with_floor(move.policy, floor)), there
        progress(number + 1, ROUNDS)
        if best is None:
            break
        _, move, here = best
        policy = move.policy
        made.append(move.name)
    return Reached(policy=policy, moves=tuple(made), worths=tuple(here.tolist()))


def better(left: Reached, right: Reached) -> bool:
    """Whether the second end is better than the first by more than chance."""
    return _surely(np.array(right.worths) - np.array(left.worths)) > 0


def _surely(change: Worths) -> float:
    """By how much a change is better than a standard error of it; not above 0 where it may be chance."""
    error = float(change.std(ddof=1)) / math.sqrt(len(change)) if len(change) > 1 else math.inf
    return float(change.mean()) - max(_LEAST, SURE * error)


def _worths(pairs: Sequence[Pair], policy: Policy, floors: Sequence[_Floor]) -> dict[_Floor, Worths]:
    """What the policy's answers are worth on each pair, at each floor."""
    found: dict[_Floor, list[float]] = {floor: [] for floor in dict.fromkeys(floors)}
    limit = policy.budget.limit
    for pair in pairs:
        ids, own, relevance = _ranked(pair.evidence, policy)
        for floor, values in found.items():
            column = own if floor == policy.floor.at else relevance
            passed = ids if floor is None else [ids[place] for place in np.flatnonzero(column >= floor)[:limit].tolist()]
            values.append(worth(passed[:limit], pair, limit=limit))
    return {floor: np.array(values) for floor, values in found.items()}


def _ranked(evidence: Evidence, policy: Policy) -> tuple[list[str], Worths, Worths]:
    """The candidates in the order of their score, with the column that the policy's floor looks at, and with their relevance."""
    table = Table(narrowed(evidence, policy), policy)
    if not len(table):
        return [], np.zeros(0), np.zeros(0)
    for stage in _OPENED:
        stage.run(table)
    order = table.order
    column = table.columns[flow.floor.COLUMNS[policy.floor.on]][order]
    return [table.ids[row] for row in order.tolist()], column, table.columns["relevance"][order]


def _told(name: str, before: _Floor, after: _Floor) -> str:
    floor = "" if before == after else f"floor to {after}"
    return " and ".join(part for part in (name, floor) if part)
