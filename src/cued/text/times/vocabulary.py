"""The English words of time, each with its kind: the one table that the tokeniser and the grammar share."""

from typing import NamedTuple

from cued.text.times.almanac import Span
from cued.text.times.holidays import HOLIDAYS


class Word(NamedTuple):
    """What a word stands for: its kind in the grammar, and a number or a name."""

    kind: str
    number: int = 0
    name: str = ""


class Token(NamedTuple):
    """A piece of the text: its kind in the grammar, where it stands, and what it carries."""

    kind: str
    start: int
    end: int
    number: int = 0
    name: str = ""
    word: str = ""
    parts: tuple[int, ...] = ()
    span: Span | None = None


def _numbered(kind: str, names: str, first: int = 1) -> dict[str, Word]:
    return {name: Word(kind, number) for number, group in enumerate(names.split(), first) for name in group.split("|")}


def _named(kind: str, names: str) -> dict[str, Word]:
    pairs = (entry.split("=") for entry in names.split())
    return {word: Word(kind, 0, pair[0]) for pair in pairs for word in pair[-1].split("|")}


def _all(kind: str, words: str) -> dict[str, Word]:
    return dict.fromkeys(words.split(), Word(kind))


MONTHS = _numbered(
    "month",
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct "
    "november|nov december|dec",
)
WEEKDAYS = _numbered(
    "weekday", "monday|mon tuesday|tue|tues wednesday|wed thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun", first=0
)
PLURAL_WEEKDAYS = _numbered("weekdays", "mondays tuesdays wednesdays thursdays fridays saturdays sundays", first=0)
CARDINALS = _numbered(
    "number",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    first=0,
)
TENS = {name: Word("number", 10 * n) for n, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
ORDINALS = _numbered(
    "ordinal",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth",
) | {"thirtieth": Word("ordinal", 30)}
_DECADE_NAMES = "noughties tens twenties thirties forties fifties sixties seventies eighties nineties"
DECADES = {name: Word("decade", 10 * n) for n, name in enumerate(_DECADE_NAMES.split())}
UNITS = _named(
    "unit",
    "second=seconds|secs minute=minute|minutes|mins|min hour=hour|hours|hrs|hr day=day|days week=week|weeks|wk|wks "
    "fortnight=fortnight|fortnights month=month|months quarter=quarter|quarters year=year|years|yr|yrs decade=decade|decades "
    "century=century|centuries weekend",
)
SEASONS = _named("season", "spring summer autumn=autumn|fall winter")
DAYPARTS = _named("daypart", "morning afternoon evening night noon=noon|midday")
RELATIVE_DAYS = {name: Word("relday", offset) for name, offset in {"yesterday": -1, "today": 0, "tomorrow": 1}.items()}

VOCABULARY: dict[str, Word] = {
    **MONTHS, **WEEKDAYS, **PLURAL_WEEKDAYS, **CARDINALS, **TENS, **ORDINALS, **DECADES, **UNITS, **SEASONS, **DAYPARTS, **RELATIVE_DAYS,
    **{f"q{n}": Word("quarter", n) for n in range(1, 5)},
    **{f"h{n}": Word("half", n) for n in range(1, 3)},
    **_all("dayparts", "mornings afternoons evenings nights"),
    **_all("tonight", "tonight"),
    **_all("now", "now present"),
    **_all("last", "last previous"),
    **_all("past", "past"),
    **_all("next", "next coming upcoming"),
    **_all("this", "this current"),
    **_all("ago", "ago back"),
    **_all("the", "the"),
    **_all("an", "a an"),
    **_all("of", "of"),
    **_all("in", "in during over throughout for within"),
    **_all("on", "on"),
    **_all("at", "at"),
    **_all("between", "between"),
    **_all("from", "from"),
    **_all("starting", "starting"),
    **_all("and", "and"),
    **_all("to", "to through thru till til until"),
    **_all("up", "up"),
    **_all("since", "since"),
    **_all("before", "before"),
    **_all("by", "by"),
    **_all("after", "after"),
    **_all("around", "around circa roughly approximately"),
    **_all("halfword", "half"),
    **_all("rest", "rest remainder"),
    **_all("thousand", "thousand"),
    **_all("other", "other"),
    **_all("recent", "recently lately"),
    **_named("few", "couple few several"),
    **_named("early", "early start=beginning|start|begin mid=mid|middle late end"),
    **_named("earlier", "earlier later"),
}  # fmt: skip

# Words that may follow a bare "the 5th" or "the summer" without turning it into something else ("the 5th floor").
FUNCTION_WORDS = frozenset(
    "i you he she it we they my your his her its our their me him us them who whom whose what which when where why how is "
    "are was were am be been do does did has have had can could will would shall should may might must not no or but if "
    "that than then so as with without because while although though there here just also too only please again".split()
)
# Names of a month, a weekday or a season that are everyday words or names as well, or abbreviations of such.
DOUBTFUL = frozenset("may march mar jan jun dec sun sat mon wed fri thu tue".split())
MEASURES = frozenset(
    "dollars dollar usd bucks euros pounds miles mile km kilometers kilometres meters metres feet calories kcal steps people words points "
    "units items mah rpm px mb gb kb tb kg g grams lbs percent square sq followers subscribers users rows lines pages rupees yen times "
    "hours minutes seconds days weeks months years mg ml hp watts volts".split()
)

# A four-digit number after one of these is no year.
LABELS = frozenset(
    "room model version number no area size page chapter flight gate bus route error code pin suite apartment apt build "
    "port highway windows office type series extension ext box figure table line step id order invoice ticket issue".split()
)


def _holiday_names() -> dict[str, list[tuple[str, ...]]]:
    names: dict[str, list[tuple[str, ...]]] = {}
    for name in HOLIDAYS:
        words = tuple(name.split())
        names.setdefault(words[0], []).append(words)
    return {first: sorted(group, key=len, reverse=True) for first, group in names.items()}


HOLIDAY_NAMES = _holiday_names()

# No time expression is without one of these words or a digit; "mother's day" comes as the words mother, s, day.
TRIGGERS = frozenset(
    [*MONTHS, *WEEKDAYS, *PLURAL_WEEKDAYS, *DECADES, *UNITS, *SEASONS, *DAYPARTS, *RELATIVE_DAYS, *TENS]
    + "tonight thousand nineteen recently lately".split()
    + [form for name in HOLIDAY_NAMES for form in (name, name.removesuffix("s"))]
)
