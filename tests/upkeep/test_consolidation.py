"""Consolidation: near-duplicates of a newer memory give way to it, as planned, whole or not at all, and come back."""

import pytest
from msgspec.structs import replace

import cued
from cued.errors import InputError
from cued.model import DERIVED_FROM, MERGED, Edge, Filter, Revision
from cued.upkeep import consolidation
from cued.upkeep.consolidation import apply, merges, plan, undo
from tests.building import NOW, ago, memory
from tests.stocking import STORES, everything, opened, stock


def tea(name, days, **facts):
    """Give a memory about tea, this many days old."""
    return memory(name, created=ago(days=days), **{"text": "The user drinks green tea.", **facts})


def pairs(planned):
    return [(merge.newer, merge.older) for merge in planned.merges]


def reasons(planned):
    return {(each.newer, each.older): each.reason for each in planned.spared}


def shown(store):
    return {each.id for each in store.list("t", Filter(), at=NOW, limit=100).memories}


@pytest.mark.requirement("S5")
def test_the_newest_takes_every_near_one_and_nothing_is_changed_by_planning(store):
    stock(store, tea("old", 9), tea("mid", 5), tea("new", 1))
    stock(store, tea("far", 3), way=30)
    before = everything(store)
    planned = plan("t", store, at=NOW)
    assert pairs(planned) == [("new", "mid"), ("new", "old")]
    assert (planned.scanned, planned.compared, planned.at_least) == (4, 4, 0.95)
    assert {merge.similarity for merge in planned.merges} == {1.0}
    assert everything(store) == before


@pytest.mark.requirement("S5")
def test_a_merge_is_a_supersession_that_can_be_told_from_a_belief(store):
    stock(store, tea("old", 9, weight=0.8), tea("new", 1, importance=0.7))
    before = everything(store)
    applied = apply("t", store, plan("t", store, at=NOW), at=NOW)
    assert [(merge.newer, merge.older) for merge in applied.merged] == [("new", "old")]
    new, old = store.get("t", ["new", "old"])
    assert new.supersedes == ("old",)
    assert new.edges == (Edge(MERGED, "old"),)
    assert (new.updated_at, new.version) == (before["new"][0].updated_at, 2)
    assert [(mark.by, mark.at) for mark in old.superseded] == [("new", NOW)]
    assert everything(store)["new"][1] == before["new"][1]
    assert shown(store) == {"new"}
    assert plan("t", store, at=NOW).merges == ()


@pytest.mark.requirement("S5")
def test_undo_brings_back_what_was_merged_and_it_stays_apart(store):
    stock(store, tea("old", 9, weight=0.8), tea("mid", 5), tea("new", 1))
    before = everything(store)
    apply("t", store, plan("t", store, at=NOW), at=NOW)
    assert [(each.newer, each.older, each.text_older, each.at) for each in merges("t", store)] == [
        ("new", "mid", "The user drinks green tea.", NOW),
        ("new", "old", "The user drinks green tea.", NOW),
    ]
    assert undo("t", store, ["new"], at=NOW, only=["mid"]) == ("mid",)
    assert shown(store) == {"new", "mid"}
    assert undo("t", store, ["new"], at=NOW) == ("old",)
    after = everything(store)
    assert (after["old"], after["mid"]) == (before["old"], before["mid"])
    assert merges("t", store) == ()
    again = plan("t", store, at=NOW)
    assert pairs(again) == [("mid", "old")]
    assert reasons(again) == {("new", "mid"): "marked as distinct"}
    with pytest.raises(InputError, match="merged others"):
        undo("t", store, ["new"], at=NOW)


@pytest.mark.requirement("S5")
def test_a_pair_marked_as_distinct_is_spared_and_says_so(store):
    stock(store, tea("old", 9), tea("new", 1))
    apply("t", store, plan("t", store, at=NOW), at=NOW)
    undo("t", store, ["new"], at=NOW)
    planned = plan("t", store, at=NOW)
    assert (pairs(planned), reasons(planned)) == ([], {("new", "old"): "marked as distinct"})


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "facts",
    [
        {"scope": "atlas"},
        {"kind": "procedural"},
        {"tier": "core"},
        {"expires_at": ago(days=2)},
        {"valid_until": ago(days=2)},
        {"valid_from": ago(days=-2)},
    ],
)
def test_what_differs_in_scope_kind_or_tier_or_is_not_visible_is_never_compared(store, facts):
    stock(store, tea("old", 9, **facts), tea("new", 1))
    planned = plan("t", store, at=NOW)
    assert (planned.merges, planned.spared) == ((), ())


@pytest.mark.requirement("S5", "P19")
def test_vectors_of_two_lengths_under_one_name_are_never_compared():
    with cued.open(embedder="hashing") as memories:
        tenant = memories.tenant("t", trust="tool")
        for number, size in enumerate((3, 4, 4)):
            tenant.remember("Bob bakes a lemon cake.", id=f"cake-{number}", vector=[1.0] * size, fingerprint="mine", conflicts=False)
        planned = tenant.plan_consolidation()
    assert (pairs(planned), planned.compared) == ([("cake-2", "cake-1")], 3)


def test_other_tenants_and_other_embedders_are_never_compared(store):
    stock(store, tea("old", 9), replace(tea("new", 1), tenant="other"))
    stock(store, tea("newer", 0), fingerprint="fake/plane@2/2")
    stock(store, tea("pending", 0), fingerprint=None)
    assert plan("t", store, at=NOW).merges == ()
    assert plan("other", store, at=NOW).merges == ()


@pytest.mark.requirement("S5")
def test_forgotten_and_superseded_memories_are_left_alone(store):
    stock(store, tea("forgotten", 9), tea("believed", 8, text="The user drinks black coffee."))
    stock(store, tea("belief", 7, text="The user drinks no coffee.", supersedes=("believed",)), way=90)
    stock(store, tea("new", 1))
    store.forget("t", ["forgotten"], at=NOW)
    assert plan("t", store, at=NOW).merges == ()


@pytest.mark.requirement("S5")
def test_near_texts_that_say_something_else_are_spared_with_the_reason(store):
    stock(store, tea("a", 9, text="The proxy listens on port 8080."), tea("b", 5, text="The proxy listens on port 8081."))
    stock(store, tea("c", 4, text="Marta likes mushrooms."), tea("d", 3, text="Marta does not like mushrooms."), way=90)
    stock(store, tea("e", 9, tags=("work",)), tea("f", 3), way=180)
    planned = plan("t", store, at=NOW)
    assert planned.merges == ()
    assert reasons(planned) == {
        ("b", "a"): "numbers differ: 8081 against 8080",
        ("d", "c"): "only the newer one negates",
        ("f", "e"): "tags differ: none against work",
    }


@pytest.mark.requirement("S5")
def test_a_memory_never_gives_way_to_one_that_ends_sooner(store):
    stock(store, tea("lasting", 9), tea("brief", 1, expires_at=ago(days=-3)))
    planned = plan("t", store, at=NOW)
    assert reasons(planned) == {("brief", "lasting"): "the newer one ends sooner"}
    stock(store, tea("newest", 0))
    assert pairs(plan("t", store, at=NOW)) == [("newest", "brief"), ("newest", "lasting")]


@pytest.mark.requirement("S5", "P12")
def test_what_a_visible_reflection_was_derived_from_is_not_merged_away(store):
    stock(store, tea("source", 9), tea("new", 1))
    stock(store, memory("thought", kind="reflection", edges=(Edge(DERIVED_FROM, "source"),)), way=90)
    assert reasons(plan("t", store, at=NOW)) == {("new", "source"): "a reflection was derived from it"}
    store.forget("t", ["thought"], at=NOW)
    assert pairs(plan("t", store, at=NOW)) == [("new", "source")]


@pytest.mark.requirement("S5")
def test_there_are_no_chains_and_ties_go_to_the_greater_id(store):
    stock(store, tea("a", 5), way=0)
    stock(store, tea("b", 5), way=15)
    stock(store, tea("c", 5), way=30)
    planned = plan("t", store, at=NOW)
    assert pairs(planned) == [("c", "b")]
    apply("t", store, planned, at=NOW)
    assert plan("t", store, at=NOW).merges == ()


@pytest.mark.requirement("S5")
def test_what_changed_since_the_plan_is_skipped_and_said(store):
    stock(store, tea("o1", 9), tea("n1", 8))
    stock(store, tea("o2", 9), tea("n2", 8), way=60)
    stock(store, tea("o3", 9), tea("n3", 8), way=120)
    stock(store, tea("o4", 9), tea("n4", 8), way=180)
    planned = plan("t", store, at=NOW)
    store.revise("t", [Revision(id="o1", set={"importance": 0.9})], at=NOW)
    store.forget("t", ["n2"], at=NOW)
    store.erase("t", ["o3"])
    applied = apply("t", store, planned, at=NOW)
    assert [merge.older for merge in applied.merged] == ["o4"]
    assert {each.merge.older: each.reason for each in applied.skipped} == {
        "o1": "the older one has changed since",
        "o2": "the newer one has changed since",
        "o3": "erased since",
    }
    again = apply("t", store, planned, at=NOW)
    assert again.merged == ()
    assert {each.merge.older: each.reason for each in again.skipped}["o4"] == "merged before"


class CutShortError(Exception):
    """The run ended here."""


@pytest.mark.requirement("S5")
def test_a_run_cut_short_leaves_whole_merges_and_the_next_run_has_the_rest(store, monkeypatch):
    monkeypatch.setattr(consolidation, "BATCH", 3)
    stock(store, *(tea(f"m{number}", 20 - number) for number in range(9)))

    def cut(done, total):
        raise CutShortError

    planned = plan("t", store, at=NOW)
    with pytest.raises(CutShortError):
        apply("t", store, planned, at=NOW, progress=cut)
    assert len(shown(store)) == 6
    assert len(merges("t", store)) == 3
    stale = apply("t", store, planned, at=NOW)
    assert [each.reason for each in stale.skipped] == ["merged before"] * 3 + ["the newer one has changed since"] * 5
    heard = []
    applied = apply("t", store, plan("t", store, at=NOW), at=NOW, progress=lambda done, total: heard.append((done, total)))
    assert (len(applied.merged), shown(store), heard) == (5, {"m8"}, [(3, 5), (5, 5)])
    assert len(merges("t", store)) == 8


def test_a_cosine_that_is_none_is_refused(store):
    for wrong in (0.0, 1.5, float("nan")):
        with pytest.raises(InputError, match="at_least"):
            plan("t", store, at=NOW, at_least=wrong)


@pytest.mark.requirement("S5")
def test_both_stores_and_any_order_of_storing_give_the_same_plan(tmp_path):
    memories = [(tea(f"m{number:02}", number % 5, text=f"Note {number % 3} on tea."), 8.0 * (number % 7)) for number in range(30)]
    plans = []
    for kind in STORES:
        for order in (memories, memories[::-1]):
            folder = tmp_path / f"{kind}{len(plans)}"
            folder.mkdir()
            with opened(kind, folder) as kept:
                for each, way in order:
                    stock(kept, each, way=way)
                plans.append(plan("t", kept, at=NOW))
    assert plans[0].merges
    assert all(each == plans[0] for each in plans)


@pytest.mark.requirement("S5")
def test_the_guard_holds_with_the_real_model(store):
    minilm = pytest.importorskip("cued.embed.minilm")
    pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
    embedder = minilm.MiniLM("minilm", threads=1)
    one = ["The cache is warmed up at startup.", "The cache gets warmed up on startup."]
    apart = [
        ["Increase the timeout of the upload handler.", "Decrease the timeout of the upload handler."],
        ["The service must be restarted before the migration.", "The service must be restarted after the migration."],
        ["Alice owes Bob the deposit for the flat.", "Bob owes Alice the deposit for the flat."],
        ["The nightly build of the mobile app takes 40 minutes.", "The nightly build of the mobile app takes 45 minutes."],
        ["Invoices are sent at the end of each month.", "Invoices are sent at the start of each month."],
    ]
    for number, (older, newer) in enumerate([one, *apart]):
        vectors = embedder.embed([older, newer], role="memory")
        assert float(vectors[0] @ vectors[1]) >= 0.95, older
        for age, text, vector in ((2, older, vectors[0]), (1, newer, vectors[1])):
            stock(store, tea(f"p{number}-{2 - age}", age, text=text), vector=vector, fingerprint=str(embedder.fingerprint))
    planned = plan("t", store, at=NOW)
    assert pairs(planned) == [("p0-1", "p0-0")]
    assert [each.older for each in planned.spared] == [f"p{number}-0" for number in range(5, 0, -1)]
