"""When a memory holds down what it claims, and which marks on another its claim has left."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from cued.model import Memory, Supersession
from cued.stores.beliefs.spans import ALWAYS, BEGINNING, END, Span, Spans, onward, united


def holding(memory: Memory) -> Spans:
    """When a memory holds down what it claims: never one in quarantine, but for what holds through those that it gave way to."""
    if memory.forgotten_at is None and memory.quarantined_at is None:
        return ALWAYS
    own = BEGINNING if memory.forgotten_at is None or memory.quarantined_at is not None else memory.forgotten_at
    return united([(BEGINNING, own), *(span(mark) for mark in memory.superseded if mark.scope is None)])


def claimed(marks: Sequence[Supersession], held: Spans) -> list[Supersession]:
    """Those of a memory's marks on another that its present claim has left: all from the first that explains the rest."""
    spans = tuple(map(span, marks))
    place = next((place for place, mark in enumerate(marks) if onward(mark.at, held) == spans[place:]), len(marks) - 1)
    return list(marks[max(place, 0) :])


def marks_by(new_id: str, old: Memory) -> list[Supersession]:
    """The marks that one memory has left on another."""
    return [mark for mark in old.superseded if mark.by == new_id]


def over(mark: Supersession, spans: Spans) -> list[Supersession]:
    """The mark once for each stretch."""
    return [replace(mark, at=since, lifted_at=None if last == END else last) for since, last in spans]


def span(mark: Supersession) -> Span:
    """The stretch in which a mark holds."""
    return mark.at, until(mark)


def until(mark: Supersession) -> datetime:
    """The first moment in which a mark does not hold any more."""
    return END if mark.lifted_at is None else mark.lifted_at
