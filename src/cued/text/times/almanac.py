"""Calendar arithmetic: stretches of UTC time by name, and no clock.

Weeks start on Monday. A week belongs to the month or year that holds its Thursday, as in ISO 8601. Seasons are the
meteorological ones of the northern hemisphere. A date that does not exist raises ValueError or OverflowError.
"""

from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_FIXED = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": DAY}
_FIXED |= {"week": WEEK, "fortnight": 2 * WEEK, "weekend": WEEK}


class Span(NamedTuple):
    """A half-open stretch of time, the unit it is spoken of in, and how to find it in another year when none was said."""

    start: datetime
    end: datetime
    grain: str
    yearly: "Callable[[int], Span] | None" = None
    slack_days: int = 0


def midnight(year: int, month: int, day: int) -> datetime:
    """The first instant of a day."""
    return datetime(year, month, day, tzinfo=UTC)


def shift(moment: datetime, unit: str, count: int) -> datetime:
    """The moment `count` units later; the 31st becomes the last day of a shorter month."""
    if unit in _FIXED:
        return moment + count * _FIXED[unit]
    months = moment.year * 12 + moment.month - 1 + count * _MONTHS_IN[unit]
    year, month = divmod(months, 12)
    if not MINYEAR <= year <= MAXYEAR:  # calendar.monthrange raises an error of its own for year 0
        raise OverflowError(year)
    from calendar import monthrange  # noqa: PLC0415 - with the names that each place has for its months

    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def day(moment: datetime) -> Span:
    """The day that holds the moment."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return Span(start, start + DAY, "day")


def unit_of(moment: datetime, unit: str) -> Span:
    """The calendar day, week, weekend, month, quarter, year, decade or century that holds the moment."""
    today = day(moment).start
    if unit in {"week", "weekend", "fortnight"}:
        monday = today - today.weekday() * DAY
        return Span(monday + 5 * DAY if unit == "weekend" else monday, monday + WEEK, "weekend" if unit == "weekend" else "week")
    if unit in _FIXED:
        length = _FIXED[unit]
        start = today + (moment - today) // length * length
        return Span(start, start + length, unit)
    length_months = _MONTHS_IN[unit]
    months = (today.year * 12 + today.month - 1) // length_months * length_months
    start = midnight(months // 12 or 1, months % 12 + 1, 1)
    return Span(start, shift(start, unit, 1), unit)


def month(year: int, number: int) -> Span:
    """A month of a year."""
    return unit_of(midnight(year, number, 1), "month")


def year(number: int) -> Span:
    """A calendar year."""
    return unit_of(midnight(number, 1, 1), "year")


def quarter(number: int, of_year: int) -> Span:
    """The quarter 1 to 4 of a year."""
    return unit_of(midnight(of_year, 3 * number - 2, 1), "quarter")


def half(number: int, of_year: int) -> Span:
    """The first (1) or second (2) half of a year."""
    start = midnight(of_year, 6 * number - 5, 1)
    return Span(start, shift(start, "month", 6), "half")


def season(name: str, of_year: int) -> Span:
    """The season that starts in the year; winter starts in its December."""
    start = midnight(of_year, SEASONS[name], 1)
    return Span(start, shift(start, "month", 3), "season")


def iso_week(number: int, of_year: int) -> Span:
    """Week 1 to 53 of a year as ISO 8601 counts them."""
    start = datetime.fromisocalendar(of_year, number, 1).replace(tzinfo=UTC)
    return Span(start, start + WEEK, "week")


def nth_week(number: int, within: Span) -> Span:
    """The week with the nth Thursday of a longer span; -1 is the last one."""
    thursday = nth_weekday(3, number, within=within).start
    return unit_of(thursday, "week")


def nth_weekday(weekday: int, number: int, *, within: Span) -> Span:
    """The nth given weekday (Monday is 0) of a span; -1 is the last one."""
    if number > 0:
        found = within.start + (weekday - within.start.weekday()) % 7 * DAY + (number - 1) * WEEK
    else:
        last = within.end - DAY
        found = last - (last.weekday() - weekday) % 7 * DAY + (number + 1) * WEEK
    if not within.start <= found < within.end:
        raise ValueError(number)
    return day(found)


def nth_unit(unit: str, number: int, *, within: Span) -> Span:
    """The nth calendar unit of a longer span; -1 is the last one."""
    if unit in {"week", "fortnight"}:
        return nth_week(number, within)
    if unit == "weekend":
        saturday = nth_weekday(5, number, within=within).start
        return Span(saturday, saturday + 2 * DAY, "weekend")
    first = unit_of(shift(within.start, unit, number - 1) if number > 0 else shift(within.end, unit, number), unit)
    if not within.start <= first.start < within.end:
        raise ValueError(number)
    return first


def easter(of_year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar (the anonymous computus of 1876)."""
    golden, century, rest = of_year % 19, of_year // 100, of_year % 100
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    correction = (golden + 11 * epact + 22 * weekday) // 451
    number = epact + weekday - 7 * correction + 114
    return midnight(of_year, number // 31, number % 31 + 1)


def islamic(of_year: int, month_number: int, day_number: int) -> datetime:
    """The first such day of the tabular Islamic calendar in a Gregorian year, within a day of the observed one."""
    january = midnight(of_year, 1, 1)
    for hijri in range((of_year - 622) * 33 // 32 - 1, (of_year - 622) * 33 // 32 + 4):
        passed = (hijri - 1) * 354 + (3 + 11 * hijri) // 30 + 29 * (month_number - 1) + month_number // 2 + day_number - 1
        found = midnight(622, 7, 19) + passed * DAY
        if found >= january:
            return found
    raise ValueError(of_year)
