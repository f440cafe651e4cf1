"""The grammar: stages of rules over token kinds, each rule a pattern and the builder of what it means.

A pattern is a regular expression whose letters are kinds of tokens: `month day` matches a month and then a number or
ordinal, `the?` an article that may be missing. The stages run in order; a match is replaced by one token of the kind
`time`, which the later stages build upon. Within a stage the first rule that matches at a place wins.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from cued.text.times import combine as c
from cued.text.times import counted as n
from cued.text.times import dated as d
from cued.text.times.almanac import Span
from cued.text.times.found import Anchor, Found
from cued.text.times.vocabulary import Token

Builder = Callable[[Found], Span]
Rules = tuple[tuple[str, Builder], ...]

_MACROS = {
    "day": "(number|ordinal)",
    "pointer": "(this? last|this? past|this? next|this)",
    "count": "(number|an)",
    "upto": "(up? to|dash)",
    "lead": "(in|on|of|by|since|before|after|between|from|to|and|around|early|comma)",
    "end": "(?=(punct|comma|dash)*$)",
    "stop": "(?!word|measure|unit|number|weekday)",
}

_ABSOLUTE: Rules = (
    ("(between|from)? the? day upto the? day of? month (comma? year)?", d.days_of_month),
    ("between the? day and the? day of? month (comma? year)?", d.days_of_month),
    ("(?<=(on|in)) the? day and the? day of? month (comma? year)?", d.days_of_month),
    ("(between|from)? the? day upto the? day of? pointer unit", d.days_of_month),
    ("between the? day and the? day of? pointer unit", d.days_of_month),
    ("month from? the? day upto the? day (comma? year)?", d.days_of_month),
    ("month between the? day (and|dash) the? day (comma? year)?", d.days_of_month),
    ("(weekday comma?)? month (dash|slash|punct)? the? day (comma|dash|slash)? of? year", d.month_day),
    ("(weekday comma?)? the? day (dash|slash)? of? month (comma|dash|slash|punct)? of? year", d.month_day),
    ("year (dash|slash) month (dash|slash) day", d.month_day),
    ("(weekday comma?)? month (dash|slash|punct)? the? day (?!measure|unit)", d.month_day),
    ("(weekday comma?)? the? day dash? of? month", d.month_day),
    ("iso", d.iso_date),
    ("numeric", d.numeric_date),
    ("yearmonth", d.numeric_month),
    ("isoweek", d.iso_week),
    ("(?<=(on|by|since|before|after|between|from|to|and)) monthday", d.numeric_month_day),
    ("^ monthday $", d.numeric_month_day),
    ("monthday", d.padded_month_day),
    ("month (comma|slash|dash|punct)? of? year", d.month),
    ("year (comma|slash|dash)? month", d.month),
    ("month of? pointer unit", d.month),
    ("pointer month", d.month),
    ("month", d.month),
    ("(the|pointer)? season (of|in|comma)? year", d.season),
    ("(the|pointer)? season of? pointer unit", d.season),
    ("pointer season", d.season),
    ("(?<=(in|on|since|before|after|by|early|of)) season stop", d.season),
    ("(?<=(in|since|before|after|by|early|of) the) season stop (?!of)", d.season),
    ("holiday (of|in|comma)? year", d.feast),
    ("holiday (of|in)? pointer unit", d.feast),
    ("(pointer) holiday", d.feast),
    ("holiday", d.feast),
    ("quarter (of|in|comma|dash)? year", d.quarter),
    ("year dash? quarter", d.quarter),
    ("quarter of? pointer unit", d.quarter),
    ("pointer quarter", d.quarter),
    ("quarter", d.quarter),
    ("half (of|in|comma|dash)? year", d.half),
    ("year dash? half", d.half),
    ("half of? pointer unit", d.half),
    ("year dash year (?!dash)", d.years),
    ("the? (last|past|next) (number|few of?) unit", n.rolling),
    ("in (number|an? few of?|an) unit (?!ago|before|after|from|starting|comma from)", n.within),
    ("(last|this) daypart", c.part_of_day),
    ("the? daypart before last", c.part_of_day),
    ("tonight", c.part_of_day),
    ("the? unit (before|after) the? (last|next)", n.unit_beyond),
    ("the other unit", n.other_day),
    ("(?<=in the) last unit (?!of|before|after)", n.rolling),
    ("this? past unit (?!of)", n.rolling),
    ("pointer unit (?!of|number|before|after)", n.relative_unit),
    ("pointer weekday", n.relative_weekday),
    ("relday", n.relative_day),
    ("count unit ago relday", n.to_the_day),
    ("count unit and an halfword ago", n.half_ago),
    ("number and an halfword unit ago", n.half_ago),
    ("halfword an unit ago", n.half_ago),
    ("sametime (last|next) unit", n.same_time),
    ("sametime count unit ago", n.same_time),
    ("count unit (comma? and? count unit){0,9} ago", n.ago),  # nobody says more, and any number is sought again from each
    ("an? few of? unit ago", n.few_ago),
    ("number (weekday|weekdays) ago", n.weekdays_ago),
    ("count unit from now", n.hence),
    ("count unit earlier", n.later),
    ("number (weekday|weekdays) from now", n.weekdays_hence),
    ("unit number of? year", d.numbered_week),
    ("unit number (?!of|measure|unit)", d.numbered_week),
    ("unit year", d.numbered_week),
    ("the decade", d.decade),
    ("(?<=early) decade", d.decade),
    ("decade", d.full_decade),
    ("the? ordinal unit (?!of)", d.century),
    ("(?<=(lead|unit)) year (?!measure|unit|slash|dash word)", d.year),
    ("(?<=(lead) the) year (?!measure|unit|slash|dash word)", d.year),
    ("^ year (?!measure|unit|slash|dash|comma|punct)", d.year),
    ("(?<=(word|measure|season|daypart|holiday)) year end", d.year),
)

_NUMBERED_DAYS: Rules = (
    ("weekday comma? the? ordinal stop", c.numbered_day),
    ("(?<=(on|by|since|before|after|from|to|of|in|starting)) the ordinal stop", c.digit_day),
    ("(?<=(on|by|since|before|in)) the number end", c.digit_day),
    ("(?<=(on|by|since|before)) the ordinal end", c.numbered_day),
    ("(?<=(word|ago)) the ordinal end", c.digit_day),
    ("(?<=on) (ordinal|number) end", c.digit_day),
)

_COMBINED: Rules = (
    ("the? (ordinal|last) (weekday|unit) (of|in)? the? (time|year)", c.nth_in),
    ("the? (ordinal|last) (weekday|unit) (of|in) the unit", c.nth_in),
    ("the? (ordinal|last) halfword of the? (time|year|unit)", c.half_of),
    ("the? early (of|in|dash)? the? (time|year)", c.part),
    ("the? early (of|in) the? unit", c.part),
    ("earlier (in|on)? the? (time|unit)", c.so_far),
    ("the? rest of? the? (unit|time)", c.rest),
    ("in count unit comma? from the? time", c.duration_from),
    ("count unit starting (on|from)? the? time", c.duration_from),
    ("count unit (before|after|from) the? time", c.units_beside),
    ("the? last? unit (before|after) the? time", c.unit_beside),
    ("the? last? weekday (before|after) the? time", c.weekday_beside),
    ("the? unit (of|starting) (on|from)? the? time", c.unit_around),
    ("weekday (of|in|comma)? the? time", c.weekday_in),
    ("time weekday", c.weekday_in),
    ("the? (ordinal|number) of time", c.day_in_month),
    ("(?<=(in|on|at)) the? unit (?!of|before|after) stop", c.bare_weekend),
)

_BARE: Rules = (
    ("weekday (?!dayparts)", c.weekday),
    ("the? ordinal unit (?!of)", d.bare_quarter),
)

_PARTS_OF_DAY: Rules = (
    ("the? daypart of the? time", c.part_of_day),
    ("time daypart", c.part_of_day),
)

_RANGES: Rules = (
    ("between the? time (and|upto) the? (time|now)", c.between),
    ("from the? time upto the? (time|now)", c.between),
    ("time upto the? (time|now)", c.between),
    ("since the? time", c.since),
    ("to the? time", c.until),
    ("by the? time", c.until),
    ("before the? time", c.before),
    ("after the? time", c.after),
    ("around the? time", c.around),
)

_RECENT: Rules = (("recent", n.recently),)

_KINDS = (
    "month weekday weekdays number ordinal year decade iso numeric yearmonth monthday isoweek unit season quarter half holiday "
    "daypart dayparts relday tonight now last past next this ago the an of in on at between from starting and to dash slash comma "
    "since before by after around halfword sametime rest up thousand other few early earlier function measure label word punct junk time "
    "recent"
).split()
_KINDS += "agolead inlead hence until untilpost sincepost relunit quantity dayofweek weekdaynear monthshort daymonth will".split()
_KINDS += "agosince agobefore inpost monthnear weekdayahead seasonlast dayaside subject".split()
_LETTERS = {kind: chr(0xA1 + index) for index, kind in enumerate(_KINDS)}  # beyond every sign of a regular expression


class Stage(NamedTuple):
    """Rules as one pattern over kinds, the builder of each rule, and the kinds of which a match needs at least one."""

    pattern: re.Pattern[str]
    builders: dict[str, Builder]
    needs: frozenset[str]


def _letters(pattern: str) -> str:
    expanded = pattern
    for _ in range(2):  # a macro may hold another
        expanded = re.sub(r"[a-z]+", lambda match: _MACROS.get(match.group(), match.group()), expanded)
    lettered = re.sub(r"[a-z]+", lambda match: _LETTERS[match.group()], expanded)
    return re.sub(r"\((?!\?)", "(?:", lettered.replace(" ", ""))


def stage(rules: Rules, *, needs: str) -> Stage:
    """The rules as a stage; a text without any of the kinds that it needs is not searched."""
    named = {f"rule{index}": rule for index, rule in enumerate(rules)}
    pattern = "|".join(f"(?P<{name}>{_letters(rule)})" for name, (rule, _) in named.items())
    no_start = _letters("(?!(word|function|measure|label|junk|punct|comma))")  # no rule begins there: most places fail at once
    builders = {name: builder for name, (_, builder) in named.items()}
    return Stage(re.compile(f"{no_start}(?:{pattern})"), builders, frozenset(_LETTERS[kind] for kind in needs.split()))


_STARTERS = (
    "month season holiday quarter half unit weekday weekdays relday tonight decade year iso numeric yearmonth monthday isoweek daypart"
)
ENGLISH = (
    stage(_ABSOLUTE, needs=_STARTERS),
    stage(_NUMBERED_DAYS, needs="ordinal number"),
    stage(_COMBINED, needs="time unit"),
    stage(_BARE, needs="weekday unit"),
    stage(_COMBINED, needs="time"),  # again, for "two weeks from Monday"
    stage(_PARTS_OF_DAY, needs="daypart"),
    stage(_RANGES, needs="time"),
    stage(_RECENT, needs="recent"),
)


def needs(stages: tuple[Stage, ...]) -> frozenset[str]:
    """The kinds of which these stages need at least one to match anything."""
    letters = frozenset[str]().union(*(each.needs for each in stages))
    return frozenset(kind for kind, letter in _LETTERS.items() if letter in letters)


# When such a date does not exist, none of its words is a time either: 30 February 2024 is not the year 2024.
_WHOLE_DATES = frozenset([d.month_day, d.days_of_month, d.iso_date, d.numeric_date])


def reduced(tokens: list[Token], anchor: Anchor, stages: tuple[Stage, ...] = ENGLISH) -> list[Token]:
    """The tokens, with every time expression as one token of the kind `time` with its span."""
    letters = ""
    for each in stages:
        letters = letters or "".join([_LETTERS[token.kind] for token in tokens])
        if not each.needs.isdisjoint(letters) and (found := _apply(each, tokens, letters, anchor=anchor)):
            tokens, letters = found, ""
    return tokens


def _apply(rules: Stage, tokens: list[Token], letters: str, *, anchor: Anchor) -> list[Token]:
    """The tokens, with each match of the rules as one token; None where nothing matches."""
    result: list[Token] = []
    done = position = 0
    while match := rules.pattern.search(letters, position):
        first, last = match.span()
        builder = rules.builders[match.lastgroup or ""]
        span = _built(builder, Found(tokens[first:last], anchor))
        if span is None:
            position = last if builder in _WHOLE_DATES else first + 1
            continue
        result += [*tokens[done:first], Token("time", tokens[first].start, tokens[last - 1].end, span=span)]
        done = position = last
    return [*result, *tokens[done:]] if result else []


def _built(builder: Builder, found: Found) -> Span | None:
    try:
        span = builder(found)
    except (ValueError, OverflowError):  # a date that does not exist, or lies outside the calendar
        return None
    return span if span.start < span.end else None
