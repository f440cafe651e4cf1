"""The best rows by several keys in turn, ties by id, so that no ranking depends on the order of rows."""

from collections.abc import Callable, Sequence
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cued.model import Column
from cued.stores.arrays import RowNumbers

_DECIMALS = 9
_BLOCK = 128

Key = Callable[[RowNumbers, int], tuple[RowNumbers, NDArray[Any]]]
"""Gives, of the rows, those that can still be among the best `pool` by this key, and their values (higher is better)."""


def rounded(scores: Column) -> Column:
    """Scores to nine decimals: sums in another order differ in the last bit, and what is a tie on paper must be one."""
    return np.round(scores, _DECIMALS)


def by_time(column: NDArray[np.int64]) -> Key:
    """The key that ranks rows by a column of times, latest first."""
    return lambda rows, _pool: (rows, column[rows])


def by_score(column: Column) -> Key:
    """The key that ranks rows by a column of scores, to nine decimals."""

    def highest(rows: RowNumbers, pool: int) -> tuple[RowNumbers, Column]:
        scores = column[rows]
        if len(rows) > pool:
            # Rounding is slow for many, and only those near the cut can be moved across it.
            close = scores >= last_of_best(scores, pool) - 2 * 10.0**-_DECIMALS
            rows, scores = rows[close], scores[close]
        return rows, rounded(scores)

    return highest


def last_of_best(values: NDArray[Any], pool: int) -> Any:  # noqa: ANN401 - a number of the array's own type
    """The lowest of the `pool` highest values."""
    blocks = len(values) // _BLOCK
    if blocks > pool:
        # The highest values of so many blocks are so many values: whatever is below the least of those is not among the best.
        tops = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        values = values[values >= last_of_best(tops, pool)]
    return np.partition(values, len(values) - pool)[len(values) - pool]


def best(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Sequence[str]) -> RowNumbers:
    """The best `pool` rows, best first: by the first key, ties by the next, at last by id ascending."""
    if pool < 1:
        return rows[:0]
    kept = by_id(_cut(rows, pool, keys=keys, ids=ids), ids)
    if not keys:
        return kept
    # A key asked for as many as there are gives every row, in the order it got them; lexsort is stable and sorts by its last key first.
    values = [-key(kept, len(kept))[1] for key in reversed(keys)]
    return kept[np.lexsort(values)]


def by_id(rows: RowNumbers, ids: Sequence[str]) -> RowNumbers:
    """The rows in the order of their ids."""
    return np.array(sorted(rows.tolist(), key=ids.__getitem__), dtype=np.intp)


def _cut(rows: RowNumbers, pool: int, *, keys: Sequence[Key], ids: Sequence[str]) -> RowNumbers:
    if len(rows) <= pool:
        return rows
    if not keys:
        return np.array(nsmallest(pool, rows.tolist(), key=ids.__getitem__), dtype=np.intp)
    rows, values = keys[0](rows, pool)
    least = last_of_best(values, pool)
    above = rows[values > least]
    tied = rows[values == least]
    return np.concatenate([above, _cut(tied, pool - len(above), keys=keys[1:], ids=ids)])
