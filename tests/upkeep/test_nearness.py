"""Rows that are near one another, against the whole product of a small matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.upkeep.nearness import neighboured, take, unit


def rows(seed, count=40):
    """Give unit rows in the plane, crowded enough that many are near."""
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, count)
    return unit(np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))


def plainly(matrix, at_least, may):
    """Say who takes whom, one row after the other."""
    by = [-1] * len(matrix)
    for row in range(len(matrix)):
        if by[row] < 0:
            for other in range(row + 1, len(matrix)):
                if by[other] < 0 and matrix[row] @ matrix[other] >= at_least - 1e-6 and may[row, other]:
                    by[other] = row
    return by


@pytest.mark.requirement("S5")
@given(st.integers(0, 200), st.sampled_from([0.9, 0.99, 0.9999]), st.booleans())
def test_tiles_give_what_one_row_after_the_other_gives(seed, at_least, picky):
    matrix = rows(seed)
    may = np.random.default_rng(seed + 1).random((40, 40)) < 0.5 if picky else np.ones((40, 40), dtype=bool)
    taken = take(matrix, at_least, lambda newer, older: may[np.ix_(newer, older)], tile=(7, 11))
    near = neighboured(matrix, at_least, tile=(7, 11))
    assert taken.by.tolist() == plainly(matrix, at_least, may)
    product = matrix @ matrix.T - 2 * np.eye(40)
    assert near.tolist() == np.flatnonzero((product >= at_least - 1e-6).any(axis=1)).tolist()
    takers = set(taken.by[taken.by >= 0].tolist())
    assert all(taken.by[row] == -1 for row in takers)


def test_a_row_equal_to_another_is_near_at_1_whatever_the_rounding():
    matrix = unit(np.random.default_rng(0).normal(size=(1, 384)).astype(np.float32).repeat(3, axis=0))
    assert neighboured(matrix, 1.0).tolist() == [0, 1, 2]


def test_progress_counts_the_rows():
    heard = []
    neighboured(rows(0, 2500), 0.99, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(1024, 2500), (2048, 2500), (2500, 2500)]
