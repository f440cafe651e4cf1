"""Renewal: a later note that changes what an earlier one says stands just above it, wherever both may speak.

"Mira lives in Porto" has more of "Where does Mira live?" than "Mira moved to Lisbon" has, and is no longer true.
"""

from datetime import datetime
from typing import Literal

import numpy as np

from cued.flow import cue as cues
from cued.flow.table import Table
from cued.model import Column, Memory, outranks
from cued.text.intent import asks_of_before, tells_of_past
from cued.text.languages import foreignness, is_latin
from cued.text.patterns import pattern, spoken
from cued.text.tongues.change_words import tells_change

_ABOVE = 0.01
"""How much higher the later note scores than the one that it renews."""
_SPEAKING, _SURE = 0.5, 0.7
"""The least relevance of what may be renewed or renew, and the least of what renews by nothing but a word of change."""
_READ, _BRIEF = 6, 240
"""So many of the best candidates are read, and none of more characters: a long one tells many things."""
_SAME_WORDS, _ABOUT = 0.8, 0.5
"""Who says the same has so much of what the other has of the cue's words, and who changes it in another language at least so much."""
_SAME_TEXT = 0.3
"""And so much of its words and values it shares with the other, where nothing tells a change: of two leanings each may hold."""
_STRANGE = 0.5
"""How foreign a cue is from which on claims are not read."""
_WHO = pattern(r"\W*[Ww]ho(?:['\u2019]s|m|se)?\b")
_AT_ODDS = frozenset({"update", "negation"})


def add_renewal(table: Table) -> None:
    """Raise each note that renews another above it; the contribution `renewal` says by how much, where any is raised.

    Who asks for what held before has the last that was renewed raised above what renews it.
    """
    asked = _asked(table) if table.notes is not table.nothing else ""
    rows = _rows(table) if asked else []
    if not rows:
        return
    plain = table.columns["score"]
    score = plain.copy()
    (_raise_former if asked == "before" else _raise_later)(table, rows, score)
    if not np.array_equal(score, plain):
        table.contributions["renewal"] = score - plain
        table.columns["score"] = score


def _raise_later(table: Table, rows: list[int], score: Column) -> None:
    for at, row in enumerate(rows):
        above = sorted((old for old in rows[:at] if score[old] >= score[row]), key=lambda old: (-score[old], old))
        # Above the highest that it renews it is above the others too, so no more are read.
        highest = next((old for old in above if _renews(table, row, old)), None)
        if highest is not None:
            score[row] = score[highest] + _ABOVE


def _raise_former(table: Table, rows: list[int], score: Column) -> None:
    for at, old in reversed(list(enumerate(rows))):
        renewing = [new for new in rows[at + 1 :] if _renews(table, new, old)]
        if renewing:
            score[old] = max(score[old], max(score[new] for new in renewing) + _ABOVE)
            return


def _asked(table: Table) -> Literal["now", "before", ""]:
    """Whether a cue asks for what holds, or for what held before that; "" where it asks for another time that is over."""
    evidence = table.evidence
    if asks_of_before(evidence.cue.utterance):
        return "before"
    if evidence.intent == "past" or (tells_of_past(evidence.cue.utterance) and not _foreign(table)):
        return ""
    return "now" if not evidence.intervals or any(each.end > table.now for each in evidence.intervals) else ""


def _foreign(table: Table) -> bool:
    """Whether a cue is in another language than that whose claims are read."""
    said = table.evidence.cue.utterance
    return not is_latin(said) or foreignness(said) >= _STRANGE


def _rows(table: Table) -> list[int]:
    """The best of the notes that may speak and tell little, the earliest first."""
    score, relevance = table.columns["score"], table.columns["relevance"]
    speaking = np.flatnonzero(relevance >= _SPEAKING)
    if len(speaking) < len(("old", "new")):
        return []
    notes = [row for row in speaking.tolist() if table.notes[row] and len(table.text(row)) <= _BRIEF]
    best = sorted(notes, key=lambda row: (-score[row], row))[:_READ]
    return sorted(best, key=lambda row: (_told_at(table, row), row))


def _told_at(table: Table, row: int) -> datetime:
    memory = table.memories[row]
    return memory.valid_from or memory.created_at


def _renews(table: Table, new: int, old: int) -> bool:
    """Whether a note changes what an earlier one says, on no less trust, in no other voice, and that was not written anew since."""
    later, earlier = table.memories[new], table.memories[old]
    since = max(_told_at(table, old), earlier.updated_at)
    if since >= max(_told_at(table, new), later.updated_at) or outranks(earlier.trust, later.trust):
        return False
    return later.source.speaker == earlier.source.speaker and _may_answer(table, later, earlier) and _changes(table, new, old)


def _may_answer(table: Table, later: Memory, earlier: Memory) -> bool:
    """Whether a later note may answer where an earlier one does.

    It does not begin with the name of somebody else than is asked about, and names somebody where the cue asks who.
    """
    cue = table.evidence.cue.utterance
    if _WHO.match(cue) and earlier.entities and not later.entities:
        return False
    asked = frozenset(cues.named(cue)).intersection(earlier.entities)
    begun = spoken(later.text).lstrip()
    return not asked or not asked.isdisjoint(later.entities) or not any(begun.startswith(name) for name in later.entities)


def _changes(table: Table, new: int, old: int) -> bool:
    """Whether one note is at odds with another of which it tells a change or says nearly the same, or tells a change of the same."""
    texts = table.text(new), table.text(old)
    changed = tells_change(texts[0])
    if not changed and not _covers(table, new, old, _SAME_WORDS):
        return False
    from cued.text.claims import another_value, overlap, relate  # noqa: PLC0415 - few recalls find two notes of which one may change the other

    relation = relate(*texts, similarity=None, one_matter=changed)
    if relation is not None and relation.type in _AT_ODDS:
        return changed or overlap(*texts) >= _SAME_TEXT
    if not changed or table.columns["relevance"][new] < _SURE:
        return False
    return relation is not None or another_value(*texts) or (_foreign(table) and _covers(table, new, old, _ABOUT))


def _covers(table: Table, new: int, old: int, part: float) -> bool:
    """Whether a later note has this part of what an earlier one has of the cue's words, which has some."""
    coverage = table.columns["coverage"]
    return bool(coverage[new] >= part * coverage[old] > 0.0)
