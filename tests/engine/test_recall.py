"""A recall reads once, embeds once, and runs the flow once and once more for each outside opinion."""

import pytest

import cued
from cued import flow
from cued.engine import Parts, Question, gather
from cued.model import COLUMNS
from cued.surfaces.verbs import call
from tests.building import ADAPTING, NOW, policy
from tests.fakes import FixedClock, ListEmbedder

CUE = "which notes speak of the garden gate?"
OPINIONATED = '[channels]\nlexical = {}\ndense = {}\n[rerank]\ndepth = 5\n[budget]\ntokens = 140\noverflow = "compact"\nlimit = 9'


class CountingStage:
    """A stage that does nothing, and knows how often it was run."""

    __name__ = "counting"

    def __init__(self):
        self.runs = 0

    def run(self, table):
        self.runs += 1


class CountingStore:
    """A store that hands everything on, and knows what it was asked."""

    def __init__(self, store):
        self.store, self.calls = store, []

    def __getattr__(self, name):
        self.calls.append(name)
        return getattr(self.store, name)


class Opinions:
    """A reranker and summariser that knows how often it was asked."""

    def __init__(self):
        self.asked = []

    def rerank(self, query, texts):
        self.asked.append("rerank")
        return [float(len(text)) for text in texts]

    def summarise(self, query, texts, *, tokens):
        self.asked.append("summary")
        return "Notes on the gate."


@pytest.fixture
def stage(monkeypatch):
    counting = CountingStage()
    monkeypatch.setattr(flow, "ORDER", (*flow.ORDER, counting))
    return counting


@pytest.fixture
def embedder():
    return ListEmbedder()


@pytest.fixture
def alice(embedder):
    with cued.open(None, embedder=embedder, clock=FixedClock(), settle="off") as memories:
        tenant = memories.tenant("alice")
        for place in range(8):
            tenant.remember(f"Note {place} on the garden gate and on everything that was said about it.", conflicts=False)
        yield tenant


def with_opinions(embedder, opinions):
    memories = cued.open(None, embedder=embedder, clock=FixedClock(), settle="off", reranker=opinions, summariser=opinions)
    tenant = memories.tenant("alice")
    for place in range(8):
        tenant.remember(f"Note {place} on the garden gate and on everything that was said about it.", conflicts=False)
    return tenant


def test_a_recall_runs_the_flow_once_and_embeds_once(alice, embedder, stage):
    alice.recall(CUE)
    assert (stage.runs, embedder.asked.count(CUE)) == (1, 1)


@pytest.mark.requirement("P14", "F6")
def test_a_recall_runs_the_flow_once_more_for_each_outside_opinion(embedder, stage):
    opinions = Opinions()
    recall = with_opinions(embedder, opinions).recall(CUE, policy=policy(OPINIONATED))
    assert recall.compacted
    assert opinions.asked == ["rerank", "summary"]
    assert (stage.runs, embedder.asked.count(CUE)) == (3, 1)


@pytest.mark.requirement("P14")
def test_an_opinion_that_nobody_can_use_is_not_asked_for(embedder, stage):
    opinions = Opinions()
    with_opinions(embedder, opinions).recall(CUE, policy=policy("[channels]\nlexical = {}\ndense = {}"))
    assert (opinions.asked, stage.runs) == ([], 1)


@pytest.mark.requirement("X3")
def test_gathering_decides_nothing_and_asks_nobody(embedder, stage):
    opinions = Opinions()
    evidence = with_opinions(embedder, opinions).gather(CUE, policy=policy(OPINIONATED))
    assert (stage.runs, opinions.asked, embedder.asked.count(CUE)) == (0, [], 1)
    assert len(evidence.findings.memories) == 8
    assert evidence.lookup.dense.fingerprint == evidence.fingerprint


@pytest.mark.requirement("S9")
def test_explaining_a_gated_memory_and_one_beyond_the_pools_embeds_once(alice, embedder):
    gated = alice.remember("The garden gate in atlas.", scope="atlas").id
    assert alice.explain(CUE, memory=gated).verdict.fate == "struck by the scope gate"
    assert embedder.asked.count(CUE) == 1
    narrow = policy("[channels]\ndense = { pool = 1 }")
    far = alice.explain(CUE, policy=narrow).recall.memories[0].memory.id
    others = [each.id for each in alice.list().memories if each.id not in {far, gated}]
    assert "beyond every pool: dense rank" in alice.explain(CUE, memory=others[0], policy=narrow).verdict.fate
    assert embedder.asked.count(CUE) == 3


@pytest.mark.requirement("S9")
@pytest.mark.parametrize("shut", ["lexical", "dense"])
def test_a_recall_with_and_without_a_channel_embeds_once_and_runs_the_flow_twice(alice, embedder, stage, shut):
    told = call("explain", alice, {"text": CUE, "without": [shut], "floor": 0.0})
    assert (stage.runs, embedder.asked.count(CUE)) == (2, 1)
    assert told["ablation"]["memories"][0]["rank_with"] == 1
    assert alice.explain(CUE, without=[shut], floor=0.0).whole.memories == alice.recall(CUE, floor=0.0).memories


@pytest.mark.requirement("P16")
def test_a_recall_is_one_search_of_the_store_what_was_learnt_included():
    opened = cued.open(None, embedder=None, policy=policy("[channels]\nlexical = {}\n" + ADAPTING), clock=FixedClock(), settle="now")
    alice = opened.tenant("alice")
    store = CountingStore(opened.parts.store)
    asked = Question(tenant="alice", cue=cued.Cue(utterance="gate", now=NOW), recall_id="r")
    gather(asked, alice.policy, Parts(store=store))
    assert store.calls == ["holds"]
    alice.remember("The gate.", conflicts=False)
    alice.recall("gate")
    store.calls.clear()
    evidence = gather(asked, alice.policy, Parts(store=store))
    assert store.calls == ["holds", "search"]
    assert evidence.balance == 0.3
    assert evidence.findings.document is None


def test_the_columns_that_a_store_gives_are_those_that_have_a_name(alice):
    assert set(alice.gather(CUE).findings.columns) == set(COLUMNS)


@pytest.mark.parametrize("embedder", ["cued", None])
def test_a_question_beside_a_log_is_answered_as_it_is_alone(embedder):
    if embedder == "cued":
        pytest.importorskip("cued_minilm")
    log = "\n".join(f"07:{minute}:11.{minute}7Z INFO pool_{minute % 3} lease={minute} idle connections closed" for minute in range(10, 45))
    with cued.open(None, embedder=embedder, settle="off") as memories:
        tenant = memories.tenant("t")
        tenant.remember_many(
            ["The garden gate is oiled in May.", "The office is on the third floor.", "StaleLeaseError: run `cued-lease renew`."]
        )
        (alone,) = tenant.recall("When is the garden gate oiled?").memories
        for text in (f"{log}\nWhen is the garden gate oiled?", f"When is the garden gate oiled?\n\n{log}"):
            (beside,) = tenant.recall(text).memories
            assert (beside.memory.id, pytest.approx(beside.relevance)) == (alone.memory.id, alone.relevance)
        shown = tenant.recall(f"Why did the nightly import stop?\n\n{log}\nraised StaleLeaseError in pool_1")
        assert "StaleLeaseError" in shown.memories[0].memory.text
        assert tenant.recall(f"Why did the nightly import stop?\n\n{log}").memories == ()
