"""explain: the whole table, and why a memory did not come back."""

from datetime import timedelta

import pytest

import cued
from cued.errors import NotFoundError
from cued.surfaces.contract import explanation_json
from tests.building import NOW, ago
from tests.fakes import FixedClock


@pytest.fixture
def alice():
    with cued.open(None, embedder="hashing", clock=FixedClock(), settle="off") as opened:
        yield opened.tenant("alice")


def verdict(alice, cue, memory_id, **options):
    return alice.explain(cue, memory=memory_id, **options).verdict


@pytest.mark.requirement("S9")
def test_every_candidate_is_in_the_table_with_ranks_signals_contributions_and_fate(alice):
    for i in range(5):
        alice.remember(f"note {i} about the garden")
    trace = alice.explain("garden note 3").recall.trace
    assert len(trace.ids) == 5
    assert all(trace.fates)
    assert {"lexical_rank", "dense_rank", "cosine", "z", "coverage", "fused", "relevance", "score"} <= set(trace.columns)
    assert set(trace.contributions) == {"log_odds", "note_words", "activation", "importance", "confidence", "scope", "trust"}


@pytest.mark.requirement("S9")
@pytest.mark.parametrize(
    ("facts", "options", "fate", "change"),
    [
        ({"scope": "atlas"}, {}, "scope gate", "belongs to scope 'atlas'"),
        ({"ttl": "1d", "at": ago(days=3)}, {}, "expiry gate", "--ttl"),
        (
            {"valid_until": NOW - timedelta(days=1)},
            {},
            "validity gate",
            "it holds until 2025-05-31 12:00, and the cue asks about 2025-06-01 12:00",
        ),
        ({}, {"as_of": ago(days=4)}, "as_of gate", "2025-06-01 12:00, after 2025-05-28 12:00"),
        ({}, {"kinds": ["episodic"]}, "kinds gate", "is semantic"),
        ({"tags": ["a"]}, {"tags": ["a", "b"]}, "tags gate", "lacks the tags b"),
    ],
)
def test_a_gate_is_named_with_what_would_open_it(alice, facts, options, fate, change):
    kept = alice.remember("The garden gate squeaks.", **facts).id
    got = verdict(alice, "garden gate", kept, **options)
    assert fate in got.fate
    assert change in got.change


@pytest.mark.requirement("S9", "P12")
def test_supersession_and_forgetting_are_named(alice):
    old = alice.remember("The garden gate is green.").id
    new = alice.remember("The garden gate is blue.", supersedes=old).id
    assert new in verdict(alice, "garden gate", old).change
    alice.forget(new)
    assert "restoring it" in verdict(alice, "garden gate", new).change


@pytest.mark.requirement("S9")
def test_the_floor_is_named_with_both_numbers(alice):
    kept = alice.remember("The garden gate squeaks.").id
    got = verdict(alice, "what does the gate of the neighbour sound like?", kept, floor=0.99)
    assert got.stage == "floor"
    assert "floor 0.99" in got.fate
    assert "at or below" in got.change


@pytest.mark.requirement("S9")
def test_the_limit_and_the_budget_are_named(alice):
    ids = [alice.remember(f"garden note {word}").id for word in ("one", "two", "three")]
    chosen = {r.memory.id for r in alice.recall("garden note", limit=2, floor=0.0).memories}
    (left,) = set(ids) - chosen
    assert "limit of 2" in verdict(alice, "garden note", left, limit=2, floor=0.0).fate
    assert "tokens" in verdict(alice, "garden note", left, floor=0.0, budget_tokens=60).fate


@pytest.mark.requirement("S9")
def test_a_memory_that_no_channel_found_is_told_apart_from_one_beyond_the_pools(alice):
    kept = alice.remember("Completely different matters.").id
    got = verdict(alice, "garden", kept, without=["dense"])
    assert got.fate == "found by no channel"
    assert got.change == "the cue would have to share a word, a name or a time with it; shut in this recall: dense"
    for i in range(30):
        alice.remember(f"the garden garden garden note {i}")
    late = alice.remember("once upon a time there was, far away behind the hills, some garden or other").id
    got = verdict(alice, "garden", late, policy="siftcoder", without=["dense"])
    assert got.stage == "budget"
    for i in range(30, 60):
        alice.remember(f"the garden garden garden note {i}")
    got = verdict(alice, "garden", late, policy="siftcoder", without=["dense"])
    assert got.stage == "gather"
    assert "lexical rank 61 with a pool of 50" in got.fate


def test_a_memory_that_came_back_is_explained_too(alice):
    kept = alice.remember("The garden gate squeaks.").id
    got = verdict(alice, "garden gate squeaks", kept)
    assert (got.fate, got.change) == ("chosen", "nothing: it is in the answer")
    assert got.ranks["lexical"] == 1


def test_a_pinned_memory_is_said_to_be_in_the_block_and_not_to_be_below_the_floor(alice):
    alice.remember("The garden gate squeaks.")
    kept = alice.remember("Speaks Portuguese at home.", tier="core").id
    told = alice.explain("garden gate squeaks", memory=kept)
    assert "Portuguese" in told.recall.block
    assert (told.verdict.fate, told.verdict.change) == ("core: shown in every block", "nothing: it is in the answer")
    assert told.verdict.single == ()
    row = next(each for each in explanation_json(told)["candidates"] if each["id"] == kept)
    assert (row["fate"], row["stage"], row["rank"]) == ("core: shown in every block", "budget", None)


def test_an_unknown_id_is_refused(alice):
    with pytest.raises(NotFoundError):
        alice.explain("x", memory="01NOPE")


@pytest.mark.requirement("S9", "P12")
def test_a_reflection_without_a_source_left_is_named_with_what_became_of_each(alice):
    fact = alice.remember("The garden gate is green.").id
    thought = alice.remember("Green paint is liked for the garden.", kind="reflection", derived_from=[fact, "never-stored"]).id
    further = alice.remember("Buy green garden paint.", kind="reflection", derived_from=thought).id
    assert verdict(alice, "green garden paint", further, floor=0.0).fate == "chosen"
    newer = alice.remember("The garden gate is blue.", supersedes=fact).id
    assert verdict(alice, "green garden paint", thought).fate == "struck by the provenance gate"
    assert f"has fallen: {fact} (superseded by {newer});" in verdict(alice, "green garden paint", thought).change
    assert f"{thought} (its own sources are gone)" in verdict(alice, "green garden paint", further).change
    alice.forget(newer)
    assert verdict(alice, "green garden paint", further, floor=0.0).fate == "chosen"
    alice.forget(fact)
    assert f"{fact} (forgotten)" in verdict(alice, "green garden paint", thought).change


@pytest.mark.requirement("S9", "S6", "P12")
def test_as_of_a_time_before_one_source_existed_a_reflection_is_struck_for_the_other(alice):
    early = alice.remember("The garden gate is green.", at=ago(days=9)).id
    thought = alice.remember("Green is liked in the garden.", kind="reflection", derived_from=[early, "late"], at=ago(days=8)).id
    alice.remember("The garden gate is blue.", supersedes=early, at=ago(days=7))
    alice.remember("The garden bench is green.", id="late", at=ago(days=2))
    assert verdict(alice, "green garden", thought, floor=0.0).fate == "chosen"
    options = {"as_of": ago(days=5)}
    assert alice.recall("green garden", **options).suppressed["provenance"] == 1
    got = verdict(alice, "green garden", thought, **options)
    assert got.fate == "struck by the provenance gate"
    assert f"has fallen: {early} (superseded by " in got.change
    assert "late" not in got.change


@pytest.mark.requirement("S9", "S6")
@pytest.mark.parametrize("options", [{}, {"scope": "atlas"}, {"kinds": ["reflection"]}, {"as_of": ago(days=2)}, {"as_of": ago(hours=1)}])
def test_the_gates_that_explain_names_are_those_that_struck(options):
    clock = FixedClock(ago(days=3))
    with cued.open(None, embedder=None, clock=clock, settle="off") as opened:
        alice = opened.tenant("alice")
        old = [alice.remember(f"garden note {i}").id for i in range(3)]
        loop = [alice.remember(f"thought {i}", id=f"loop{i}", kind="reflection", derived_from=f"loop{1 - i}").id for i in range(2)]
        drawn = [alice.remember(f"thought on {i}", kind="reflection", derived_from=each).id for i, each in enumerate(old)]
        clock.move(days=1)
        newer = alice.remember("garden note anew", supersedes=old[0]).id
        local = alice.remember("garden note in atlas", scope="atlas", supersedes=old[1]).id
        clock.move(days=1)
        alice.forget(newer, old[2])
        clock.move(days=1)
        everything = [*old, *loop, *drawn, newer, local]
        recall = alice.recall("garden note", **options)
        fates = [verdict(alice, "garden note", each, **options).fate for each in everything]
    struck = [fate.removeprefix("struck by the ").removesuffix(" gate") for fate in fates if fate.endswith(" gate")]
    assert {gate: struck.count(gate) for gate in struck} == recall.suppressed
