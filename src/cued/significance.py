"""How sure a mean is, and whether a difference between two policies is more than chance. Seeds are fixed, so figures repeat."""

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
RESAMPLES = 2000
PERMUTATIONS = 10_000
_SEED = 20_260_101
_LEVEL = (2.5, 97.5)
_CELLS = 4_000_000


class PairedDifference(Struct, frozen=True, kw_only=True):
    """How two policies differ on the same queries: the mean, its 95 % interval, and how likely chance alone gives as much."""

    mean: float
    ci: tuple[float, float]
    p: float


def intervals(values: ArrayLike) -> list[tuple[float, float]]:
    """Each column's 95 % interval of the mean: the percentile bootstrap over queries (Efron 1979), 2000 resamples."""
    table = _columns(values)
    if not len(table):
        return [(float("nan"), float("nan"))] * table.shape[1]
    means = _resampled(table)
    low, high = np.percentile(means, _LEVEL, axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def share_intervals(values: ArrayLike) -> list[tuple[float, float]]:
    """Each column's 95 % interval of the mean of values from 0 to 1.

    It is the bootstrap's; where every query has 0, or every one 1, resampling shows no spread at all, and it is the exact one of so many
    like answers (Clopper & Pearson 1934): thirty of thirty are 88 to 100 %.
    """
    table = _columns(values)
    found = intervals(table)
    unseen = 1.0 - (_LEVEL[0] / 100) ** (1 / max(1, len(table)))
    for column in range(table.shape[1] if len(table) else 0):
        if table[:, column].min() >= 1.0:
            found[column] = (1.0 - unseen, 1.0)
        elif table[:, column].max() <= 0.0:
            found[column] = (0.0, unseen)
    return found


def paired(left: ArrayLike, right: ArrayLike) -> PairedDifference:
    """How `right` differs from `left`, query by query; p is a two-sided randomisation test's (Fisher 1935), in (0, 1]."""
    change = np.asarray(right, dtype=np.float64) - np.asarray(left, dtype=np.float64)
    if not len(change):
        return PairedDifference(mean=float("nan"), ci=(float("nan"), float("nan")), p=1.0)
    seen = float(change.mean())
    moved = change[change != 0]
    as_far = sum(int(np.count_nonzero(np.abs(sums) >= abs(moved.sum()) - 1e-12)) for sums in _flipped(moved))
    return PairedDifference(mean=seen, ci=intervals(change)[0], p=(1 + as_far) / (1 + PERMUTATIONS))


def _columns(values: ArrayLike) -> Values:
    table = np.asarray(values, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table


def _resampled(table: Values) -> Values:
    """The means of many resamples: how often each row is drawn, times the rows."""
    rows = len(table)
    rng = np.random.default_rng(_SEED)
    parts = []
    for size in _blocks(RESAMPLES, rows):
        drawn = rng.multinomial(rows, np.full(rows, 1 / rows), size=size)
        parts.append(drawn @ table / rows)
    return np.concatenate(parts)


def _flipped(change: Values) -> list[Values]:
    rng = np.random.default_rng(_SEED)
    return [rng.choice((-1.0, 1.0), size=(size, len(change))) @ change for size in _blocks(PERMUTATIONS, len(change))]


def _blocks(total: int, width: int) -> list[int]:
    """Sizes that add up to the total, each small enough to hold a table of that width in memory."""
    size = max(1, _CELLS // max(1, width))
    return [min(size, total - start) for start in range(0, total, size)]
