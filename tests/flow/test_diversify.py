"""diversify: MMR and near-duplicates."""

import numpy as np
import pytest

from cued.engine import decide
from tests.building import evidence, memory, policy

TWINS = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
COSINES = [0.9, 0.89, 0.5]


def order(text, vectors=TWINS, cosines=COSINES):
    """The ids chosen under a policy, best first."""
    rows = [memory(f"m{i}") for i in range(len(vectors))]
    recall = decide(evidence(rows, vectors=vectors, cosine=cosines), policy(f"[channels]\ndense = {{}}\n{text}"))
    return [r.memory.id for r in recall.memories]


@pytest.mark.requirement("R19")
def test_mmr_takes_a_stranger_before_a_twin():
    assert order("[diversify]\ntrade = 0.5") == ["m0", "m2", "m1"]


@pytest.mark.requirement("R19")
def test_a_trade_of_one_is_pure_relevance_and_of_zero_pure_diversity():
    assert order("[diversify]\ntrade = 1.0") == ["m0", "m1", "m2"]
    far_first = order("[diversify]\ntrade = 0.0", vectors=[[1, 0], [0.6, 0.8], [0.0, 1.0]])
    assert far_first == ["m0", "m2", "m1"]


@pytest.mark.requirement("R19")
def test_mmr_follows_its_formula_step_by_step():
    random = np.random.default_rng(5)
    vectors = random.normal(size=(9, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = random.uniform(size=9)
    relevance = (cosines - cosines.min()) / (cosines.max() - cosines.min())
    expected: list[int] = []
    for _ in range(5):
        left = [i for i in range(9) if i not in expected]
        marginal = {i: 0.5 * relevance[i] - 0.5 * max((vectors[i] @ vectors[j] for j in expected), default=0.0) for i in left}
        expected.append(max(left, key=lambda i: marginal[i]))
    assert order("[diversify]\ntrade = 0.5", vectors, cosines) == [f"m{i}" for i in expected]


@pytest.mark.requirement("R20")
def test_fifteen_variants_of_one_fact_do_not_crowd_out_the_others():
    random = np.random.default_rng(3)
    python = np.eye(12)[0] + random.normal(scale=0.02, size=(15, 12))
    others = np.eye(12)[1:9]
    vectors = np.vstack([python, others])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = [*np.linspace(0.62, 0.58, 15), *np.linspace(0.55, 0.48, 8)]
    limit = "\n[budget]\nlimit = 10"
    variety = set(order("[diversify]\ntrade = 0.5" + limit, vectors, cosines)) & {f"m{i}" for i in range(15, 23)}
    plain = set(order("[diversify]\ntrade = 1.0" + limit, vectors, cosines)) & {f"m{i}" for i in range(15, 23)}
    assert len(variety) >= 6
    assert len(plain) <= 2


def collapsed(*texts):
    """The recall of three memories, the first two of which have one vector."""
    rows = [memory(f"m{i}", text=text) for i, text in enumerate(texts)]
    return decide(evidence(rows, vectors=TWINS, cosine=COSINES), policy("[channels]\ndense = {}\n[diversify]\ncollapse = 0.95"))


def test_near_duplicates_collapse_into_the_best_which_counts_them():
    recall = collapsed("Prefers tea.", "prefers tea!", "Lives in Rome.")
    assert [(r.memory.id, r.duplicates) for r in recall.memories] == [("m0", ("m1",)), ("m2", ())]
    assert recall.trace.fates[1] == "duplicate of m0"


@pytest.mark.parametrize(
    ("one", "other"), [("Port 8080.", "Port 8081."), ("Drinks tea.", "Does not drink tea."), ("Anna left.", "Ben left.")]
)
def test_what_a_cosine_takes_for_the_same_and_is_not_stays_apart(one, other):
    assert [r.memory.id for r in collapsed(one, other, "Lives in Rome.").memories] == ["m0", "m1", "m2"]
