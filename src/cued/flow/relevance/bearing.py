"""bears: how far a note that tells a leaning bears on what is asked for, which never names what it should heed."""

import numpy as np

from cued.flow import cue as cues
from cued.flow.table import Table
from cued.model import Column
from cued.text import intent
from cued.text.analyse import analyse

_ALIKE = {"utterance": (0.3, 2.0), "order": (2.0, 3.6), "state": (2.0, 3.6)}
"""So many deviations above an unrelated cosine a leaning begins to bear on a request, and does fully; who has a plan is asked other things
too, and what is ordered may be anything."""
_MUST_NOT_EAT = {"ill": 2.0, "strict": 1.0}
"""Who is strict about food is heeded at every meal, and what makes somebody ill twice as much as what they like."""


def bearing(table: Table, above: Column, *, seeks: intent.Sought, foreign: bool, known: frozenset[str]) -> Column:
    """How far a note that tells a leaning bears on the request, by how many deviations it stands above the unrelated.

    What somebody must not eat bears on every meal that is asked for, however far from it it stands. `known` are the names in the request
    that somebody here has.
    """
    least, fully = _ALIKE[seeks]
    bears: Column = table.notes * np.clip((above - least) / (fully - least), 0.0, 1.0)
    bears[[row for row in np.flatnonzero(bears).tolist() if not intent.leans(table.text(row), foreign=foreign)]] = 0.0
    for row in np.flatnonzero(table.notes).tolist() if _of_food(table) else ():
        if (why := intent.must_not_eat(table.text(row))) and _may_be_for(table, row, known):
            bears[row] = _MUST_NOT_EAT[why]
    return bears


def _of_food(table: Table) -> bool:
    cue = table.evidence.cue
    return intent.speaks_of_food(f"{cue.utterance}\n{cues.state(cue)}")


def _may_be_for(table: Table, row: int, known: frozenset[str]) -> bool:
    """Whether a request may be made for the one that a memory is about: one of both names nobody who is known here, or both name one."""
    return not known or not table.memories[row].entities or not known.isdisjoint(analyse(table.text(row)))
