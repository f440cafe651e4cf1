"""What every embedder's answer must pass before it may be stored or compared."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cued.errors import EmbedderError
from cued.model import Matrix

_ROWS_AND_COLUMNS = 2


def unit(vectors: ArrayLike | Sequence[ArrayLike], *, count: int, dimensions: int | None, source: str) -> Matrix:
    """The vectors as float32 rows of unit length; a wrong count, shape, NaN, infinity or zero row is an EmbedderError."""
    values = _table(vectors, source)
    if len(values) != count:
        raise EmbedderError(f"{source} gave {len(values)} vector(s) for {count} text(s)")
    if dimensions is not None and values.shape[1] != dimensions:
        raise EmbedderError(f"{source} gave vectors of {values.shape[1]} dimensions where {dimensions} were expected")
    _refuse(~np.isfinite(values), "a NaN or infinite component", source)
    largest = np.abs(values).max(axis=1, keepdims=True)
    _refuse(largest == 0, "only zeros", source)
    # By the largest component first, so that the squares can neither overflow nor vanish.
    scaled = values / largest
    unit_rows: Matrix = (scaled / np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))).astype(np.float32)
    return unit_rows


def _table(vectors: ArrayLike | Sequence[ArrayLike], source: str) -> NDArray[np.float64]:
    try:
        values = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbedderError(f"{source} gave vectors that are not equally long lists of numbers") from error
    if values.ndim != _ROWS_AND_COLUMNS or values.shape[1] == 0:
        raise EmbedderError(f"{source} gave an array of shape {values.shape} where one row a text was expected")
    return values


def _refuse(bad: NDArray[np.bool_], what: str, source: str) -> None:
    rows = np.flatnonzero(bad.any(axis=1))
    if len(rows):
        raise EmbedderError(f"{source} gave a vector with {what} for text number {rows[0] + 1} of {len(bad)}")
