"""asked: the time that a cue asks for, over the candidates: which lie in it, and how much of the cue it is.

A cue may name an event in place of a date ("before the launch"). Then the time is found by the candidate that names the event, without a
second search: the words of the event are words of the cue, so whatever has them is among the candidates.
"""

from datetime import datetime
from typing import NamedTuple

import numpy as np

from cued.flow.table import Table
from cued.model import Column, Memory
from cued.text.analyse import analyse, query_terms
from cued.text.intent import Beside, Relation
from cued.text.times.almanac import day
from cued.text.times.share import time_share


class AskedTime(NamedTuple):
    """The column `window`, 1 in the time that is asked for and else 0, and the share of the cue's words that ask for it."""

    window: Column
    share: float


def asked_time(table: Table, found: Beside) -> AskedTime:
    """The time that the cue asks for: its dates as the store found them, or else the time beside the event that a candidate names."""
    stored = AskedTime(table.columns["window"], table.evidence.time_share)
    if table.evidence.intervals or not len(table):
        return stored
    event = _naming(table, found)
    if event is None:
        return stored
    held = _time(table.memories[event])
    window = [float(_lies_so(_time(memory), held, found.relation)) for memory in table.memories]
    return AskedTime(np.array(window), time_share(table.evidence.cue.utterance, [found.span]))


def _naming(table: Table, found: Beside) -> int | None:
    """The row of the candidate with the highest BM25 among those that have all words of the event."""
    terms = set(query_terms(found.event))
    covered, bm25 = table.columns["coverage"], table.columns["bm25"]
    rows = [row for row in range(len(table)) if covered[row] > 0 and terms <= analyse(table.memories[row].text).keys()]
    return max(rows, key=lambda row: (bm25[row], -row), default=None)


def _time(memory: Memory) -> datetime:
    return memory.valid_from or memory.created_at


def _lies_so(at: datetime, held: datetime, relation: Relation) -> bool:
    """Whether a moment lies so to the event; what came after it is often told along with it, what came before is not."""
    return at < held if relation in {"before", "until"} else at >= day(held).start
