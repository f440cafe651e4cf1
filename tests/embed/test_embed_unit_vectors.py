"""What no embedder may hand on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cued.embed.unit_vectors import unit
from cued.errors import EmbedderError

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=FINITE))
def test_any_finite_rows_that_are_not_zero_become_unit_rows(values):
    values[:, 0] += values[:, 0] == 0
    values = np.nan_to_num(values)
    rows = unit(values, count=len(values), dimensions=values.shape[1], source="test")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1, atol=1e-6)


@given(st.integers(1, 700))
def test_a_row_has_the_same_bytes_alone_and_in_company(count):
    values = np.random.default_rng(5).normal(size=(count, 384))
    together = unit(values, count=count, dimensions=384, source="test")
    assert unit(values[-1:], count=1, dimensions=384, source="test").tobytes() == together[-1:].tobytes()


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], r"model gave 1 vector\(s\) for 2 text\(s\)"),
        ([[1.0], [2.0]], "1 dimensions where 2 were expected"),
        ([[1.0, 2.0], [3.0]], "not equally long lists of numbers"),
        ([["a", "b"], ["c", "d"]], "not equally long lists of numbers"),
        ([1.0, 2.0], r"shape \(2,\)"),
        ([[], []], r"shape \(2, 0\)"),
        ([[1.0, 2.0], [np.nan, 1.0]], "NaN or infinite component for text number 2 of 2"),
        ([[1.0, np.inf], [1.0, 1.0]], "NaN or infinite component for text number 1 of 2"),
        ([[1.0, 2.0], [0.0, -0.0]], "only zeros for text number 2 of 2"),
    ],
)
def test_an_unusable_answer_says_what_is_wrong_and_with_which_text(vectors, message):
    with pytest.raises(EmbedderError, match=message):
        unit(vectors, count=2, dimensions=2, source="model")
