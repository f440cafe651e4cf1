"""budget: limit, tokens, and what is already in the prompt."""

import pytest

from cued.engine import decide
from cued.model import Cue
from cued.policy.adjust import Adjustment, adjust
from cued.text.tokens import estimate_tokens
from tests.building import NOW, evidence, memory, policy

RULES = policy("[channels]\ndense = {}\n[budget]\nlimit = 3")


def test_the_limit_cuts_by_order_and_says_so():
    rows = [memory(f"m{i}") for i in range(5)]
    recall = decide(evidence(rows, cosine=[0.1, 0.5, 0.4, 0.3, 0.2]), RULES)
    assert [r.memory.id for r in recall.memories] == ["m1", "m2", "m3"]
    assert [(o.id, o.reason) for o in recall.omitted] == [("m4", "beyond the limit of 3"), ("m0", "beyond the limit of 3")]


def test_what_does_not_fit_is_skipped_and_the_next_that_fits_is_taken():
    rows = [memory("short", text="tea"), memory("long", text="word " * 500), memory("brief", text="milk")]
    found = evidence(rows, cosine=[0.9, 0.8, 0.7])
    room = estimate_tokens(decide(found, adjust(RULES, Adjustment(limit=1))).block) + 40
    recall = decide(found, adjust(RULES, Adjustment(budget_tokens=room)))
    assert [r.memory.id for r in recall.memories] == ["short", "brief"]
    assert recall.omitted[0].id == "long"
    assert "tokens" in recall.omitted[0].reason


def test_when_nothing_fits_the_outcome_says_omitted_and_not_irrelevant():
    recall = decide(evidence([memory("a")], cosine=[0.9]), adjust(RULES, Adjustment(budget_tokens=3)))
    assert (recall.outcome, recall.block) == ("omitted", "")


def test_what_the_prompt_already_holds_is_not_repeated():
    cue = Cue(utterance="x", now=NOW, present=("a",))
    recall = decide(evidence([memory("a"), memory("b")], cue=cue, cosine=[0.9, 0.8]), RULES)
    assert [r.memory.id for r in recall.memories] == ["b"]
    assert recall.omitted[0].reason == "already in the prompt"


@pytest.mark.requirement("P22")
def test_the_limit_bounds_the_answer_however_many_candidates_there_are():
    rows = [memory(f"m{i:03}") for i in range(300)]
    assert len(decide(evidence(rows, cosine=[0.5] * 300), RULES).memories) == 3
