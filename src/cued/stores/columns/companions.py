"""One hop from the cue's names: the names that stand beside them, and the rows that have those.

The seeds are the best rows by the cue's own names s. A companion c is a name of a seed and not of the cue, and weighs
idf(c) · Σ s(seeds with c) / Σ s(seeds). Of the heaviest MOST_COMPANIONS a row has a share by weight, and what that adds to its share
of the cue's names is hop · (1 - own) · share: so no row comes before one that has all of the cue's names.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.arrays import RowNumbers, Rows, places_of, room_for
from cued.model import Column, EntityLookup
from cued.standing.gates import Visible
from cued.stores.columns.channels import Names
from cued.stores.columns.forward import NAME, Counts, Hashes, hashed
from cued.stores.columns.postings import Postings
from cued.stores.columns.ranking import last_of_best, rounded

MOST_COMPANIONS = 20
"""Those that weigh the same as the last of them count too: which of equals comes first is nothing that a store should decide."""


class Carried:
    """Which names each row has: their hashes end to end, in the order of rows."""

    def __init__(self) -> None:
        """Start without any."""
        self._count = 0
        self._hashes: Hashes = np.empty(0, dtype=np.uint64)
        self._rows: Rows = np.empty(0, dtype=np.int32)

    def add(self, hashes: Hashes, rows: Rows, counts: Counts) -> None:
        """Append what of these entries are names; later rows come later."""
        names = np.flatnonzero(counts == NAME)
        start, end = self._count, self._count + len(names)
        self._hashes, self._rows = room_for(self._hashes, start, end), room_for(self._rows, start, end)
        self._hashes[start:end], self._rows[start:end] = hashes[names], rows[names]
        self._count = end

    def by(self, rows: RowNumbers) -> tuple[Hashes, NDArray[np.intp]]:
        """Give the names of these rows, row by row, and for each the number of its row among them."""
        held = self._rows[: self._count]
        starts = np.searchsorted(held, rows)
        sizes = np.searchsorted(held, rows, side="right") - starts
        return self._hashes[places_of(starts, sizes)], np.repeat(np.arange(len(rows)), sizes)

    @property
    def nbytes(self) -> int:
        """Give the bytes the names occupy, with their spare room."""
        return self._hashes.nbytes + self._rows.nbytes


class Seeds(NamedTuple):
    """The rows to hop from, best first, and what the cue's names found."""

    rows: RowNumbers
    names: Names


def linked_through(carried: Carried, postings: Postings, seeds: Seeds, *, visible: Visible, lookup: EntityLookup) -> Column:
    """Give for each row what its companions add to its share of the cue's names, 0 to 1."""
    linked = np.zeros(len(seeds.names.covered))
    names, shares = _companions(carried, seeds, lookup)
    if not len(names):
        return linked
    found = postings.gather(names)
    seen = visible.rows[found.rows]
    rows, which = found.rows[seen], found.which[seen]
    documents = np.bincount(which, minlength=len(names))
    # As `idf` gives it, for all at once.
    weights = np.log(1 + (visible.total - documents + 0.5) / (documents + 0.5)) * shares
    heavy = rounded(weights)
    weights[heavy < last_of_best(heavy, min(MOST_COMPANIONS, len(heavy)))] = 0.0
    reached = np.bincount(rows, weights=weights[which], minlength=len(linked)) / weights.sum()
    there = np.flatnonzero(reached)
    linked[there] = rounded(lookup.hop * (1.0 - seeds.names.share(there)) * reached[there])
    return linked


def _companions(carried: Carried, seeds: Seeds, lookup: EntityLookup) -> tuple[Hashes, Column]:
    hashes, which = carried.by(seeds.rows)
    beside = ~np.isin(hashes, np.array([hashed("entity", name) for name in lookup.names], dtype=np.uint64))
    names, number = np.unique(hashes[beside], return_inverse=True)
    scores = seeds.names.covered[seeds.rows]
    shares = np.bincount(number, weights=scores[which[beside]], minlength=len(names))
    return names, shares / (scores.sum() or 1.0)
