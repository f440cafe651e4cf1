"""Fits relevance to asked questions: their candidates compete with each other, and with silence.

Three things are wanted of one sum of columns. Among a question's own candidates the gold comes first (a conditional logit). Gold is
above, and the best that a far or near question finds is below, the middle (a logistic regression in which a question without an answer
counts by what it is most tempted by). And the floor means the same in any store: what far questions find at best grows with the
number of memories, and `crowd` takes away just that.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OWN, NEAR, FAR = 0, 1, 2
ORDER, NEARBY = 1.0, 0.15
"""How much the order counts beside presence, and a near question beside a far one."""
RIDGE = 0.0002
EDGES = np.log([8, 25, 80, 250, 800, 2000])
"""Stores between two of these sizes count as much as those between any other two."""
FLOOR = 0.7
_STEPS = 60
_GROWING = 0.95
"""At which quantile of what far questions reach it is told how that grows."""
_SETTLED = 1e-3
_FARTHEST = 3.0


class Sample(Struct, kw_only=True):
    """One data set's questions: their candidates' columns end to end, which are gold, where each begins, its kind and store size."""

    name: str
    columns: Floats
    gold: NDArray[np.bool_]
    missing: NDArray[np.int64]
    starts: NDArray[np.intp]
    kind: NDArray[np.int64]
    size: Floats
    group: NDArray[np.str_]
    weight: float = 1.0

    @property
    def lengths(self) -> NDArray[np.intp]:
        """How many candidates each question has."""
        return np.diff(np.append(self.starts, len(self.gold)))

    @property
    def asked(self) -> NDArray[np.intp]:
        """Which question each candidate belongs to."""
        return np.repeat(np.arange(len(self.kind)), self.lengths)

    @property
    def shares(self) -> Floats:
        """What each question counts: each kind 1 in all, its sizes alike."""
        shares, sizes = np.zeros(len(self.kind)), np.digitize(self.size, EDGES)
        for kind in (OWN, NEAR, FAR):
            of_kind = self.kind == kind
            found, counts = np.unique(sizes[of_kind], return_counts=True)
            each = dict(zip(found.tolist(), counts.tolist(), strict=True))
            shares[of_kind] = [1.0 / (len(each) * each[size]) for size in sizes[of_kind].tolist()]
        return shares * self.weight

    def best(self, values: Floats) -> Floats:
        """The highest value among each question's candidates."""
        return np.asarray(np.maximum.reduceat(values, self.starts))


def fit(samples: Sequence[Sample], *, free: Sequence[bool]) -> tuple[float, Floats]:
    """The intercept and the coefficients, by Newton's method; one that is not `free` and would turn negative is held at 0."""
    scale = np.mean([sample.columns.std(axis=0) for sample in samples], axis=0) + 1e-6
    designs = [np.hstack([np.ones((len(each.columns), 1)), each.columns / scale]) for each in samples]
    total = sum(sample.weight for sample in samples)
    penalty = np.append(1e-6, np.full(len(scale), RIDGE * total))
    bound = np.append(False, [not each for each in free])
    held, solution = np.zeros(len(penalty), dtype=bool), np.zeros(len(penalty))
    for _ in range(_STEPS):
        slope, curvature = -penalty * solution, np.diag(penalty)
        for sample, design in zip(samples, designs, strict=True):
            for more_slope, more_curvature in (_order(sample, design, solution), _presence(sample, design, solution)):
                slope, curvature = slope + more_slope, curvature + more_curvature
        moving = np.flatnonzero(~held)
        step = np.zeros(len(solution))
        step[moving] = np.linalg.solve(curvature[np.ix_(moving, moving)] + 1e-9 * np.eye(len(moving)), slope[moving])
        step *= min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-9))
        turned = bound & ~held & (solution + step < 0.0)
        solution = np.where(turned, 0.0, solution + step)
        held |= turned
        if float(np.abs(step).max()) < _SETTLED and not turned.any():
            missed = held & (slope > _SETTLED)
            if not missed.any():
                break
            held &= ~missed
    return float(solution[0]), solution[1:] / scale


def _order(sample: Sample, design: Floats, solution: Floats) -> tuple[Floats, Floats]:
    """Slope and curvature of the log-chance that gold is drawn where candidates are drawn by their odds."""
    asked, tempted = sample.asked, _tempted(sample, design @ solution)
    gold = tempted * sample.gold
    among = np.add.reduceat(gold, sample.starts)[asked]
    right = np.where(among > 0, gold / np.maximum(among, 1e-300), 0.0)
    counts = ORDER * sample.shares * _has_gold(sample)
    mean = np.add.reduceat(design * tempted[:, None], sample.starts)
    rows = counts[asked]
    return design.T @ (rows * (right - tempted)), (design * (rows * tempted)[:, None]).T @ design - (mean * counts[:, None]).T @ mean


def _presence(sample: Sample, design: Floats, solution: Floats) -> tuple[Floats, Floats]:
    """Slope and curvature of the log-likelihood of gold above and the most tempting of unanswerable questions below the middle."""
    odds, asked, shares = design @ solution, sample.asked, sample.shares
    golds = np.maximum(np.add.reduceat(sample.gold.astype(float), sample.starts), 1.0)
    own = shares * _has_gold(sample) / golds
    silent = shares * ((sample.kind == FAR) + NEARBY * (sample.kind == NEAR))
    rows = sample.gold * own[asked] + _tempted(sample, odds) * silent[asked]
    chance = 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
    return design.T @ (rows * (sample.gold - chance)), (design * (rows * chance * (1.0 - chance))[:, None]).T @ design


def _tempted(sample: Sample, odds: Floats) -> Floats:
    """Each candidate's share of its question's odds."""
    asked = sample.asked
    powers = np.exp(odds - sample.best(odds)[asked])
    return np.asarray(powers / np.add.reduceat(powers, sample.starts)[asked])


def _has_gold(sample: Sample) -> NDArray[np.bool_]:
    return np.asarray((sample.kind == OWN) & np.logical_or.reduceat(sample.gold, sample.starts))


def stretched(samples: Sequence[Sample], odds: Sequence[Floats]) -> float:
    """By what the log-odds are multiplied so that the best of a recall tells the chance that its question has an answer here."""
    best = np.concatenate([each.best(values) for each, values in zip(samples, odds, strict=True)])
    kind = np.concatenate([each.kind for each in samples])
    shares = np.concatenate([each.shares for each in samples]) * np.where(kind == NEAR, NEARBY, 1.0)
    design, solution = np.stack([np.ones(len(best)), best], axis=1), np.array([0.0, 1.0])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ solution, -50.0, 50.0)))
        curvature = (design * (shares * chance * (1.0 - chance))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, design.T @ (shares * ((kind == OWN) - chance)))
        solution = solution + step
        if float(np.abs(step).max()) < _SETTLED:
            break
    return float(solution[1])


def growth(samples: Sequence[Sample], odds: Sequence[Floats]) -> float:
    """By how much the log-odds that far questions reach grow with the logarithm of a store's size."""
    best, shares = _far(samples, odds)
    size = np.concatenate([each.size[each.kind == FAR] for each in samples])
    points = []
    for number in range(len(EDGES) + 1):
        inside = np.digitize(size, EDGES) == number
        if inside.any():
            at = float(np.average(size[inside], weights=shares[inside]))
            points.append((at, _quantile(best[inside], shares[inside], _GROWING), float(np.sqrt(np.sqrt(inside.sum())))))
    if len(points) < 2:  # noqa: PLR2004 - a line needs two
        return 0.0
    x, y, weight = np.array(points).T
    return float(np.polyfit(x, y, 1, w=weight)[0])


def shift(samples: Sequence[Sample], odds: Sequence[Floats], *, silence: float) -> float:
    """What is added to the log-odds so that at the floor this share of far questions is met with silence, each data set alike."""
    alike = [1.0 / each.weight for each in samples]
    best, shares = _far(samples, odds, alike)
    return float(np.log(FLOOR / (1.0 - FLOOR))) - _quantile(best, shares, silence)


def _far(samples: Sequence[Sample], odds: Sequence[Floats], times: Sequence[float] = ()) -> tuple[Floats, Floats]:
    factors = times or [1.0] * len(samples)
    best = np.concatenate([each.best(values)[each.kind == FAR] for each, values in zip(samples, odds, strict=True)])
    return best, np.concatenate([factor * each.shares[each.kind == FAR] for each, factor in zip(samples, factors, strict=True)])


def _quantile(values: Floats, shares: Floats, quantile: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(shares[order]) / shares.sum()
    return float(values[order][min(int(np.searchsorted(reached, quantile)), len(values) - 1)])
