"""Temporal intent: the words of a cue that bend recency, and those that leave it alone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.text.intent import intent, temporal_class

pytestmark = pytest.mark.requirement("P11")

PAST = [
    "what did I say yesterday", "the plan from last week", "where did we eat three months ago", "what was the budget originally",
    "I used to live somewhere else", "what did I think back then", "when did Caroline move", "history of the project",
    "who was on the team last year", "my previous phone", "the other day you mentioned a book", "what did we do last Friday",
    "in the past, how did we deploy", "the first time we met",
]  # fmt: skip
PRESENT = [
    "what am I currently reading", "where do I live now", "what have I been doing lately", "how do I feel these days",
    "what is he working on at the moment", "the latest version of the plan", "what should I do today", "is the bug still there",
    "my current apartment", "what have I read recently", "what is my job as of now",
]  # fmt: skip
NEUTRAL = [
    "", "what is my sister's name", "what food does she like", "what will I do tomorrow", "plans for next week", "next to the bank",
    "how do I deploy the service", "compare my current job with the one three years ago", "I know the lasting effect",
]  # fmt: skip


@pytest.mark.parametrize("text", PAST)
def test_past_markers_state_the_past(text: str) -> None:
    assert intent(text) == "past"


@pytest.mark.parametrize("text", PRESENT)
def test_present_markers_state_the_present(text: str) -> None:
    assert intent(text) == "present"


@pytest.mark.parametrize("text", NEUTRAL)
def test_without_one_clear_marker_the_intent_is_neutral(text: str) -> None:
    assert intent(text) == "neutral"


@pytest.mark.parametrize("text", ["YESTERDAY", "Yesterday,", "(yesterday)", "so yesterday?"])
def test_case_and_punctuation_do_not_hide_a_marker(text: str) -> None:
    assert intent(text) == "past"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("when was the bridge built", "past"),
        ("did the team win", "past"),
        ("who invented the telephone", "past"),
        ("weather in Vienna", "recent"),
        ("gold price", "recent"),
        ("match schedule", "future"),
        ("release date of the next version", "future"),
        ("difference between mass and weight", "atemporal"),
        ("how to boil an egg", "atemporal"),
    ],
)
def test_the_class_of_a_query_also_uses_hints(text: str, expected: str) -> None:
    assert temporal_class(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("elections 2012", "past"), ("elections 2013", "recent"), ("elections in 2016", "future")])
def test_a_year_is_read_against_now(text: str, expected: str) -> None:
    assert temporal_class(text, now=datetime(2013, 5, 1, tzinfo=UTC)) == expected


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_text_has_an_intent_and_a_class(text: str, now: datetime) -> None:
    assert intent(text) in {"past", "present", "neutral"}
    assert temporal_class(text, now=now) in {"past", "recent", "future", "atemporal"}
