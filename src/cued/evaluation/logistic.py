"""Weighted logistic regression with a ridge, some coefficients kept from turning negative."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE = 20.0
_STEPS = 100
_SETTLED = 1e-6


def fit(columns: Floats, labels: Floats, weights: Floats, *, free: Sequence[bool] = (), ridge: float = RIDGE) -> tuple[float, Floats]:
    """Intercept and coefficients of the penalised maximum likelihood, by Newton's method.

    Columns are scaled to unit deviation before the ridge weighs them. A coefficient that is not `free` and would turn negative
    is held at 0: evidence may be worthless, and it never speaks against.
    """
    scale = columns.std(axis=0) + 1e-9
    design = np.hstack([np.ones((len(columns), 1)), columns / scale])
    penalty = ridge * np.eye(design.shape[1])
    # next to nothing, and enough that labels which a line separates still have a solution
    penalty[0, 0] = 1e-6
    held = np.zeros(design.shape[1], dtype=bool)
    bound = np.array([False, *(not each for each in free)] if len(free) else [False] * design.shape[1])
    solution = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ solution, -50.0, 50.0)))
        slope = design.T @ (weights * (labels - chance)) - penalty @ solution
        curvature = (design * (weights * chance * (1.0 - chance))[:, None]).T @ design + penalty
        moving = np.flatnonzero(~held)
        step = np.zeros(len(solution))
        step[moving] = np.linalg.solve(curvature[np.ix_(moving, moving)], slope[moving])
        turned = bound & ~held & (solution + step < 0.0)
        if turned.any():
            held |= turned
            solution[turned] = 0.0
            continue
        solution = solution + step
        if float(np.abs(step).max()) < _SETTLED:
            missed = held & (slope > _SETTLED)
            if not missed.any():
                break
            held &= ~missed
    return float(solution[0]), solution[1:] / scale
