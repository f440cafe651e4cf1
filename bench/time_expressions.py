"""Measure time expressions, and print the table.

    PYTHONPATH=src python bench/time_expressions.py

Data (optional, see DATA): the date, period and holiday specifications of Microsoft Recognizers-Text (MIT), and the
questions of LoCoMo and LongMemEval. The rules were written while looking at the `seen` half of
each; the `unseen` half is the honest figure.

A specified expression is right when a mention that overlaps it has exactly the past or the future resolution:
- a `date` is that whole day;
- a `startDate` and `endDate` are half-open, except that for an expression with two ends ("from 4 to 22 January",
  "rest of the week") the specification names the last day, month or year itself, where Cued's interval includes it;
- an expression that the specification resolves to no real date (30 February) is right when nothing is found for it;
- where an interval begins or ends at the very reference time, its day counts: the specification knows days only;
- one with a single end ("since 2019") asks for that end, and for an interval that is open on the other side: from 1970 or
  before, or to the reference time or to 9999;
- one without dates (seasons) is left out. Durations ("for 3 hours") are no dates: there, nothing should be found.

Families are weighted by how often they occur in the questions people ask: each family counts its mentions in the LoCoMo
and LongMemEval questions plus one.
"""

import gzip
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from cued.model import EPOCH, Interval
from cued.text.times import times

DATA = Path(os.environ.get("CUED_DATA") or Path(__file__).resolve().parents[1] / "../shared/data")
SPECIFICATIONS = ("DateParser", "DatePeriodParser", "HolidayParser")
_OPEN_YEAR = 9999
_NOBODY = date(1, 1, 1)
_UNIT = r"(?:day|week|month|year|quarter|weekend|decade|century|fortnight|hour|minute|yr|wk)s?"
_COUNT = r"(?:\d+|one|two|three|four|five|ten|few|couple|several)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*"
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_YEAR = r"(?:\d{4}|nineteen \w+|two thousand)"
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?|twenty|first|second|third|thirty|\w+th)"
# The first family whose pattern is found in an expression is its family.
FAMILIES = {
    "recently": r"\b(?:recently|lately)\b",
    "fuzzy amount ago": r"(?:few|couple|several).*\bago",
    "units ago": r"\bago\b|\bback\b",
    "two ends": (
        r"\b(?:between|from|since|until|till|through|before now|rest)\b|\d-\d+ |\w (?:to|-) \w|starting|"
        rf"{_YEAR} ?- ?{_YEAR}|{_MONTH} \d+-\d+$"
    ),
    "beside another": r"\b(?:before|after|within|hence|later|earlier)\b|\bin (?:\d|\w+ (?:days|weeks|months|years))",
    "rolling units": rf"\b(?:last|past|next|previous|coming)\b {_COUNT} ?(?:of )?{_UNIT}|\bpast {_UNIT}",
    "part of a period": r"\b(?:early|late|mid|middle|beginning|start|end|half)\b",
    "week or weekday of": (
        rf"\b(?:first|second|third|fourth|fifth|last|\d+th) (?:{_UNIT}|{_WEEKDAY}) (?:of|in)\b|"
        r"\bweek \d|\d-?w\d|\bweek of\b|(?:first|second|third|fifth) \w+$"
    ),
    "relative weekday": (rf"\b{_WEEKDAY}\b.*\bweek\b|\bweek\b.*\b{_WEEKDAY}\b|\b(?:last|this|next|past|coming|previous)\b {_WEEKDAY}\b"),
    "relative day": (
        r"\b(?:today|yesterday|tomorrow|tonight|now|(?:this|last|past|next) (?:day|night|morning|evening|afternoon))\b|^the day$|last day"
    ),
    "relative unit": (rf"\b(?:last|this|next|past|coming|upcoming|previous|current|same|that)\b (?:\w+ )?{_UNIT}$|\bweekend\b|^month of"),
    "quarter or half": r"\bq[1-4]\b|\bh[12]\b|quarter",
    "season": r"\b(?:spring|summer|autumn|fall|winter)\b",
    "decade or century": r"\d0'?s\b|ies\b|\btens\b|century|decade",
    "full date": (rf"\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d+|{_MONTH}\W+(?:the )?{_DAY}\b.*{_YEAR}|\b{_DAY}\b.*{_MONTH}.*{_YEAR}|{_YEAR}/{_MONTH}"),
    "month and day": rf"\b{_MONTH}\W*(?:the )?{_DAY}\b|\b{_DAY}\W+(?:of )?{_MONTH}|^\d{{1,2}}/\d{{1,2}}$",
    "month and year": rf"\b{_MONTH}\b.*{_YEAR}|{_YEAR}.*{_MONTH}|\d{{4}} ?[-/] ?\d\d?$|\d\d? ?[-/] ?\d{{4}}|{_MONTH}.*year",
    "holiday": (
        r"christmas|xmas|easter|thanks ?giving|\bday\b|\beve\b|new year|ramad|ramaz|ramz|ramat|eid|halloween|festival|black friday"
    ),
    "month": rf"\b{_MONTH}\b",
    "weekday": rf"\b{_WEEKDAY}\b",
    "day of month": r"\b\d{1,2}(?:st|nd|rd|th)?\b|^the \w+$",
    "year": _YEAR,
    "other": "",
}
_COMPILED = {name: re.compile(pattern) for name, pattern in FAMILIES.items()}


class Case(NamedTuple):
    """One specified expression: where it stands in its text, when it was said, and the intervals that are right (none: no date)."""

    text: str
    expression: str
    span: tuple[int, int]
    now: datetime
    accepted: frozenset[tuple[datetime | None, datetime | None]]
    seen: bool


def family(expression: str) -> str:
    """The family of an expression."""
    lowered = " ".join(expression.lower().split())
    return next(name for name, pattern in _COMPILED.items() if pattern.search(lowered))


def cases(folder: Path) -> Iterator[Case]:
    """Every expression of the specifications that has dates."""
    for name in SPECIFICATIONS:
        for entry in json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes())):
            yield from _cases_of(entry)


def _cases_of(entry: dict[str, Any]) -> Iterator[Case]:
    reference = entry.get("Context", {}).get("ReferenceDateTime")
    if reference is None:
        return
    seen = hashlib.sha256(entry["Input"].encode()).digest()[0] % 2 == 0
    now = datetime.fromisoformat(reference).replace(tzinfo=UTC)
    for result in entry["Results"]:
        value = result.get("Value") or {}
        resolutions = [value.get(side) or {} for side in ("PastResolution", "FutureResolution")]
        if not any(resolutions):
            continue
        accepted = frozenset(interval for resolution in resolutions for interval in _accepted(resolution, result["Text"]))
        yield Case(entry["Input"], result["Text"], (result["Start"], result["Start"] + result["Length"]), now, accepted, seen)


def _accepted(resolution: dict[str, str], expression: str) -> Iterator[tuple[datetime | None, datetime | None]]:
    if "date" in resolution:
        day = date.fromisoformat(resolution["date"])
        if day != _NOBODY:
            yield _midnight(day), _midnight(day + timedelta(days=1))
    elif len(resolution) == 1:
        yield from _open(resolution)
    elif resolution:
        start, end = (date.fromisoformat(resolution[key]) for key in ("startDate", "endDate"))
        ends = {end}
        if family(expression) == "two ends":
            ends |= set(_inclusive(end))
        yield from ((_midnight(start), _midnight(one)) for one in ends if _NOBODY < start < one)


def _open(resolution: dict[str, str]) -> Iterator[tuple[datetime | None, datetime | None]]:
    if "startDate" in resolution:
        yield _midnight(date.fromisoformat(resolution["startDate"])), None
    else:
        yield None, _midnight(date.fromisoformat(resolution["endDate"]))


def _inclusive(last: date) -> Iterator[date]:
    yield last + timedelta(days=1)
    yield last + timedelta(days=7)
    if last.day == 1:
        yield (last + timedelta(days=32)).replace(day=1)
        if last.month == 1:
            yield last.replace(year=last.year + 1)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def is_right(case: Case) -> bool:
    """Whether `times` finds exactly what the specification says."""
    start, end = case.span
    found = [mention.interval for mention in times(case.text, now=case.now) if mention.start < end and mention.end > start]
    if not case.accepted:
        return not found
    return any(_readings(interval, case.now) & case.accepted for interval in found)


def _readings(interval: Interval, now: datetime) -> set[tuple[datetime | None, datetime | None]]:
    start, end = interval.start, interval.end
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start, end = midnight if start == now else start, midnight if end == now else end
    readings: set[tuple[datetime | None, datetime | None]] = {(start, end)}
    if start <= EPOCH:
        readings.add((None, end))
    if end == midnight or end.year == _OPEN_YEAR:
        readings.add((start, None))
    return readings


def weights(folder: Path) -> dict[str, int]:
    """How often each family occurs in the questions of both sets, plus one."""
    counts = Counter(dict.fromkeys(FAMILIES, 1))
    for name in ("locomo", "longmemeval"):
        for line in gzip.decompress((folder / name / "queries.jsonl.gz").read_bytes()).splitlines():
            query = json.loads(line)
            asked_at = datetime.fromisoformat(query["asked_at"]).replace(tzinfo=UTC)
            counts.update(family(mention.text) for mention in times(query["query"], now=asked_at))
    return dict(counts)


class Score(NamedTuple):
    """Right and asked, per family, and the two totals."""

    right: Counter[str]
    asked: Counter[str]
    plain: float
    weighted: float


def score(chosen: Iterable[Case], weight: dict[str, int]) -> Score:
    """The share of cases that are right: plain, and with each family at its weight."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for case in chosen:
        name = family(case.expression)
        asked[name] += 1
        right[name] += is_right(case)
    total = sum(weight[name] for name in asked)
    weighted = sum(weight[name] * right[name] / asked[name] for name in asked) / total
    return Score(right, asked, right.total() / asked.total(), weighted)


def silent_durations(folder: Path) -> tuple[int, int]:
    """For how many durations rightly nothing is found, and how many there are."""
    entries = json.loads(gzip.decompress((folder / "DurationParser.json.gz").read_bytes()))
    now = datetime(2016, 11, 7, tzinfo=UTC)
    return sum(not times(entry["Input"], now=now) for entry in entries), len(entries)


def main() -> None:
    """Print the table."""
    if not DATA.is_dir():
        print(f"no data in {DATA}: set CUED_DATA")
        return
    print("\n".join(_time_table()))


def _time_table() -> Iterator[str]:
    specified, weight = list(cases(DATA / "time_expressions")), weights(DATA)
    seen, unseen = (score((case for case in specified if case.seen is half), weight) for half in (True, False))
    yield f"{'family':22}{'weight':>8}{'seen':>14}{'unseen':>14}"
    for name in sorted(seen.asked | unseen.asked, key=lambda one: -weight[one]):
        yield f"{name:22}{weight[name]:>8}{_share(seen, name):>14}{_share(unseen, name):>14}"
    yield f"{'plain':30}{seen.plain:>14.1%}{unseen.plain:>14.1%}"
    yield f"{'weighted':30}{seen.weighted:>14.1%}{unseen.weighted:>14.1%}"
    yield "durations without a mention: {} of {}".format(*silent_durations(DATA / "time_expressions"))


def _share(result: Score, name: str) -> str:
    asked = result.asked[name]
    return f"{result.right[name]}/{asked} {result.right[name] / asked:4.0%}" if asked else "-"


if __name__ == "__main__":
    main()
