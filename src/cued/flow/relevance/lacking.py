"""lacking: what a memory is held back by that is about what the cue asks of, and has nothing of the kind that it asks for.

"What is Mira's phone number?" is not answered by where she lives, near as that is.
"""

from typing import Final

import numpy as np

from cued.flow import cue as cues
from cued.flow.table import Table
from cued.model import Column
from cued.text.intent import asked_about
from cued.text.kinds import Kind, asked_kind, may_have, of_another

_BY_FIGURES: Final = frozenset[Kind]({"phone", "e-mail", "password", "number", "price", "pay", "amount", "age", "version"})
"""Kinds of which a value is hardly ever told but by a number or a sign."""


def lacking(table: Table, log_odds: Column) -> Column:
    """The log-odds above 0 of each memory that has no value of the kind which the cue asks for, or one of somebody else; else 0.

    So what lacks it comes after all that may have it, in the order in which it would have come. A turn implies more than it says, so it
    lacks only what is told by figures, and where no turn beside it has them; and whoever has a plan asks for more than a value.
    """
    cue, above = table.evidence.cue, (log_odds > 0.0).nonzero()[0].tolist()
    if not above or cues.state(cue) or (kind := asked_kind(cue.utterance)) is None:
        return table.nothing
    turns = kind in _BY_FIGURES
    if table.notes is table.nothing and not turns:
        return table.nothing
    lacks, name, beside = np.zeros(len(table)), asked_about(cue.utterance), _beside(table) if turns else {}
    for row in above:
        text = table.text(row)
        if table.notes[row]:
            lacking_it = not may_have(kind, text, asked=cue.utterance) or of_another(text, name, table.memories[row].entities)
        else:
            lacking_it = turns and not any(may_have(kind, table.text(each)) for each in (row, *beside.get(row, ())))
        if lacking_it:
            lacks[row] = log_odds[row]
    return lacks


def _beside(table: Table) -> dict[int, list[int]]:
    """By row, the rows of the turns at most two turns away from it."""
    near: dict[int, list[int]] = {}
    for earlier, later in (table.turns_apart(1), table.turns_apart(2)):
        for first, second in zip(earlier.tolist(), later.tolist(), strict=True):
            near.setdefault(first, []).append(second)
            near.setdefault(second, []).append(first)
    return near
