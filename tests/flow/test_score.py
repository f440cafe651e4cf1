"""score: signals, shapes and how terms combine."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.model import Source, Use
from tests.building import NOW, ago, evidence, memory, policy, scores


def scored(terms, memories, *, settle="", **columns):
    """The score of each memory under these terms."""
    text = f"[score]\nterms = [{terms}]\n{settle}"
    return scores(decide(evidence(memories, **columns), policy(text)))


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        ('half_life = "14d"', 0.5 ** (7 / 14)),
        ('tau = "7d"', math.exp(-1)),
        ("rate_per_day = 0.005", math.exp(-0.005 * 7)),
        ("per_hour = 0.995", 0.995 ** (7 * 24)),
    ],
)
def test_recency_is_one_curve_with_four_names(rate, expected):
    assert scored(f'{{ signal = "recency", {rate} }}', [memory("a", created=ago(days=7))])["a"] == pytest.approx(expected)


@pytest.mark.parametrize(("since", "days"), [("created", 30), ("updated", 20), ("last_used", 10)])
def test_recency_counts_from_what_the_policy_names(since, days):
    aged = memory("a", created=ago(days=30), updated=ago(days=20), used=ago(days=10))
    assert scored(f'{{ signal = "recency", tau = "10d", since = "{since}" }}', [aged])["a"] == pytest.approx(math.exp(-days / 10))


def test_a_memory_from_the_future_is_new_and_not_more_than_new():
    assert scored('{ signal = "recency", tau = "1d" }', [memory("a", created=ago(days=-5))])["a"] == 1.0


@pytest.mark.requirement("P5")
def test_under_lru_2_a_single_scan_of_an_old_session_does_not_warm_it():
    scanned = memory("a", created=ago(days=100), use=Use(last_at=NOW, count=1))
    used_twice = memory("b", created=ago(days=100), use=Use(last_at=NOW, previous_at=ago(days=2), count=2))
    came_back_late = memory("c", created=ago(days=100), use=Use(last_at=NOW, previous_at=ago(days=50), count=2))
    got = scored(
        '{ signal = "recency", tau = "10d", since = "last_used" }',
        [scanned, used_twice, came_back_late],
        settle='[settle]\nsecond_within = "7d"',
    )
    assert got == pytest.approx({"a": math.exp(-100 / 10), "b": 1.0, "c": math.exp(-50 / 10)})


@pytest.mark.requirement("P6")
def test_counts_fade_by_a_hundredth_a_day():
    often = memory("a", use=Use(count=10, counted_at=ago(days=30), last_at=ago(days=30)))
    got = scored('{ signal = "frequency" }', [often], settle="[settle]\ncount_kept_per_day = 0.99")
    assert got["a"] == pytest.approx(math.log(1 + 10 * 0.99**30))


@pytest.mark.requirement("X2")
def test_activation_is_a_power_law_so_old_truths_fade_and_do_not_vanish():
    got = scored('{ signal = "activation", exponent = 0.5 }', [memory("a", created=ago(days=4)), memory("b", created=ago(days=400))])
    assert got == pytest.approx({"a": math.log(4**-0.5), "b": math.log(400**-0.5)})


@pytest.mark.requirement("X2")
def test_activation_adds_up_over_uses():
    used = memory("a", created=ago(days=100), use=Use(last_at=ago(days=4), previous_at=ago(days=9), count=4))
    older = 2 * 100**-0.5 / (1 - 0.5)
    got = scored('{ signal = "activation", exponent = 0.5 }', [used])["a"]
    assert got == pytest.approx(math.log(100**-0.5 + 4**-0.5 + 9**-0.5 + older))


@pytest.mark.requirement("P10")
def test_tiers_kinds_and_scopes_have_values_of_their_own():
    rows = [memory("a", tier="reflection", kind="reflection"), memory("b", tier="episode", scope="p")]
    assert scored('{ signal = "tier", values = { reflection = 0.3 } }', rows) == {"a": 0.3, "b": 0.0}
    assert scored('{ signal = "kind", values = { semantic = 1.0 } }', rows) == {"a": 0.0, "b": 1.0}
    assert scored('{ signal = "scope", values = { project = 1.0, global = 0.8 } }', rows) == {"a": 0.8, "b": 1.0}


@pytest.mark.requirement("P7")
def test_feedback_scales_importance_and_never_beyond_one():
    rows = [memory("a", importance=0.5, use=Use(boost=1.1)), memory("b", importance=0.9, use=Use(boost=1.5))]
    assert scored('{ signal = "importance" }', rows) == pytest.approx({"a": 0.5 * 1.1, "b": 1.0})


def test_terms_clip_normalise_and_weigh_in_that_order():
    rows = [memory("a", importance=0.2), memory("b", importance=0.6), memory("c", importance=1.0)]
    got = scored('{ signal = "importance", normalise = "max", clip = [0.3, 0.5], weight = 2.0 }', rows)
    assert got == pytest.approx({"a": 2 * 0.3, "b": 2 * 0.5, "c": 2 * 0.5})


def test_strength_is_zero_while_nothing_was_ever_recalled():
    assert scored('{ signal = "strength" }', [memory("a"), memory("b")]) == {"a": 0.0, "b": 0.0}


@pytest.mark.requirement("S4")
@pytest.mark.parametrize("combine", ["sum", "product"])
def test_a_callers_boost_multiplies_the_score_and_shows_among_the_contributions(combine):
    rules = policy(f'[score]\ncombine = "{combine}"\nterms = [{{ signal = "importance" }}, {{ signal = "confidence" }}]')
    found = evidence([memory("a", importance=0.4, weight=0.5), memory("b", importance=0.5, weight=0.5)])
    recall = decide(replace(found, boost=np.array([2.0, 1.0])), rules)
    plain = 0.4 + 0.5 if combine == "sum" else 0.4 * 0.5
    assert scores(recall)["a"] == pytest.approx(2 * plain)
    assert [r.memory.id for r in recall.memories] == ["a", "b"]


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("intent", "factor"), [("past", 0.0), ("present", 2.0), ("neutral", 1.0)])
def test_temporal_intent_drops_or_amplifies_recency(intent, factor):
    rules = policy('[score]\nintent = { past = 0.0, present = 2.0 }\nterms = [{ signal = "recency", tau = "10d" }]')
    found = replace(evidence([memory("a", created=ago(days=5))]), intent=intent)
    assert scores(decide(found, rules))["a"] == pytest.approx(factor * math.exp(-0.5))


@pytest.mark.requirement("P11")
def test_temporal_intent_can_invert_recency():
    rules = policy('[score]\nintent = { past = -1.0 }\nterms = [{ signal = "recency", tau = "10d" }]')
    found = replace(evidence([memory("a", created=ago(days=5))]), intent="past")
    assert scores(decide(found, rules))["a"] == pytest.approx(1 - math.exp(-0.5))


def test_note_words_is_the_share_of_the_best_bm25_as_far_as_the_candidates_are_notes():
    said = memory("c", source=Source(session="s", turn=1))
    found = scored('{ signal = "note_words" }', [memory("a"), memory("b"), said], bm25=[6.0, 3.0, 0.0])
    assert found == pytest.approx({"a": 2 / 3, "b": 1 / 3, "c": 0.0})
    assert set(scored('{ signal = "note_words" }', [memory("a"), memory("b")], bm25=[0.0, 0.0]).values()) == {0.0}
