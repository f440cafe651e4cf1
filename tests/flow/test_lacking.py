"""lacking: a note about the same that has nothing of the kind asked for keeps silent; whatever may have it speaks."""

import numpy as np
import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.model import Cue, Source
from cued.policy.presets import preset
from tests.building import NOW, evidence, memory

PHONE = "What is Mira's phone number?"
LIVES = memory("lives", text="Mira lives in Porto.")
NUMBER = memory("number", text="Mira's phone number is 555 0181.")


def relevances(*memories, cue=PHONE, without=False, **said):
    """By id, the relevance of memories that all have much of the cue."""
    n = len(memories)
    found = evidence(
        memories, cue=Cue(utterance=cue, now=NOW, **said), fingerprint=None, coverage=[0.9] * n, bm25=[9.0] * n, entities=[1.0] * n
    )
    trace = decide(found, preset("cued")).trace
    return dict(zip(trace.ids, trace.columns["relevance"].tolist(), strict=True)), trace


def test_what_has_nothing_of_the_kind_keeps_silent_and_what_has_speaks():
    found, trace = relevances(LIVES, NUMBER)
    assert 0.5 < found["lives"] < 0.7 < found["number"]
    assert trace.columns["lacking"][0] > 0.0 == trace.columns["lacking"][1]


def test_a_value_of_somebody_else_is_none():
    assert relevances(replace(NUMBER, text="Tom's phone number is 555 0181.", entities=("tom",)))[0]["number"] < 0.7


def test_whoever_is_told_of_by_a_role_may_be_the_one_asked_about():
    assert relevances(replace(NUMBER, text="Sister's phone number is 555 0181.", entities=("sister",)))[0]["number"] > 0.7


@pytest.mark.parametrize("cue", ["Where does Mira live?", "Tell me about Mira.", "Does Mira have a phone number?"])
def test_who_asks_for_no_kind_of_value_hears_all(cue):
    found, trace = relevances(LIVES, cue=cue)
    assert found["lives"] > 0.7
    assert not trace.columns["lacking"].any()


def turn(number, text):
    return memory(f"turn {number}", text=text, source=Source(session="s", turn=number))


def test_a_turn_lacks_what_is_told_by_figures_unless_one_beside_it_has_it():
    alone, _ = relevances(turn(1, "Mira lives in Porto."))
    beside, _ = relevances(turn(1, "Mira rang about the rent."), turn(2, "Mira? It is 555 0181."))
    apart, _ = relevances(turn(1, "Mira lives in Porto."), turn(4, "Mira? It is 555 0181."))
    assert alone["turn 1"] < 0.7
    assert beside["turn 1"] > 0.7
    assert apart["turn 1"] < 0.7 < apart["turn 4"]


def test_a_turn_is_left_alone_where_another_kind_is_asked_for_and_a_note_where_somebody_has_a_plan():
    where = "Where was Mira born?"
    assert relevances(turn(1, "Mira works at a library."), cue=where)[1].columns["lacking"].tolist() == [0.0]
    assert relevances(LIVES, goal="Visit Mira")[1].columns["lacking"].tolist() == [0.0]


def test_who_lacks_it_keeps_its_place_among_those_who_do():
    rows = [memory(f"m{place}", text="Mira lives in Porto.") for place in range(9)]
    coverage = np.linspace(0.0, 1.0, 9)
    found = evidence(rows, cue=Cue(utterance=PHONE, now=NOW), fingerprint=None, coverage=coverage, bm25=9 * coverage, entities=coverage)
    relevance = decide(found, preset("cued")).trace.columns["relevance"]
    assert np.all(np.diff(relevance) >= 0.0)


def test_the_number_of_other_things_is_no_answer_to_how_many():
    told = memory("users", text="Mira asked for a pilot with 10 users.")
    assert relevances(told, cue="How many employees does Mira have?")[0]["users"] < 0.7
    assert relevances(told, cue="How many users does Mira have?")[0]["users"] > 0.7
