"""Parts that somebody else wrote and that fail in any way: the answer is made without them, says so, and nothing is lost."""

import asyncio
import threading
from datetime import timedelta

import numpy as np
import pytest
from msgspec.structs import replace

import cued
from cued.others import MOST_WAITING, answer_or_note
from cued.policy.presets import load_policy
from tests.fakes import ListEmbedder


def raising(error):
    def work(*_asked, **_more):
        raise error

    return work


async def in_time(answer):
    return answer


class Broken(ListEmbedder):
    """An embedder that gives something else in place of vectors, of memories or of cues."""

    def __init__(self, instead, role):
        super().__init__()
        self.instead, self.role = instead, role

    def embed(self, texts, *, role):
        vectors = super().embed(texts, role=role)
        return self.instead(vectors) if role == self.role else vectors


FAILURES = {
    "raises": raising(ConnectionResetError("the peer has gone")),
    "runs out of memory": raising(MemoryError()),
    "gives nothing": lambda _: None,
    "gives texts": lambda vectors: ["x"] * len(vectors),
    "is async": in_time,
    "fewer": lambda vectors: vectors[:-1],
    "one row": lambda vectors: vectors[0],
    "narrower": lambda vectors: vectors[:, :8],
    "nan": lambda vectors: vectors * np.nan,
    "zeros": lambda vectors: vectors * 0,
    "too long": lambda vectors: vectors * 3,
}


@pytest.mark.parametrize("instead", FAILURES.values(), ids=FAILURES)
def test_a_memory_is_kept_whatever_its_embedder_gives(instead, tmp_path):
    with cued.open(tmp_path / "memories.db", embedder=Broken(instead, "memory")) as memories:
        ada = memories.tenant("ada")
        for stored in (ada.remember("Ada drinks green tea."), ada.remember_many(["Bo drinks red tea.", "Cy drinks milk."])):
            (note,) = stored.degraded
            assert note.startswith("vector pending: ")
        assert (len(ada.list()), ada.stats().pending_vectors) == (3, 3)
        with pytest.raises(cued.EmbedderError):
            ada.reembed()


def test_plain_lists_are_vectors_too():
    with cued.open(None, embedder=Broken(lambda vectors: vectors.astype(float).tolist(), "memory")) as memories:
        ada = memories.tenant("ada")
        assert (ada.remember("Ada drinks green tea.").degraded, ada.stats().pending_vectors) == ((), 0)


@pytest.mark.parametrize("mark", ["mine", lambda _: None], ids=["a text", "a method"])
def test_a_fingerprint_that_is_none_costs_the_vectors_and_nothing_else(mark):
    class Unmarked(ListEmbedder):
        fingerprint = mark

    with cued.open(None, embedder=Unmarked()) as memories:
        ada = memories.tenant("ada")
        assert "not a cued.Fingerprint" in ada.remember("Ada drinks green tea.").degraded[0]
        recall = ada.recall("What tea does Ada drink?")
        assert (recall.outcome, "not a cued.Fingerprint" in recall.degraded[0]) == ("recalled", True)


@pytest.mark.parametrize("instead", FAILURES.values(), ids=FAILURES)
def test_a_recall_is_answered_by_words_whatever_its_embedder_gives(instead):
    with cued.open(None, embedder=Broken(instead, "query")) as memories:
        ada = memories.tenant("ada")
        kept = ada.remember("Ada drinks green tea.").id
        recall = ada.recall("What tea does Ada drink?")
        assert [each.id for each in recall.memories] == [kept]
        assert [note.startswith("dense: ") for note in recall.degraded] == [True]
        assert ada.map(text="tea").total == 1


class Part:
    """A reranker, summariser and judge that does one thing whatever it is asked."""

    def __init__(self, deed):
        self.rerank = self.summarise = self.judge = deed


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), KeyboardInterrupt()], ids=repr)
def test_a_part_that_ends_itself_does_not_end_whoever_asked_it(error):
    policy = load_policy()
    policy = replace(policy, rerank=replace(policy.rerank, depth=10))
    with cued.open(None, embedder="hashing", policy=policy, reranker=Part(raising(error)), judge=Part(raising(error))) as memories:
        ada = memories.tenant("ada")
        kept = [ada.remember(f"Ada drinks green tea in room {number}.") for number in range(2)]
        assert [note.startswith("judge: ") for note in kept[1].degraded] == [True]
        assert [note.startswith("rerank: ") for note in ada.recall("Who drinks green tea?").degraded] == [True]


def test_a_part_that_is_async_is_told_so():
    policy = load_policy()
    policy = replace(policy, rerank=replace(policy.rerank, depth=10))
    part = Part(lambda *_asked: in_time([1.0, 1.0]))
    with cued.open(None, embedder="hashing", policy=policy, reranker=part, judge=part) as memories:
        ada = memories.tenant("ada")
        kept = [ada.remember(f"Ada drinks green tea in room {number}.") for number in range(2)]
        for note in (*kept[1].degraded, *ada.recall("Who drinks green tea?").degraded):
            assert "its method is async" in note


def test_a_part_that_never_answers_takes_no_more_than_its_share_of_threads():
    done = threading.Event()
    try:
        notes = [answer_or_note("silent part", done.wait, timedelta(0))[1] for _ in range(MOST_WAITING + 3)]
        assert sum(thread.name == "cued-silent part" for thread in threading.enumerate()) == MOST_WAITING
        assert ["no answer yet" in note for note in notes] == [False] * MOST_WAITING + [True] * 3
    finally:
        done.set()
    for thread in threading.enumerate():
        if thread.name == "cued-silent part":
            thread.join(timeout=5)
    assert answer_or_note("silent part", lambda: "here again", timedelta(seconds=5)) == ("here again", "")


def test_an_error_that_carries_a_page_is_told_in_brief():
    _, note = answer_or_note("talkative part", raising(RuntimeError("<html>" * 10_000)), timedelta(seconds=5))
    assert len(note) < 400
