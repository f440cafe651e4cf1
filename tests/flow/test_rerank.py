"""rerank: a judge's column, and an order that stands without it."""

import threading

import pytest
from msgspec.structs import replace

from cued.engine import Parts, decide
from cued.engine.opinions import reranked
from cued.flow import run
from tests.building import evidence, memory, policy

RULES = policy('[channels]\ndense = {}\n[rerank]\ndepth = 2\nweight = 2.0\ndeadline = "1s"\n[budget]\nlimit = 3')
FOUND = evidence([memory("a", text="one"), memory("b", text="two"), memory("c", text="three")], cosine=[0.9, 0.8, 0.1])


class ScoreByText:
    """A judge that gives each text a fixed score."""

    def __init__(self, scores):
        self.scores = scores

    def rerank(self, query, texts):
        return [self.scores[text] for text in texts]


class Failing:
    """A judge that fails."""

    def rerank(self, query, texts):
        raise ConnectionError("the judge is out")


class Fixed:
    """A judge that answers the same whatever it is asked."""

    def __init__(self, answer):
        self.answer = answer

    def rerank(self, query, texts):
        return self.answer


def judge(evidence, rules, reranker):
    """The evidence with this judge's opinion."""
    return reranked(run(evidence, rules), Parts(store=None, reranker=reranker))


def ids(recall):
    return [r.memory.id for r in recall.memories]


@pytest.mark.requirement("P14", "S4")
def test_a_judge_reorders_the_shortlist_and_leaves_the_rest_below_it():
    judged = judge(FOUND, RULES, ScoreByText({"one": 0.0, "two": 9.0}))
    assert judged.rerank == {"a": 0.0, "b": 9.0}
    assert ids(decide(FOUND, RULES)) == ["a", "b", "c"]
    assert ids(decide(judged, RULES)) == ["b", "a", "c"]


@pytest.mark.requirement("P14")
@pytest.mark.parametrize("broken", [Failing(), Fixed([1.0]), Fixed([1.0, float("nan")]), Fixed(["x", "y"])])
def test_when_the_judge_fails_or_talks_nonsense_the_blends_order_stands_and_is_named(broken):
    judged = judge(FOUND, RULES, broken)
    assert judged.degraded[0].startswith("rerank: ")
    assert ids(decide(judged, RULES)) == ids(decide(FOUND, RULES))
    assert decide(judged, RULES).degraded == judged.degraded


@pytest.mark.requirement("P14")
def test_a_judge_that_is_late_is_left_behind():

    released = threading.Event()

    class Slow:
        def rerank(self, query, texts):
            released.wait()
            return [0.0] * len(texts)

    hasty = replace(RULES, rerank=policy('[rerank]\ndepth = 2\ndeadline = "0.01s"').rerank)
    judged = judge(FOUND, hasty, Slow())
    released.set()
    assert judged.degraded == ("rerank: no answer within 10 ms",)
