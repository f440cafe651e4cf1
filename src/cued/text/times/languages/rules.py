"""The one grammar of all languages but English: kinds in the orders in which languages put them.

It shares its builders, its calendar and the machinery of stages with the English grammar; see there how a pattern is read.
"""

from collections.abc import Callable
from functools import partial

from cued.text.times import almanac
from cued.text.times import combine as c
from cued.text.times import counted as n
from cued.text.times import dated as d
from cued.text.times.almanac import DAY, Span, midnight, shift, unit_of
from cued.text.times.found import Found, in_some_year, weekday_near
from cued.text.times.grammar import Builder, Rules, stage

_LIKELY_YEARS = range(1900, 2100)
_ANY_MONTH = ("month", "monthshort", "monthnear")
_SURE = {"monthnear": "month", "weekdaynear": "weekday"}


def _year(found: Found) -> int | None:
    """The year that is said or pointed at, None where none is."""
    if found.has("year"):
        return found.number("year")
    pointers = found.all("relunit")
    if not (pointers or found.has("last", "next", "this")):
        return None
    unit = pointers[0].name if pointers else found.all("unit")[-1].name
    if unit != "year":
        raise ValueError(unit)
    return found.anchor.now.year + (pointers[0].number if pointers else found.step())


def _of_year(found: Found, yearly: Callable[[int], Span]) -> Span:
    """Such a span of the year that is said or pointed at, or of the one that fits."""
    year = _year(found)
    return yearly(year) if year is not None else in_some_year(yearly, found.anchor)


def _month_day(found: Found) -> Span:
    month, number = found.number(*_ANY_MONTH), found.number("number", "ordinal")
    return _of_year(found, lambda year: almanac.day(midnight(year, month, number)))


def _month(found: Found) -> Span:
    number = found.number(*_ANY_MONTH)
    return _of_year(found, lambda year: almanac.month(year, number))


def _season(found: Found) -> Span:
    name = found.name("season")
    return _of_year(found, lambda year: almanac.season(name, year))


def _quarter(found: Found) -> Span:
    if found.name("unit") != "quarter":
        raise ValueError(found.tokens)
    number = found.number("ordinal", "number")
    return _of_year(found, lambda year: almanac.quarter(number, year))


def _digit_day(found: Found) -> Span:
    month, number = found.all("daymonth")[0].parts
    return in_some_year(lambda year: almanac.day(midnight(year, month, number)), found.anchor)


def _unit_at(found: Found) -> Span:
    token = found.all("relunit")[0]
    return unit_of(shift(unit_of(found.anchor.now, token.name).start, token.name, token.number), token.name)


def _day_of_week(found: Found) -> Span:
    return almanac.day(unit_of(found.anchor.today, "week").start + found.number("dayofweek") * DAY)


def _one(found: Found, sign: int) -> Span:
    token = found.all("quantity", "unit")[0]
    if not token.number:
        raise ValueError(found.tokens)
    return n.counted(found, [(token.number, token.name)], sign)


def _relative_unit(found: Found) -> Span:
    if found.name("unit") == "day":  # the day is said by words of its own
        raise ValueError(found.tokens)
    return n.relative_unit(found)


def _surely(builder: Builder) -> Builder:
    """What builds of what was found with a word that may be a month or a weekday as one."""
    return lambda found: builder(Found([token._replace(kind=_SURE.get(token.kind, token.kind)) for token in found.tokens], found.anchor))


def _last_season(found: Found) -> Span:
    """The latest such season that is over."""
    now, name = found.anchor.now, found.name("seasonlast")
    return next(span for back in range(3) if (span := almanac.season(name, now.year - back)).end <= now)


def _day_aside(found: Found) -> Span:
    return almanac.day(found.anchor.today + (1 if found.anchor.future else -1) * found.number("dayaside") * DAY)


def _coming_weekday(found: Found) -> Span:
    return almanac.day(weekday_near(found.anchor, found.number("weekdayahead"), future=True))


def _plain_year(found: Found) -> Span:
    if found.number("year") not in _LIKELY_YEARS:
        raise ValueError(found.tokens)
    return d.year(found)


def _marked_year(found: Found) -> Span:
    if not found.name("year"):
        raise ValueError(found.tokens)
    return d.year(found)


def _in_future(found: Found) -> Span:
    if not found.anchor.future:
        raise ValueError(found.tokens)
    return n.hence(found)


_AGO = "(agolead|before|agobefore)"
_YEAR = "(unit? year|relunit|(last|next|this) unit|unit (last|next|this))"
_LAST = "(last|next|recent)"

_ABSOLUTE: Rules = (
    ("iso", d.iso_date),
    ("(?<=(on|in|the|since|from|until|to|before|after)) daymonth", _digit_day),
    (f"(weekday comma?)? the? day punct? of? (month|monthshort|monthnear) punct? comma? of? the? {_YEAR}", _month_day),
    (f"{_YEAR} of? month of? day", _month_day),
    ("(weekday comma?)? the? day punct? of? (month|monthnear)", _month_day),
    ("month day (?!unit)", _month_day),
    (f"(month|monthshort|monthnear) punct? comma? of? the? {_YEAR}", _month),
    (f"{_YEAR} (of|in)? the? (month|monthnear)", _month),
    (f"the? (ordinal|number) punct? unit of? the? {_YEAR}", _quarter),
    (f"{_YEAR} of? (word)? (ordinal|number) punct? unit (?!ago|before|hence|agosince|agobefore)", _quarter),
    ("the? ordinal unit (?!ago|before|agosince|agobefore)", _quarter),
    ("(?<=(in|the|word)) number punct? unit (?!ago|before|hence|after|agosince|agobefore)", _quarter),
    ("(last|next|this) month", d.month),
    ("month (last|next|this)", d.month),
    ("(last|next) monthnear", _surely(d.month)),
    ("(?<=(in|since|agosince|until|before|agobefore|after|between)) monthnear", _month),
    ("(?<=(month|monthnear|year) (and|to|until|dash)) monthnear", _month),
    ("monthnear (?=inpost)", _month),
    ("month", _month),
    ("seasonlast", _last_season),
    (f"the? season of? the? {_YEAR}", _season),
    (f"{_YEAR} of? season", _season),
    ("(last|next|this) season", d.season),
    ("season (last|next|this)", d.season),
    ("(?<=(in|since|before|after)) the? season", _season),
    (f"{_AGO} number unit", n.ago),
    (f"{_AGO} few unit", n.few_ago),
    (f"{_AGO} (quantity|unit)", partial(_one, sign=-1)),
    ("(?<!sincepost) number unit (ago|agosince)", n.ago),
    ("(?<!sincepost) few unit (ago|agosince)", n.few_ago),
    ("(?<!sincepost|number|few) (quantity|unit) (ago|agosince)", partial(_one, sign=-1)),
    ("number unit agobefore (?=(punct|comma|subject|$))", n.ago),
    ("few unit agobefore (?=(punct|comma|subject|$))", n.few_ago),
    ("(quantity|unit) agobefore (?=(punct|comma|subject|$))", partial(_one, sign=-1)),
    (f"the? (in the?)? {_LAST} (number|few) unit", n.rolling),
    (f"the? (number|few) {_LAST} unit", n.rolling),
    (f"the? (number|few) unit {_LAST}", n.rolling),
    ("inlead number unit", n.hence),
    ("inlead (quantity|unit)", partial(_one, sign=1)),
    ("(in|after) number unit", _in_future),
    ("number unit hence", n.hence),
    ("quantity hence", partial(_one, sign=1)),
    ("dayofweek", _day_of_week),
    ("relunit", _unit_at),
    ("relday", n.relative_day),
    ("dayaside", _day_aside),
    ("weekdayahead", _coming_weekday),
    ("(last|this|next) (weekday|weekdaynear)", _surely(n.relative_weekday)),
    ("(weekday|weekdaynear) (last|this|next)", _surely(n.relative_weekday)),
    ("the? (last|this|next) unit", _relative_unit),
    ("the? unit (last|this|next)", _relative_unit),
    ("unit year", d.year),
    ("(?<=(in|of|since|from|before|after|until|to|between|and)) the? year", _plain_year),
    ("(?<=(in|of|since|from|before|after|until|to|between|and) the) year", _plain_year),
    ("(?<=(in|since|until|before|after) dash) year", _plain_year),
    ("^ year $", _plain_year),
    ("year", _marked_year),
    ("(on|in) weekdaynear end", _surely(c.weekday)),
)
_WITHIN: Rules = (
    ("(weekday|weekdaynear) (of|in|comma)? the? time", _surely(c.weekday_in)),
    ("time of? weekday", c.weekday_in),
    ("(?<=(in|on|at)) the? unit stop", c.bare_weekend),
    ("^ unit", c.bare_weekend),
    ("unit (?=of)", c.bare_weekend),
)
_BARE: Rules = (("weekday", c.weekday),)
_RANGES: Rules = (
    ("(between|from|since)? the? time (and|to|dash|until|from|sincepost) the? time untilpost?", c.between),
    ("(since|from|agosince) the? time", c.since),
    ("time sincepost ago", c.before),
    ("time sincepost", c.since),
    ("until the? time", c.up_to),
    ("time untilpost", c.up_to),
    ("(before|agolead|agobefore) the? time", c.before),
    ("time of? ago", c.before),
    ("after the? time", c.after),
    ("time of? hence", c.after),
)
STAGES = (
    stage(
        _ABSOLUTE,
        needs="iso daymonth month monthshort monthnear season seasonlast unit quantity relday relunit dayofweek weekday weekdaynear "
        "weekdayahead dayaside year",
    ),
    stage(_WITHIN, needs="time unit"),
    stage(_BARE, needs="weekday"),
    stage(_RANGES, needs="time"),
    stage((("recent", n.recently),), needs="recent"),
)
