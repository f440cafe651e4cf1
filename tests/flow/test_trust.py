"""trust: what is verified comes first, the rest in few places and once, and nothing happens where all is of one sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.engine import decide
from cued.flow.trust import LEAST_TOKENS
from cued.model import TRUSTS, UNVERIFIED, Source
from cued.policy.parse import parse
from cued.text.token_counts import estimate_tokens
from tests.building import evidence, memory

RULES = """
[channels]
dense = {{ pool = 50 }}
[score]
terms = [{{ signal = "similarity" }}]
[trust]
one_in = {one_in}
variants = {variants}
[budget]
limit = {limit}
"""


def rules(*, one_in=3, variants=2.0, limit=10, **more):
    policy = parse(RULES.format(one_in=one_in, variants=variants, limit=limit), name="trusting")
    return replace(policy, budget=replace(policy.budget, **more)) if more else policy


def asked(*trusts, policy=None, vectors=None, **facts):
    """What is recalled of memories of these trusts, the best first, and the recall."""
    memories = [memory(f"m{place:02}", trust=trust, **facts) for place, trust in enumerate(trusts)]
    cosines = np.linspace(0.9, 0.5, len(trusts)) if trusts else np.array([])
    recall = decide(evidence(memories, cosine=cosines, vectors=vectors), policy or rules())
    return [each.memory.trust for each in recall], recall


@pytest.mark.parametrize("trust", TRUSTS)
def test_among_memories_of_one_trust_nothing_changes(trust):
    assert asked(*[trust] * 6)[0] == [trust] * 6
    assert asked(*[trust] * 6)[1].block == asked(*[trust] * 6, policy=rules(one_in=1))[1].block


def test_what_is_verified_comes_first_and_a_third_at_most_is_not():
    assert asked("tool", "import", "tool", "user", "agent", "user", "user")[0] == ["user", "agent", "user", "user", "tool", "import"]
    assert asked("tool", "user")[0] == ["user"]
    assert asked("tool", "user", "user")[0] == ["user", "user", "tool"]


def test_what_is_left_out_is_named_with_its_reason():
    _, recall = asked("tool", "user")
    assert [(each.id, each.reason) for each in recall.omitted] == [
        ("m00", "unverified: at most one in 3 may be, where something verified speaks")
    ]
    assert recall.trace.stages[0] == "trust"


@given(st.lists(st.sampled_from(TRUSTS), max_size=20), st.integers(1, 5), st.integers(1, 12), st.sampled_from([None, 40, 90, 400]))
def test_the_share_holds_whatever_is_found_and_fits(trusts, one_in, limit, tokens):
    chosen, recall = asked(*trusts, policy=rules(one_in=one_in, limit=limit, tokens=tokens))
    unsure = sum(trust in UNVERIFIED for trust in chosen)
    if one_in > 1 and any(trust not in UNVERIFIED for trust in trusts):
        assert unsure * one_in <= len(chosen)
        assert chosen == sorted(chosen, key=lambda trust: trust in UNVERIFIED)
    assert tokens is None or recall.tokens <= tokens


@given(st.lists(st.sampled_from(TRUSTS), max_size=12), st.integers(2, 5), st.integers(1, 60), st.sampled_from([300, 900, 4000]))
def test_the_unverified_take_their_share_of_the_room_and_no_more_whatever_else_is_recalled(trusts, one_in, words, tokens):
    chosen, recall = asked(*trusts, policy=rules(one_in=one_in, tokens=tokens), text="clay dries slowly " * words)
    unsure = [line for line in recall.block.splitlines() if ", unverified]" in line]
    assert len(unsure) == sum(trust in UNVERIFIED for trust in chosen)
    assert sum(map(estimate_tokens, unsure)) <= max(tokens // one_in, LEAST_TOKENS)


@pytest.mark.parametrize("overflow", ["omit", "compact"])
def test_one_long_unverified_memory_is_shortened_to_its_share(overflow):
    policy = rules(tokens=900, overflow=overflow)
    chosen, recall = asked("tool", policy=policy, text="The clay dries slowly in the shed. " * 400)
    assert (chosen, recall.compacted) == (["tool"], True)
    assert 200 < recall.tokens < 400
    _, verified = asked("user", policy=policy, text="The clay dries slowly in the shed. " * 400)
    assert verified.tokens > 800


def test_variants_of_one_source_count_once_and_those_of_another_do_not():
    same = np.ones((5, 4), dtype=np.float32) / 2
    memories = [memory(f"m{n}", trust="user") for n in range(2)]
    memories += [memory("t2", trust="tool"), memory("t3", trust="tool"), memory("t4", trust="tool", source=Source(url="https://x"))]
    found = evidence(memories, cosine=np.linspace(0.9, 0.5, 5), vectors=same)
    recall = decide(found, rules(one_in=2, variants=0.9))
    assert [each.id for each in recall] == ["m0", "m1", "t2", "t4"]
    assert recall.memories[2].duplicates == ("t3",)
    assert recall.omitted[0].reason == "variant of t2 from the same source, unverified as it is"


def test_a_duplicate_is_never_kept_for_one_that_is_less_trusted():
    same = np.ones((2, 4), dtype=np.float32) / 2
    found = evidence([memory("a", trust="tool"), memory("b")], cosine=[0.9, 0.5], vectors=same)
    policy = rules(one_in=1)
    recall = decide(found, replace(policy, diversify=replace(policy.diversify, collapse=0.9)))
    assert [(each.id, each.duplicates) for each in recall] == [("b", ("a",))]


@pytest.mark.parametrize("form", ["text", "markdown", "xml", "json"])
def test_each_form_tells_the_unverified_apart(form):
    policy = rules()
    _, recall = asked("tool", "user", "user", policy=replace(policy, render=replace(policy.render, form=form)))
    told = {"text": "Unverified, said by", "markdown": "> Unverified, said by", "xml": "<unverified note=", "json": '"part":"unverified"'}
    before, _, after = recall.block.partition(told[form])
    assert before.count("unverified") == (0 if form != "json" else 1)
    assert "unverified" in after or form == "json"


def test_the_signal_is_zero_where_all_come_from_one_and_bounded_by_its_values():
    terms = '[{{ signal = "trust", values = {{ agent = -0.5, tool = -2.0 }} }}]'
    scored = RULES.replace('[{{ signal = "similarity" }}]', terms)
    policy = parse(scored.format(one_in=1, variants=2.0, limit=9), name="trusting")
    _, alike = asked("tool", "tool", policy=policy)
    _, mixed = asked("tool", "agent", "user", policy=policy)
    assert [each.score for each in alike] == [0.0, 0.0]
    assert sorted(each.score for each in mixed) == [-2.0, -0.5, 0.0]
