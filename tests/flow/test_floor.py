"""floor: what is not relevant enough stays silent."""

import pytest

from cued.engine import decide
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import preset
from tests.building import evidence, memory, policy

ROWS = [memory("near"), memory("far")]


@pytest.mark.requirement("F5", "R1")
def test_the_floor_strikes_before_the_places_are_filled():
    rules = policy('[channels]\ndense = {}\n[floor]\non = "similarity"\nat = 0.35\n[budget]\nlimit = 5')
    recall = decide(evidence(ROWS, cosine=[0.5, 0.2]), rules)
    assert [r.memory.id for r in recall.memories] == ["near"]
    assert recall.trace.fates == ("similarity 0.20, floor 0.35", "chosen")
    assert recall.trace.stages == ("floor", "budget")


@pytest.mark.requirement("R9", "F5")
def test_nothing_is_a_correct_answer_and_names_the_best_near_miss():
    rules = policy('[channels]\ndense = {}\n[floor]\non = "similarity"\nat = 0.9')
    recall = decide(evidence(ROWS, cosine=[0.61, 0.2]), rules)
    assert (recall.outcome, recall.block, recall.memories) == ("below_floor", "", ())
    assert recall.near_misses[0].memory.id == "near"


def test_a_missing_similarity_does_not_pass_a_floor_on_it():
    rules = policy('[channels]\ndense = {}\n[floor]\non = "similarity"\nat = 0.1')
    assert decide(evidence(ROWS, cosine=[float("nan"), 0.2]), rules).memories[0].memory.id == "far"


@pytest.mark.requirement("X2")
def test_history_can_never_make_an_irrelevant_memory_pass():
    cherished = memory("a", importance=1.0, weight=1.0, scope="p", count=10_000, used=ROWS[0].created_at)
    recall = decide(evidence([cherished], cosine=[0.0], coverage=[0.0], dense_rank=[1]), preset("cued"))
    assert recall.outcome == "below_floor"


@pytest.mark.requirement("R1")
def test_a_call_may_set_its_own_floor():
    found = evidence(ROWS, cosine=[0.45, 0.2], coverage=[0.5, 0.0])
    relevance = decide(found, preset("cued")).trace.columns["relevance"].max()
    assert decide(found, adjust(preset("cued"), Adjustment(floor=relevance - 0.01))).outcome == "recalled"
    assert decide(found, adjust(preset("cued"), Adjustment(floor=min(1.0, relevance + 0.01)))).outcome == "below_floor"
