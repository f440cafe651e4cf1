"""The vectors of excerpts: what a long text says in its parts, which one vector of the whole blurs or does not reach.

A text is as near to a cue as its own vector is, or almost as near as the nearest of its excerpts. They lie in a matrix of their own, so
that a tenant of short texts searches nothing more.
"""

from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from cued.model import Column, Matrix, Vector
from cued.stores.arrays import Columns, RowNumbers, Rows, places_of, twin

if TYPE_CHECKING:
    from cued.stores.columns.vectors import CueVectors, Vectors

Real = TypeVar("Real", bound=np.floating[Any])

LESS: Final = 0.02
"""So much less than the nearest excerpt a text is near: the best of several is nearer to anything by chance than one is."""


class Excerpts:
    """The excerpts of the texts in some slots: those of a slot lie one after the other, and are a run."""

    def __init__(self, vectors: "Vectors") -> None:
        """Start with none, in an empty matrix."""
        self._vectors = vectors
        self._runs = Columns({"slot": np.int32, "start": np.int64, "size": np.int64})

    def branched(self) -> Self:
        """The same excerpts to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        other = twin(self)
        other._vectors, other._runs = self._vectors.branched(), self._runs.branched()  # noqa: SLF001 - its own kind
        return other

    def add(self, slots: Rows, vectors: Matrix) -> RowNumbers:
        """Append as many excerpts for each of these slots; the answer is the run of each."""
        each, start = len(vectors) // len(slots), self._vectors.count
        self._vectors.add(np.repeat(slots, each), vectors)
        runs = self._runs.append(len(slots), {"slot": slots, "start": start + each * np.arange(len(slots)), "size": each})
        return np.arange(runs.start, runs.stop)

    def off(self, runs: RowNumbers) -> Vector:
        """How far an excerpt of each of these runs is from what is scanned at most."""
        starts, sizes = self._runs["start"][runs], self._runs["size"][runs]
        farthest: Vector = np.maximum.reduceat(self._vectors.off[places_of(starts, sizes)], np.cumsum(sizes) - sizes)
        return farthest

    def scan(self, cue: "CueVectors") -> tuple[Rows, Vector]:
        """The slots that have any, and how near the nearest of each is."""
        # What is no vector is near to nothing, whatever stands beside it.
        return self._runs["slot"], np.fmax.reduceat(self._vectors.scan(cue), self._runs["start"])

    def tell(self, cue: "CueVectors", runs: RowNumbers) -> Column:
        """The exact cosine of the nearest of each of these runs."""
        starts, sizes = self._runs["start"][runs], self._runs["size"][runs]
        nearest: Column = np.fmax.reduceat(self._vectors.exactly(cue, places_of(starts, sizes)), np.cumsum(sizes) - sizes)
        return nearest

    @property
    def nbytes(self) -> int:
        """The bytes that they occupy."""
        return self._vectors.nbytes + self._runs.nbytes


def nearer(whole: NDArray[Real], best: NDArray[Real]) -> NDArray[Real]:
    """How near texts are by their own vectors or by the nearest of their excerpts."""
    excerpt = best - best.dtype.type(LESS)
    found: NDArray[Real] = np.where(excerpt > whole, excerpt, whole)
    return found
