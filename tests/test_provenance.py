"""Where memories come from, what came of them, and what stood around them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.errors import InputError, NotFoundError
from cued.explain import timeline, why
from cued.explain.origins import found
from cued.model import MERGED, Edge, Lookup, Source, Supersession
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.standing.judging import judge
from tests.building import NOW, ago, memory
from tests.stocking import stock


def linked(name, *edges, **facts):
    """Give a memory with these edges, each written "relation target"."""
    return memory(name, edges=tuple(Edge(*edge.split(" ", 1)) for edge in edges), **facts)


def outline(nodes):
    """Give a tree as nested lists of "relation id" and what is below."""
    return [[f"{node.relation} {node.id}", *outline(node.children)] for node in nodes]


def walked(nodes):
    for node in nodes:
        yield node
        yield from walked(node.children)


@pytest.mark.requirement("S7")
def test_why_walks_what_a_memory_rests_on_and_what_rests_on_it(store):
    stock(store, memory("talk"), linked("note", "derived_from talk"), linked("other", "mentions note"))
    stock(store, linked("idea", "derived_from note", "causes plan", kind="reflection"), linked("plan", "derived_from idea"))
    stock(store, memory("late", supersedes=("idea",)))
    found = why("t", store, "idea")
    assert outline(found.because) == [["derived_from note", ["derived_from talk"]]]
    assert outline(found.led_to) == [["causes plan"], ["derived_from plan"], ["supersedes late"]]
    assert {node.direction for node in walked(found.because)} == {"because"}
    assert {node.direction for node in walked(found.led_to)} == {"led to"}
    assert (found.memory.id, found.state, found.left_out) == ("idea", ("superseded by late",), 0)
    assert outline(why("t", store, "late").because) == [["supersedes idea", ["derived_from note", ["derived_from talk"]]]]
    assert outline(why("t", store, "plan", depth=1).because) == [["derived_from idea"], ["causes idea"]]


@pytest.mark.requirement("S7")
def test_a_cycle_is_named_once_more_and_not_walked_again(store):
    stock(store, linked("a", "from b"), linked("b", "from c"), linked("c", "from a", "from b"))
    found = why("t", store, "a", depth=20)
    assert outline(found.because) == [["from b", ["from c", ["from a"], ["from b"]]]]
    again = [node for node in walked(found.because) if node.repeated]
    assert [(node.id, node.text, node.children, node.left_out) for node in again] == [("a", "text of a", (), 0), ("b", "text of b", (), 0)]
    assert outline(found.led_to) == [["from c", ["from b", ["from a"], ["from c"]]]]


@pytest.mark.requirement("S7")
def test_a_memory_reached_twice_is_unfolded_where_it_stands_nearest(store):
    stock(store, linked("root", "by far", "by near"), linked("far", "by mid"), linked("mid", "by near"), linked("near", "by leaf"))
    stock(store, memory("leaf"))
    found = why("t", store, "root", depth=5)
    assert outline(found.because) == [["by far", ["by mid", ["by near"]]], ["by near", ["by leaf"]]]
    assert [node.repeated for node in walked(found.because) if node.id == "near"] == [True, False]


@pytest.mark.requirement("S7")
def test_depth_and_breadth_are_bounded_and_what_was_left_out_is_counted(store):
    stock(store, *(memory(f"s{number:02}") for number in range(25)))
    stock(store, linked("wide", *(f"derived_from s{number:02}" for number in range(25))), linked("top", "mentions wide"))
    found = why("t", store, "wide", depth=1)
    assert (len(found.because), found.left_out) == (20, 5)
    [node] = why("t", store, "top", depth=1).because
    assert (node.id, node.children, node.left_out) == ("wide", (), 25)
    assert [len(each.led_to) for each in (why("t", store, "s00"), why("t", store, "s24"))] == [1, 1]
    for depth in (0, 21, "3"):
        with pytest.raises(InputError, match="depth"):
            why("t", store, "wide", depth=depth)


@pytest.mark.requirement("S7")
def test_each_node_says_what_has_become_of_it(store):
    stock(store, memory("old"), memory("hidden"), memory("kept"), memory("gone"))
    stock(store, memory("new", supersedes=("old",)), memory("here", scope="atlas", supersedes=("kept",)))
    stock(store, linked("thought", "derived_from old", kind="reflection"))
    stock(store, linked("root", "a old", "b hidden", "c kept", "d gone", "e Alice", "f thought"))
    store.forget("t", ["hidden"], at=NOW)
    store.erase("t", ["gone"])
    nodes = {node.relation: node for node in why("t", store, "root", depth=1).because}
    absent = ("not stored: erased, or never a memory of this tenant",)
    assert {name: node.state for name, node in nodes.items()} == {
        "a": ("superseded by new",),
        "b": ("forgotten",),
        "c": ("superseded by here in atlas",),
        "e": absent,
        "f": ("stale",),
    }
    assert (nodes["e"].text, nodes["a"].text, nodes["a"].kind) == (None, "text of old", "semantic")


@pytest.mark.requirement("S7", "S5")
def test_a_merge_is_shown_as_one_link(store):
    stock(store, memory("old"), memory("new", supersedes=("old",), edges=(Edge(MERGED, "old"),)))
    assert outline(why("t", store, "new").because) == [["merged old"]]
    assert outline(why("t", store, "old").led_to) == [["merged new"]]


@pytest.mark.requirement("S7", "P19")
def test_why_stays_within_the_tenant(store):
    stock(store, linked("mine", "mentions theirs"), replace(memory("theirs"), tenant="other"))
    [node] = why("t", store, "mine").because
    assert (node.text, node.children) == (None, ())
    with pytest.raises(NotFoundError):
        why("t", store, "theirs")


@pytest.mark.requirement("S7")
@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.integers(1, 20))
def test_any_graph_is_walked_to_an_end_and_each_memory_is_unfolded_once(arcs, depth):
    store = Store(MemoryKeeper())
    for number in range(8):
        stock(store, linked(f"m{number}", *(f"{('causes', 'mentions')[b % 2]} m{b}" for a, b in arcs if a == number)))
    found = why("t", store, "m0", depth=depth)
    for nodes in (found.because, found.led_to):
        unfolded = [node.id for node in walked(nodes) if not node.repeated]
        assert len(unfolded) == len(set(unfolded))
        assert "m0" not in unfolded


@pytest.mark.requirement("P12")
def test_a_reflection_is_stale_when_nothing_that_it_came_from_still_holds():
    thought = linked("thought", *(f"derived_from {each}" for each in "abcef"), kind="reflection", scope="atlas")
    stands, gone = memory("a"), memory("b", forgotten_at=NOW)
    beaten = memory("c", superseded=(Supersession(by="d", at=NOW),))
    elsewhere = memory("e", superseded=(Supersession(by="d", at=NOW, scope="borea"),))
    here = memory("f", superseded=(Supersession(by="d", at=NOW, scope="atlas"),))

    def is_stale(thought, *sources):
        return judge([thought, *sources], Lookup(scope="atlas", at=NOW)).gate(thought.id) == "provenance"

    assert is_stale(thought, gone, beaten, here)
    assert not is_stale(thought, gone, stands)
    assert not is_stale(thought, elsewhere)
    assert not is_stale(thought)
    assert is_stale(thought, gone)
    assert not is_stale(replace(thought, kind="semantic"), gone)


@pytest.mark.requirement("P12", "S7")
def test_a_reflection_on_stale_reflections_is_stale_too_but_not_one_that_only_leans_on_itself(store):
    stock(store, memory("fact"), memory("new", supersedes=("fact",)))
    stock(store, linked("first", "derived_from fact", kind="reflection"), linked("second", "derived_from first", kind="reflection"))
    stock(store, linked("x", "derived_from y", kind="reflection"), linked("y", "derived_from x", kind="reflection"))
    assert {name: why("t", store, name).state for name in ("first", "second", "x")} == {"first": ("stale",), "second": ("stale",), "x": ()}


@pytest.mark.requirement("P12", "S7")
def test_a_reflection_is_stale_where_it_belongs_though_what_it_rests_on_belongs_elsewhere(store):
    stock(store, memory("fact"), memory("here", scope="atlas", supersedes=("fact",)))
    stock(store, linked("first", "derived_from fact", kind="reflection"))
    stock(store, linked("second", "derived_from first", kind="reflection", scope="atlas"))
    assert {name: why("t", store, name).state for name in ("first", "second")} == {"first": (), "second": ("stale",)}


@pytest.mark.requirement("S7")
def test_reflections_that_all_rest_on_each_other_and_long_chains_of_them_are_walked_once(store):
    everyone = [f"r{number:02}" for number in range(40)]
    stock(store, *(linked(one, *(f"derived_from {other}" for other in everyone), kind="reflection") for one in everyone))
    assert why("t", store, "r00").state == ()
    stock(store, memory("m0"), *(linked(f"m{step}", f"derived_from m{step - 1}", kind="reflection") for step in range(1, 1100)))
    assert why("t", store, "m1099").state == ()
    store.forget("t", ["m0"], at=NOW)
    assert why("t", store, "m1099").state == ("stale",)


@pytest.mark.requirement("S7")
def test_what_is_not_stored_is_left_out_of_what_was_found(store):
    stock(store, *(memory(f"m{number:03}") for number in range(0, 250, 2)))
    wanted = [f"m{number:03}" for number in range(250)]
    assert list(found(store, "t", [*wanted, *wanted])) == wanted[::2]
    assert found(store, "t", []) == {}


def ids(memories):
    return [each.id for each in memories]


@pytest.fixture
def diary(store):
    """A store with ten memories, a day apart, in two projects and two sessions."""
    for number in range(10):
        scope = ("global", "atlas", "borea")[number % 3]
        source = Source(session="s1" if number < 5 else "s2")
        stock(store, memory(f"m{number}", created=ago(days=10 - number), scope=scope, source=source))
    return store


@pytest.mark.requirement("S8")
def test_a_timeline_shows_what_stood_before_and_after_a_memory(diary):
    found = timeline("t", diary, around="m4", at=NOW, before=2, after=3)
    assert (ids(found.before), found.centre.id, ids(found.after)) == (["m2", "m3"], "m4", ["m5", "m6", "m7"])
    edge = timeline("t", diary, around="m9", at=NOW)
    assert (ids(edge.before), ids(edge.after)) == (["m4", "m5", "m6", "m7", "m8"], [])
    alone = timeline("t", diary, around="m4", at=NOW, before=0, after=0)
    assert (alone.before, alone.centre.id, alone.after) == ((), "m4", ())


@pytest.mark.requirement("S8")
def test_a_timeline_around_a_moment_has_no_centre_and_the_moment_itself_comes_after(diary):
    found = timeline("t", diary, around=ago(days=6), at=NOW, before=2, after=2)
    assert (ids(found.before), found.centre, ids(found.after)) == (["m2", "m3"], None, ["m4", "m5"])
    early = timeline("t", diary, around=ago(days=99), at=NOW, after=1)
    assert (ids(early.before), ids(early.after)) == ([], ["m0"])


@pytest.mark.requirement("S8")
def test_a_scope_shows_its_project_and_what_is_global_and_a_session_itself_alone(diary):
    found = timeline("t", diary, around="m4", at=NOW, scope="atlas")
    assert (ids(found.before), ids(found.after)) == (["m0", "m1", "m3"], ["m6", "m7", "m9"])
    found = timeline("t", diary, around="m4", at=NOW, scope="global")
    assert (ids(found.before), ids(found.after)) == (["m0", "m3"], ["m6", "m9"])
    found = timeline("t", diary, around="m4", at=NOW, session="s1")
    assert (ids(found.before), ids(found.after)) == (["m0", "m1", "m2", "m3"], [])
    found = timeline("t", diary, around="m4", at=NOW, session="s2", scope="borea", after=2)
    assert (ids(found.before), ids(found.after)) == ([], ["m5", "m6"])


@pytest.mark.requirement("S8")
def test_hidden_memories_are_shown_only_when_asked_for_but_the_centre_always(diary):
    diary.forget("t", ["m3", "m4", "m5"], at=NOW)
    found = timeline("t", diary, around="m4", at=NOW, before=1, after=1)
    assert (ids(found.before), found.centre.id, ids(found.after)) == (["m2"], "m4", ["m6"])
    found = timeline("t", diary, around="m4", at=NOW, before=1, after=1, hidden=True)
    assert (ids(found.before), ids(found.after)) == (["m3"], ["m5"])


@pytest.mark.requirement("S8")
def test_many_memories_of_one_moment_are_ordered_by_id(store):
    stock(store, *(memory(f"m{number:03}", created=ago(days=1)) for number in range(450)))
    found = timeline("t", store, around="m225", at=NOW, before=2, after=2)
    assert (ids(found.before), ids(found.after)) == (["m223", "m224"], ["m226", "m227"])


@pytest.mark.requirement("S8")
def test_sizes_out_of_bounds_and_unknown_memories_are_refused(store):
    for name in ("before", "after"):
        with pytest.raises(InputError, match=name):
            timeline("t", store, around=NOW, at=NOW, **{name: -1})
    with pytest.raises(NotFoundError):
        timeline("t", store, around="nobody", at=NOW)
