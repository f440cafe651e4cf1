"""The pack for a conversation's start: core first, then what is needed most, within its tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cued.errors import InputError
from cued.handles.bootstrap import bootstrap
from cued.model import DERIVED_FROM, Edge, Use
from cued.policy.presets import load_policy
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.text.token_counts import estimate_tokens
from tests.building import NOW, ago, memory
from tests.stocking import stock

CUED = load_policy("cued")


def start(store, **options):
    return bootstrap("t", store, options.pop("policy", CUED), at=NOW, **options)


def names(pack):
    return [each.memory.id for each in pack.memories]


@pytest.mark.requirement("M9")
def test_core_comes_first_and_then_what_is_needed_most(store):
    stock(
        store,
        memory("core", tier="core", text="The user is called Ines."),
        memory("minor", importance=0.1),
        memory("major", importance=0.9, created=ago(days=300)),
        memory("doubted", importance=0.9, weight=0.1, created=ago(days=300)),
        memory("thought", kind="reflection", tier="reflection", importance=0.6),
        memory("turn", kind="episodic", tier="episode", importance=1.0),
    )
    pack = start(store)
    assert [each.id for each in pack.core] == ["core"]
    assert names(pack) == ["major", "thought", "doubted", "minor"]
    assert pack.block.index("Ines") < pack.block.index("text of major") < pack.block.index("text of minor")
    assert "text of turn" not in pack.block
    assert (pack.tokens, pack.omitted) == (estimate_tokens(pack.block), ())


@pytest.mark.requirement("M9")
def test_need_is_the_sum_of_what_it_is_made_of(store):
    stock(store, memory("m1", importance=0.5, weight=0.8, scope="atlas", use=Use(boost=1.2), created=ago(days=100)))
    [only] = start(store, scope="atlas").memories
    assert only.contributions == pytest.approx(
        {"importance": 0.5 * 1.2, "confidence": 0.5 * 0.8, "activation": 0.1 * -2.302585, "scope": 0.2}
    )
    assert only.need == pytest.approx(sum(only.contributions.values()))


@pytest.mark.requirement("M9", "P12")
def test_the_gates_of_a_recall_hold_for_the_pack(store):
    stock(store, memory("old"), memory("new", supersedes=("old",)), memory("expired", expires_at=NOW), memory("gone"))
    stock(store, memory("elsewhere", scope="borea"), memory("here", scope="atlas"), memory("later", valid_from=ago(days=-1)))
    stock(store, memory("stale", kind="reflection", edges=(Edge(DERIVED_FROM, "old"),)))
    stock(store, memory("pinned elsewhere", tier="core", scope="borea"))
    store.forget("t", ["gone"], at=NOW)
    pack = start(store, scope="atlas")
    assert (pack.core, names(pack)) == ((), ["here", "new"])


@pytest.mark.requirement("M9")
def test_what_does_not_fit_is_named(store):
    stock(store, *(memory(f"m{number}", importance=number / 10, text="A fact that takes some words to tell. " * 3) for number in range(10)))
    pack = start(store, budget_tokens=200)
    assert pack.tokens <= 200
    assert names(pack)[0] == "m9"
    assert {*names(pack), *(each.id for each in pack.omitted)} == {f"m{number}" for number in range(10)}
    assert all(each.reason for each in pack.omitted)


@pytest.mark.requirement("M9")
def test_an_empty_tenant_starts_with_nothing(store):
    pack = start(store)
    assert (pack.core, pack.memories, pack.block, pack.omitted, pack.tokens) == ((), (), "", (), 0)
    with pytest.raises(InputError, match="budget_tokens"):
        start(store, budget_tokens=0)


@pytest.mark.requirement("M9")
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0, 1), st.sampled_from(["core", "fact"])), max_size=15), st.integers(1, 400))
def test_the_budget_is_never_exceeded(facts, tokens):
    store = Store(MemoryKeeper())
    for number, (words, importance, tier) in enumerate(facts):
        stock(store, memory(f"m{number:02}", text="word " * words, importance=importance, tier=tier))
    pack = bootstrap("t", store, CUED, at=NOW, budget_tokens=tokens)
    assert estimate_tokens(pack.block) == pack.tokens <= tokens
    shown = [*(each.id for each in pack.core), *names(pack)]
    assert len(shown) == len(set(shown))
    assert {*shown, *(each.id for each in pack.omitted)} == {f"m{number:02}" for number in range(len(facts))}


def test_a_pack_is_its_block_and_is_true_where_there_is_one(store):
    assert (str(start(store)), bool(start(store))) == ("", False)
    stock(store, memory("core", tier="core", text="The user is called Ines."))
    pack = start(store)
    assert (str(pack), bool(pack)) == (pack.block, True)
