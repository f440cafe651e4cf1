"""What every store promises about edges, about reflections whose sources have fallen, and about what is pinned, as tests."""

from datetime import datetime

from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, lookup, record, revision, words
from cued.model import DERIVED_FROM, Edge, Memory, Record
from cued.ports import Store


class DerivingConformance:
    """Edges, provenance and the core."""

    def test_linking_finds_who_leads_to_an_id(self, store: Store) -> None:
        """By any relation, hidden or not, each once, by id; whether the id itself is stored does not matter."""
        both = (Edge("causes", "x"), Edge("mentions", "x"), Edge("mentions", "y"))
        store.remember("t", [record("t", "b", edges=both), record("t", "a", edges=(Edge("mine", "x"),)), record("t", "x")])
        store.remember("u", [record("u", "c", edges=both)])
        store.forget("t", ["a"], at=NOW)
        assert linking(store, "x") == linking(store, "x", "y", "x") == ["a", "b"]
        assert (linking(store, "y"), linking(store, "b"), linking(store)) == (["b"], [], [])
        assert store.linking("t", ["y"]) == store.get("t", ["b"])
        assert store.linking("stranger", ["x"]) == ()

    def test_linking_follows_every_change(self, store: Store) -> None:
        """A revision's edges replace the old ones, and what is erased links to nothing."""
        store.remember("t", [record("t", memory_id, edges=(Edge("causes", "x"),)) for memory_id in "ab"])
        store.revise("t", [revision("a", edges=(Edge("causes", "y"),))], at=NOW)
        assert (linking(store, "x"), linking(store, "y")) == (["b"], ["a"])
        store.erase("t", ["b"])
        assert linking(store, "x") == []

    def test_no_edge_leads_to_what_is_erased(self, store: Store) -> None:
        """The other edges stay, and so does what nothing else of the memory depends on."""
        edges = (Edge("causes", "x"), Edge("causes", "y"))
        store.remember("t", [record("t", "a", edges=edges), record("t", "x"), record("t", "y", edges=(Edge("mine", "x"),))])
        before = store.get("t", ["a"])[0]
        store.erase("t", ["x"])
        assert (linking(store, "x"), linking(store, "y")) == ([], ["a"])
        assert store.get("t", ["a"])[0] == replace(before, edges=edges[1:])

    def test_a_reflection_falls_when_its_last_source_falls(self, store: Store) -> None:
        """Superseded or forgotten, it makes no difference; and when a source comes back, so does the reflection."""
        store.remember("t", [record("t", "a"), record("t", "b"), reflection("r", "a", "b")])
        store.remember("t", [record("t", "c", supersedes=("a",))])
        assert seen(store) == ["b", "c", "r"]
        store.forget("t", ["b"], at=NOW)
        assert seen(store) == ["c"]
        assert store.search("t", lookup()).struck == {"forgotten": 1, "supersession": 1, "provenance": 1}
        store.restore("t", ["b"])
        assert seen(store) == ["b", "c", "r"]
        store.forget("t", ["b", "c"], at=NOW)
        assert seen(store) == ["a", "r"]

    def test_as_of_a_time_only_sources_of_before_count(self, store: Store) -> None:
        """A reflection stood until its source fell, though another came later on which it stands now; one that had none stood too."""
        early = NOW - 9 * HOUR
        store.remember("t", [record("t", "a", created_at=early), reflection("r", "a", "b", created_at=early)])
        store.remember("t", [reflection("s", "b", created_at=early)])
        store.forget("t", ["a"], at=NOW - 7 * HOUR)
        store.remember("t", [record("t", "b", created_at=NOW - 5 * HOUR)])
        found = [store.search("t", lookup(at=NOW - hours * HOUR, as_of=True, lexical=words("tea"))) for hours in (8, 6, 4)]
        assert [sorted(memory.id for memory in each.memories) for each in found] == [["a", "r", "s"], ["s"], ["b", "r", "s"]]
        store.forget("t", ["b"], at=NOW - 3 * HOUR)
        found = [store.search("t", lookup(at=NOW - hours * HOUR, as_of=True, lexical=words("tea"))) for hours in (6, 4, 2)]
        assert [sorted(memory.id for memory in each.memories) for each in found] == [["s"], ["b", "r", "s"], []]

    def test_only_stored_sources_count(self, store: Store) -> None:
        """A reflection on what was never stored stands; one whose last standing source is erased falls with the rest."""
        store.remember("t", [reflection("r", "nowhere"), record("t", "a"), record("t", "b"), reflection("s", "a", "b")])
        store.forget("t", ["a"], at=NOW)
        assert seen(store) == ["b", "r", "s"]
        store.erase("t", ["b"])
        assert seen(store) == ["r"]
        store.erase("t", ["a"])
        assert seen(store) == ["r", "s"]
        store.remember("t", [record("t", "nowhere")])
        store.forget("t", ["nowhere"], at=NOW)
        assert seen(store) == ["s"]

    def test_reflections_on_reflections_fall_in_turn_and_circles_hold(self, store: Store) -> None:
        """However long the chain; a circle that rests on nothing else is not felled by itself, and one that rests on the fallen is."""
        store.remember("t", [record("t", "a"), reflection("m0", "a"), *(reflection(f"m{step}", f"m{step - 1}") for step in range(1, 9))])
        store.remember("t", [reflection("x", "y"), reflection("y", "x"), reflection("z", "z")])
        assert len(seen(store)) == 13
        store.forget("t", ["a"], at=NOW)
        assert seen(store) == ["x", "y", "z"]
        store.forget("t", ["x"], at=NOW)
        assert seen(store) == ["z"]

    def test_only_reflections_and_only_by_derivation(self, store: Store) -> None:
        """A fact derived from the fallen stands, and so does a reflection that merely mentions them; a revision counts at once."""
        mentioning = record("t", "m", kind="reflection", edges=(Edge("mentions", "a"),))
        store.remember("t", [record("t", "a"), record("t", "f", edges=(Edge(DERIVED_FROM, "a"),)), mentioning])
        store.forget("t", ["a"], at=NOW)
        assert seen(store) == ["f", "m"]
        store.revise("t", [revision("f", kind="reflection")], at=NOW)
        assert seen(store) == ["m"]
        store.revise("t", [revision("m", edges=(Edge(DERIVED_FROM, "f"),))], at=NOW)
        assert seen(store) == []
        store.revise("t", [revision("f", edges=())], at=NOW)
        assert seen(store) == ["f", "m"]

    def test_a_reflection_falls_where_and_when_its_source_does(self, store: Store) -> None:
        """In one project alone if that is where the source gave way, and as of then."""
        early = NOW - 9 * HOUR
        store.remember("t", [record("t", "a", created_at=early), reflection("r", "a", created_at=early)])
        store.remember("t", [record("t", "p", scope="p", supersedes=("a",), created_at=NOW - 5 * HOUR)])
        assert (seen(store), seen(store, scope="p"), seen(store, scope="q")) == (["a", "r"], ["p"], ["a", "r"])
        assert seen(store, scope="p", at=NOW - 6 * HOUR, as_of=True) == ["a", "r"]
        store.forget("t", ["a"], at=NOW - 2 * HOUR)
        assert (seen(store), seen(store, at=NOW - 3 * HOUR, as_of=True)) == ([], ["a", "r"])

    def test_the_core_is_given_by_id_whatever_is_searched_for(self, store: Store) -> None:
        """Where asked for; kinds and tags choose among the candidates and not in the core, every other gate holds for it too."""
        store.remember("t", [
            record("t", "b", "rain", tier="core"),
            record("t", "a", "rain", tier="core", kind="procedural", tags=("x",)),
            record("t", "c", "tea", kind="procedural", tags=("x",)),
            record("t", "expired", tier="core", expires_at=NOW),
            record("t", "elsewhere", tier="core", scope="p"),
        ])  # fmt: skip
        assert store.search("t", lookup(lexical=words("tea"))).core == ()
        found = store.search("t", lookup(lexical=words("tea"), core=True))
        assert (found.core, [memory.id for memory in found.memories]) == (store.get("t", ["a", "b"]), ["c"])
        assert store.search("t", lookup(kinds=("procedural",), tags=("x",), core=True)).core == found.core
        assert [memory.id for memory in store.search("t", lookup(scope="p", core=True)).core] == ["a", "b", "elsewhere"]
        store.forget("t", ["a"], at=NOW)
        store.revise("t", [revision("b", tier="fact")], at=NOW)
        store.revise("t", [revision("c", tier="core")], at=NOW)
        assert store.search("t", lookup(core=True)).core == store.get("t", ["c"])
        assert store.search("stranger", lookup(core=True)).core == ()


def reflection(memory_id: str, *sources: str, created_at: datetime = NOW - 24 * HOUR) -> Record:
    """A reflection derived from these ids."""
    edges = tuple(Edge(DERIVED_FROM, source) for source in sources)
    return record("t", memory_id, kind="reflection", edges=edges, created_at=created_at)


def linking(store: Store, *targets: str) -> list[str]:
    """The ids of what leads to any of these."""
    found: tuple[Memory, ...] = store.linking("t", targets)
    return [memory.id for memory in found]


def seen(store: Store, **facts: object) -> list[str]:
    """The ids that a lookup by a word all memories have can see."""
    return [memory.id for memory in store.search("t", lookup(lexical=words("tea", pool=99), **facts)).memories]
