"""lacking: what a note is held back by that is about what the cue asks of, and has nothing of the kind that it asks for.

"What is Mira's phone number?" is not answered by where she lives, near as that is.
"""

import numpy as np

from cued.flow import cue as cues
from cued.flow.table import Table
from cued.model import Column
from cued.text.intent import asked_about
from cued.text.kinds import asked_kind, may_have, of_another
from cued.text.languages import is_latin


def lacking(table: Table, log_odds: Column) -> Column:
    """The log-odds above 0 of each note that has no value of the kind which the cue asks for, or one of somebody else; else 0.

    So what lacks it comes after all that may have it, in the order in which it would have come. A turn implies more than it says, and
    whoever has a plan asks for more than a value.
    """
    cue, above = table.evidence.cue, (log_odds > 0.0).nonzero()[0].tolist()
    if not above or table.notes is table.nothing or cues.state(cue) or (kind := asked_kind(cue.utterance)) is None:
        return table.nothing
    lacks, name = np.zeros(len(table)), asked_about(cue.utterance)
    for row in above:
        text = table.text(row)
        if table.notes[row] and is_latin(text) and (not may_have(kind, text) or of_another(text, name, table.memories[row].entities)):
            lacks[row] = log_odds[row]
    return lacks
