"""The search for a better policy over labelled pairs: one move at a time, and only such as are better by more than chance."""

import copy
import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued import flow
from cued.engine.narrowing import narrowed
from cued.flow.table import Table
from cued.insight.knobs import FLOORS, Move, moves, with_floor
from cued.insight.pairs import LabelledPair, worth
from cued.model import Evidence
from cued.policy.spec import Channels, Policy, Relevance
from cued.ports import Progress

ROUNDS = 8
SURE = 1.0
"""By how many standard errors a move must be better before it is made."""
_LEAST = 0.005
_ORDERING = flow.ORDER[flow.ORDER.index(flow.relevance) + 1 : flow.ORDER.index(flow.floor)]
Worths = NDArray[np.float64]
_Floor = float | None


class Start(Struct, frozen=True, kw_only=True):
    """A policy to start from, and the pairs as its channels read them."""

    policy: Policy
    pairs: tuple[LabelledPair, ...]


class Reached(Struct, frozen=True, kw_only=True):
    """Where a search ended: the policy, the names of the moves to it, and what it is worth on each pair."""

    policy: Policy
    moves: tuple[str, ...]
    worths: tuple[float, ...]


def climb(start: Start, *, progress: Progress) -> Reached:
    """The policy that single moves lead to, the best first, for as long as one is better by more than a standard error."""
    policy, made, read = start.policy, list[str](), _Read(start.pairs)
    here = read.worths(policy, (policy.floor.at,))[policy.floor.at]
    for number in range(ROUNDS):
        found = _best_move(policy, here, read)
        progress(number + 1, ROUNDS)
        if found is None:
            break
        move, here = found
        policy = move.policy
        made.append(move.name)
    return Reached(policy=policy, moves=tuple(made), worths=tuple(here.tolist()))


def _best_move(policy: Policy, here: Worths, read: "_Read") -> tuple[Move, Worths] | None:
    """The surest move from here, alone or with another floor, and what it comes to; None where none is better by more than chance."""
    best, most = None, 0.0
    for move in (Move(name="", policy=policy), *moves(policy)):
        for floor, there in read.worths(move.policy, (policy.floor.at, *FLOORS)).items():
            sure = _surely(there - here)
            if sure > most:
                most = sure
                best = Move(name=_move_name(move.name, policy.floor.at, floor), policy=with_floor(move.policy, floor)), there
    return best


def better(left: Reached, right: Reached) -> bool:
    """Whether the second end is better than the first by more than chance."""
    return _surely(np.array(right.worths) - np.array(left.worths)) > 0


def _surely(change: Worths) -> float:
    """By how much a change is better than a standard error of it; not above 0 where it may be chance."""
    error = float(change.std(ddof=1)) / math.sqrt(len(change)) if len(change) > 1 else math.inf
    return float(change.mean()) - max(_LEAST, SURE * error)


class _Read:
    """The pairs as tables with their relevance, which most moves leave as it is: read once for each set of channels."""

    def __init__(self, pairs: Sequence[LabelledPair]) -> None:
        self._pairs = pairs
        self._tables: dict[tuple[Channels, Relevance], list[Table]] = {}

    def worths(self, policy: Policy, floors: Sequence[_Floor]) -> dict[_Floor, Worths]:
        """What the policy's answers are worth on each pair, at each floor."""
        found: dict[_Floor, list[float]] = {floor: [] for floor in dict.fromkeys(floors)}
        limit = policy.budget.limit
        for pair, table in zip(self._pairs, self._opened(policy), strict=True):
            ids, own, relevance = _ranked(table, policy)
            for floor, values in found.items():
                column = own if floor == policy.floor.at else relevance
                passed = ids[:limit] if floor is None else [ids[place] for place in np.flatnonzero(column >= floor)[:limit].tolist()]
                values.append(worth(passed, pair, limit=limit))
        return {floor: np.array(values) for floor, values in found.items()}

    def _opened(self, policy: Policy) -> list[Table]:
        key = policy.channels, policy.relevance
        if key not in self._tables:
            self._tables[key] = [_with_relevance(narrowed(pair.evidence, policy), policy) for pair in self._pairs]
        return self._tables[key]


def _with_relevance(evidence: Evidence, policy: Policy) -> Table:
    table = Table(evidence, policy)
    if len(table):
        flow.fuse.run(table)
        flow.relevance.run(table)
    return table


def _ranked(read: Table, policy: Policy) -> tuple[list[str], Worths, Worths]:
    """The candidates in the order of their score, with the column that the policy's floor looks at, and with their relevance."""
    if not len(read):
        return [], np.zeros(0), np.zeros(0)
    table = copy.copy(read)
    table.policy, table.columns, table.contributions = policy, dict(read.columns), {}
    flow.fuse.run(table)
    for stage in _ORDERING:
        stage.run(table)
    order = table.order
    column = table.columns[flow.floor.FLOOR_COLUMNS[policy.floor.on]][order]
    return [table.ids[row] for row in order.tolist()], column, table.columns["relevance"][order]


def _move_name(name: str, before: _Floor, after: _Floor) -> str:
    floor = "" if before == after else f"floor to {after}"
    return " and ".join(part for part in (name, floor) if part)
