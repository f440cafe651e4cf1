"""Shapes: a column in, a column out, comparable across signals."""

from collections.abc import Callable

import numpy as np

from cued.model import Column

_FLAT = 1e-9


def none(column: Column) -> Column:
    """The column as it is."""
    return column


def minmax(column: Column) -> Column:
    """(x − min)/(max − min) over the candidates, in [0, 1]; a constant column gives 0.5."""
    if column.size == 0:
        return column
    low, high = float(column.min()), float(column.max())
    if high - low < _FLAT:
        return np.full_like(column, 0.5)
    return (column - low) / (high - low)


def by_max(column: Column) -> Column:
    """x/max over the candidates, at most 1; a column without a positive value gives 0."""
    most = float(column.max(initial=0.0))
    return column / most if most > 0 else np.zeros_like(column)


SHAPES: dict[str, Callable[[Column], Column]] = {"none": none, "minmax": minmax, "max": by_max}
