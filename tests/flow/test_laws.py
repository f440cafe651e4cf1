"""The laws that every policy obeys, over arbitrary evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued import flow
from cued.engine import decide
from cued.engine.envelope import Envelope
from cued.model import Cue, Use
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import names, preset
from cued.text.token_counts import estimate_tokens
from tests.building import NOW, ago, comparable, evidence, memory

unit = st.floats(0, 1)
memories = st.builds(
    memory,
    created=st.floats(0, 900).map(lambda days: ago(days=days)),
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60),
    importance=unit,
    weight=st.floats(0.1, 1),
    kind=st.sampled_from(["semantic", "episodic", "procedural", "reflection"]),
    scope=st.sampled_from(["global", "p"]),
    trust=st.sampled_from(["user", "user", "agent", "tool", "import"]),
    use=st.builds(
        Use,
        last_at=st.none() | st.floats(0, 90).map(lambda days: ago(days=days)),
        count=st.integers(0, 50).map(float),
        counted_at=st.just(ago(days=1)),
    ),
)


@st.composite
def found(draw, most=12):
    """Evidence of up to `most` candidates with any columns."""
    n = draw(st.integers(0, most))
    rows = [replace(draw(memories), id=f"m{i:02}") for i in range(n)]
    column = st.lists(unit, min_size=n, max_size=n)
    ranks = st.permutations(range(1, n + 1)) if n else st.just([])
    vectors = np.array([draw(st.lists(st.floats(-1, 1), min_size=3, max_size=3)) for _ in range(n)]).reshape(n, 3) + 1e-3
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return evidence(
        rows,
        vectors=vectors,
        cosine=draw(column),
        bm25=np.array(draw(column)) * 9,
        coverage=draw(column),
        entities=draw(column),
        lexical_rank=draw(ranks),
        dense_rank=draw(ranks),
    )


policies = st.sampled_from(names()).map(preset)


def shuffled(found_, order):
    """The same evidence with its candidates in another order."""
    findings = found_.findings
    moved = replace(
        findings,
        memories=tuple(findings.memories[i] for i in order),
        columns={name: column[order] for name, column in findings.columns.items()},
        vectors=findings.vectors[order],
    )
    return replace(found_, findings=moved)


@given(found(), policies, st.randoms(use_true_random=False))
def test_decide_is_deterministic_and_blind_to_candidate_order(found_, policy, random):
    order = list(range(len(found_.findings.memories)))
    random.shuffle(order)
    assert comparable(decide(found_, policy)) == comparable(decide(found_, policy))
    assert comparable(decide(found_, policy)) == comparable(decide(shuffled(found_, order), policy))


@pytest.mark.requirement("X3")
@given(found(), policies)
def test_saved_evidence_decides_to_the_same_bytes(found_, policy):
    assert comparable(Envelope.decode(Envelope.of(found_, policy).encode()).decide()) == comparable(decide(found_, policy))


@given(found(), policies)
def test_contributions_add_up_to_the_score_or_multiply_to_it(found_, policy):
    trace = decide(found_, policy).trace
    if not trace.ids:
        return
    parts = np.array(list(trace.contributions.values()))
    total = parts.sum(axis=0) if trace.combine == "sum" else parts.prod(axis=0)
    np.testing.assert_allclose(total, trace.columns["score"], rtol=1e-9, atol=1e-12)


@given(found(most=6), st.sampled_from(["similarity", "importance", "bm25"]), st.integers(0, 5), st.floats(0.01, 1))
def test_raising_a_positively_weighted_signal_never_lowers_a_rank(found_, signal, row, by):
    rows = found_.findings.memories
    if row >= len(rows):
        return
    policy = preset("field-guide") if signal != "bm25" else preset("lexical")
    policy = adjust(policy, Adjustment(floor=0.0, limit=100))
    if signal == "importance":
        better = replace(rows[row], importance=min(1.0, rows[row].importance + by))
        findings = replace(found_.findings, memories=(*rows[:row], better, *rows[row + 1 :]))
    else:
        name = {"similarity": "cosine", "bm25": "bm25"}[signal]
        column = found_.findings.columns[name].copy()
        column[row] += by
        findings = replace(found_.findings, columns={**found_.findings.columns, name: column})
    before, after = (rank_of(rows[row].id, decide(each, policy)) for each in (found_, replace(found_, findings=findings)))
    assert after <= before


def rank_of(memory_id, recall):
    """The place of a memory among the chosen."""
    return [r.memory.id for r in recall.memories].index(memory_id)


@given(found(), policies, unit, unit)
def test_a_higher_floor_only_removes(found_, policy, low, high):
    low, high = sorted((low, high))
    wide = adjust(policy, Adjustment(limit=min(50, policy.budget.limit_max)))
    more, fewer = (decide(found_, adjust(wide, Adjustment(floor=floor))) for floor in (low, high))
    # of two that say the same, the one that orders first speaks for both as long as it is above the floor
    spoken_for = {each for recalled in more for each in (recalled.id, *recalled.duplicates)}
    # and what is unverified keeps silent beside what is not, as long as that is above the floor, and so does what it would speak for
    trace = more.trace
    silenced = {memory_id for memory_id, stage in zip(trace.ids, trace.stages, strict=True) if stage == "trust"}
    silenced |= {each for each, fate in zip(trace.ids, trace.fates, strict=True) if fate.removeprefix("duplicate of ") in silenced}
    assert {recalled.id for recalled in fewer} <= spoken_for | silenced


@given(found(), policies, st.integers(1, 400))
def test_the_budget_is_never_exceeded(found_, policy, tokens):
    recall = decide(found_, adjust(policy, Adjustment(budget_tokens=tokens, floor=0.0)))
    assert recall.tokens == estimate_tokens(recall.block)
    assert not recall.block or recall.tokens <= tokens
    assert len(recall.memories) <= policy.budget.limit


@pytest.mark.requirement("S9")
@given(found(), policies)
def test_every_candidate_has_a_fate_and_a_stage(found_, policy):
    trace = decide(found_, policy).trace
    assert all(trace.fates)
    assert set(trace.stages) <= {stage.__name__.rpartition(".")[2] for stage in flow.ORDER}
    assert {fate for fate, rank in zip(trace.fates, trace.ranks, strict=True) if rank} <= {"chosen"}


@given(found(), policies)
def test_relevance_is_a_probability(found_, policy):
    relevance = decide(found_, policy).trace.columns.get("relevance", np.array([]))
    assert np.all((relevance >= 0) & (relevance <= 1))


def test_no_candidates_is_a_fine_answer():
    empty = evidence([], cue=Cue(utterance="x", now=NOW))
    for name in names():
        recall = decide(empty, preset(name))
        assert (recall.outcome, recall.block, recall.memories) == ("nothing_stored", "", ())
