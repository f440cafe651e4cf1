import numpy as np
import pytest

from cued.embed import Hashing, load_embedder
from cued.errors import InputError
from cued.evaluation.abstain import BINS, auroc, calibration_error, measured, reliability, silent_asks, spoken, strangers
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import narrowed
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Answer, Ask, Bench
from cued.policy.presets import load_policy
from tests.evaluation.made import lines, write
from tests.evaluation.mixed import stream as stream_of_two


def _asked(query, *, here, shown, relevances, gold_first=True):
    """Give a question and an answer to it that ranks its gold first, of which the floor of .5 lets `shown` through."""
    ask = Ask(query=query, tenant=query.tenant if here else "elsewhere", at=query.asked_at)
    ids = (query.gold_ids[0] if gold_first else "x0", *(f"x{n}" for n in range(1, len(relevances))))
    answer = Answer(ids=ids, sessions=(), relevances=relevances, spoken={0.5: ids[:shown]}, best=max(relevances))
    return ask, answer


@pytest.fixture
def stream(tmp_path):
    """Two own questions, of which one is answered with gold; two strangers', of which one is injected."""
    q1, q2, q3, *_ = read(write(tmp_path)).queries
    made = [
        _asked(q1, here=True, shown=1, relevances=(0.9, 0.2)),
        _asked(q2, here=True, shown=1, relevances=(0.6, 0.1), gold_first=False),
        _asked(q3, here=False, shown=1, relevances=(0.7, 0.3)),
        _asked(q3, here=False, shown=0, relevances=(0.4, 0.3)),
    ]
    return [ask for ask, _ in made], [answer for _, answer in made]


@pytest.mark.requirement("P21")
def test_injection_rate_precision_and_answered_are_counted_as_defined(stream):
    told = {"injection_rate": 3 / 4, "precision": 2 / 3, "silence": 1 / 2, "answered": 1 / 2, "shown": 1.0, "extra": 1 / 2}
    assert spoken(*stream, floor=0.5) == told


def test_the_best_relevance_of_own_questions_beats_strangers_three_times_of_four(stream):
    assert measured(*stream, floor=0.5)["auroc"] == 3 / 4
    assert auroc(np.array([0.5, 0.5, 0.9]), np.array([True, False, True])) == (0.5 + 1.0) / 2


def test_calibration_error_is_the_mean_gap_between_relevance_and_gold(stream):
    bins = reliability(*stream)
    assert len(bins) == 8 < BINS
    gold_at_09 = abs(0.9 - 1.0)
    others = 0.1 + 0.2 + 0.3 + 0.3 + 0.4 + 0.6 + 0.7
    assert calibration_error(bins) == pytest.approx((gold_at_09 + others) / 8)
    assert calibration_error([]) is None


def test_nothing_injected_has_no_precision(stream):
    asks, answers = stream
    silent = [Answer(ids=(), sessions=(), relevances=(), spoken={0.9: ()}, best=0.0) for _ in answers]
    told = {"injection_rate": 0.0, "precision": None, "silence": 1.0, "answered": 0.0, "shown": None, "extra": 0.0}
    assert spoken(asks, silent, floor=0.9) == told


def test_each_tenant_is_asked_as_many_questions_of_others_as_of_its_own_and_always_the_same(tmp_path):
    dataset = read(write(tmp_path))
    drawn = strangers(dataset)
    assert drawn == strangers(dataset)
    # cem has two questions of its own; of ada's three own ones only two others are there to stand against them
    assert sorted((ask.tenant, ask.query.tenant) for ask in drawn) == [("ada", "cem"), ("ada", "cem"), ("cem", "ada"), ("cem", "ada")]
    assert not any(ask.here for ask in drawn)
    assert len({(ask.tenant, ask.query.id) for ask in drawn}) == len(drawn)


def test_a_question_that_this_tenant_could_answer_too_is_no_stranger(tmp_path):
    memories, queries = lines()
    memories.append({"id": "copy", "tenant": "ada", "text": "I am allergic to walnuts.", "ts": "2025-01-01"})
    drawn = strangers(read(write(tmp_path, memories, queries)))
    assert [ask.query.id for ask in drawn if ask.tenant == "ada"] == ["q5"]


@pytest.mark.requirement("P21")
def test_one_tenant_is_enough_where_it_has_questions_without_an_answer(tmp_path):
    alone = narrowed(read(write(tmp_path)), tenants=1)
    assert [(ask.query.id, ask.near, ask.here) for ask in silent_asks(alone)] == [("q4", True, False)]
    memories, queries = lines()
    queries.append(
        {**queries[0], "id": "foreign", "query": "How high is the moon?", "category": "far", "gold_ids": [], "gold_sessions": []}
    )
    stated = silent_asks(read(write(tmp_path, memories, queries)))
    assert {ask.query.id: ask.near for ask in stated} == {"q4": True, "foreign": False}


def test_a_data_set_with_nothing_to_be_silent_about_is_refused(tmp_path):
    memories, queries = lines()
    alone = narrowed(read(write(tmp_path, memories, [query for query in queries if query["id"] != "q4"])), tenants=1)
    with pytest.raises(InputError, match="two tenants that have answerable questions, or questions without gold"):
        silent_asks(alone)


@pytest.mark.requirement("P21")
def test_near_questions_are_measured_apart_from_far_ones_and_every_category_by_itself(tmp_path):
    bench = Bench(embedder=None, evidence=EvidenceCache(None))
    request = Request(policies=(load_policy("cued"),), abstain=True, floors=(0.0,))
    figures = evaluate(read(write(tmp_path)), request, bench)["policies"]["cued"]["abstain"]
    assert figures["near"]["silence"] in {0.0, 1.0}
    assert 0 <= figures["near"]["auroc"] <= 1
    assert {name: row["queries"] for name, row in figures["by_category"].items()} == {"event": 1, "person": 3, "place": 1}
    assert figures["floors"][0]["extra"] > figures["extra"]


def test_the_state_of_a_question_is_part_of_its_cue(tmp_path):
    memories, queries = lines()
    queries.append({**queries[0], "id": "busy", "goal": "tidy up", "step": "sorting", "open_questions": ["where is the bow?"]})
    asked = next(query for query in read(write(tmp_path, memories, queries)).queries if query.id == "busy")
    cue = Ask(query=asked, tenant="ada", at=asked.asked_at).cue
    assert (cue.goal, cue.step, cue.open_questions) == ("tidy up", "sorting", ("where is the bow?",))


@pytest.mark.requirement("X1")
@pytest.mark.parametrize("embedder", [None, Hashing(256)], ids=["words alone", "hashing"])
def test_one_floor_speaks_to_own_questions_and_is_silent_to_strangers_whatever_the_embedder(tmp_path, embedder):
    made = None if embedder is None else CachedEmbedder(embedder, None)
    bench = Bench(embedder=made, evidence=EvidenceCache(None))
    request = Request(policies=(load_policy("cued"),), abstain=True, floors=(0.0, 1.0))
    figures = evaluate(read(write(tmp_path)), request, bench)["policies"]["cued"]["abstain"]
    # five own questions and four strangers; no word of a stranger's question stands in the tenant's memories
    assert figures["queries"] == {"answerable": 5, "near": 1, "far": 4}
    assert figures["floor"] == load_policy("cued").floor.at
    assert figures["auroc"] == 1.0
    assert figures["precision"] == 1.0
    assert figures["answered"] >= 3 / 5
    assert 0.333 < figures["injection_rate"] < 0.556
    everything, nothing = figures["floors"]
    assert everything["injection_rate"] >= figures["injection_rate"]
    told = {"injection_rate": 0.0, "precision": None, "silence": 1.0, "answered": 0.0, "shown": 0.0, "extra": 0.0}
    assert nothing == {"floor": 1.0, **told}


@pytest.mark.requirement("R3")
def test_on_a_mixed_stream_a_floor_of_point_seven_speaks_to_about_half_and_the_ends_are_gentle(tmp_path):
    if not pytest.importorskip("cued_minilm", reason="the model wheel cued-minilm is not installed").ENCODERS["recall"].revision:
        pytest.skip("cued_minilm is a source tree without its model")
    bench = Bench(embedder=CachedEmbedder(load_embedder("cued"), None), evidence=EvidenceCache(None))
    request = Request(policies=(load_policy("cued"),), abstain=True, floors=(0.5, 0.7, 0.9))
    figures = evaluate(read(stream_of_two(tmp_path)), request, bench)["policies"]["cued"]["abstain"]
    assert figures["queries"] == {"answerable": 40, "near": 0, "far": 40}
    low, usual, high = (each["injection_rate"] for each in figures["floors"])
    assert 0.40 <= usual <= 0.55
    # uncalibrated scores: 80-95 % at 0.5, and 5-15 % at 0.9
    assert usual < low < 0.80
    assert usual > high > 0.15
