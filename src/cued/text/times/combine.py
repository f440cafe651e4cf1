"""Builders of the later stages: parts of a span, spans beside a span, ranges between two, and open ends."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from cued.model import EPOCH
from cued.text.times import almanac
from cued.text.times.almanac import DAY, WEEK, Span, midnight, shift, unit_of
from cued.text.times.found import Anchor, Found, weekday_near

_FAR = datetime(9999, 12, 31, tzinfo=UTC)
# Which days of a week or month, months of a year and so on "early", "mid" and "late" mean: (first, one past the last).
_PARTS_OF_WEEK = {"early": (0, 3), "start": (0, 3), "mid": (1, 5), "late": (3, 7), "end": (3, 7)}
_PARTS_OF_MONTH = {"early": (1, 16), "start": (1, 11), "mid": (10, 21), "late": (16, 0), "end": (21, 0)}
_PARTS_IN_TWELFTHS = {"early": (0, 6), "start": (0, 2), "mid": (4, 8), "late": (6, 12), "end": (10, 12)}
_HOURS = {"morning": (6, 12), "noon": (11, 14), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
_AROUND_DAYS = {"day": 3, "week": 3, "weekend": 3, "month": 15, "season": 15, "quarter": 30, "half": 45, "year": 182, "decade": 730}

_AROUND_SLACK_DAYS = {"day": 4, "week": 4, "weekend": 4}


def part(found: Found) -> Span:
    """The early, middle or late part of a span."""
    which, whole = found.name("early"), _whole(found)
    if which in {"start", "end"} and not found.has("of"):  # "did it end in May"
        raise ValueError(which)
    if whole.grain == "week":
        first, last = _PARTS_OF_WEEK[which]
        return _reshaped(whole, lambda span: Span(span.start + first * DAY, span.start + last * DAY, "part"))
    if whole.grain == "month":
        return _reshaped(whole, lambda span: _part_of_month(span, which))
    if whole.grain in {"day", "range", "rolling", "part"}:
        raise ValueError(whole.grain)
    return _reshaped(whole, lambda span: _fraction(span, *_PARTS_IN_TWELFTHS[which], of=12))


def _part_of_month(month: Span, which: str) -> Span:
    first, last = _PARTS_OF_MONTH[which]
    return Span(month.start.replace(day=first), month.start.replace(day=last) if last else month.end, "part")


def _fraction(span: Span, first: int, last: int, *, of: int) -> Span:
    months = (span.end.year - span.start.year) * 12 + span.end.month - span.start.month
    if months * first % of == 0 and months * last % of == 0:
        return Span(shift(span.start, "month", months * first // of), shift(span.start, "month", months * last // of), "part")
    days = (span.end - span.start).days
    return Span(span.start + round(days * first / of) * DAY, span.start + round(days * last / of) * DAY, "part")


def half_of(found: Found) -> Span:
    """The first or second half of a span."""
    number = 2 if found.has("last") else found.number("ordinal")
    if number not in {1, 2}:
        raise ValueError(number)
    return _reshaped(_whole(found), lambda span: _fraction(span, number - 1, number, of=2))


def nth_in(found: Found) -> Span:
    """The nth weekday or unit within a span, as in "the first Friday of May" or "the last week of July"."""
    whole = _whole(found)
    number = -1 if found.has("last") else found.number("ordinal")
    if found.has("weekday"):
        weekday = found.number("weekday")
        return _reshaped(whole, lambda span: almanac.nth_weekday(weekday, number, within=span))
    unit = found.name("unit")
    return _reshaped(whole, lambda span: almanac.nth_unit(unit, number, within=span))


def day_in_month(found: Found) -> Span:
    """A numbered day of a month that an earlier rule found."""
    whole, number = _whole(found), found.number("ordinal", "number")
    if whole.grain != "month":
        raise ValueError(whole.grain)
    return almanac.day(whole.start.replace(day=number))


def weekday_in(found: Found) -> Span:
    """A weekday of a week, or the one nearest to a day."""
    whole, weekday = _whole(found), found.number("weekday")
    if whole.grain == "week":
        return almanac.day(whole.start + weekday * DAY)
    if whole.grain != "day":
        raise ValueError(whole.grain)
    return almanac.day(whole.start + ((weekday - whole.start.weekday() + 3) % 7 - 3) * DAY)


def so_far(found: Found) -> Span:
    """The part of this unit that is over ("earlier this month") or still ahead ("later this week")."""
    here = found.spans()[0] if found.spans() else unit_of(found.anchor.now, found.name("unit"))
    now = found.anchor.now
    if not here.start <= now < here.end:
        raise ValueError(here.grain)
    start, end = (here.start, now) if found.name("earlier") == "earlier" else (now, here.end)
    return Span(max(start, here.start), min(end, here.end), "part")


def rest(found: Found) -> Span:
    """What is left of this unit from today."""
    here = found.spans()[0] if found.spans() else unit_of(found.anchor.now, found.name("unit"))
    return Span(max(found.anchor.today, here.start), here.end, "part")


def part_of_day(found: Found) -> Span:
    """The morning, afternoon, evening or night of a day."""
    day = found.spans()[0] if found.spans() else almanac.day(found.anchor.today)
    if day.grain != "day":
        raise ValueError(day.grain)
    name = found.name("daypart") if found.has("daypart") else "night"
    if found.has("last"):
        day = almanac.day(day.start - (2 if found.has("before") else 1) * DAY)
    first, last = _HOURS[name]
    return Span(day.start + timedelta(hours=first), day.start + timedelta(hours=last), "hours")


def unit_beside(found: Found) -> Span:
    """The day, week, month or year right before or after a span."""
    whole, unit = found.spans()[0], found.name("unit")
    if unit == "weekend":
        return _weekend_beside(whole, before=found.has("before"))
    if found.has("before"):
        return Span(shift(whole.start, unit, -1), whole.start, unit)
    return Span(whole.end, shift(whole.end, unit, 1), unit)


def _weekend_beside(whole: Span, *, before: bool) -> Span:
    saturday = unit_of(whole.start, "weekend").start
    if before and saturday >= whole.start - DAY:
        saturday -= WEEK
    if not before and saturday < whole.end:
        saturday += WEEK
    return Span(saturday, saturday + 2 * DAY, "weekend")


def units_beside(found: Found) -> Span:
    """The day so many units before or after a span."""
    whole, unit = found.spans()[0], found.name("unit")
    count = 1 if found.has("an") else found.number("number")
    return almanac.day(shift(whole.start, unit, -count if found.has("before") else count))


def weekday_beside(found: Found) -> Span:
    """The nearest such weekday before or after a span."""
    whole = found.spans()[0]
    edge = Anchor(whole.start, whole.start, future=False) if found.has("before") else Anchor(whole.end - DAY, whole.end - DAY, future=True)
    return almanac.day(weekday_near(edge, found.number("weekday"), future=edge.future))


def unit_around(found: Found) -> Span:
    """The unit that holds a span, as in "the week of the 18th" or "the month of February"."""
    return _reshaped(found.spans()[0], lambda span: unit_of(span.start, found.name("unit")))


def duration_from(found: Found) -> Span:
    """So many units from the start of a span."""
    whole, unit = found.spans()[0], found.name("unit")
    count = 1 if found.has("an") else found.number("number")
    return Span(whole.start, shift(whole.start, unit, count), "range")


def numbered_day(found: Found) -> Span:
    """A day of the month such as "the 5th", in the month that fits."""
    number, anchor = found.number("ordinal", "number"), found.anchor
    step = 1 if anchor.future else -1
    for months in range(12):
        month = unit_of(shift(anchor.today.replace(day=1), "month", step * months), "month")
        if number > (month.end - DAY).day:
            continue
        day = almanac.day(month.start.replace(day=number))
        if day.end > anchor.now if anchor.future else day.start <= anchor.now:
            return day
    raise ValueError(number)


def digit_day(found: Found) -> Span:
    """A day of the month that is written in digits; "the second" alone is an ordinary word."""
    if found.all("ordinal", "number")[0].word:
        raise ValueError(found.tokens)
    return numbered_day(found)


def weekday(found: Found) -> Span:
    """A bare weekday: the last one before today, or the next one of a text that looks ahead."""
    return almanac.day(weekday_near(found.anchor, found.number("weekday"), future=found.anchor.future))


def bare_weekend(found: Found) -> Span:
    """The latest weekend that has begun, or the coming one of a text that looks ahead."""
    if found.name("unit") != "weekend":
        raise ValueError(found.tokens)
    here = unit_of(found.anchor.now, "weekend")
    if not found.anchor.future and here.start > found.anchor.now:
        here = unit_of(here.start - WEEK, "weekend")
    return here


def between(found: Found) -> Span:
    """The stretch from the first span to the end of the second; a missing year is taken from the other end."""
    first, *more = found.spans()
    if not more:
        return Span(first.start, found.anchor.now, "range")
    last = more[0]
    if first.yearly and not (last.yearly and found.anchor.future):
        first = _last_before(first, last.start)
    elif last.yearly:
        last = _first_after(last, first.start)
    if first.start >= last.end:
        raise ValueError(found.tokens)
    return Span(first.start, last.end, "range")


def _last_before(span: Span, limit: datetime) -> Span:
    candidates = [span.yearly(limit.year - back) for back in range(2)] if span.yearly else [span]
    return next((candidate for candidate in candidates if candidate.start <= limit), span)


def _first_after(span: Span, limit: datetime) -> Span:
    candidates = [span.yearly(limit.year + ahead) for ahead in range(2)] if span.yearly else [span]
    return next((candidate for candidate in candidates if candidate.end > limit), span)


def since(found: Found) -> Span:
    """Everything from a span's start until now."""
    whole = found.spans()[0]
    return Span(whole.start, found.anchor.now if whole.start < found.anchor.now else _FAR, "open")


def after(found: Found) -> Span:
    """Everything from a span's end until now."""
    whole = found.spans()[0]
    return Span(whole.end, found.anchor.now if whole.end < found.anchor.now else _FAR, "open")


def until(found: Found) -> Span:
    """Everything up to a span's end; "to" and "through" alone do not say that."""
    if found.tokens[0].word not in {"until", "till", "til", "by"}:
        raise ValueError(found.tokens)
    return up_to(found)


def up_to(found: Found) -> Span:
    """Everything up to a span's end."""
    end = found.spans()[0].end
    return Span(EPOCH if end > EPOCH else midnight(1, 1, 1), end, "open")


def before(found: Found) -> Span:
    """Everything up to a span's start."""
    end = found.spans()[0].start
    return Span(EPOCH if end > EPOCH else midnight(1, 1, 1), end, "open")


def around(found: Found) -> Span:
    """A span widened by about half of its own kind on each side."""
    whole = found.spans()[0]
    margin = _AROUND_DAYS.get(whole.grain, 3) * DAY
    return Span(whole.start - margin, whole.end + margin, "range", slack_days=_AROUND_SLACK_DAYS.get(whole.grain, 0))


def _whole(found: Found) -> Span:
    spans = found.spans()
    if spans:
        return spans[0]
    if found.has("year"):
        return almanac.year(found.number("year"))
    return unit_of(found.anchor.now, found.all("unit")[-1].name)


def _reshaped(whole: Span, shape: Callable[[Span], Span]) -> Span:
    yearly = whole.yearly
    span = shape(whole)
    return span if yearly is None else span._replace(yearly=lambda year: shape(yearly(year)))
