"""Short histories that are easy to get wrong: each was found among long ones, or by breaking the product on purpose."""

from contextlib import closing

import pytest

from tests.truth.world import World

TEA, SAME_TEA, KEY = "Ada drinks green tea in the morning.", "ada drinks green tea, in the morning", "The spare key lies under the mat."


@pytest.fixture
def world():
    """Give an empty world; what the test has done to it must in the end agree with the model, now and as of every moment."""
    with closing(World()) as made:
        yield made
        made.agree_where_something_was_done()
        for moment in made.moments:
            made.agree_on_the_past("ada", moment)


@pytest.mark.requirement("S5")
def test_what_was_merged_let_go_and_merged_again_comes_back_once(world):
    world.remember("ada", TEA)
    world.remember("ada", SAME_TEA)
    world.consolidate("ada")
    world.move_clock(hours=1)
    world.update("ada", "m02", supersedes=())
    world.agree_on_merges("ada")
    world.move_clock(hours=1)
    world.consolidate("ada")
    world.move_clock(hours=1)
    world.unmerge("ada", "m02")
    assert world.truths["ada"].visible("global", at=world.now) == {"m01", "m02"}


@pytest.mark.requirement("S5")
def test_what_was_merged_and_then_erased_does_not_come_back(world):
    world.remember("ada", TEA)
    world.remember("ada", SAME_TEA)
    world.consolidate("ada")
    world.erase("ada", "m01")
    world.agree_on_merges("ada")
    assert (world.truths["ada"].merges(), world.truths["ada"].visible("global", at=world.now)) == (set(), {"m02"})


@pytest.mark.requirement("S5")
def test_what_has_come_back_can_be_merged(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    world.move_clock(hours=1)
    world.forget("ada", "m02")
    world.remember("ada", SAME_TEA)
    world.consolidate("ada")
    assert world.truths["ada"].merges() == {("m03", "m01")}


@pytest.mark.requirement("P13")
def test_what_had_given_way_for_a_while_is_known_after_moving_house(world):
    world.remember("ada", TEA)
    world.move_clock(hours=1)
    world.remember("ada", KEY, supersedes=("m01",))
    world.move_clock(hours=1)
    world.forget("ada", "m02")
    world.move_clock(hours=1)
    world.move_house("ada")
    world.restore("ada", "m02")
    assert world.truths["ada"].visible("global", at=world.now) == {"m02"}


@pytest.mark.requirement("M5", "M6")
def test_a_sweep_takes_what_holds_an_older_belief_down_and_that_stays_down(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",), ttl=3600)
    world.remember("ada", KEY, ttl=3600)
    world.move_clock(hours=2)
    world.sweep("ada")
    assert sorted(world.truths["ada"].beliefs) == ["m01"]
    world.agree("ada")
    assert world.truths["ada"].visible("global", at=world.now) == set()


@pytest.mark.requirement("X9", "P13")
def test_an_erased_memory_leaves_no_mark_on_what_it_had_let_go(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    world.move_clock(hours=1)
    world.update("ada", "m02", supersedes=())
    world.move_clock(hours=1)
    world.erase("ada", "m02")
    assert [handle.get("m01").superseded for handle in world.handles("ada")] == [(), ()]


@pytest.mark.requirement("M6", "P13")
def test_what_was_let_go_by_a_forgotten_memory_stays_so_when_that_is_restored(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    world.move_clock(hours=1)
    world.forget("ada", "m02")
    world.move_clock(hours=1)
    world.update("ada", "m02", supersedes=())
    world.move_clock(hours=1)
    world.restore("ada", "m02")
    assert world.truths["ada"].visible("global", at=world.now) == {"m01", "m02"}


@pytest.mark.requirement("P12")
def test_two_reflections_that_lean_on_each_other_stand_until_one_is_forgotten(world):
    for source in ("m02", "m01"):
        world.remember("ada", TEA, kind="reflection", tier="reflection", sources=(source,))
    assert world.truths["ada"].visible("global", at=world.now) == {"m01", "m02"}
    world.agree("ada")
    world.forget("ada", "m01")
    assert world.truths["ada"].visible("global", at=world.now) == set()


@pytest.mark.requirement("P19")
def test_two_tenants_with_the_same_ids_know_nothing_of_each_other(world):
    for tenant in ("ada", "bob"):
        world.remember(tenant, TEA)
    world.agree_where_something_was_done()
    world.forget("ada", "m01")
    world.agree_where_something_was_done()
    world.erase("bob", "m01")
    assert [len(handle.log()) for handle in world.handles("bob")] == [0, 0]


@pytest.mark.requirement("M6")
def test_nothing_supersedes_what_it_gives_way_to(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    world.remember("ada", KEY, supersedes=("m02",))
    world.move_clock(hours=1)
    for older in ("m02", "m03"):
        world.update("ada", "m01", supersedes=(older,))
        assert [handle.get("m01").supersedes for handle in world.handles("ada")] == [(), ()]
    world.update("ada", "m02", supersedes=())
    world.update("ada", "m01", supersedes=("m02",))
    assert world.truths["ada"].visible("global", at=world.now) == {"m01", "m03"}


@pytest.mark.requirement("M6")
def test_what_was_weighed_anew_while_it_had_given_way_comes_back_with_that_weight(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    world.move_clock(hours=1)
    world.update("ada", "m01", weight=0.5)
    assert [handle.get("m01").weight for handle in world.handles("ada")] == [0.1, 0.1]
    world.forget("ada", "m02")
    assert [handle.get("m01").weight for handle in world.handles("ada")] == [0.5, 0.5]


@pytest.mark.requirement("M6", "X9")
def test_erasing_the_middle_of_a_chain_brings_nothing_back_beside_the_newest(world):
    world.remember("ada", TEA)
    for older in ("m01", "m02", "m03"):
        world.move_clock(hours=1)
        world.remember("ada", KEY, supersedes=(older,))
    world.move_clock(hours=1)
    world.erase("ada", "m02", "m03")
    assert world.truths["ada"].visible("global", at=world.now) == {"m04"}
    assert [handle.get("m04").supersedes for handle in world.handles("ada")] == [("m01",), ("m01",)]
    world.erase("ada", "m04")
    assert world.truths["ada"].visible("global", at=world.now) == {"m01"}


@pytest.mark.requirement("M4", "M6", "P13")
def test_a_belief_that_moves_to_a_project_gives_the_older_one_back_to_the_others(world):
    world.remember("ada", TEA)
    world.remember("ada", KEY, supersedes=("m01",))
    for scope in ("boat", "house", "global"):
        world.move_clock(hours=1)
        world.update("ada", "m02", scope=scope)
        world.agree("ada")
        shown = {place: world.truths["ada"].visible(place, at=world.now) for place in ("boat", "house")}
        assert shown == {place: {"m02"} if scope in (place, "global") else {"m01"} for place in ("boat", "house")}
    world.remember("ada", TEA, scope="boat")
    world.update("ada", "m02", supersedes=("m03",))
    world.update("ada", "m02", scope="house")
    assert [handle.get("m02").scope for handle in world.handles("ada")] == ["global", "global"]
