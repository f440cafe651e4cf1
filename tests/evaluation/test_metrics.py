from math import log2

import numpy as np
import pytest
import pytrec_eval

from cued.evaluation.metrics import by_best, names, scores

KS = (1, 5, 10)


def _random_run(rng):
    """Give a ranking, the gold, and gold that the ranking may lack altogether."""
    documents = [f"d{n}" for n in range(int(rng.integers(1, 40)))]
    ranking = [documents[n] for n in rng.permutation(len(documents))[: int(rng.integers(0, 30))]]
    gold = {str(each) for each in rng.choice(documents, size=int(rng.integers(1, len(documents) + 1)), replace=False)}
    return ranking, gold | ({"nowhere"} if rng.random() < 0.3 else set())


@pytest.mark.requirement("P21")
def test_metrics_agree_with_trec_eval_on_random_rankings():
    rng = np.random.default_rng(7)
    runs = {f"q{n}": _random_run(rng) for n in range(300)}
    # a query without any result is scored 0 by trec_eval only if it is told of it, so those are compared below
    shown = {query: pair for query, pair in runs.items() if pair[0]}
    wanted = {f"{name}.{','.join(map(str, KS))}" for name in ("recall", "success", "ndcg_cut")}
    oracle = pytrec_eval.RelevanceEvaluator(
        {q: dict.fromkeys(gold, 1) for q, (_, gold) in shown.items()}, wanted | {"recip_rank"}
    ).evaluate({q: {found: 1.0 - place / 100 for place, found in enumerate(ranking)} for q, (ranking, _) in shown.items()})
    for query, (ranking, gold) in shown.items():
        mine, theirs = scores(ranking, gold, KS), oracle[query]
        for k in KS:
            assert mine[f"recall@{k}"] == pytest.approx(theirs[f"recall_{k}"])
            assert mine[f"any@{k}"] == theirs[f"success_{k}"]
            assert mine[f"all@{k}"] == float(theirs[f"recall_{k}"] == 1.0)
            assert mine[f"ndcg@{k}"] == pytest.approx(theirs[f"ndcg_cut_{k}"])
        first = theirs["recip_rank"]
        assert mine["mrr"] == pytest.approx(first if first >= 1 / max(KS) else 0.0)
    empty = [scores(*pair, KS) for pair in runs.values() if not pair[0]]
    assert empty
    assert all(not any(each.values()) for each in empty)


def test_a_worked_example():
    measured = scores(["x", "a", "y", "b"], {"a", "b", "c"}, (2, 4))
    assert measured["recall@2"] == 1 / 3
    assert measured["recall@4"] == 2 / 3
    assert (measured["any@2"], measured["all@4"]) == (1.0, 0.0)
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert measured["ndcg@4"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert measured["mrr"] == 1 / 2
    assert tuple(measured) == names((2, 4))


def test_sessions_are_ranked_by_their_best_turn():
    assert by_best(["s2", None, "s1", "s2", "s3", "s1"]) == ("s2", "s1", "s3")
