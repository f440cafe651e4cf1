"""A policy on trial decides beside the usual one, unseen, or is shown to a share of the conversations; both are compared."""

import pytest

import cued
from cued.errors import InputError
from cued.handles.usual_policies import Trial
from cued.policy.parse import parse
from cued.policy.presets import load_policy

LOOSE = parse(
    '[channels]\nlexical = { pool = 50, over = "cue" }\n[score]\nterms = [{ signal = "bm25" }]\n[budget]\nlimit = 3\n', name="loose"
)


def test_a_shadow_decides_on_the_same_evidence_and_changes_no_answer(world):
    plain, trial = world(seed=9).fill(60), world(seed=9, shadow=LOOSE).fill(60)
    for fact in plain.facts[:20]:
        cue = f"Where does {fact[1]} keep the {fact[2]}?"
        assert trial.tenant.recall(cue).block == plain.tenant.recall(cue).block
        (line,) = trial.tenant.log(limit=1)
        truth = plain.tenant.recall(cue, policy=LOOSE, settle=False)
        assert (line.shadow.policy, line.shadow.chosen) == ("loose", tuple(each.id for each in truth))
        assert line.shadow.tokens == truth.tokens
    assert plain.tenant.log(limit=1)[0].shadow is None


def test_a_recall_that_names_its_policy_is_on_no_trial(world):
    made = world(shadow=LOOSE).fill(20)
    made.tenant.recall("Where does Mira keep the kettle?", policy="rrf")
    assert made.tenant.log(limit=1)[0].shadow is None


def test_a_share_of_the_conversations_is_shown_the_policy_on_trial_and_always_the_same_ones(world):
    made = world(shadow=LOOSE, share=0.3).fill(60).ask(240)
    shown = {}
    for line in made.tenant.log(limit=500):
        shown.setdefault(line.conversation, set()).add(line.policy)
        assert line.shadow.policy == {"loose": "cued", "cued": "loose"}[line.policy]
    assert all(len(policies) == 1 for policies in shown.values())
    share = sum(policies == {"loose"} for policies in shown.values()) / len(shown)
    assert 0.1 < share < 0.5
    trial = Trial(policy=LOOSE, share=0.3)
    assert 250 < sum(trial.shown_to(f"conversation {number}") for number in range(1000)) < 350
    assert not trial.shown_to("")


def test_the_policies_are_compared_with_intervals_and_what_feedback_said(world):
    made = world(shadow=LOOSE).fill(60).ask(240)
    line = next(line for line in made.tenant.log(limit=100) if line.chosen)
    made.tenant.feedback(line.recall_id, cited=[line.chosen[0]])
    told = made.tenant.compare()
    (arm,), (beside,) = told.arms, told.beside
    assert (told.recalls, told.missing, arm.policy, arm.rates.recalls, arm.conversations) == (240, 0, "cued", 240, 60)
    assert (beside.shown, beside.trial, beside.recalls) == ("cued", "loose", 240)
    lines = made.tenant.log(limit=500)
    assert beside.injection_trial == sum(bool(each.shadow.chosen) for each in lines) / 240
    assert beside.interval[0] <= beside.difference <= beside.interval[1]
    assert beside.kept_cited in {0.0, 1.0}
    assert beside.kept_bad is None
    assert made.tenant.compare().to_dict()["beside"][0]["trial"] == "loose"
    assert world().fill(5).ask(5).tenant.compare().missing == 195


def test_a_trial_that_would_need_more_than_is_read_is_refused():
    with pytest.raises(InputError, match="no more channels than lexical; this one opens dense"):
        cued.open(policy="lexical", shadow="rrf", embedder=None)
    with pytest.raises(InputError, match="a number from 0 to 1"):
        cued.open(shadow="rrf", share=1.5, embedder=None)
    assert load_policy("rrf").channels.entity is None


def test_a_shadow_is_worked_out_in_the_background_too(tmp_path):
    with cued.open(tmp_path / "m.db", embedder="hashing", shadow="rrf") as memories:
        alice = memories.tenant("alice")
        alice.remember("The deploy is on Friday.")
        alice.recall("When is the deploy?")
        assert alice.log()[0].shadow.policy == "rrf"


def test_of_however_many_tenants_is_asked_what_is_known_of_them_stays_bounded(monkeypatch):
    monkeypatch.setattr("cued.handles.usual_policies._MOST_KNOWN", 20)
    with cued.open(embedder=None) as memories:
        usual = memories.tenant("ada")._usual  # noqa: SLF001 - what it keeps is nobody else's business
        for number in range(100):
            assert memories.tenant(f"tenant-{number}").policy is memories.policy
        assert len(usual._learnt) <= 20  # noqa: SLF001
