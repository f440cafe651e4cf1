"""Time expressions become the intervals a reader would mean, and ordinary words become nothing."""

import importlib.util
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.model import Interval
from cued.text.times import Mention, loose, times
from cued.text.times.almanac import easter, islamic

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("CUED_DATA") or ROOT / "../shared/data")

# A Wednesday afternoon.
NOW = "2024-05-15T15:30"

# text, start, end; a day alone is its midnight
EXPECTED = [
    # days beside today
    ("What did we do yesterday?", "2024-05-14", "2024-05-15"),
    ("what is on today", "2024-05-15", "2024-05-16"),
    ("remind me tomorrow", "2024-05-16", "2024-05-17"),
    ("the day before yesterday", "2024-05-13", "2024-05-14"),
    ("the day after tomorrow", "2024-05-17", "2024-05-18"),
    ("what did I eat the other day", "2024-05-08", "2024-05-15"),
    ("two days before yesterday", "2024-05-12", "2024-05-13"),
    # German writes a dot behind a day, and four months as English does
    ("Elternabend am 26. April um 19:30 Uhr", "2024-04-26", "2024-04-27"),
    ("Was war am 3. November?", "2023-11-03", "2023-11-04"),
    # parts of a day
    ("what did I read last night", "2024-05-14T18:00", "2024-05-15T06:00"),
    ("this morning I said something", "2024-05-15T06:00", "2024-05-15T12:00"),
    ("yesterday evening", "2024-05-14T18:00", "2024-05-15"),
    ("where did we go Friday night", "2024-05-10T18:00", "2024-05-11T06:00"),
    ("on the evening of 7 July, 2023", "2023-07-07T18:00", "2023-07-08"),
    ("tonight", "2024-05-15T18:00", "2024-05-16T06:00"),
    ("the night before last", "2024-05-13T18:00", "2024-05-14T06:00"),
    ("earlier today", "2024-05-15", "2024-05-15T15:30"),
    # so many units ago
    ("three days ago", "2024-05-12", "2024-05-13"),
    ("a week ago", "2024-05-08", "2024-05-09"),
    ("three months ago", "2024-02-15", "2024-02-16"),
    ("4 years ago", "2020-05-15", "2020-05-16"),
    ("a fortnight ago", "2024-05-01", "2024-05-02"),
    ("2 years, 1 month and 3 days ago", "2022-04-12", "2022-04-13"),
    ("twenty one days ago", "2024-04-24", "2024-04-25"),
    ("a year ago today", "2023-05-15", "2023-05-16"),
    ("two hours ago", "2024-05-15T13:00", "2024-05-15T14:00"),
    ("two Fridays ago", "2024-05-03", "2024-05-04"),
    ("the Wednesday two months ago", "2024-03-13", "2024-03-14"),
    ("a few days ago", "2024-05-10", "2024-05-14"),
    ("a couple of months ago", "2024-02-15", "2024-04-16"),
    ("several weeks ago", "2024-03-20", "2024-04-25"),
    # last, this and next
    ("last week", "2024-05-06", "2024-05-13"),
    ("this week", "2024-05-13", "2024-05-20"),
    ("next week", "2024-05-20", "2024-05-27"),
    ("last month", "2024-04-01", "2024-05-01"),
    ("this month", "2024-05-01", "2024-06-01"),
    ("next month's budget", "2024-06-01", "2024-07-01"),
    ("last year", "2023-01-01", "2024-01-01"),
    ("my previous year's time", "2023-01-01", "2024-01-01"),
    ("next year", "2025-01-01", "2026-01-01"),
    ("last quarter", "2024-01-01", "2024-04-01"),
    ("last decade", "2010-01-01", "2020-01-01"),
    ("last weekend", "2024-05-11", "2024-05-13"),
    ("this weekend", "2024-05-18", "2024-05-20"),
    ("over the weekend", "2024-05-11", "2024-05-13"),
    ("this past weekend", "2024-05-11", "2024-05-13"),
    ("the week before last", "2024-04-29", "2024-05-06"),
    ("the week after next", "2024-05-27", "2024-06-03"),
    # rolling
    ("past 10 days", "2024-05-05", "2024-05-15T15:30"),
    ("in the last 3 months", "2024-02-15", "2024-05-15T15:30"),
    ("in the last month", "2024-04-15", "2024-05-15T15:30"),
    ("during the past two weeks", "2024-05-01", "2024-05-15T15:30"),
    ("the past year", "2023-05-15", "2024-05-15T15:30"),
    ("last 24 hours", "2024-05-14T15:30", "2024-05-15T15:30"),
    ("next 2 days", "2024-05-16", "2024-05-18"),
    ("it will end in 3 weeks", "2024-06-05", "2024-06-06"),
    ("two weeks from now", "2024-05-29", "2024-05-30"),
    ("two weeks from Monday", "2024-05-27", "2024-05-28"),
    ("what have I read recently", "2024-04-15", "2024-05-15T15:30"),
    ("lately", "2024-04-15", "2024-05-15T15:30"),
    # weekdays
    ("what did she say on Friday", "2024-05-10", "2024-05-11"),
    ("on Wednesday", "2024-05-08", "2024-05-09"),
    ("who came last Saturday", "2024-05-11", "2024-05-12"),
    ("this Friday", "2024-05-17", "2024-05-18"),
    ("next Friday", "2024-05-24", "2024-05-25"),
    ("what will happen on Friday", "2024-05-17", "2024-05-18"),
    ("Tuesday last week", "2024-05-07", "2024-05-08"),
    ("last week Sunday", "2024-05-12", "2024-05-13"),
    ("on Sat, 4 May", "2024-05-04", "2024-05-05"),
    # months
    ("in March", "2024-03-01", "2024-04-01"),
    ("in may", "2024-05-01", "2024-06-01"),
    ("the trip in September", "2023-09-01", "2023-10-01"),
    ("what will we do in September", "2024-09-01", "2024-10-01"),
    ("last June", "2023-06-01", "2023-07-01"),
    ("June last year", "2023-06-01", "2023-07-01"),
    ("August 2022", "2022-08-01", "2022-09-01"),
    ("Feb. 2020", "2020-02-01", "2020-03-01"),
    ("2016, nov", "2016-11-01", "2016-12-01"),
    ("our May meeting", "2024-05-01", "2024-06-01"),
    ("the month of February", "2024-02-01", "2024-03-01"),
    # month and day
    ("on the 5th", "2024-05-05", "2024-05-06"),
    ("on the 20th", "2024-04-20", "2024-04-21"),
    ("on Aug 15th", "2023-08-15", "2023-08-16"),
    ("May twenty-first", "2023-05-21", "2023-05-22"),
    ("22nd of June", "2023-06-22", "2023-06-23"),
    ("on 4/22", "2024-04-22", "2024-04-23"),
    ("29 February", "2024-02-29", "2024-03-01"),
    ("Friday the 10th", "2024-05-10", "2024-05-11"),
    ("20th of next month", "2024-06-20", "2024-06-21"),
    # full dates
    ("May 3rd, 2024", "2024-05-03", "2024-05-04"),
    ("on 1 February, 2023", "2023-02-01", "2023-02-02"),
    ("on December 1,2023", "2023-12-01", "2023-12-02"),
    ("2024-05-03", "2024-05-03", "2024-05-04"),
    ("logged 2024-05-03T10:00", "2024-05-03", "2024-05-04"),
    ("5/3/2024", "2024-05-03", "2024-05-04"),
    ("25/3/2024", "2024-03-25", "2024-03-26"),
    ("13.5.2015", "2015-05-13", "2015-05-14"),
    ("9-18-15", "2015-09-18", "2015-09-19"),
    ("September the twenty-first nineteen seventy eight", "1978-09-21", "1978-09-22"),
    # years, halves, quarters, decades, weeks
    ("in 2023", "2023-01-01", "2024-01-01"),
    ("the year 1995", "1995-01-01", "1996-01-01"),
    ("2012 world series", "2012-01-01", "2013-01-01"),
    ("in nineteen ninety nine", "1999-01-01", "2000-01-01"),
    ("Q3 2025", "2025-07-01", "2025-10-01"),
    ("in Q2", "2024-04-01", "2024-07-01"),
    ("second quarter of 2023", "2023-04-01", "2023-07-01"),
    ("what did we ship in the first quarter", "2024-01-01", "2024-04-01"),
    ("the third quarter", "2023-07-01", "2023-10-01"),
    ("H1 2024", "2024-01-01", "2024-07-01"),
    ("the first half of September 2022", "2022-09-01", "2022-09-16"),
    ("the second half of last year", "2023-07-01", "2024-01-01"),
    ("the 90s", "1990-01-01", "2000-01-01"),
    ("in the early 1980s", "1980-01-01", "1985-01-01"),
    ("the nineteen seventies", "1970-01-01", "1980-01-01"),
    ("the 19th century", "1800-01-01", "1900-01-01"),
    ("2016-W45", "2016-11-07", "2016-11-14"),
    ("week 10", "2024-03-04", "2024-03-11"),
    ("2024-03", "2024-03-01", "2024-04-01"),
    # seasons and holidays
    ("last summer", "2023-06-01", "2023-09-01"),
    ("in the fall", "2023-09-01", "2023-12-01"),
    ("summer 2021", "2021-06-01", "2021-09-01"),
    ("winter of 2022", "2022-12-01", "2023-03-01"),
    ("Christmas", "2023-12-25", "2023-12-26"),
    ("on Valentine's day", "2024-02-14", "2024-02-15"),
    ("Thanksgiving 2023", "2023-11-23", "2023-11-24"),
    ("last Easter", "2024-03-31", "2024-04-01"),
    ("Mother's Day", "2024-05-12", "2024-05-13"),
    ("next Halloween", "2024-10-31", "2024-11-01"),
    ("St. Patrick's Day 2018", "2018-03-17", "2018-03-18"),
    ("Maundy Thursday", "2024-03-28", "2024-03-29"),
    ("Ramadan", "2024-03-11", "2024-04-10"),
    ("Where was I at New Year?", "2023-12-31", "2024-01-02"),
    ("New Year's Day", "2024-01-01", "2024-01-02"),
    # parts of a period
    ("early 2024", "2024-01-01", "2024-07-01"),
    ("mid-June", "2023-06-10", "2023-06-21"),
    ("end of last year", "2023-11-01", "2024-01-01"),
    ("at the beginning of the year", "2024-01-01", "2024-03-01"),
    ("the beginning of November 2022", "2022-11-01", "2022-11-11"),
    ("the end of March", "2024-03-21", "2024-04-01"),
    ("late last week", "2024-05-09", "2024-05-13"),
    ("the first week of May", "2024-04-29", "2024-05-06"),
    ("the last week of July 2016", "2016-07-25", "2016-08-01"),
    ("the second Monday of last month", "2024-04-08", "2024-04-09"),
    ("the last day of March", "2024-03-31", "2024-04-01"),
    ("earlier this month", "2024-05-01", "2024-05-15T15:30"),
    ("the rest of the week", "2024-05-15", "2024-05-20"),
    ("this time last year", "2023-05-15", "2023-05-16"),
    ("the same time two weeks ago", "2024-05-01", "2024-05-02"),
    ("a year and a half ago", "2022-11-15", "2022-11-16"),
    ("two and a half years ago", "2021-11-15", "2021-11-16"),
    ("half a year ago", "2023-11-15", "2023-11-16"),
    # beside another
    ("the week before Christmas", "2023-12-18", "2023-12-25"),
    ("two weeks before August 11, 2023", "2023-07-28", "2023-07-29"),
    ("the Sunday before October 25, 2022", "2022-10-23", "2022-10-24"),
    ("last weekend before April 10, 2023", "2023-04-08", "2023-04-10"),
    ("around Christmas 2022", "2022-12-22", "2022-12-29"),
    ("the week of the 18th", "2024-04-15", "2024-04-22"),
    # two ends and open ends
    ("between May and July", "2023-05-01", "2023-08-01"),
    ("from July to October", "2023-07-01", "2023-11-01"),
    ("from December to February", "2023-12-01", "2024-03-01"),
    ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
    ("from 4 to 22 January 1995", "1995-01-04", "1995-01-23"),
    ("November 19-20", "2023-11-19", "2023-11-21"),
    ("from 2014 to 2018", "2014-01-01", "2019-01-01"),
    ("between last Monday and now", "2024-05-13", "2024-05-15T15:30"),
    ("since April", "2024-04-01", "2024-05-15T15:30"),
    ("until last month", "1970-01-01", "2024-05-01"),
    ("before 2020", "1970-01-01", "2020-01-01"),
    ("by July 10, 2022", "1970-01-01", "2022-07-11"),
    ("after last weekend", "2024-05-13", "2024-05-15T15:30"),
    ("before 1950", "0001-01-01", "1950-01-01"),
]  # fmt: skip

ORDINARY = [
    "Does June have children?", "What does August like?",
    "", " ", "hello", "I may go there", "this may be wrong", "it may take 3 people to lift", "may I ask a question",
    "May I ask a question", "one may wonder", "the second may be better", "they march for peace", "I want to march with them",
    "I march 20 miles", "on the march", "wait a second", "the second option", "the sun is bright", "the Sun rises", "where I sat",
    "she will wed", "open 24/7", "call 555-123-4567", "my phone is +1 415 555 2014 33", "version 3.11.2", "upgrade to v2.0.1",
    "it costs $2,024", "it costs $2024", "it costs 2000 dollars", "I ran 2012 steps", "a ratio of 3/4", "1/2 cup of sugar", "50/50 split",
    "the 5th floor", "my 18th birthday", "did I fall down", "spring rolls recipe", "a winter coat", "the fall of Rome",
    "he is in his 20s", "she is in her thirties", "last name", "the last time", "next to the bank", "24 hour pharmacy", "for 3 hours",
    "on Fridays", "on Saturday mornings", "Theresa May won", "room 2015", "ticket #2023", "192.168.1.1", "every year", "how many days",
    "one-year-old child", "5K run", "in the past", "score was 21-14", "pre-1920 American coins", "half an hour", "the same day",
    "the next day", "good morning", "Feb 30", "February 30, 2024", "2024-13-45", "999999 years ago", "9999 years ago", "in 0000",
    "0/0/0000", "week 99", "the 99th of May", "the second quarter of the game", "a quarter of the cake",
]  # fmt: skip


def moment(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("text", "start", "end"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_an_expression_means_its_interval(text: str, start: str, end: str) -> None:
    mentions = times(text, now=moment(NOW))
    assert [(mention.interval.start, mention.interval.end) for mention in mentions] == [(moment(start), moment(end))]


@pytest.mark.requirement("P11")
@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_are_no_times(text: str) -> None:
    assert times(text, now=moment(NOW)) == ()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in the next days", "2024-05-16", "2024-05-19"),
        ("the coming weeks", "2024-05-16", "2024-06-06"),
        ("in the last days", "2024-05-12", NOW),
        ("these past months", "2024-02-15", NOW),
    ],
)
def test_units_that_nobody_counts_are_a_few(text: str, start: str, end: str) -> None:
    (mention,) = times(text, now=moment(NOW))
    assert mention.interval == Interval(moment(start), moment(end))


def test_a_mention_says_where_it_stands() -> None:
    text = "Compare what I said in March 2023 with yesterday."
    mentions = times(text, now=moment(NOW))
    assert [text[mention.start : mention.end] for mention in mentions] == ["March 2023", "yesterday"]
    assert [mention.text for mention in mentions] == ["March 2023", "yesterday"]


def test_a_counted_distance_carries_its_slack() -> None:
    (mention,) = times("three months ago", now=moment(NOW))
    slack = timedelta(days=15)
    assert loose(mention) == Interval(moment("2024-02-15") - slack, moment("2024-02-16") + slack)


def test_a_stated_day_has_no_slack() -> None:
    (mention,) = times("on 5 May 2023", now=moment(NOW))
    assert loose(mention) == mention.interval


@pytest.mark.parametrize(
    "text",
    [
        "What do I have on 6 June?",
        "What is planned for 6 June?",
        "Will there be rain on 6 June?",
        "What are we doing on 6 June?",
        "What's planned for 6 June?",
        "What is due on 6 June?",
        "What do I have to bring on 6 June?",
        "Do I have anything on 6 June?",
        "What should we wear on 6 June?",
    ],
)
def test_a_question_for_what_is_to_come_looks_ahead(text: str) -> None:
    (mention,) = times(text, now=moment(NOW))
    assert mention.interval.start == moment("2024-06-06")


@pytest.mark.parametrize(
    "text",
    [
        "Will said so on 6 June.",
        "What was planned for 6 June?",
        "What are the meeting notes of 6 June?",
        "Why did I have to leave on 6 June?",
        "Who must have called on 6 June?",
    ],
)
def test_a_name_or_a_plan_that_is_over_does_not(text: str) -> None:
    (mention,) = times(text, now=moment(NOW))
    assert mention.interval.start == moment("2023-06-06")


@pytest.mark.parametrize(
    ("text", "named"), [("on 6 October", 1), ("in May 2023", 1), ("am 1. Juli", 1), ("last week", 0), ("la semaine dernière", 0)]
)
def test_a_date_is_named_by_the_calendar_and_not_by_its_distance(text: str, named: int) -> None:
    assert [mention.named for mention in times(text, now=moment(NOW))] == [bool(named)]


def test_now_may_be_of_any_zone() -> None:
    elsewhere = datetime.fromisoformat("2024-05-15T23:30:00-05:00")
    (mention,) = times("today", now=elsewhere)
    assert mention.interval == Interval(moment("2024-05-16"), moment("2024-05-17"))


@pytest.mark.parametrize(("year", "day"), [(1961, "1961-04-02"), (2000, "2000-04-23"), (2019, "2019-04-21"), (2038, "2038-04-25")])
def test_easter_falls_on_its_day(year: int, day: str) -> None:
    assert easter(year) == moment(day)


def test_the_tabular_islamic_calendar_starts_ramadan() -> None:
    assert islamic(2023, 9, 1) == moment("2023-03-23")


_WORDS = [
    "last", "next", "this", "past", "the", "a", "of", "in", "on", "at", "between", "and", "from", "to", "until", "since", "before",
    "after", "around", "early", "mid", "late", "end", "beginning", "half", "first", "second", "third", "5th", "31st", "30", "2",
    "1999", "2024", "0", "9999", "q3", "h1", "week", "month", "year", "day", "weekend", "quarter", "decade", "century", "fortnight",
    "monday", "fri", "may", "march", "december", "summer", "fall", "christmas", "easter", "ramadan", "yesterday", "today", "tomorrow",
    "tonight", "morning", "night", "ago", "now", "other", "few", "couple", "several", "twenty", "two", "thousand", "nineteen",
    "seventies", "90s", "1/2", "5/3/2024", "2024-05-03", "2016-w45", "rest", "earlier", "later", "back", "-", ",", ".", "/", "'",
    "week's",
]  # fmt: skip
_MOMENTS = st.datetimes(timezones=st.just(UTC))


def _is_sound(mentions: tuple[Mention, ...], text: str) -> bool:
    ends = [0, *(mention.end for mention in mentions)]
    return all(
        mention.interval.start < mention.interval.end and before <= mention.start < mention.end <= len(text)
        for before, mention in zip(ends, mentions, strict=False)
    )


@given(st.text(), _MOMENTS)
def test_any_text_at_any_time_gives_sound_mentions(text: str, now: datetime) -> None:
    assert _is_sound(times(text, now=now), text)


@given(st.lists(st.sampled_from(_WORDS), max_size=12), _MOMENTS)
def test_any_words_of_time_give_sound_mentions(words: list[str], now: datetime) -> None:
    text = " ".join(words)
    assert _is_sound(times(text, now=now), text)


@pytest.mark.parametrize(("year", "read"), [(2026, "last Ramadan"), (8000, "Ramadan")])
def test_the_last_feast_by_the_moon_is_told_as_far_ahead_as_it_is_reckoned(year: int, read: str) -> None:
    assert [mention.text for mention in times("last Ramadan", now=datetime(year, 1, 1, tzinfo=UTC))] == [read]


@given(st.lists(st.lists(st.sampled_from(_WORDS), max_size=6), max_size=4), _MOMENTS)
def test_many_ordinary_words_between_two_times_say_what_a_few_say(parts: list[list[str]], now: datetime) -> None:
    few, many = (f" {'ordinary ' * count}".join(map(" ".join, parts)) for count in (6, 40))
    assert [(each.text, each.interval) for each in times(few, now=now)] == [(each.text, each.interval) for each in times(many, now=now)]


def _bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_time_expressions", ROOT / "bench" / "time_expressions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.requirement("P11")
@pytest.mark.skipif(not (DATA / "time_expressions").is_dir(), reason="the specifications of time expressions are not here; set CUED_DATA")
@pytest.mark.parametrize("half_name", ["seen", "unseen"])
def test_most_specified_expressions_are_right(half_name: str) -> None:
    bench = _bench()
    half = [case for case in bench.cases(DATA / "time_expressions") if case.seen is (half_name == "seen")]
    assert bench.score(half, bench.weights(DATA)).weighted >= 0.70
