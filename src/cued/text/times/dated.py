"""Builders of dates and periods that are named: "May 3rd", "Q3 2025", "the 90s", "last Easter"."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from cued.text.times import almanac
from cued.text.times.almanac import DAY, Span, midnight, shift, unit_of
from cued.text.times.found import Found, in_some_year
from cued.text.times.holidays import HOLIDAYS

CENTURY = 100
DECEMBER = 12
_LATEST_TWO_DIGIT_YEAR = 49  # "5/3/49" is 2049, "5/3/50" is 1950


def month_day(found: Found) -> Span:
    """A day of a month, in the year given or the one that fits."""
    month, number = found.number("month"), found.number("number", "ordinal")
    return _in_its_year(found, lambda year: almanac.day(midnight(year, month, number)))


def days_of_month(found: Found) -> Span:
    """The stretch from one day of a month to another, both included."""
    first, last = (token.number for token in found.all("number", "ordinal"))
    if found.has("unit"):
        month = unit_of(shift(found.anchor.today, "month", found.step()), _only(found, "month"))
        return _day_range(month.start.year, month.start.month, first, last)
    number = found.number("month")
    return _in_its_year(found, lambda year: _day_range(year, number, first, last))


def _day_range(year: int, month: int, first: int, last: int) -> Span:
    return Span(midnight(year, month, first), midnight(year, month, last) + DAY, "range")


def iso_date(found: Found) -> Span:
    """The day of a date written year first."""
    year, month, number = found.tokens[0].parts
    return almanac.day(midnight(year, month, number))


def numeric_date(found: Found) -> Span:
    """The day of a date written month first, or day first with dots and where only that can be."""
    month, number, year = found.tokens[0].parts
    if found.tokens[0].name == ".":
        month, number = number, month
    if year < CENTURY:
        year += 2000 if year <= _LATEST_TWO_DIGIT_YEAR else 1900
    return almanac.day(_month_first(year, month, number))


def numeric_month_day(found: Found) -> Span:
    """The day of a date like 4/22 in the year that fits."""
    month, number = found.all("monthday")[0].parts
    return in_some_year(lambda year: almanac.day(_month_first(year, month, number)), found.anchor)


def padded_month_day(found: Found) -> Span:
    """The day of a date like 22/04, where the zero tells it from a fraction."""
    if found.tokens[0].name != "0":
        raise ValueError(found.tokens)
    return numeric_month_day(found)


def _month_first(year: int, month: int, number: int) -> datetime:
    if max(month, number) > DECEMBER:
        month, number = sorted((month, number))
    return midnight(year, month, number)


def numeric_month(found: Found) -> Span:
    """The month of a form like 2016-11 or 11/2016."""
    year, month = sorted(found.tokens[0].parts, reverse=True)
    return almanac.month(year, month)


def iso_week(found: Found) -> Span:
    """The week of a form like 2016-W45."""
    year, number = found.tokens[0].parts
    return almanac.iso_week(number, year)


def numbered_week(found: Found) -> Span:
    """Week 1 to 53, or the year for "the year 1995"."""
    unit = found.name("unit")
    if unit == "year":
        return almanac.year(found.number("number", "year"))
    if unit != "week" or not found.has("number"):
        raise ValueError(found.tokens)
    number = found.number("number")
    return _in_its_year(found, lambda year: almanac.iso_week(number, year))


def _named(of_year: Callable[[Found, int], Span]) -> Callable[[Found], Span]:
    """A builder of a span that every year has: in the year given, the year pointed at ("last"), or the one that fits."""
    return lambda found: _within_year(found, partial(of_year, found))


month = _named(lambda found, year: almanac.month(year, found.number("month")))
season = _named(lambda found, year: almanac.season(found.name("season"), year))
feast = _named(lambda found, year: HOLIDAYS[found.name("holiday")](year))
quarter = _named(lambda found, year: almanac.quarter(found.number("quarter"), year))
half = _named(lambda found, year: almanac.half(found.number("half"), year))


def _within_year(found: Found, yearly: Callable[[int], Span]) -> Span:
    anchor = found.anchor
    if found.has("year"):
        return yearly(found.number("year"))
    if found.has("unit"):
        return yearly(unit_of(shift(anchor.today, _only(found, "year"), found.step()), "year").start.year)
    if found.has("this"):
        return yearly(anchor.now.year)
    if found.has("next", "last", "past"):
        return _nearest(found, yearly)
    return in_some_year(yearly, anchor)


def _in_its_year(found: Found, yearly: Callable[[int], Span]) -> Span:
    return yearly(found.number("year")) if found.has("year") else in_some_year(yearly, found.anchor)


def _nearest(found: Found, yearly: Callable[[int], Span]) -> Span:
    now = found.anchor.now
    spans = [yearly(year) for year in range(now.year - 2, now.year + 3)]
    ahead = found.has("next")
    fitting = [span for span in spans if (span.start > now if ahead else span.end <= now)]
    if not fitting:
        raise ValueError("in thousands of years a feast by the moon is as many years away from where it is reckoned")
    return fitting[0] if ahead else fitting[-1]


def year(found: Found) -> Span:
    """A calendar year."""
    return almanac.year(found.number("year"))


def years(found: Found) -> Span:
    """The stretch from one year to another, both included."""
    first, last = (almanac.year(token.number) for token in found.all("year"))
    return Span(first.start, last.end, "range")


def decade(found: Found) -> Span:
    """A decade; of two digits, the latest that has begun."""
    number = found.all("decade")[0].number
    if number < CENTURY:
        number += found.anchor.now.year // CENTURY * CENTURY
        number -= CENTURY if number > found.anchor.now.year else 0
    return unit_of(midnight(number, 1, 1), "decade")


def full_decade(found: Found) -> Span:
    """A decade written in full; two digits alone may be an age or a temperature."""
    if found.tokens[0].number < CENTURY:
        raise ValueError(found.tokens)
    return decade(found)


def bare_quarter(found: Found) -> Span:
    """The quarter of "the first quarter", in the year that fits."""
    _only(found, "quarter")
    number = found.number("ordinal")
    return in_some_year(lambda year: almanac.quarter(number, year), found.anchor)


def century(found: Found) -> Span:
    """A century; the 15th runs from 1400."""
    _only(found, "century")
    start = midnight((found.number("ordinal") - 1) * CENTURY, 1, 1)
    return Span(start, shift(start, "century", 1), "century")


def _only(found: Found, unit: str) -> str:
    if found.name("unit") != unit:
        raise ValueError(found.tokens)
    return unit
