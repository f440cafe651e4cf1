"""Timeline: memories over time, from years to an hour, with the sessions that they come from as bands."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from cued.errors import InputError
from cued.model.plain import JSON
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import read_time

LISTED = 200
MOST_MONTHS = 36
MOST_BANDS = 24
WIDE = 1000.0
_FORMATS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d", 13: "%Y-%m-%dT%H"}
_HOURS, _MONTHS = 24, 12
_YEAR, _MONTH, _HOUR = 4, 7, 13
"""How many characters the name of a year, a month and an hour has."""


class ShownSpan(NamedTuple):
    """A stretch of time, with its name in the address, "" for all of it."""

    name: str
    start: datetime
    end: datetime


def page(visit: Visit) -> JSON:
    """The stretch of time that the address names: its parts counted, its memories and their sessions."""
    stats = visit.stats()
    if stats["oldest_at"] is None:
        return {"span": None}
    span = span_of(visit.said("at"), read_time(stats["oldest_at"]), read_time(stats["newest_at"]))
    parts = [{"span": part, "count": _count(visit, part)} for part in parts_of(span)]
    listed = visit.ask("list", {**_between(span), "limit": LISTED, "oldest_first": True, **visit.chosen("after")})
    return {
        "span": span,
        "crumbs": crumbs(span),
        "parts": bars(parts),
        "total": listed["total"],
        "next": listed["next"],
        "bands": bands(listed["memories"], span),
        "sessions": len({memory["session"] for memory in listed["memories"]} - {None, ""}),
        "partly": len(listed["memories"]) < listed["total"],
        "days": by_day(listed["memories"]),
    }


def span_of(name: str, oldest: datetime, newest: datetime) -> ShownSpan:
    """The stretch of this name: a year, a month, a day or an hour as ISO 8601 writes them, or all from the oldest to the newest."""
    if not name:
        return ShownSpan("", datetime(oldest.year, oldest.month, 1, tzinfo=UTC), _after(newest, 7))
    try:
        start = datetime.strptime(name, _FORMATS[len(name) if name.isascii() else 0]).replace(tzinfo=UTC)
        return ShownSpan(name, start, _after(start, len(name)))
    except (KeyError, ValueError, OverflowError) as error:
        raise InputError("at", name, "a year, a month, a day or an hour, such as 2025, 2025-03, 2025-03-14 or 2025-03-14T09") from error


def parts_of(span: ShownSpan) -> Iterator[ShownSpan]:
    """The parts of a stretch: months of a year, days of a month, hours of a day; months or years of all; none of an hour."""
    months = (span.end.year - span.start.year) * _MONTHS + span.end.month - span.start.month
    size = {0: 7 if months <= MOST_MONTHS else 4, 4: 7, 7: 10, 10: 13}.get(len(span.name))
    at = span.start
    while size is not None and at < span.end:
        yield ShownSpan(at.strftime(_FORMATS[size]), at, end := _after(at, size))
        at = end


def crumbs(span: ShownSpan) -> list[JSON]:
    """The breadcrumbs from the whole time down to this stretch."""
    sizes = [size for size in _FORMATS if size <= len(span.name)]
    return [{"name": "all", "at": ""}, *({"name": span.name[:size], "at": span.name[:size]} for size in sizes)]


def bars(parts: Sequence[JSON]) -> list[JSON]:
    """The counted parts with how high each stands beside the highest, from 0 to 1."""
    most = max((part["count"] for part in parts), default=0) or 1
    labels = labels_of([part["span"].name for part in parts])
    return [{**part, "high": part["count"] / most, "label": label} for part, label in zip(parts, labels, strict=True)]


def labels_of(names: Sequence[str]) -> list[str]:
    """The label of each part: its number, and also the year where a new year begins."""
    several = len({name[:_YEAR] for name in names}) > 1
    begins = [several and name[:_YEAR] != before[:_YEAR] for before, name in pairwise(["", *names])]
    return [name if len(name) == _YEAR or new else name[-2:] for name, new in zip(names, begins, strict=True)]


def bands(memories: Sequence[JSON], span: ShownSpan) -> list[JSON]:
    """The sessions among these memories as bands on a line of this stretch, in the order in which they begin."""
    sessions: dict[str, list[datetime]] = {}
    for memory in memories:
        if memory["session"]:
            sessions.setdefault(memory["session"], []).append(read_time(memory["created_at"]))
    whole = (span.end - span.start) / timedelta(seconds=1)

    def place(at: datetime) -> float:
        return round((at - span.start).total_seconds() / whole * WIDE, 2)

    return [
        {
            "name": name,
            "x": place(min(times)),
            "wide": max(6.0, place(max(times)) - place(min(times))),
            "count": len(times),
            "at": min(times),
        }
        for name, times in list(sessions.items())[:MOST_BANDS]
    ]


def by_day(memories: Sequence[JSON]) -> list[JSON]:
    """Memories under the day on which they were written."""
    days: dict[str, list[JSON]] = {}
    for memory in memories:
        days.setdefault(f"{read_time(memory['created_at']):%Y-%m-%d}", []).append(memory)
    return [{"day": day, "memories": found} for day, found in days.items()]


def _after(start: datetime, size: int) -> datetime:
    """The end of the year, month, day or hour that a moment lies in, chosen by the length of its name."""
    if size == _YEAR:
        return datetime(start.year + 1, 1, 1, tzinfo=UTC)
    if size == _MONTH:
        return datetime(start.year + start.month // _MONTHS, start.month % _MONTHS + 1, 1, tzinfo=UTC)
    begun = start.replace(minute=0, second=0, microsecond=0)
    return begun + timedelta(hours=1) if size == _HOUR else begun.replace(hour=0) + timedelta(hours=_HOURS)


def _between(span: ShownSpan) -> JSON:
    return {"since": span.start.isoformat(), "until": span.end.isoformat(), "hidden": True}


def _count(visit: Visit, part: ShownSpan) -> int:
    return int(visit.ask("list", {**_between(part), "limit": 1})["total"])
