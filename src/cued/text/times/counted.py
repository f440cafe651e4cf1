"""Builders of dates and periods that are counted from now: "last week", "three months ago", "the past 10 days"."""

from datetime import timedelta

from cued.text.times import almanac
from cued.text.times.almanac import DAY, Span, shift, unit_of
from cued.text.times.found import Found, weekday_near

# How many units back "a couple of", "a few" and "several" reach: least, most.
_FEW_REACH = {"couple": (1, 3), "few": (2, 5), "several": (3, 8)}
_FEW_COUNT = {"couple": 2, "few": 3, "several": 7}
_COUNTED_SLACK_DAYS = {"week": 3, "fortnight": 3, "month": 15, "quarter": 45, "year": 182, "decade": 1826}

# What half of a unit is, and how many days "a unit and a half ago" and "this time last unit" may be off.
_HALVES = {"day": ("hour", 12), "week": ("day", 4), "month": ("day", 15), "year": ("month", 6), "decade": ("year", 5)}
_HALF_SLACK_DAYS = {"day": 0, "week": 1, "month": 5, "year": 45, "decade": 365}
_SAME_TIME_SLACK_DAYS = {"day": 0, "week": 1, "month": 4, "year": 15}


def relative_day(found: Found) -> Span:
    """Yesterday, today or tomorrow."""
    return almanac.day(found.anchor.today + found.number("relday") * DAY)


def relative_unit(found: Found) -> Span:
    """The last, this or next calendar unit, or some of them; "the next day" and "the last day" depend on what came before."""
    unit = found.name("unit")
    if found.step() and _is_plural(found):
        return rolling(found)
    if unit in {"hour", "minute", "second"} or (unit == "day" and found.step()):
        raise ValueError(unit)
    here = unit_of(found.anchor.now, "week" if unit == "fortnight" else unit)
    return unit_of(shift(here.start, unit, found.step()), unit)


def unit_beyond(found: Found) -> Span:
    """The unit before last or after next."""
    unit = found.name("unit")
    return unit_of(shift(unit_of(found.anchor.now, unit).start, unit, -2 if found.has("before") else 2), unit)


def rolling(found: Found) -> Span:
    """The last so many units up to now, or the next so many from tomorrow."""
    unit, count = found.name("unit"), _count(found)
    if unit == "weekend" and count == 1:
        return relative_unit(found)
    if found.has("next"):
        start = found.anchor.today + DAY
        return Span(start, shift(start, unit, count), "rolling")
    back = shift(found.anchor.now, unit, -count)
    start = back if unit in {"hour", "minute", "second"} else almanac.day(back).start
    return Span(start, found.anchor.now, "rolling")


def within(found: Found) -> Span:
    """The day "in so many units", or all days "within" them; "for so many units" and the like are durations."""
    word = found.tokens[0].word
    if word == "in" and found.anchor.future and not found.has("few"):
        return _counted(found, 1)
    if word != "within":
        raise ValueError(word)
    if not found.anchor.future:
        return rolling(found)
    return Span(found.anchor.now, shift(found.anchor.now, found.name("unit"), _count(found)), "rolling")


def ago(found: Found) -> Span:
    """The day so many units ago; the speaker may be off by half of the coarsest unit."""
    return _counted(found, -1)


def to_the_day(found: Found) -> Span:
    """The day of "a year ago today", which is exact."""
    return almanac.day(_counted(found, -1).start + found.number("relday") * DAY)


def hence(found: Found) -> Span:
    """The day in so many units."""
    return _counted(found, 1)


def later(found: Found) -> Span:
    """The day so many units later, in a text that looks ahead; in a story "later" depends on what came before."""
    if not found.anchor.future or found.name("earlier") != "later":
        raise ValueError(found.tokens)
    return _counted(found, 1)


def _counted(found: Found, sign: int) -> Span:
    counts = [1 if token.kind == "an" else token.number for token in found.tokens if token.kind in {"number", "an"}]
    return counted(found, list(zip(counts, (unit.name for unit in found.all("unit")), strict=True)), sign)


def counted(found: Found, amounts: list[tuple[int, str]], sign: int) -> Span:
    """The day or hour these amounts of units ago (-1) or ahead (1)."""
    moment = found.anchor.now
    for count, unit in amounts:
        moment = shift(moment, unit, sign * count)
    finest = amounts[-1][1]
    if finest in {"hour", "minute", "second"}:
        return unit_of(moment, finest)
    return almanac.day(moment)._replace(slack_days=_COUNTED_SLACK_DAYS.get(finest, 0))


def half_ago(found: Found) -> Span:
    """The day of "a year and a half ago" and "half a year ago"."""
    unit = found.name("unit")
    whole = found.tokens[0].kind != "halfword"
    count = (1 if found.tokens[0].kind == "an" else found.tokens[0].number) if whole else 0
    moment = shift(found.anchor.now, unit, -count)
    finer, number = _HALVES[unit]
    return almanac.day(shift(moment, finer, -number))._replace(slack_days=_HALF_SLACK_DAYS[unit])


def same_time(found: Found) -> Span:
    """The day of "this time last year", with the slack that people mean by it."""
    unit = found.name("unit")
    count = -1 if found.has("last") else 1 if found.has("next") else -_count(found)
    return almanac.day(shift(found.anchor.now, unit, count))._replace(slack_days=_SAME_TIME_SLACK_DAYS[unit])


def few_ago(found: Found) -> Span:
    """The stretch that "a couple of", "a few" or "several" units ago may mean."""
    unit, (least, most) = found.name("unit"), _FEW_REACH[found.name("few")]
    now = found.anchor.now
    if unit in {"hour", "minute", "second"}:
        return Span(shift(now, unit, -most), shift(now, unit, -least), unit)
    return Span(almanac.day(shift(now, unit, -most)).start, almanac.day(shift(now, unit, -least)).end, unit)


def recently(found: Found) -> Span:
    """The month up to now that "recently" and "lately" mean, to the week."""
    back = shift(found.anchor.now, "month", -1)
    return Span(almanac.day(back).start, found.anchor.now, "rolling", slack_days=_COUNTED_SLACK_DAYS["week"])


def other_day(found: Found) -> Span:
    """The week before today, which "the other day" lies in."""
    if found.name("unit") not in {"day", "week"}:
        raise ValueError(found.tokens)
    unit = found.name("unit")
    return Span(shift(found.anchor.today, "week", -1 if unit == "day" else -4), found.anchor.today, "range")


def weekdays_ago(found: Found) -> Span:
    """The nth such weekday before today."""
    nearest = weekday_near(found.anchor, found.number("weekday", "weekdays"), future=False)
    return almanac.day(nearest - timedelta(weeks=max(found.number("number"), 1) - 1))


def weekdays_hence(found: Found) -> Span:
    """The nth such weekday after today."""
    nearest = weekday_near(found.anchor, found.number("weekday", "weekdays"), future=True)
    return almanac.day(nearest + timedelta(weeks=max(found.number("number"), 1) - 1))


def relative_weekday(found: Found) -> Span:
    """Last Friday (the latest before today), this Friday (of this week) or next Friday (of next week)."""
    weekday = found.number("weekday")
    if found.step() < 0:
        return almanac.day(weekday_near(found.anchor, weekday, future=False))
    monday = shift(unit_of(found.anchor.today, "week").start, "week", found.step())
    return almanac.day(monday + weekday * DAY)


def _count(found: Found) -> int:
    if found.has("few"):
        return _FEW_COUNT[found.name("few")]
    numbers = found.all("number")
    return numbers[0].number if numbers else _FEW_COUNT["few"] if _is_plural(found) else 1


def _is_plural(found: Found) -> bool:
    """Whether an English unit is plural: "the next days"; tokens of other languages do not have their word."""
    return found.all("unit")[0].word.endswith("s")
