"""Whom a cue asks about, of whom a memory tells, and what is named by a number."""

import pytest

from cued.text.subjects import asked_about, numbered, told_about


@pytest.mark.parametrize(
    ("cue", "name"),
    [
        ("Who is Stefan's dentist?", "Stefan"),
        ("What is Stefan Huber's phone number?", "Stefan Huber"),
        ("where does Maya live", "Maya"),
        ("Is Chris’ flat for sale?", "Chris"),
        ("Who handles privacy requests?", ""),
        ("What's the wifi password?", ""),
        ("Which GPU do we have?", ""),
    ],
)
def test_a_cue_asks_about_whoever_owns_or_does_what_it_asks_for(cue, name):
    assert asked_about(cue) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Maya's dentist moved.", "Maya"),
        ("Maya lives in Utrecht.", "Maya"),
        ("Dr. Ana Pavel has a new practice.", "Ana Pavel"),
        ("User's dentist moved.", ""),
        ("The dentist moved.", ""),
        ("My sister Maya moved.", ""),
        ("", ""),
    ],
)
def test_a_memory_tells_of_whom_it_begins_with(text, name):
    assert told_about(text) == name


def test_numbers_are_told_apart_by_what_stands_before_them():
    assert numbered("LH1234 and #482 after #481, not 4821, H100 or a#33333") == {"LH": {"LH1234"}, "#": {"#482", "#481"}}
