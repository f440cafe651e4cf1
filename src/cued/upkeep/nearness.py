"""Which rows of a matrix are near one another, computed tile by tile, so that 100,000 rows need little memory."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.model import Matrix

TILE = (1024, 4096)
_ROUNDING = 1e-6

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
May = Callable[[Rows, Rows], Mask]


class Taken(NamedTuple):
    """For each row the earlier one that took it, and the first near one that might not; −1 where there is none."""

    by: Rows
    spared_by: Rows


def unit(matrix: Matrix) -> Matrix:
    """The rows scaled to length 1."""
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def neighboured(
    matrix: Matrix, at_least: float, *, tile: tuple[int, int] = TILE, progress: Callable[[int, int], None] = lambda *_: None
) -> Rows:
    """The numbers of the rows that have another row within the cosine; unit rows are expected."""
    near = np.zeros(len(matrix), dtype=np.bool_)
    for rows in _spans(0, len(matrix), tile[0]):
        for columns in _spans(int(rows[0]), len(matrix), tile[1]):
            pairs = _tile(matrix, rows, columns, at_least).near
            near[rows] |= pairs.any(axis=1)
            near[columns] |= pairs.any(axis=0)
        progress(int(rows[-1]) + 1, len(matrix))
    return np.flatnonzero(near)


def take(matrix: Matrix, at_least: float, may: May, *, tile: tuple[int, int] = TILE) -> Taken:
    """Let each row that is not taken, from the first on, take all later rows within the cosine that it may.

    A row that took others is never taken, so there are no chains; `may` judges many pairs of an earlier and a later row at once.
    """
    taken = Taken(np.full(len(matrix), -1), np.full(len(matrix), -1))
    for rows in _spans(0, len(matrix), tile[0]):
        _take_within(matrix, rows, at_least, may, taken)
        takers = rows[taken.by[rows] < 0]
        for columns in _spans(int(rows[-1]) + 1, len(matrix), tile[1]):
            _take_beyond(_tile(matrix, takers, columns[taken.by[columns] < 0], at_least), may, taken)
    return taken


class _Tile(NamedTuple):
    """Which of some rows are near which of some later ones."""

    rows: Rows
    columns: Rows
    near: Mask


def _tile(matrix: Matrix, rows: Rows, columns: Rows, at_least: float) -> _Tile:
    near: Mask = matrix[rows] @ matrix[columns].T >= at_least - _ROUNDING
    if len(rows) and len(columns) and columns[0] <= rows[-1]:
        near &= np.less.outer(rows, columns)
    return _Tile(rows, columns, near)


def _take_within(matrix: Matrix, rows: Rows, at_least: float, may: May, taken: Taken) -> None:
    """Let the rows of one tile take in turn, since each may be taken by one before it."""
    tile = _tile(matrix, rows, rows, at_least)
    busy = np.flatnonzero(tile.near.any(axis=1))
    if not len(busy):
        return
    allowed = may(rows, rows)
    for row in busy:
        if taken.by[rows[row]] >= 0:
            continue
        one = slice(row, row + 1)
        free = np.flatnonzero(tile.near[row] & (taken.by[rows] < 0))
        _mark(_Tile(rows[one], rows[free], tile.near[one, free]), allowed[one, free], taken)


def _take_beyond(tile: _Tile, may: May, taken: Taken) -> None:
    busy, met = np.flatnonzero(tile.near.any(axis=1)), np.flatnonzero(tile.near.any(axis=0))
    if len(met):
        cut = np.ix_(busy, met)
        smaller = _Tile(tile.rows[busy], tile.columns[met], tile.near[cut])
        _mark(smaller, may(smaller.rows, smaller.columns), taken)


def _mark(tile: _Tile, allowed: Mask, taken: Taken) -> None:
    """Assign each column to the first row that is near and may have it, and note the first that is near and may not."""
    for note, pairs in ((taken.by, tile.near & allowed), (taken.spared_by, tile.near & ~allowed)):
        found = np.flatnonzero(pairs.any(axis=0) & (note[tile.columns] < 0))
        note[tile.columns[found]] = tile.rows[pairs[:, found].argmax(axis=0)]


def _spans(start: int, end: int, size: int) -> Iterator[Rows]:
    for first in range(start, end, size):
        yield np.arange(first, min(first + size, end))
