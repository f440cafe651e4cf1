"""feedback: what the outcome of a recall says about its memories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.errors import InputError
from cued.flow.feedback import feedback
from cued.model import RecallEntry, Use
from cued.policy.spec import Settle
from cued.stores.use import boosted, news, noted, verdicts_of
from tests.building import NOW

RULES = Settle()
ENTRY = RecallEntry(
    recall_id="r1",
    at=NOW,
    policy="test",
    outcome="recalled",
    candidates=9,
    chosen=("a", "b", "c"),
    best_relevance=0.9,
    below_floor=2,
    tokens=40,
    total_ms=1.0,
)


def told(entry, boosts, *, cited=(), bad=(), rules=RULES):
    """Send these verdicts and give the boosts that a store would then hold, and the entry."""
    sent = feedback(entry.recall_id, cited=cited, bad=bad, rules=rules)
    before, new = verdicts_of(entry), news(entry, sent)
    after = {each: boosted(Use(boost=boosts.get(each, 1.0)), sent, new[each], instead_of=before.get(each)).boost for each in new}
    return boosts | after, noted(entry, new)


def verdict_on(use, verdict, *, rules=RULES, instead_of=None):
    """Give a use after one verdict."""
    return boosted(use, feedback("r1", rules=rules), verdict, instead_of=instead_of)


@pytest.mark.requirement("P7")
def test_cited_adds_five_per_cent_and_bad_takes_five():
    boosts, entry = told(ENTRY, {}, cited=["a"], bad=["b"])
    assert boosts == pytest.approx({"a": 1.05, "b": 0.95})
    assert (entry.cited, entry.bad) == (("a",), ("b",))


@pytest.mark.requirement("P7")
@given(st.floats(0.5, 1.5), st.lists(st.sampled_from(["cited", "bad"]), max_size=60))
def test_whatever_is_said_importance_stays_within_half_and_one_and_a_half_times_what_was_written(boost, verdicts):
    use = Use(boost=boost, count=3.0, last_at=NOW)
    for verdict in verdicts:
        after = verdict_on(use, verdict)
        assert 0.5 <= after.boost <= 1.5
        assert after.boost >= use.boost if verdict == "cited" else after.boost <= use.boost
        assert replace(after, boost=use.boost) == use
        use = after


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(("verdict", "bound"), [("cited", 1.2), ("bad", 0.8)])
def test_a_policy_may_draw_the_bounds_closer(verdict, bound):
    use, rules = Use(), Settle(boost_range=(0.8, 1.2))
    for _ in range(20):
        use = verdict_on(use, verdict, rules=rules)
    assert use.boost == bound


@pytest.mark.requirement("P7")
def test_the_same_verdict_on_the_same_recall_counts_once_however_often_it_is_sent():
    boosts, entry = told(ENTRY, {}, cited=["a", "a"])
    for _ in range(5):
        assert news(entry, feedback("r1", cited=["a"], rules=RULES)) == {}
    assert boosts == {"a": 1.05}
    assert (entry.cited, entry.bad) == (("a",), ())


@pytest.mark.requirement("P7")
def test_another_recall_counts_anew():
    boosts, _ = told(ENTRY, {}, cited=["a"])
    boosts, _ = told(replace(ENTRY, recall_id="r2"), boosts, cited=["a"])
    assert boosts["a"] == pytest.approx(1.05 * 1.05)


@pytest.mark.requirement("P7")
@given(st.floats(0.56, 1.42), st.lists(st.sampled_from(["cited", "bad"]), min_size=1, max_size=8))
def test_away_from_the_bounds_only_the_last_verdict_counts_however_often_a_mind_is_changed(boost, verdicts):
    boosts, entry = {"b": boost}, ENTRY
    for verdict in verdicts:
        boosts, entry = told(entry, boosts, **{verdict: ["b"]})
    assert boosts["b"] == pytest.approx(boost * {"cited": 1.05, "bad": 0.95}[verdicts[-1]])
    assert verdicts_of(entry) == {"b": verdicts[-1]}


@pytest.mark.requirement("P7")
@given(st.floats(0.5, 1.5), st.sampled_from(["cited", "bad"]))
def test_at_a_bound_a_changed_mind_differs_by_less_than_the_one_factor(boost, first):
    second = {"cited": "bad", "bad": "cited"}[first]
    at_once = verdict_on(Use(boost=boost), second).boost
    changed = verdict_on(verdict_on(Use(boost=boost), first), second, instead_of=first).boost
    assert 0.5 <= changed <= 1.5
    assert 0.95 - 1e-9 <= changed / at_once <= 1 / 0.95 + 1e-9


@pytest.mark.requirement("P7")
def test_feedback_keeps_what_else_the_entry_tells():
    before = replace(ENTRY, degraded=("dense: no embedder",), bad=("c",))
    _, entry = told(before, {}, cited=["b", "a"])
    assert entry == replace(before, cited=("a", "b"))


@pytest.mark.parametrize("field", ["cited", "bad"])
def test_an_id_that_the_recall_did_not_choose_is_refused_by_name_with_those_accepted(field):
    with pytest.raises(InputError, match=rf"^{field}: got 'z'; accepted: ids of .* recall r1 chose: a, b, c$"):
        told(ENTRY, {}, **{field: ["a", "z"]})


def test_a_recall_that_chose_nothing_takes_no_feedback():
    with pytest.raises(InputError, match="none, for it chose none"):
        told(replace(ENTRY, chosen=()), {}, cited=["a"])


def test_an_id_cannot_be_cited_and_bad_at_once():
    with pytest.raises(InputError, match=r"^bad: got 'b'"):
        told(ENTRY, {}, cited=["a", "b"], bad=["b"])


def test_one_id_may_be_given_as_a_plain_string_and_nothing_at_all_changes_nothing():
    assert told(replace(ENTRY, chosen=("memory-1",)), {}, cited="memory-1")[0] == {"memory-1": 1.05}
    assert told(ENTRY, {}) == ({}, ENTRY)
