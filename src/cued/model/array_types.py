"""What a column, a vector and a matrix are; apart from the words, for whoever needs those alone does not wait for numpy."""

from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Column = NDArray[np.float64]
Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]
UNIT_WITHIN = 1e-3
"""How far from 1 the length of a vector may be that an embedder gives and a store takes."""


class OfArrays(Struct, frozen=True):  # noqa: PLW1641 - an array has no hash
    """What holds arrays: it is compared element by element, for to `==` arrays have no one answer.

    A field that is `derived` follows from the others, and is not compared.
    """

    derived: ClassVar[frozenset[str]] = frozenset()

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind and has the same in every field."""
        names = [name for name in self.__struct_fields__ if name not in self.derived]
        return type(self) is type(other) and all(_same(getattr(self, name), getattr(other, name)) for name in names)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401 - whatever a field holds
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)
