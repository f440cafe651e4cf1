"""The time that a cue asks for, held against the candidates: which of them lie in it, and how much of the cue it is.

A cue may name an event in place of a date ("before the launch"). Then the candidate that names the event tells the time, and what lies in
that time is searched for once more.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from math import exp
from typing import NamedTuple

import numpy as np

from cued.flow import cue as cues
from cued.flow.table import Table
from cued.model import EPOCH, Column, Cue, Findings, Interval, Memory
from cued.text.analyse import analyse, query_terms
from cued.text.event_times import Beside
from cued.text.intent import tells_of_past
from cued.text.times import Mention, loose, times, told_ahead
from cued.text.times.almanac import DAY, day, shift, unit_of
from cued.text.times.share import time_share

_LACKING = ("unknown", "strangers", "unnamed", "wordless", "foreign", "behind")
"""Columns of what a cue's words ask for and a memory does not have."""
_SLACK_DAYS = {"day": 0, "weekend": 2, "week": 3, "month": 15, "year": 90}
"""How many days "three weeks after" and the like may be off."""
_AROUND_DAYS = 15
_LATE = 1000
_REACH_DAYS = 365
"""So far from an event "before" and "after" reach."""
_SOON_DAYS, _LATER_DAYS = 10.0, 45.0
"""In so many days "right after" and "after" an event have faded by two thirds; what lies farther off is asked for the less."""
_READ = 10_000
"""So many characters of a text are read for what it names: what is about an event names it early."""
_ROUNDED = 1e-6
"""More than the shares of the cue's words that memories have were rounded by."""
_BEGUN = 200
"""So many characters of a note are read for when that is which it tells of."""
_BRIEF_DAYS = 21
"""What is told of no more days is told of each of them."""
_PLANNED = 0.5
"""What was planned for a time that is over says less of it than what was written then."""
_SPARSE = 5.0
"""So many candidates outside of the time asked for are taken for granted."""


_told_ahead = lru_cache(maxsize=1 << 14)(lambda text, at: told_ahead(text, at=at))
"""The times to come that a memory tells of, read once for all recalls."""


class AskedTime(NamedTuple):
    """The column `window`, 1 in the time that is asked for, less at its edges, else 0, and the share of the cue's words that ask for it."""

    window: Column
    share: float


def asked_time(table: Table, event: Beside | None) -> AskedTime:
    """The time that the cue asks for: its dates as the store found them, or else the time beside the event that a candidate names."""
    stored = AskedTime(table.columns["window"], table.evidence.time_share)
    temporal, cue = table.policy.channels.temporal, table.evidence.cue
    said = cues.spoken_times(cue, temporal.over).mentions if temporal else ()
    if said or event is None:
        return stored._replace(window=np.maximum(_graded(table, said), _told_of(table, said))) if table.evidence.intervals else stored
    named = _naming(table.memories, table.columns, event)
    if named is None:
        return stored
    row, words = named
    held = _time(table.memories[row])
    window = np.array([_held_so(memory, held, event) for memory in table.memories])
    window[row] *= event.relation == "around" or not table.notes[row]
    begun, ended = event.span
    cut = len(event.event) - len(words) if cue.utterance[:ended].endswith(event.event) else 0
    return AskedTime(window, time_share(cue.utterance, [(begun, ended - cut)]))


def time_beside(event: Beside, cue: Cue, findings: Findings) -> Interval | None:
    """The time beside the event that the cue names and one of the candidates too, None where none does."""
    named = _naming(findings.memories, findings.columns, event)
    try:
        return None if named is None else _interval(_time(findings.memories[named[0]]), event, cue.now)
    except OverflowError:  # no calendar reaches so far
        return None


def time_columns(table: Table, asked: AskedTime) -> dict[str, Column]:
    """Lying in the time that is asked for, the less the more of what else was found does; and that where the cue asks for little else.

    Where all memories were stored today, "today" tells them apart as little as a word that each of them has.
    """
    raw, (window, share) = table.columns, asked
    if not share and not window.any():
        return {}
    found = (raw["lexical_rank"] > 0) | (raw["dense_rank"] > 0)
    seen = max(table.evidence.findings.visible, 1)
    usual = min(max(window.sum() / seen, window[found].sum() / (found.sum() + _SPARSE)), 1.0)
    # Squared: a cue that asks for a time and something else is answered by that. One that asks for nothing else means all of that time,
    # and no note of another; what is said in a conversation may tell of a time before.
    inside = share**2 * window * (1.0 - usual * (1.0 - share))
    return {
        "window": window * (1.0 - usual),
        "timed": inside - share**4 * of_another_time(table, window),
        "time_share": np.full(len(table), share),
    }


def spared(table: Table, columns: dict[str, Column], share: float) -> dict[str, Column]:
    """The columns of what a memory lacks of the cue's words, the less the more of the cue is a time: no memory need have words for it."""
    lacking = {name: columns[name] for name in _LACKING if columns[name] is not table.nothing}
    return {name: column * (1.0 - share**2) for name, column in lacking.items()}


def of_another_time(table: Table, window: Column) -> Column:
    """1 for each candidate that is a note of another time than this window, and does not name the time that is asked for either; else 0.

    "Tickets for 6 October" is written in June, and is what somebody wants to know who asks for the 6th of October.
    """
    cue, temporal, covered = table.evidence.cue, table.policy.channels.temporal, table.columns["coverage"]
    said = cues.spoken_times(cue, temporal.over).mentions if temporal else ()
    dates = [frozenset(query_terms(each.text)) for each in said if each.named or each.interval.start > cue.now]
    other = (table.notes > 0.0) & (window <= 0.0)
    # What has less of the cue's words than any of the dates is of them need not be read: it does not have all words of one.
    least = min((_share_of_cue(table, date) for date in dates), default=0.0) - _ROUNDED
    for row in np.flatnonzero(other & (covered > max(least, 0.0))).tolist() if dates else ():
        other[row] = not any(date <= _own_terms(table.text(row)) for date in dates)
    return other.astype(float)


def _share_of_cue(table: Table, terms: frozenset[str]) -> float:
    """The idf of these terms over that of all words of the cue, 0 to 1."""
    idf = {each.term: each.idf for each in table.evidence.findings.terms}
    return sum(idf.get(term, 0.0) for term in terms) / total if (total := sum(idf.values())) else 0.0


def _graded(table: Table, said: Sequence[Mention]) -> Column:
    """The window, in full where a date is meant and half at the edge of what "a month ago" may be off."""
    window = table.columns["window"]
    if not any(mention.slack_days for mention in said):
        return window
    return np.array([held and _nearness(_time(memory), said) for held, memory in zip(window, table.memories, strict=True)], dtype=float)


def _told_of(table: Table, said: Sequence[Mention]) -> Column:
    """1 for a note that told ahead of a time to come that is asked for: "the midterm is on 19 May"; half when that is over; else 0."""
    told, (to_come, over) = np.zeros(len(table)), _meant(table.evidence.cue, said)
    if not to_come and table.notes is table.nothing:
        return table.nothing
    for row in np.flatnonzero((table.columns["window"] <= 0.0) & ((table.notes > 0.0) | bool(to_come))).tolist():
        memory = table.memories[row]
        for each in _told_ahead(memory.text[:_BEGUN], memory.created_at):
            if _lies_in(each, to_come):
                told[row] = 1.0
            elif table.notes[row] and _lies_in(each, over):
                told[row] = max(told[row], _PLANNED)
    return told


def _meant(cue: Cue, said: Sequence[Mention]) -> tuple[list[Interval], list[Interval]]:
    """The times asked for that are to come, and those that are over.

    Of a cue that does not tell of the past "on Saturday" may be the next one as well.
    """
    over = cues.intent(cue) == "past" or tells_of_past(cue.utterance)
    ahead = () if over else times(cue.utterance, now=cue.now, ahead=True)
    asked = list(map(loose, said))
    both = [*asked, *(loose(cues.still_to_come(mention, cue)) for mention in ahead)]
    return [each for each in both if each.end > cue.now], [each for each in asked if each.end <= cue.now]


def _lies_in(told: Interval, asked: Sequence[Interval]) -> bool:
    """Whether a time is part of one that is asked for, or is short and meets it: what is told of a whole year is not told of its days."""
    brief = told.end - told.start <= _BRIEF_DAYS * DAY
    return any(
        told.start < each.end and each.start < told.end and (brief or (each.start <= told.start and told.end <= each.end)) for each in asked
    )


def _nearness(at: datetime, said: Sequence[Mention]) -> float:
    return max(max(0.5, 1.0 - 0.5 * _off(at, each) / max(each.slack_days, 1)) for each in said)


def _off(at: datetime, mention: Mention) -> float:
    """The days between a moment and the time that is meant."""
    return max((mention.interval.start - at) / DAY, (at - mention.interval.end) / DAY, 0.0)


def _naming(memories: Sequence[Memory], columns: dict[str, Column], found: Beside) -> tuple[int, str] | None:
    """The row of the candidate that names the event, and the words that it does so by: all, or where their end is open as many as any has.

    Among several it is the note that begins with them, for that is what it is about; then the one with the highest BM25.
    """
    bm25 = columns["bm25"]
    held = [(row, _own_terms(memories[row].text)) for row in np.flatnonzero(columns["coverage"] > 0).tolist()]
    said = found.event.split()
    for count in range(len(said), 0 if found.open_end else len(said) - 1, -1):
        words = " ".join(said[:count])
        terms = frozenset(query_terms(words))
        rows = [row for row, own in held if terms <= own]
        if rows:
            return min(rows, key=lambda row: (_place(memories[row], terms), -bm25[row], row)), words
    return None


@lru_cache(maxsize=1 << 8)
def _own_terms(text: str) -> frozenset[str]:
    """The terms of a text's beginning; those of a recall's candidates are asked for when an event is dated and again when it is weighed."""
    return frozenset(analyse(text[:_READ]))


def _place(memory: Memory, terms: frozenset[str]) -> int:
    """How many words of a note stand before the first of these terms; a turn of a conversation begins with anything."""
    words = enumerate(memory.text.split()) if not memory.source.said else ()
    return next((place for place, word in words if not terms.isdisjoint(analyse(word))), _LATE)


def _time(memory: Memory) -> datetime:
    return memory.valid_from or memory.created_at


def _interval(held: datetime, event: Beside, now: datetime) -> Interval:
    """All the time in which something may lie so to the event that was then."""
    sign, reach = -1 if event.relation in {"before", "until"} else 1, _REACH_DAYS * DAY
    if event.relation == "around":
        meant = unit_of(held, event.unit) if event.unit else None
        return Interval(meant.start, meant.end) if meant else Interval(held - _AROUND_DAYS * DAY, held + _AROUND_DAYS * DAY)
    if event.unit:
        there, slack = shift(held, event.unit, sign * max(event.many, 1)), _SLACK_DAYS[event.unit] * DAY
        return Interval(min(held, day(there).start - slack), max(held, day(there).end + slack))
    if event.relation == "until":
        return Interval(EPOCH, max(held, EPOCH + DAY))
    if event.relation == "before":
        return Interval(held - reach, held)
    return Interval(day(held).start, max(now, held) + DAY if event.relation == "since" else held + reach)


def _held_so(memory: Memory, held: datetime, event: Beside) -> float:
    """How well a memory lies so to the event, 0 to 1; 0 where that is beyond the calendar."""
    try:
        return _told(memory, held, event)
    except OverflowError:
        return 0.0


def _told(memory: Memory, held: datetime, event: Beside) -> float:
    """How well a memory lies so to the event, 0 to 1; of a conversation what came after is often told along with it, and told late."""
    if not memory.source.said or event.unit or event.relation == "around":
        return _beside(_time(memory), held, event)
    return float(_time(memory) < held if event.relation in {"before", "until"} else _time(memory) >= day(held).start)


def _beside(at: datetime, held: datetime, event: Beside) -> float:
    """How well a moment lies so to the event, 0 to 1."""
    if event.relation == "around":
        return _around(at, held, event.unit)
    sign = -1 if event.relation in {"before", "until"} else 1
    if event.many:
        meant, slack = day(shift(held, event.unit, sign * event.many)), _SLACK_DAYS[event.unit]
        off = max((meant.start - at) / DAY, (at - meant.end) / DAY, 0.0)
        return 1.0 - 0.5 * off / max(slack, 1) if off <= slack else 0.0
    if event.unit:
        return float(_next_to(at, held, event.unit, sign))
    off = sign * (at - held) / DAY
    if off < 0 and not (sign > 0 and day(at) == day(held)):
        return 0.0
    if event.relation in {"since", "until"}:
        return 1.0
    return exp(-off / _SOON_DAYS) if event.close else 0.5 + 0.5 * exp(-max(off, 0.0) / _LATER_DAYS)


def _around(at: datetime, held: datetime, unit: str) -> float:
    if not unit:
        return float(abs(at - held) <= _AROUND_DAYS * DAY)
    meant = unit_of(held, unit)
    return float(meant.start <= at < meant.end)


def _next_to(at: datetime, held: datetime, unit: str, sign: int) -> bool:
    """Whether a moment lies in the day or weekend next to an event, or in the week, month or year from it on or up to it."""
    if unit in {"day", "weekend"}:
        meant = unit_of(shift(held, unit, sign), unit)
        return meant.start <= at < meant.end
    first, last = sorted((day(held).start, shift(day(held).start, unit, sign)))
    return first <= at < last + DAY
