"""cue: what each channel looks for."""

from datetime import UTC, datetime

import pytest

from cued.flow.cue import intent, merged, read, spoken_times, state, without_pasted, words
from cued.model import Cue, Interval
from cued.policy.presets import preset
from tests.building import NOW

FULL = Cue(utterance="ERR_42 again", goal="ship the migration", step="apply it", open_questions=("who approves?", "when?"), now=NOW)


@pytest.mark.requirement("F1")
def test_the_state_reads_goal_step_and_open_questions():
    assert state(FULL) == "Goal: ship the migration\nCurrent step: apply it\nOpen questions: who approves?; when?"


@pytest.mark.requirement("F2")
def test_the_lexical_arm_reads_the_utterance_and_the_dense_arm_the_state():
    assert words(FULL, "utterance") == "ERR_42 again"
    assert words(FULL, "state", labelled=True) == state(FULL)
    assert words(FULL, "cue", labelled=True) == "ERR_42 again\n" + state(FULL)


def test_a_search_by_words_does_not_look_for_our_labels():
    assert words(FULL, "state") == "ship the migration\napply it\nwho approves?; when?"


def test_each_stands_in_where_the_other_is_empty():
    spoken, working = Cue(utterance="hello", now=NOW), Cue(goal="write", now=NOW)
    assert {words(spoken, over) for over in ("utterance", "state", "cue")} == {"hello"}
    assert {words(working, over, labelled=True) for over in ("utterance", "state", "cue")} == {"Goal: write"}


@pytest.mark.requirement("P11")
def test_the_words_give_the_intent_and_a_caller_overrules_them():
    assert intent(Cue(utterance="what did we decide three months ago?", now=NOW)) == "past"
    assert intent(Cue(utterance="what are we currently using?", now=NOW)) == "present"
    assert intent(Cue(utterance="what did we decide three months ago?", now=NOW, intent="neutral")) == "neutral"


@pytest.mark.requirement("P11")
def test_time_expressions_become_intervals_relative_to_now():
    (march,) = spoken_times(Cue(utterance="what happened in March?", now=NOW), "utterance").intervals
    assert march == Interval(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC))


def test_overlapping_intervals_are_joined():
    day = [datetime(2025, 1, d, tzinfo=UTC) for d in range(1, 8)]
    got = merged([Interval(day[3], day[5]), Interval(day[0], day[1]), Interval(day[4], day[6])])
    assert got == (Interval(day[0], day[1]), Interval(day[3], day[6]))


def lexical(utterance):
    """The terms that the default policy looks for."""
    return read(Cue(utterance=utterance, now=NOW), preset("cued"), None).lookup.lexical.terms


@pytest.mark.parametrize(
    ("utterance", "terms"),
    [
        ("What did you recommend for Porto?", ("porto",)),
        ("What did Ada recommend for Porto?", ("ada", "recommend", "porto")),
        ("What did you say?", ("say",)),
        ("Какой стул ты мне советовал?", ("стул",)),
    ],
)
def test_words_that_ask_for_what_the_agent_said_are_not_looked_for(utterance, terms):
    assert lexical(utterance) == terms


@pytest.mark.parametrize(("utterance", "terms"), [("Go on.", ("add", "column")), ("ok", ("add", "column")), ("go", ("add", "column"))])
def test_small_talk_is_not_looked_for_where_there_is_state(utterance, terms):
    assert read(Cue(utterance=utterance, goal="Add a column", now=NOW), preset("cued"), None).lookup.lexical.terms == terms


@pytest.mark.parametrize(("utterance", "terms"), [("Tell me about Petra.", ("petra",)), ("Do you remember?", ("rememb",))])
def test_words_that_only_ask_to_be_told_are_not_looked_for(utterance, terms):
    assert lexical(utterance) == terms


def test_small_talk_without_state_is_all_there_is():
    assert lexical("Go on.") == ("go",)


TRACE = "\n".join(f'  File "/srv/app/jobs/runner_{place}.py", line {place}, in run_once' for place in range(9))


def test_what_was_pasted_stands_apart_and_its_identifiers_alone_are_looked_for():
    cue = without_pasted(Cue(utterance=f"why does the nightly import hang?\n\n{TRACE}", now=NOW))
    assert (cue.utterance, cue.pasted) == ("why does the nightly import hang?", TRACE)
    lexical = read(cue, preset("cued"), None).lookup.lexical
    assert lexical.alone == ("night", "import", "hang")
    assert set(lexical.terms) > {*lexical.alone, "=runner_3.py"}
    assert "line" not in lexical.terms


def test_where_hardly_anything_is_said_beside_it_what_was_pasted_is_the_cue():
    cue = without_pasted(Cue(utterance=f"fix this\n{TRACE}", now=NOW))
    assert (cue.utterance, cue.pasted) == (f"fix this\n{TRACE}", TRACE)
    assert read(cue, preset("cued"), None).lookup.lexical.alone == ()


def test_a_cue_without_anything_pasted_is_as_it_was():
    assert without_pasted(FULL) is FULL
