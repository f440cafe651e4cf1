"""said by whom: the agent's own words, and whether what is near to a cue is about the speaker that it names."""

import numpy as np

from cued.flow.table import Table
from cued.model import Column
from cued.text import intent
from cued.text.patterns import pattern

_WORD = pattern(r"\w+")
_FIRST = 2
"""So many of the nearest tell whether they are about the speaker."""
_OWN = 0.3
"""What speaks so much more of its speaker than of others is about its speaker."""
_WORTH = 0.1
"""What having all of the cue's words is worth beside a cosine."""
_SHORT = 3.0
"""The logarithm of how many words an agent may say before it is heard less."""
_OF_OTHERS = 0.25
"""So much of that where the cue is not about its user."""
_NEARER = 0.15
"""An answer that is so much nearer to the cue than what it answers says what that did not."""


def said_by_agent(table: Table) -> Column:
    """1 for the agent's own words in a conversation, which count less where the cue does not ask for them.

    An agent says much about everything, so its long answers match any cue; what a user needs remembered is mostly what others said. A note
    that an agent took is meant to be found.
    """
    said = [table.spoken_by(speaker) for speaker in table.speakers if speaker.casefold() in intent.AGENTS]
    return np.logical_or.reduce(said).astype(float) if said else table.nothing


def astray(table: Table, cosine: Column) -> float:
    """How little the two turns nearest to the cue are about the speaker that it names, 0 to 1.3; 0 where it names none, or several.

    "What did Tim sign?" is near to Tim's "Congrats on those deals!", which is about the one to whom he says it.
    """
    written = frozenset(_WORD.findall(table.evidence.cue.utterance)) if table.speakers else frozenset()
    named = [speaker for speaker in table.speakers if not written.isdisjoint(speaker.split()[:1]) and table.spoken_by(speaker).any()]
    if len(named) != 1:
        return 0.0
    nearness, (speaker,) = cosine + _WORTH * table.columns["coverage"], named
    about = [_about(table, row, speaker) for row in (-nearness).argsort(kind="stable")[:_FIRST].tolist()]
    return max(0.0, _OWN - sum(about) / len(about))


def _about(table: Table, row: int, speaker: str) -> float:
    """How much a turn is about this speaker and not about somebody else, −1 to 1; what does not tell is taken for being so."""
    of_its_own = 0.0 if table.notes[row] else intent.of_speaker(table.text(row))
    if not of_its_own:
        return _OWN
    return of_its_own if table.spoken_by(speaker)[row] else -of_its_own


def long_answers(table: Table, agent: Column, *, personal: bool) -> Column:
    """How long an agent's turns are beyond some words, as far as what each answers is about as near, and mostly for a cue about its user.

    A long answer has something of everything. What people say of themselves stands in their own words beside it, and as near.
    """
    cosine, before = table.columns["cosine"], table.columns["cosine_before"]
    said_before = np.where(np.isnan(before), 0.0, np.minimum(np.maximum(1.0 - (cosine - before) / _NEARER, 0.0), 1.0))
    heard_less = np.where(np.isnan(cosine), 1.0, said_before) * (1.0 if personal else _OF_OTHERS)
    return np.asarray(agent * heard_less * np.maximum(np.log1p(table.columns["length"]) - _SHORT, 0.0))
