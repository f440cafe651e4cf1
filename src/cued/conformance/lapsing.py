"""What every store promises about beliefs that gave way for a while, as tests: as of any time, what was seen then is seen."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.conformance.hiding import chain, seen
from cued.conformance.histories import hour, random_history, take, what_is_left
from cued.conformance.samples import HOUR, NOW, WORDS, lookup, near, record, revision, words
from cued.conformance.searching import RANDOM_SETTINGS, TENANTS, assert_same_bits
from cued.errors import InputError
from cued.model import DERIVED_FROM, GLOBAL, NOBODY, Edge, EntityLookup, Filter, Lookup, Record, Supersession
from cued.ports import Store

MOST_LAPSED = 100


class LapsingConformance:
    """Supersessions that are lifted, reopened and taken away, and the law of as-of."""

    @RANDOM_SETTINGS
    @given(seed=st.integers(0, 2**32 - 1))
    def test_what_was_seen_at_a_time_is_seen_as_of_that_time(self, store: Store, seed: int) -> None:
        """Every bit of what a lookup answered at each step; what was restored or erased since is as if it had never been so.

        Only what an erased memory claimed is claimed by those that claimed it.
        """
        tenant, other = next(TENANTS), next(TENANTS)
        history = random_history(Random(seed))  # noqa: S311 - chance that repeats
        for number, step in enumerate(history):
            take(store, tenant, step, at=hour(number))
        for number, left in enumerate(what_is_left(history)):
            for each in left:
                take(store, other, each, at=hour(number))
            for scope in (GLOBAL, "p"):
                asked = everything(scope, number)
                assert_same_bits(store.search(tenant, replace(asked, as_of=True)), store.search(other, asked))
        assert marks_of(store, tenant) == marks_of(store, other)

    def test_forgetting_lifts_the_mark_and_restoring_reopens_it(self, store: Store) -> None:
        """As of before the forgetting the newer belief is seen alone; a mark that a revision made keeps its own time."""
        store.remember("t", [record("t", "a", weight=0.75), record("t", "b")])
        store.revise("t", [revision("b", supersedes=("a",))], at=NOW - 9 * HOUR)
        store.forget("t", ["b"], at=NOW - 5 * HOUR)
        mark = Supersession(by="b", at=NOW - 9 * HOUR, weight_before=0.75, lifted_at=NOW - 5 * HOUR)
        (a,) = store.get("t", ["a"])
        assert (a.superseded, a.weight) == ((mark,), 0.75)
        assert seen_as_of(store, 12, 9, 6, 5, 0) == [["a", "b"], ["b"], ["b"], ["a"], ["a"]]
        store.restore("t", ["b"])
        (a,) = store.get("t", ["a"])
        assert (a.superseded, a.weight) == ((replace(mark, lifted_at=None),), 0.1)
        assert seen_as_of(store, 12, 9, 5, 0) == [["a", "b"], ["b"], ["b"], ["b"]]

    def test_what_is_lifted_does_not_count_as_superseded(self, store: Store) -> None:
        """Neither in the listing nor in the counts, nor for a lookup of now by a clock that is behind."""
        store.remember("t", [record("t", "a"), record("t", "b", supersedes=("a",), created_at=NOW - 9 * HOUR)])
        assert store.stats("t", at=NOW).superseded == 1
        store.forget("t", ["b"], at=NOW)
        counts = store.stats("t", at=NOW)
        assert (counts.superseded, counts.visible) == (0, 1)
        assert [memory.id for memory in store.list("t", Filter(), at=NOW, limit=9).memories] == ["a"]
        assert seen(store, at=NOW - HOUR) == ["a"]
        assert seen(store, at=NOW - HOUR, as_of=True) == ["b"]

    def test_taken_back_and_superseded_again_both_times_are_told(self, store: Store) -> None:
        """In between the older belief is seen; taken up again at the moment it was let go, nothing happened."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        for hours, older in ((9, ("a",)), (7, ()), (5, ("a",)), (3, ()), (3, ("a",)), (1, ())):
            store.revise("t", [revision("b", supersedes=older)], at=NOW - hours * HOUR)
        assert seen_as_of(store, 10, 8, 6, 4, 2, 0) == [["a", "b"], ["b"], ["a", "b"], ["b"], ["b"], ["a", "b"]]
        assert len(store.get("t", ["a"])[0].superseded) == 2

    def test_in_one_project_it_lapses_there_alone(self, store: Store) -> None:
        """Elsewhere it was seen all the while."""
        store.remember("t", [record("t", "a")])
        store.remember("t", [record("t", "p", scope="p", supersedes=("a",), created_at=NOW - 9 * HOUR)])
        store.forget("t", ["p"], at=NOW - 5 * HOUR)
        assert seen_as_of(store, 12, 6, 0, scope="p") == [["a"], ["p"], ["a"]]
        assert seen_as_of(store, 12, 6, 0) == [["a"], ["a"], ["a"]]
        assert seen(store, scope="p", at=NOW - 6 * HOUR) == ["a"]

    def test_a_forgotten_middle_holds_down_for_as_long_as_it_is_superseded(self, store: Store) -> None:
        """And comes to do so again when it is superseded only after it was forgotten."""
        chain(store)
        store.forget("t", ["b"], at=NOW - 5 * HOUR)
        store.forget("t", ["c"], at=NOW - 3 * HOUR)
        store.remember("t", [record("t", "d", supersedes=("b",), created_at=NOW - HOUR)])
        assert seen_as_of(store, 9, 8, 7, 4, 2, 0) == [["a"], ["b"], ["c"], ["c"], ["a"], ["d"]]
        store.erase("t", ["c"])
        assert seen_as_of(store, 9, 8, 6, 4, 2, 0) == [["a"], ["b"], ["b"], ["a"], ["a"], ["d"]]
        store.restore("t", ["b"])
        assert seen_as_of(store, 9, 8, 4, 2, 0) == [["a"], ["b"], ["b"], ["b"], ["d"]]
        assert [(mark.by, mark.lifted_at) for mark in store.get("t", ["a"])[0].superseded] == [("b", None)]

    def test_what_a_forgotten_memory_comes_to_supersede_gives_way_as_of_then_when_it_is_restored(self, store: Store) -> None:
        """Until then nothing is hidden."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.forget("t", ["b"], at=NOW - 9 * HOUR)
        store.revise("t", [revision("b", supersedes=("a",))], at=NOW - 5 * HOUR)
        assert seen_as_of(store, 12, 6, 4, 0) == [["a", "b"], ["a"], ["a"], ["a"]]
        store.restore("t", ["b"])
        assert seen_as_of(store, 12, 6, 4, 0) == [["a", "b"], ["a", "b"], ["b"], ["b"]]

    def test_a_claim_of_a_forgotten_memory_keeps_its_time_though_it_holds_only_later(self, store: Store) -> None:
        """It holds once the forgotten one is superseded itself, and from when it was made once that one is restored."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.forget("t", ["b"], at=NOW - 9 * HOUR)
        store.revise("t", [revision("b", supersedes=("a",))], at=NOW - 7 * HOUR)
        store.remember("t", [record("t", "c", supersedes=("b",), created_at=NOW - 5 * HOUR)])
        assert seen_as_of(store, 12, 8, 6, 4) == [["a", "b"], ["a"], ["a"], ["c"]]
        store.restore("t", ["b"])
        assert seen_as_of(store, 12, 8, 6, 4) == [["a", "b"], ["a", "b"], ["b"], ["c"]]

    def test_an_erased_memory_leaves_no_mark(self, store: Store) -> None:
        """Not even on what it had let go of before."""
        store.remember("t", [record("t", "a"), record("t", "b"), record("t", "c", supersedes=("a", "b"), created_at=NOW - 9 * HOUR)])
        store.revise("t", [revision("c", supersedes=("b",))], at=NOW - 5 * HOUR)
        store.forget("t", ["c"], at=NOW - 3 * HOUR)
        store.erase("t", ["c"])
        assert [memory.superseded for memory in store.get("t", ["a", "b"])] == [(), ()]
        assert seen_as_of(store, 12, 6, 4, 0) == [["a", "b"]] * 4

    def test_what_an_erased_memory_held_down_gives_way_to_what_it_gave_way_to(self, store: Store) -> None:
        """Since both claims were there, and with the weight it had; the erased id is named no more."""
        chain(store)
        store.erase("t", ["b"])
        a, c = store.get("t", ["a", "c"])
        assert (a.superseded, a.weight) == ((Supersession(by="c", at=c.created_at, weight_before=0.8),), 0.1)
        assert (c.supersedes, seen_as_of(store, 9, 8, 7, 0)) == (("a",), [["a"], ["a"], ["c"], ["c"]])
        store.forget("t", ["c"], at=NOW)
        assert (seen(store), store.get("t", ["a"])[0].weight) == (["a"], 0.8)
        store.restore("t", ["c"])
        assert seen(store) == ["c"]
        store.erase("t", ["c"])
        assert (seen(store), store.get("t", ["a"])[0].superseded) == (["a"], ())

    def test_a_forgotten_heir_inherits_for_when_it_is_restored(self, store: Store) -> None:
        """And several erased at once pass it on through each other."""
        chain(store)
        store.remember("t", [record("t", "d", supersedes=("c",), created_at=NOW - 5 * HOUR)])
        store.forget("t", ["d"], at=NOW - 3 * HOUR)
        store.erase("t", ["b", "c"])
        assert seen_as_of(store, 9, 6, 5, 4, 3, 0) == [["a"], ["a"], ["d"], ["d"], ["a"], ["a"]]
        store.restore("t", ["d"])
        assert seen_as_of(store, 6, 5, 0) == [["a"], ["d"], ["d"]]

    def test_what_an_expired_memory_held_down_stays_down_for_good(self, store: Store) -> None:
        """Everywhere or in its project, since it gave way, whatever becomes of the others; and it is named no more."""
        chain(store)
        store.remember("t", [record("t", "p", scope="p", supersedes=("c",), created_at=NOW - 5 * HOUR)])
        store.erase("t", ["b", "p"], expired=True)
        a, c = store.get("t", ["a", "c"])
        assert [(mark.by, mark.scope) for memory in (a, c) for mark in memory.superseded] == [(NOBODY, None), (NOBODY, "p")]
        assert (c.supersedes, a.weight) == ((), 0.1)
        assert seen_as_of(store, 9, 8, 7, 0) == [["a"], [], ["c"], ["c"]]
        assert seen_as_of(store, 6, 5, 0, scope="p") == [["c"], [], []]
        store.forget("t", ["c"], at=NOW)
        assert seen(store) == []
        store.remember("t", [record("t", "z", created_at=NOW - 24 * HOUR)])
        store.revise("t", [revision("a", supersedes=("z",))], at=NOW - 2 * HOUR)
        store.erase("t", ["a"])
        assert (seen(store), store.get("t", ["z"])[0].superseded[0].by) == ([], NOBODY)

    def test_an_expired_memory_that_was_forgotten_is_as_good_as_erased(self, store: Store) -> None:
        """What it had held down is back already, or passes to what supersedes it, be that nobody."""
        chain(store)
        store.forget("t", ["b"], at=NOW - 5 * HOUR)
        store.erase("t", ["b"], expired=True)
        assert (store.get("t", ["c"])[0].supersedes, seen(store)) == (("a",), ["c"])
        store.forget("t", ["c"], at=NOW)
        assert seen(store) == ["a"]
        store.erase("t", ["c"], expired=True)
        assert (seen(store), store.get("t", ["a"])[0].superseded) == (["a"], ())

    def test_it_passes_on_where_both_held(self, store: Store) -> None:
        """What gave way in one project alone does so still; what only another project sees comes back there."""
        store.remember("t", [record("t", memory_id, scope=scope) for memory_id, scope in (("a", GLOBAL), ("p", "p"), ("q", "q"))])
        store.remember("t", [record("t", "b", supersedes=("a", "p", "q"), created_at=NOW - 9 * HOUR)])
        store.remember("t", [record("t", "c", scope="p", supersedes=("b",), created_at=NOW - 7 * HOUR)])
        store.erase("t", ["b"])
        assert [(mark.by, mark.scope) for memory in store.get("t", ["a", "p", "q"]) for mark in memory.superseded] == [
            ("c", "p"),
            ("c", None),
        ]
        assert [seen(store, scope=scope) for scope in (GLOBAL, "p", "q")] == [["a"], ["c"], ["a", "q"]]
        store.remember("t", [record("t", "d", supersedes=("c",), created_at=NOW - 5 * HOUR)])
        store.erase("t", ["c"])
        assert [seen(store, scope=scope) for scope in (GLOBAL, "p", "q")] == [["a", "d"], ["d"], ["a", "d", "q"]]

    def test_a_belief_that_moves_hides_from_where_it_is_now(self, store: Store) -> None:
        """As of before, from where it was; where it could not supersede from, it does not go."""
        store.remember("t", [record("t", "a", weight=0.75), record("t", "p", scope="p"), record("t", "b", supersedes=("a",))])
        for hours, scope in ((9, "p"), (7, "q"), (5, GLOBAL)):
            store.revise("t", [revision("b", scope=scope)], at=NOW - hours * HOUR)
        assert seen_as_of(store, 10, 8, 6, 4, scope="p") == [["b", "p"], ["b", "p"], ["a", "b", "p"], ["b", "p"]]
        a = store.get("t", ["a"])[0]
        assert [(mark.scope, mark.lifted_at is None) for mark in a.superseded] == [(None, False), ("p", False), ("q", False), (None, True)]
        assert (a.weight, store.get("t", ["b"])[0].scope) == (0.1, GLOBAL)
        assert (seen_as_of(store, 10, 8, 4), seen(store)) == ([["b"], ["a", "b"], ["b"]], ["b"])
        store.revise("t", [revision("b", supersedes=("a", "p"))], at=NOW - 3 * HOUR)
        with pytest.raises(InputError, match="belongs to 'p'"):
            store.revise("t", [revision("b", scope="q")], at=NOW)
        assert (store.get("t", ["b"])[0].scope, store.get("t", ["a"])[0].superseded) == (GLOBAL, a.superseded)

    def test_a_reflection_stands_as_of_when_its_source_did(self, store: Store) -> None:
        """By the same truth as the source itself."""
        derived = record("t", "r", kind="reflection", edges=(Edge(DERIVED_FROM, "a"),))
        store.remember("t", [record("t", "a"), derived, record("t", "b", supersedes=("a",), created_at=NOW - 9 * HOUR)])
        store.forget("t", ["b"], at=NOW - 5 * HOUR)
        assert seen_as_of(store, 12, 6, 0) == [["a", "r"], ["b"], ["a", "r"]]

    def test_marks_do_not_pile_up(self, store: Store) -> None:
        """Forgetting and restoring leaves one; of those that a change of mind leaves each time the latest are kept."""
        store.remember("t", [record("t", "a"), record("t", "b", supersedes=("a",))])
        for _ in range(5):
            store.forget("t", ["b"], at=NOW)
            store.restore("t", ["b"])
        assert len(store.get("t", ["a"])[0].superseded) == 1
        for number in range(MOST_LAPSED):
            store.revise("t", [revision("b", supersedes=())], at=NOW + (2 * number) * HOUR)
            store.revise("t", [revision("b", supersedes=("a",))], at=NOW + (2 * number + 1) * HOUR)
        assert len(store.get("t", ["a"])[0].superseded) < MOST_LAPSED
        last = NOW + 2 * MOST_LAPSED * HOUR
        assert [seen(store, at=last - hours * HOUR, as_of=True) for hours in (4, 3, 2, 1)] == [["a", "b"], ["b"], ["a", "b"], ["b"]]

    def test_circles_come_to_an_end(self, store: Store) -> None:
        """None can be made, but one may be taken over; forgetting, restoring and erasing there leaves a store that answers."""
        store.adopt("t", [in_a_circle(*ids) for ids in ("acb", "bac", "cba")])
        assert seen(store) == []
        for memory_id in "abc":
            store.forget("t", [memory_id], at=NOW - 5 * HOUR)
        store.restore("t", ["a"])
        store.forget("t", ["a"], at=NOW)
        store.restore("t", ["b"])
        store.erase("t", ["a"])
        assert seen(store) == ["b"]
        assert seen_as_of(store, 12, 6, 0) == [["b", "c"], ["c"], ["b"]]


def in_a_circle(memory_id: str, older: str, newer: str) -> Record:
    """A record that supersedes another, and has given way to a third."""
    mark = Supersession(by=newer, at=NOW - 9 * HOUR)
    return record("t", memory_id, supersedes=(older,), superseded=(mark,), weight=0.1)


def everything(scope: str, number: int) -> Lookup:
    """The lookup of a history's step that sees all there is, by every channel."""
    names = EntityLookup(names=("Ada",), pool=99)
    return lookup(scope=scope, at=hour(number), lexical=words(*WORDS, pool=99), dense=near(1, pool=99), entity=names)


def seen_as_of(store: Store, *hours: int, scope: str = GLOBAL) -> list[list[str]]:
    """What was seen as of each of these numbers of hours before NOW."""
    return [seen(store, at=NOW - before * HOUR, as_of=True, scope=scope) for before in hours]


def marks_of(store: Store, tenant: str) -> dict[str, tuple[tuple[Supersession, ...], float]]:
    """Each memory's marks and weight."""
    found = store.scan(tenant, limit=99)
    return {each.memory.id: (each.memory.superseded, each.memory.weight) for each in found}
