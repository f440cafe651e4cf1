"""The best rows by several keys in turn, ties by id, so that no ranking depends on the order of rows."""

from collections.abc import Callable, Sequence
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cued.model import Column

_DECIMALS = 9

RowNumbers = NDArray[np.intp]
Key = Callable[[RowNumbers, int], tuple[RowNumbers, NDArray[Any]]]
"""Gives, of the rows, those that can still be among the best `pool` by this key, and their values (higher is better)."""


def rounded(scores: Column) -> Column:
    """Give scores to nine decimals: sums in another order differ in the last bit, and what is a tie on paper must be one."""
    return np.round(scores, _DECIMALS)


def by_time(column: NDArray[np.int64]) -> Key:
    """Give the key that ranks rows by a column of times, latest first."""
    return lambda rows, _pool: (rows, column[rows])


def by_score(column: Column) -> Key:
    """Give the key that ranks rows by a column of scores, to nine decimals."""

    def highest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
        scores = column[rows]
        if len(rows) > pool:
            # Rounding is slow for many, and only those near the cut can be moved across it.
            close = scores >= np.partition(scores, len(scores) - pool)[len(scores) - pool] - 2 * 10.0**-_DECIMALS
            rows, scores = rows[close], scores[close]
        return rows, rounded(scores)

    return highest


def best(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Sequence[str]) -> RowNumbers:
    """Give the best `pool` rows, best first: by the first key, ties by the next, at last by id ascending."""
    if pool < 1:
        return rows[:0]
    kept = _cut(rows, pool, keys=keys, ids=ids)
    values = [_in_order(kept, key) for key in keys]
    numbers = kept.tolist()
    ordered = sorted(zip(*values, [ids[row] for row in numbers], numbers, strict=True))
    return np.array([row for *_, row in ordered], dtype=np.intp)


def _cut(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Sequence[str]) -> RowNumbers:
    if len(rows) <= pool:
        return rows
    if not keys:
        return np.array(nsmallest(pool, rows.tolist(), key=ids.__getitem__), dtype=np.intp)
    rows, values = keys[0](rows, pool)
    least = np.partition(values, len(values) - pool)[len(values) - pool]
    above = rows[values > least]
    tied = rows[values == least]
    return np.concatenate([above, _cut(tied, pool - len(above), keys=keys[1:], ids=ids)])


def _in_order(rows: RowNumbers, key: Key) -> list[Any]:
    # A key asked for as many as there are gives every row, in the order it got them. Lowest first, as ids are.
    _, values = key(rows, len(rows))
    column: list[Any] = (-values).tolist()
    return column
