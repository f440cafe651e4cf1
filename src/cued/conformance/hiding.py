"""What every store promises about gates and about beliefs that give way, as tests."""

import pytest

from cued.conformance.samples import HOUR, NOW, lookup, near, record, revision, words
from cued.conformance.searching import ids
from cued.errors import InputError
from cued.model import GATES, Record
from cued.ports import Store


class HidingConformance:
    """Scopes, times, kinds, tags and supersession."""

    def test_a_project_sees_itself_and_global_and_no_other(self, store: Store) -> None:
        """And without a project only what is global."""
        store.remember("t", [record("t", "g"), record("t", "p", scope="p"), record("t", "q", scope="q")])
        assert seen(store, scope="p") == ["g", "p"]
        assert seen(store) == ["g"]
        assert seen(store, scope="unheard") == ["g"]
        assert store.search("t", lookup(scope="p")).struck == {"scope": 1}

    def test_an_expired_memory_is_struck_from_the_very_moment(self, store: Store) -> None:
        """Expiry at t hides at t and not a microsecond before."""
        store.remember("t", [record("t", "a", expires_at=NOW)])
        assert seen(store, at=NOW) == []
        assert seen(store, at=NOW - HOUR / 3_600_000_000) == ["a"]

    def test_validity_is_half_open(self, store: Store) -> None:
        """Visible from valid_from on, and no longer at valid_until."""
        store.remember("t", [record("t", "a", valid_from=NOW, valid_until=NOW + HOUR)])
        assert [seen(store, at=at) for at in (NOW - HOUR, NOW, NOW + HOUR)] == [[], ["a"], []]

    def test_as_of_shows_what_was_there_then(self, store: Store) -> None:
        """Created by then, and not yet superseded, expired or forgotten then."""
        early = NOW - 9 * HOUR
        store.remember("t", [record("t", "old", created_at=early), record("t", "dying", created_at=early, expires_at=NOW - 3 * HOUR)])
        store.remember("t", [record("t", "new", created_at=NOW - 5 * HOUR, supersedes=("old",))])
        store.forget("t", ["new"], at=NOW - HOUR)
        store.restore("t", ["new"])
        assert seen(store, at=NOW - 7 * HOUR, as_of=True) == ["dying", "old"]
        assert seen(store, at=NOW - 4 * HOUR, as_of=True) == ["dying", "new"]
        assert seen(store, at=NOW) == ["new"]
        store.forget("t", ["new"], at=NOW - HOUR)
        assert seen(store, at=NOW - HOUR, as_of=True) == ["old"]
        assert "new" in seen(store, at=NOW - 2 * HOUR, as_of=True)
        assert seen(store, at=NOW - 2 * HOUR) == ["old"]

    def test_kinds_are_any_of_and_tags_all_of(self, store: Store) -> None:
        """An empty tuple does not filter."""
        both, one = record("t", "a", kind="episodic", tags=("x", "y")), record("t", "b", kind="procedural", tags=("x",))
        store.remember("t", [both, one, record("t", "c")])
        assert seen(store, kinds=("episodic", "procedural")) == ["a", "b"]
        assert seen(store, tags=("x",)) == ["a", "b"]
        assert seen(store, tags=("x", "y")) == ["a"]
        assert seen(store, tags=("unheard",)) == []

    def test_each_gate_counts_what_no_earlier_one_struck(self, store: Store) -> None:
        """A memory that fails every gate is counted by the first."""
        doomed = record("t", "all", scope="q", expires_at=NOW, valid_until=NOW, kind="episodic")
        store.remember("t", [doomed, record("t", "expired", expires_at=NOW, valid_until=NOW), record("t", "fine", tags=("x",))])
        struck = store.search("t", lookup(kinds=("semantic",), tags=("x",))).struck
        assert struck == {"scope": 1, "expiry": 1}
        assert all(gate in GATES for gate in struck)

    def test_gates_strike_before_the_pool_is_cut(self, store: Store) -> None:
        """However many struck memories match better, the pool is filled with visible ones."""
        dead = [record("t", f"dead{number}", "tea", vector=1, expires_at=NOW) for number in range(40)]
        live = [record("t", f"live{number}", "tea and much else besides", vector=number + 2) for number in range(3)]
        store.remember("t", [*dead, *live])
        assert len(store.search("t", lookup(lexical=words("tea", pool=3))).memories) == 3
        assert len(store.search("t", lookup(dense=near(1, pool=3))).memories) == 3

    def test_a_superseded_memory_stays_stored_hidden_and_faded(self, store: Store) -> None:
        """Its weight falls to 0.1, its clock is not reset, and only the newest of a chain is seen."""
        a, b, c = chain(store)
        assert seen(store) == ["c"]
        old = store.get("t", ["a"])[0]
        assert (old.weight, old.updated_at, old.superseded[0].by) == (0.1, a.memory.updated_at, "b")
        assert (old.superseded[0].at, old.superseded[0].scope, old.superseded[0].weight_before) == (b.memory.created_at, None, 0.8)
        assert store.get("t", ["c"])[0].weight == c.memory.weight

    def test_a_project_hides_a_global_memory_for_itself_alone(self, store: Store) -> None:
        """Elsewhere it is seen as before, with its weight."""
        store.remember("t", [record("t", "g")])
        store.remember("t", [record("t", "p", scope="p", supersedes=("g",))])
        assert (seen(store, scope="p"), seen(store, scope="q"), seen(store)) == (["p"], ["g"], ["g"])
        assert store.get("t", ["g"])[0].weight == 1.0
        assert store.get("t", ["g"])[0].superseded[0].scope == "p"

    def test_a_global_memory_can_supersede_a_projects(self, store: Store) -> None:
        """Everywhere."""
        store.remember("t", [record("t", "p", scope="p")])
        store.remember("t", [record("t", "g", supersedes=("p",))])
        assert seen(store, scope="p") == ["g"]

    def test_a_project_cannot_supersede_anothers_memory(self, store: Store) -> None:
        """It is refused and nothing is stored."""
        store.remember("t", [record("t", "p", scope="p")])
        with pytest.raises(InputError):
            store.remember("t", [record("t", "q", scope="q", supersedes=("p",))])
        assert store.size("t") == 1

    def test_nothing_supersedes_what_it_gives_way_to(self, store: Store) -> None:
        """Neither at once nor through others, forgotten ones too, nor within one batch; it is refused and changes nothing."""
        chain(store)
        store.remember("t", [record("t", "d")])
        store.forget("t", ["b"], at=NOW)
        before = store.scan("t", limit=9)
        for newer, older in (("a", "b"), ("a", "c"), ("b", "c")):
            with pytest.raises(InputError, match="does not itself give way to"):
                store.revise("t", [revision("d", supersedes=(older,)), revision(newer, supersedes=(older,))], at=NOW)
        with pytest.raises(InputError, match="does not itself give way to"):
            store.remember("t", [record("t", "e", supersedes=("f",)), record("t", "f", supersedes=("a", "e"))])
        assert [one.memory for one in store.scan("t", limit=9)] == [one.memory for one in before]

    def test_one_batch_may_supersede_within_itself(self, store: Store) -> None:
        """In whatever order the batch comes."""
        store.remember("t", [record("t", "new", supersedes=("old",)), record("t", "old")])
        assert seen(store) == ["new"]

    def test_forgetting_the_newer_brings_the_older_back_with_its_weight(self, store: Store) -> None:
        """And restoring it hides the older again."""
        chain(store)
        store.forget("t", ["c"], at=NOW)
        assert seen(store) == ["b"]
        store.forget("t", ["b"], at=NOW)
        assert seen(store) == ["a"]
        assert store.get("t", ["a"])[0].weight == 0.8
        store.restore("t", ["b", "c"])
        assert seen(store) == ["c"]
        assert [memory.weight for memory in store.get("t", ["a", "b"])] == [0.1, 0.1]

    def test_forgetting_the_middle_of_a_chain_brings_nothing_back(self, store: Store) -> None:
        """Only the newest belief is seen, until it is forgotten too."""
        chain(store)
        store.forget("t", ["b"], at=NOW)
        assert seen(store) == ["c"]
        store.forget("t", ["c"], at=NOW)
        assert seen(store) == ["a"]
        store.restore("t", ["c"])
        assert seen(store) == ["c"]

    def test_superseded_twice_it_comes_back_when_both_are_gone(self, store: Store) -> None:
        """With the weight it had at first."""
        store.remember("t", [record("t", "a", weight=0.8)])
        store.remember("t", [record("t", "b", supersedes=("a",)), record("t", "c", supersedes=("a",))])
        store.forget("t", ["b"], at=NOW)
        assert (seen(store), store.get("t", ["a"])[0].weight) == (["c"], 0.1)
        store.erase("t", ["c"])
        assert (seen(store), store.get("t", ["a"])[0].weight) == (["a"], 0.8)

    def test_another_weight_of_what_has_given_way_is_what_it_comes_back_with(self, store: Store) -> None:
        """Until then it stays faded; where it has given way in one project alone, it has the other weight at once."""
        store.remember("t", [record("t", "a", weight=0.8), record("t", "g", weight=0.8)])
        store.remember("t", [record("t", "b", supersedes=("a",)), record("t", "c", supersedes=("a",))])
        store.remember("t", [record("t", "p", scope="p", supersedes=("g",))])
        revised = store.revise("t", [revision("a", weight=0.5), revision("g", weight=0.5)], at=NOW).memories
        assert revised == store.get("t", ["a", "g"])
        assert [memory.weight for memory in revised] == [0.1, 0.5]
        store.forget("t", ["b"], at=NOW)
        assert store.get("t", ["a"])[0].weight == 0.1
        store.forget("t", ["c"], at=NOW)
        assert store.get("t", ["a"])[0].weight == 0.5
        store.restore("t", ["c"])
        assert store.get("t", ["a"])[0].weight == 0.1

    def test_a_revision_may_supersede_and_take_it_back(self, store: Store) -> None:
        """What a memory newly supersedes gives way; what it no longer does comes back."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        for older, visible in ((("a",), ["b"]), ((), ["a", "b"])):
            store.revise("t", [revision("b", supersedes=older)], at=NOW)
            assert seen(store) == visible


def seen(store: Store, **facts: object) -> list[str]:
    """The ids that a lookup by a word all memories have can see."""
    return ids(store.search("t", lookup(lexical=words("tea", pool=99), **facts)))


def chain(store: Store) -> tuple[Record, Record, Record]:
    """Store three beliefs, each superseding the one before."""
    a = record("t", "a", weight=0.8, created_at=NOW - 9 * HOUR)
    b = record("t", "b", created_at=NOW - 8 * HOUR, supersedes=("a",))
    c = record("t", "c", created_at=NOW - 7 * HOUR, supersedes=("b",))
    for each in (a, b, c):
        store.remember("t", [each])
    return a, b, c
