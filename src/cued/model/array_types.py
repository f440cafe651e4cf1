"""What a column, a vector and a matrix are; apart from the words, for whoever needs those alone does not wait for numpy."""

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]
UNIT_WITHIN = 1e-3
"""How far from 1 the length of a vector may be that an embedder gives and a store takes."""
