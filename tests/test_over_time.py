"""The handle's verbs for memory over time, on both stores: feedback, beliefs, delivery, upkeep, erasure."""

import pytest

import cued
from cued.errors import InputError, NotFoundError
from tests.fakes import FixedClock


@pytest.fixture(params=["memory", "sqlite"])
def opened(request, tmp_path):
    """Open memories with a clock that stands still, in either store."""
    clock = FixedClock()
    path = None if request.param == "memory" else tmp_path / "memories.db"
    with cued.open(path, embedder="hashing", clock=clock) as memories:
        memories.clock = clock
        yield memories


@pytest.fixture
def alice(opened):
    """Give one tenant's handle."""
    return opened.tenant("alice")


@pytest.mark.requirement("P7")
def test_feedback_moves_importance_by_five_per_cent_and_counts_once(alice):
    alice.remember("The staging deploy runs on Friday.", id="deploy")
    recall = alice.recall("when does the staging deploy run?")
    assert alice.feedback(recall.recall_id, cited=["deploy"]) == ("deploy",)
    assert alice.feedback(recall.recall_id, cited=["deploy"]) == ()
    assert alice.get("deploy").use.boost == pytest.approx(1.05)
    assert alice.log()[0].cited == ("deploy",)


@pytest.mark.requirement("P7")
def test_feedback_is_about_what_the_recall_brought(alice):
    alice.remember("The staging deploy runs on Friday.", id="deploy")
    alice.remember("Bob is allergic to peanuts.", id="peanuts")
    recall = alice.recall("when does the staging deploy run?")
    with pytest.raises(InputError, match="deploy"):
        alice.feedback(recall.recall_id, bad=["peanuts"])
    with pytest.raises(InputError, match="recall_id"):
        alice.feedback("no-such-recall", cited=["deploy"])
    assert alice.get("peanuts").use.boost == 1.0


@pytest.mark.requirement("M6")
def test_a_conflict_is_resolved_by_superseding_after_the_fact(alice):
    alice.remember("The office is in Berlin.", id="berlin")
    alice.remember("The office is in Lisbon.", id="lisbon")
    assert alice.update("lisbon", supersedes=["berlin"]).supersedes == ("berlin",)
    assert [each.memory.id for each in alice.recall("where is the office?").memories] == ["lisbon"]
    assert alice.get("berlin").weight == 0.1
    alice.update("lisbon", supersedes=[])
    assert {each.memory.id for each in alice.recall("where is the office?").memories} == {"berlin", "lisbon"}
    assert alice.get("berlin").weight == 1.0


@pytest.mark.requirement("M6", "M8")
def test_conflicts_can_be_resolved_one_after_the_other(alice):
    alice.remember("The office is in Berlin.", id="berlin")
    alice.remember("The office is in Rome.", id="rome", conflicts=False)
    found = alice.remember("The office is in Lisbon.", id="lisbon").conflicts
    assert {(conflict.id, conflict.type) for conflict in found} == {("berlin", "update"), ("rome", "update")}
    for conflict in found:
        (call,) = next(choice.python for choice in conflict.choices if choice.action == "supersede")
        eval(call, {"tenant": alice})
    assert set(alice.get("lisbon").supersedes) == {"berlin", "rome"}
    assert [each.memory.id for each in alice.recall("where is the office?").memories] == ["lisbon"]


@pytest.mark.requirement("P10", "M9")
def test_core_memories_are_in_every_block_and_never_twice(alice):
    alice.remember("The user's name is Ada.", id="name", tier="core")
    alice.remember("Ada keeps bees in the garden.", id="bees")
    silent = alice.recall("what does the quarterly tax form ask for?")
    assert (silent.memories, [memory.id for memory in silent.core]) == ((), ["name"])
    assert "The user's name is Ada." in silent.block
    asked = alice.recall("what is the user's name, Ada?")
    assert "name" not in [each.memory.id for each in asked.memories]
    assert asked.block.count("The user's name is Ada.") == 1


@pytest.mark.requirement("M9")
def test_a_conversation_starts_with_a_pack_that_says_what_it_left_out(alice):
    alice.remember("The user's name is Ada.", id="name", tier="core")
    alice.remember("Answers in metric units.", id="metric", importance=0.9)
    for number in range(30):
        alice.remember(f"Minor detail number {number} about something or other.", importance=0.1)
    pack = alice.bootstrap(budget_tokens=200)
    assert [memory.id for memory in pack.core] == ["name"]
    assert pack.memories[0].memory.id == "metric"
    assert pack.tokens <= 200
    assert pack.omitted


@pytest.mark.requirement("R21")
def test_the_block_takes_at_most_a_quarter_of_the_models_window(alice):
    for number in range(8):
        alice.remember(f"The staging deploy of service {number} runs on Friday at noon, after the checks have passed.")
    whole = alice.recall("when does the staging deploy run?", floor=0.0)
    tight = alice.recall("when does the staging deploy run?", floor=0.0, window_tokens=600)
    assert whole.tokens > 150 >= tight.tokens > 0
    assert tight.omitted


@pytest.mark.requirement("F6")
def test_what_does_not_fit_is_compacted_when_asked(alice):
    for number in range(8):
        alice.remember(f"The staging deploy of service {number} runs on Friday at noon. It takes an hour. Nobody minds that at all.")
    tight = alice.recall("when does the staging deploy run?", floor=0.0, budget_tokens=260, compact=True)
    assert tight.compacted
    assert tight.tokens <= 260


@pytest.mark.requirement("S7", "S8")
def test_a_memory_can_say_where_it_comes_from_and_what_stood_around_it(alice, opened):
    alice.remember("Ada skipped lunch.", id="lunch")
    opened.clock.move(minutes=1)
    alice.remember("Ada is short of time this week.", id="short", kind="reflection", derived_from=["lunch"])
    assert [node.id for node in alice.why("short").because] == ["lunch"]
    assert [node.id for node in alice.why("lunch").led_to] == ["short"]
    assert [memory.id for memory in alice.timeline("lunch").after] == ["short"]


@pytest.mark.requirement("P12")
def test_a_reflection_falls_with_the_last_of_its_sources(alice):
    alice.remember("Ada skipped lunch.", id="lunch")
    alice.remember("Ada is short of time.", id="short", kind="reflection", derived_from="lunch")
    cue = "is Ada short of time?"
    assert "short" in [each.memory.id for each in alice.recall(cue).memories]
    alice.remember("Ada had lunch after all.", id="after", supersedes="lunch")
    fallen = alice.recall(cue)
    assert "short" not in [each.memory.id for each in fallen.memories]
    assert fallen.suppressed["provenance"] == 1


@pytest.mark.requirement("S5")
def test_consolidation_is_planned_done_and_undone(alice, opened):
    alice.remember("The staging deploy runs on Friday.", id="old")
    opened.clock.move(days=1)
    alice.remember("the staging deploy runs on friday", id="new")
    plan = alice.plan_consolidation()
    assert [(merge.newer, merge.older) for merge in plan.merges] == [("new", "old")]
    assert len(alice.consolidate(plan).merged) == 1
    assert [each.memory.id for each in alice.recall("when does staging deploy?").memories] == ["new"]
    assert alice.unmerge("new") == ("old",)
    assert alice.plan_consolidation().merges == ()


@pytest.mark.requirement("X9")
def test_erasing_everything_leaves_nothing_of_the_tenant_and_all_of_the_others(alice, opened):
    bob = opened.tenant("bob")
    alice.remember("Ada keeps bees.", id="bees")
    bob.remember("Bob keeps goats.", id="goats")
    alice.recall("who keeps bees?")
    assert alice.erase_everything().memories == 1
    assert (alice.stats().memories, alice.log()) == (0, ())
    with pytest.raises(NotFoundError):
        alice.get("bees")
    assert bob.get("goats").text == "Bob keeps goats."
    assert opened.tenants() == ("bob",)


def test_edges_that_consolidation_keeps_for_itself_are_refused(alice):
    with pytest.raises(InputError, match="another relation"):
        alice.remember("x", edges=[("merged", "y")])


@pytest.mark.requirement("S5", "M6")
def test_consolidation_does_not_run_beliefs_into_a_circle(alice, opened):
    said = "Ada drinks green tea in the morning."
    for name, text, scope in (("c", said, "p"), ("b", "The key lies under the mat.", "global"), ("a", said, "p")):
        alice.remember(text, id=name, scope=scope, conflicts=False)
        opened.clock.move(hours=1)
    alice.update("c", supersedes="b")
    alice.update("b", supersedes="a")
    with pytest.raises(InputError, match="supersedes"):
        alice.update("a", supersedes="c")
    alice.forget("b")
    plan = alice.plan_consolidation()
    assert plan.merges == ()
    assert [each.reason for each in plan.spared] == ["the newer one gives way to it"]
