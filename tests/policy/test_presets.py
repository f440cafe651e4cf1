"""Every source system as a preset, its worked examples written as arithmetic."""

import math
from datetime import timedelta

import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.errors import InputError
from cued.model import Cue
from cued.policy.adjust import Adjustment, adjust
from cued.policy.parse import dump, parse
from cued.policy.presets import load_policy, names, preset
from tests.building import NOW, ago, evidence, memory, scores

EXACT = 1e-9


@pytest.mark.parametrize("name", names())
def test_every_preset_survives_a_round_trip_through_toml(name):
    assert parse(dump(preset(name))) == preset(name)


def test_all_presets_of_the_sources_and_the_baselines_ship():
    assert set(names()) == {
        *("recall", "mememory", "field-guide", "generative-agents", "assistant", "support", "coding", "planning", "memorybank"),
        *("siftcoder", "cued", "dense", "lexical", "rrf"),
    }


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="siftcoder"):
        load_policy("siftcodr")


@pytest.mark.requirement("R14", "R15", "R16")
@pytest.mark.parametrize("rw", [0.0, 0.3, 0.5, 1.0])
def test_recall_blends_four_components_by_one_recency_weight(rw):
    recalled_often = memory("a", created=ago(days=10), used=ago(days=2), count=4, importance=0.8)
    fresh = memory("b", created=ago(days=1), importance=0.3)
    found = evidence([recalled_often, fresh], lexical_rank=[1, 10], dense_rank=[4, 0], cosine=[0.7, 0.2])
    got = scores(decide(found, adjust(preset("recall"), Adjustment(recency_weight=rw, floor=0.0))))

    most_rrf = 1 / 61 + 1 / 61
    raw = math.exp(-0.02 * 2)
    decay = raw + (1 - raw) * min(1, math.log(1 + 4) / math.log(11))
    assert got["a"] == pytest.approx(
        (0.70 - 0.30 * rw) * (1 / 61 + 1 / 64) / most_rrf
        + (0.40 * rw) * math.exp(-10 / (1 + 4))
        + (0.20 - 0.10 * rw) * 0.8 * decay
        + 0.10 * math.log(1 + 4) / math.log(1 + 4),
        abs=EXACT,
    )
    raw = math.exp(-0.02 * 1)
    assert got["b"] == pytest.approx(
        (0.70 - 0.30 * rw) * (1 / 70) / most_rrf + (0.40 * rw) * math.exp(-1 / 1) + (0.20 - 0.10 * rw) * 0.3 * raw + 0.10 * 0,
        abs=EXACT,
    )


@pytest.mark.requirement("R14")
@pytest.mark.parametrize("rw", [0.0, 0.3, 1.0])
def test_recalls_four_weights_sum_to_one(rw):
    weights = [term.weight + term.lean * rw for term in preset("recall").score.terms]
    assert weights == pytest.approx([0.70 - 0.30 * rw, 0.40 * rw, 0.20 - 0.10 * rw, 0.10])
    assert sum(weights) == pytest.approx(1)


@pytest.mark.requirement("R18", "R1")
def test_recall_deploys_at_floor_point_seven_limit_twenty_and_refuses_more_than_fifty():
    policy = preset("recall")
    assert (policy.floor.at, policy.budget.limit, policy.score.recency_weight) == (0.7, 20, 0.3)
    with pytest.raises(InputError, match="whole number from 1 to 50"):
        adjust(policy, Adjustment(limit=51))


@pytest.mark.requirement("R16")
def test_a_perfect_match_reaches_recalls_own_threshold():
    best = memory("a", importance=1.0, count=3, used=NOW)
    found = evidence([best], lexical_rank=[1], dense_rank=[1], cosine=[0.9])
    assert decide(found, preset("recall")).outcome == "recalled"


@pytest.mark.requirement("R12")
def test_reciprocal_rank_fusion_gives_nothing_for_an_absent_rank():
    found = evidence([memory("a"), memory("b"), memory("c")], lexical_rank=[1, 10, 0], dense_rank=[0, 0, 50])
    assert scores(decide(found, preset("rrf"))) == pytest.approx({"a": 1 / 61, "b": 1 / 70, "c": 1 / 110}, abs=EXACT)


@pytest.mark.requirement("R11")
def test_the_dense_baseline_ranks_by_cosine_alone():
    found = evidence([memory("a"), memory("b", importance=1.0), memory("c")], cosine=[0.2, 0.5, 0.9], dense_rank=[3, 2, 1])
    assert [r.memory.id for r in decide(found, preset("dense")).memories] == ["c", "b", "a"]


@pytest.mark.requirement("M1", "M2")
def test_mememorys_worked_example():
    zustand = memory("zustand", scope="match", updated=ago(days=5))
    redux = memory("redux", updated=ago(days=60))
    complex_ = memory("complex", updated=ago(days=2), weight=0.5)
    found = evidence([zustand, redux, complex_], cosine=[0.92, 0.95, 0.88], dense_rank=[2, 1, 3])
    recall = decide(found, preset("mememory"))
    expected = {
        "zustand": 0.92 * 1 * 1 * math.exp(-0.005 * 5),
        "redux": 0.95 * 0.8 * 1 * math.exp(-0.005 * 60),
        "complex": 0.88 * 0.8 * 0.5 * math.exp(-0.005 * 2),
    }
    assert scores(recall) == pytest.approx(expected, abs=EXACT)
    # the source rounds each factor before it multiplies, hence a thousandth
    assert scores(recall) == pytest.approx({"zustand": 0.897, "redux": 0.563, "complex": 0.349}, abs=1e-3)
    assert [r.memory.id for r in recall.memories] == ["zustand", "redux", "complex"]


@pytest.mark.requirement("M1")
@pytest.mark.parametrize(("days", "factor"), [(1, 0.995), (7, 0.966), (30, 0.861), (90, 0.638), (180, 0.407), (365, 0.161)])
def test_mememorys_decay_table(days, factor):
    found = evidence([memory("a", scope="p", updated=ago(days=days))], cosine=[1.0], dense_rank=[1])
    assert round(scores(decide(found, preset("mememory")))["a"], 3) == factor


@pytest.mark.requirement("M3")
@pytest.mark.parametrize(("limit", "pool"), [(3, 15), (5, 15), (10, 30)])
def test_mememorys_net_is_three_times_the_limit_and_at_least_fifteen(limit, pool):
    dense = preset("mememory").channels.dense
    assert max(dense.pool, dense.per_limit * limit) == pool


@pytest.mark.requirement("F3")
def test_the_field_guides_score():
    used = memory("a", created=ago(days=90), used=ago(days=7), importance=0.9)
    never_used = memory("b", created=ago(days=14), importance=0.2)
    found = evidence([used, never_used], cosine=[0.5, 0.8], dense_rank=[2, 1])
    assert scores(decide(found, preset("field-guide"))) == pytest.approx(
        {"a": 0.6 * 0.5 + 0.25 * 0.5**1 + 0.15 * 0.9, "b": 0.6 * 0.8 + 0.25 * 0.5**2 + 0.15 * 0.2},
        abs=EXACT,
    )


@pytest.mark.requirement("F5")
def test_the_field_guides_floor_lets_a_fresh_salient_stranger_pass_as_its_source_does():
    stranger = evidence([memory("a", importance=1.0)], cosine=[0.0], dense_rank=[1])
    recall = decide(stranger, preset("field-guide"))
    assert scores(recall)["a"] == pytest.approx(0.25 + 0.15, abs=EXACT)
    assert recall.outcome == "recalled"
    assert decide(stranger, preset("cued")).outcome == "below_floor"


@pytest.mark.requirement("F2", "F4")
def test_the_field_guide_casts_a_net_of_thirty_and_returns_five():
    policy = preset("field-guide")
    assert (policy.channels.lexical.pool, policy.channels.lexical.over) == (30, "utterance")
    assert (policy.channels.dense.pool, policy.channels.dense.over) == (30, "state")
    assert policy.budget.limit == 5


@pytest.mark.requirement("P1", "P2")
def test_generative_agents_normalises_each_signal_over_the_candidates():
    memories = [
        memory("a", created=ago(days=28), importance=0.9, count=3, used=ago(days=14)),
        memory("b", created=ago(days=28), importance=0.1),
        memory("c", importance=0.5),
    ]
    found = evidence(memories, cosine=[0.6, 0.8, 0.7], dense_rank=[3, 1, 2])
    count = 3 * 0.99**14
    recency = {"a": 0.5, "b": 0.25, "c": 1.0}
    salience = {"a": 0.9 + 0.05 * math.log(1 + count), "b": 0.1, "c": 0.5}
    similarity = {"a": 0.6, "b": 0.8, "c": 0.7}
    expected = {name: sum(_normalised(column, name) for column in (recency, salience, similarity)) for name in "abc"}
    assert scores(decide(found, preset("generative-agents"))) == pytest.approx(expected, abs=EXACT)


@pytest.mark.requirement("P1")
def test_a_constant_column_gives_one_half():
    found = evidence([memory("a"), memory("b")], cosine=[0.5, 0.5], dense_rank=[1, 2])
    assert scores(decide(found, preset("generative-agents"))) == pytest.approx({"a": 0.5 * 3, "b": 0.5 * 3}, abs=EXACT)


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(("hours", "factor"), [(24, 0.886), (168, 0.431), (720, 0.027)])
def test_the_papers_hourly_decay_is_expressible(hours, factor):
    hourly = parse('[score]\nterms = [{ signal = "recency", per_hour = 0.995 }]')
    got = scores(decide(evidence([memory("a", created=ago(hours=hours))]), hourly))["a"]
    assert got == pytest.approx(0.995**hours, abs=EXACT)
    assert got == pytest.approx(factor, abs=1e-3)


@pytest.mark.requirement("P2")
def test_the_aged_variant_multiplies_importance_and_recency():
    aged = parse(
        '[score]\nterms = [{ name = "aged", product = [{ signal = "importance" }, { signal = "recency", half_life = "14d" }] }]',
    )
    found = evidence([memory("a", created=ago(days=14), importance=0.8)])
    assert scores(decide(found, aged))["a"] == pytest.approx(0.8 * 0.5, abs=EXACT)


@pytest.mark.requirement("P3")
@pytest.mark.parametrize(
    ("name", "weights", "half_life_days"),
    [("assistant", (1.5, 1, 1), 7), ("support", (1, 1.5, 1), 30), ("coding", (0.5, 1, 1.5), 90), ("planning", (1, 1, 1), 14)],
)
def test_the_variants_weigh_recency_importance_and_similarity(name, weights, half_life_days):
    terms = preset(name).score.terms
    assert tuple(term.weight for term in terms) == weights
    assert [term.name or term.signal for term in terms] == ["recency", "importance", "similarity"]
    assert terms[0].half_life == timedelta(days=half_life_days)


@pytest.mark.requirement("P8")
def test_memorybanks_strength_lasts_longer_with_each_recall():
    never = memory("a", created=ago(days=3))
    often = memory("b", created=ago(days=30), used=ago(days=3), count=5)
    found = evidence([never, often], cosine=[0.9, 0.9], dense_rank=[1, 2])
    expected = {"a": 0.9 * math.exp(-3 / 1), "b": 0.9 * math.exp(-3 / (1 + 5))}
    assert scores(decide(found, preset("memorybank"))) == pytest.approx(expected, abs=EXACT)


@pytest.mark.requirement("S1", "S2")
def test_siftcoders_worked_example():
    found = evidence([memory("a"), memory("b")], lexical_rank=[1, 12], dense_rank=[4, 1], cosine=[0.6, 0.74])
    recall = decide(found, preset("siftcoder"))
    assert scores(recall) == pytest.approx({"a": 1 / 61 + 1 / 64, "b": 1 / 72 + 1 / 61}, abs=EXACT)
    assert [round(r.score, 4) for r in recall.memories] == [0.0320, 0.0303]


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(("days", "factor"), [(1, 0.867), (30, 0.0138)])
def test_siftcoders_decay(days, factor):
    found = evidence([memory("a", created=ago(days=days))], lexical_rank=[1])
    got = scores(decide(found, preset("siftcoder")))["a"]
    assert got == pytest.approx(1 / 61 * math.exp(-days / 7), abs=EXACT)
    assert got * 61 == pytest.approx(factor, rel=5e-3)


@pytest.mark.requirement("S12")
@pytest.mark.parametrize("name", ["siftcoder", "mememory", "memorybank", "field-guide", "generative-agents", "cued"])
def test_decay_can_be_switched_off_in_every_preset(name):
    timeless = adjust(preset(name), Adjustment(decay=False))
    young, old = (
        scores(decide(evidence([memory("a", created=created)], lexical_rank=[1], cosine=[0.8], dense_rank=[1]), timeless))["a"]
        for created in (NOW, ago(days=400))
    )
    assert young == pytest.approx(old, abs=EXACT)


@pytest.mark.requirement("P11")
def test_speaking_of_the_past_lets_an_old_memory_win_and_a_caller_can_overrule_it():
    policy = replace(preset("generative-agents"), score=replace(preset("generative-agents").score, intent=preset("cued").score.intent))
    memories = [memory("old", created=ago(days=60), importance=0.6), memory("new", importance=0.5)]
    columns = {"cosine": [0.8, 0.7], "dense_rank": [1, 2]}

    def order(intent):
        found = replace(evidence(memories, cue=Cue(utterance="x", now=NOW), **columns), intent=intent)
        found = replace(found, findings=replace(found.findings, memories=tuple(memories)))
        return [r.memory.id for r in decide(found, policy).memories]

    assert order("past") == ["old", "new"]
    assert order("present") == ["new", "old"]


def _normalised(column, name):
    low, high = min(column.values()), max(column.values())
    return (column[name] - low) / (high - low)
