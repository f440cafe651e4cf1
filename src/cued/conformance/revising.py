"""What every store promises about changing what is stored, as tests."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, direction, entry, lookup, near, record, revision, touch, words
from cued.errors import InputError, NotFoundError
from cued.model import Edge, LeftOut, LogQuery, Revised, Revision, Seen, Settlement, Use
from cued.ports import Store


class RevisingConformance:
    """Revisions and touches."""

    def test_revise_replaces_text_terms_and_vector_together(self, store: Store) -> None:
        """The old words no longer match, the new ones do, the new vector is compared."""
        store.remember("t", [record("t", "a", "tea", vector=1)])
        coffee = Revision(id="a", set={"text": "coffee"}, terms={"coffee": 1}, vector=direction(2))
        (new,) = store.revise("t", [coffee], at=NOW).memories
        assert (new.text, new.version) == ("coffee", 2)
        assert store.get("t", ["a"]) == (new,)
        assert store.search("t", lookup(lexical=words("tea"))).memories == ()
        found = store.search("t", lookup(lexical=words("coffee"), dense=near(2)))
        assert found.columns["cosine"] == pytest.approx([1.0])
        assert found.stored == 1

    def test_what_a_revision_does_not_bring_stays(self, store: Store) -> None:
        """Words and vector while the text does, whatever tags and names become; the version grows."""
        store.remember("t", [record("t", "a", "tea", vector=1, tags=("x",), entities=("Ada",)), record("t", "b", "tea", vector=1)])
        (new,) = store.revise("t", [revision("a", importance=0.9, tags=("y",), entities=("Bo", "Cleo"))], at=NOW).memories
        assert (new.importance, new.tags, new.version) == (0.9, ("y",), 2)
        assert [store.search("t", lookup(lexical=words("tea"), tags=(tag,))).visible for tag in "xy"] == [0, 1]
        found = store.search("t", lookup(lexical=words("tea"), dense=near(1)))
        assert found.columns["cosine"] == pytest.approx([1.0, 1.0])
        assert len(set(found.columns["bm25"].tolist())) == len(set(found.columns["length"].tolist())) == 1

    def test_another_vector_alone_is_no_new_version(self, store: Store) -> None:
        """It comes with its fingerprint, and the text that it was made from is the same."""
        store.remember("t", [record("t", "a", vector=1), record("t", "b", vector=None)])
        set_to = {"fingerprint": "new/one"}
        new = store.revise("t", [Revision(id=each, set=set_to, vector=direction(2)) for each in "ab"], at=NOW).memories
        assert [(memory.version, memory.fingerprint) for memory in new] == [(1, "new/one")] * 2
        assert store.search("t", lookup(dense=near(2, fingerprint="new/one"))).columns["cosine"] == pytest.approx([1.0, 1.0])
        assert store.search("t", lookup(dense=near(1))).uncomparable == 2

    def test_what_cannot_be_revised_is_refused_whole(self, store: Store) -> None:
        """A field that is the store's own, a text without its terms, a vector without a fingerprint, an unknown older belief."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        before = store.get("t", ["a", "b"])
        bad = [
            *(
                revision("a", **{name: getattr(before[0], name)})
                for name in ("id", "tenant", "superseded", "use", "forgotten_at", "version")
            ),
            revision("a", text="coffee"),
            revision("a", colour="red"),
            revision("a", scope=""),
            revision("a", tags=7),
            revision("a", text="lone \ud800"),
            revision("a", created_at=NOW.replace(tzinfo=None)),
            Revision(id="a", set={"text": "coffee"}, terms={"coffee": 1}),
            Revision(id="a", set={"fingerprint": None}, vector=direction(1)),
        ]
        for each in bad:
            with pytest.raises(InputError):
                store.revise("t", [revision("b", importance=0.9), each], at=NOW)
        with pytest.raises(NotFoundError):
            store.revise("t", [revision("b", importance=0.9), Revision(id="a", supersede=("nope",))], at=NOW)
        assert store.get("t", ["a", "b"]) == before
        assert store.search("t", lookup(lexical=words("tea"))).visible == 2

    def test_the_revisions_that_apply_are_made_and_the_others_named(self, store: Store) -> None:
        """In the order asked; one of an id that is gone, or that would change nothing, is left out."""
        store.remember("t", [record("t", memory_id) for memory_id in "abc"])
        asked = [revision("c", importance=0.9), revision("nope", importance=0.9), revision("a", importance=0.9), revision("b", tags=())]
        done = store.revise("t", asked, at=NOW)
        assert [(memory.id, memory.version) for memory in done.memories] == [("c", 2), ("a", 2)]
        assert done.memories == store.get("t", ["c", "a"])
        assert done.left_out == (LeftOut("nope", "gone", "nope"), LeftOut("b", "unchanged", "b"))
        assert store.revise("t", [], at=NOW) == Revised()
        assert store.revise("stranger", asked[:1], at=NOW) == Revised(left_out=(LeftOut("c", "gone", "c"),))
        assert store.tenants() == ("t",)

    def test_several_revisions_of_one_memory_add_up_to_one_version(self, store: Store) -> None:
        """Each over what the one before it left."""
        store.remember("t", [record("t", memory_id) for memory_id in "abc"])
        asked = [Revision(id="c", supersede=(older,), link=(Edge("merged", older),), made_from=1) for older in "ab"]
        (new,) = store.revise("t", asked, at=NOW).memories
        assert (new.supersedes, [edge.target for edge in new.edges], new.version) == (("a", "b"), ["a", "b"], 2)
        (new,) = store.revise("t", [Revision(id="c", let_go=("a",), unlink=(Edge("merged", "a"),))], at=NOW).memories
        assert (new.supersedes, new.edges, new.version) == (("b",), (Edge("merged", "b"),), 3)

    def test_a_revision_applies_to_the_version_that_it_was_made_from(self, store: Store) -> None:
        """And where what it needs is stored, in the version that was seen, and stands."""
        store.remember("t", [record("t", memory_id, expires_at=NOW if memory_id == "d" else None) for memory_id in "abcd"])
        store.revise("t", [revision("a", importance=0.9)], at=NOW)
        store.forget("t", ["c"], at=NOW)
        asked = {
            ("changed", "a"): Revision(id="a", set={"importance": 0.1}, made_from=1),
            ("changed", "c"): Revision(id="a", set={"importance": 0.1}, needs=(Seen("c", 1),)),
            ("changed", "d"): Revision(id="a", set={"importance": 0.1}, needs=(Seen("d", 1),)),
            ("changed", "b"): Revision(id="a", set={"importance": 0.1}, needs=(Seen("b", 2),)),
            ("gone", "nope"): Revision(id="a", set={"importance": 0.1}, needs=(Seen("b", 1), Seen("nope", 1))),
        }
        for (reason, because), each in asked.items():
            assert store.revise("t", [each], at=NOW).left_out == (LeftOut("a", reason, because),)  # type: ignore[arg-type]
        fitting = Revision(id="a", set={"importance": 0.1}, made_from=2, needs=(Seen("b", 1), Seen("a", 2)))
        assert [memory.importance for memory in store.revise("t", [fitting], at=NOW).memories] == [0.1]

    def test_what_a_revision_supersedes_gives_way_when_it_was_revised(self, store: Store) -> None:
        """As of `at`, not as of when the revised memory was made; the revisions of one call see each other."""
        store.remember("t", [record("t", "a", created_at=NOW - 9 * HOUR), record("t", "b", created_at=NOW - 8 * HOUR)])
        asked = [revision("b", supersedes=("a",), importance=0.25), revision("a", importance=0.25)]
        _, a_after = store.revise("t", asked, at=NOW - 2 * HOUR).memories
        assert a_after == store.get("t", ["a"])[0]
        assert [(mark.by, mark.at) for mark in a_after.superseded] == [("b", NOW - 2 * HOUR)]
        assert (a_after.importance, a_after.weight) == (0.25, 0.1)
        assert [_seen_as_of(store, at) for at in (NOW - 3 * HOUR, NOW - HOUR)] == [["a", "b"], ["b"]]

    def test_a_revision_may_change_edges(self, store: Store) -> None:
        """They come back as given, and the use stays."""
        store.remember("t", [record("t", "a", edges=(Edge("causes", "x"),), use=Use(count=2.0))])
        edges = (Edge("causes", "y"), Edge("causes", "y"))
        (revised,) = store.revise("t", [revision("a", edges=edges)], at=NOW).memories
        assert (revised.edges, revised.use) == (edges, Use(count=2.0))
        assert store.get("t", ["a"]) == (revised,)

    def test_settling_writes_use_and_nothing_else(self, store: Store) -> None:
        """The use of known ids is counted, unknown ids are passed over, search shows the use."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.settle("t", [touch("a", NOW - HOUR), touch("gone"), touch("a")])
        use = Use(last_at=NOW, previous_at=NOW - HOUR, count=2.0, counted_at=NOW)
        a, b = store.get("t", ["a", "b"])
        assert (a.use, b.use) == (use, Use())
        assert replace(a, use=Use()) == record("t", "a").memory
        assert store.search("t", lookup(lexical=words("tea"))).memories[0].use == use
        store.forget("t", ["a"], at=NOW)
        assert store.get("t", ["a"])[0].use == use

    def test_a_use_is_counted_on_what_is_stored_at_the_time(self, store: Store) -> None:
        """Each on what the one before it left, in one call and over several; and when one line is refused nothing is counted."""
        store.remember("t", [record("t", "a", use=Use(boost=1.5))])
        store.settle("t", [touch("a", NOW - 2 * HOUR), touch("a", NOW - HOUR), touch("a", NOW - HOUR / 2)])
        store.settle("t", [touch("a")])
        use = Use(last_at=NOW, previous_at=NOW - HOUR, count=3.0, counted_at=NOW, boost=1.5)
        assert store.get("t", ["a"])[0].use == use
        for bad in (
            replace(entry("r"), policy="\ud800"),
            replace(entry("r"), tokens=2**70),
            replace(entry("r"), best_relevance=float("nan")),
        ):
            with pytest.raises(InputError):
                store.settle("t", [touch("a", NOW + HOUR)], [bad])
        assert store.get("t", ["a"])[0].use == use
        assert store.log("t", LogQuery()) == ()

    def test_what_recalls_of_several_tenants_leave_is_written_in_one_step(self, store: Store) -> None:
        """Each as if it came alone, and one tenant's in the order given; where one is refused, nothing is; or the store says it cannot."""
        for tenant in ("t", "u"):
            store.remember(tenant, [record(tenant, "a")])
        many = [
            Settlement("t", [touch("a", NOW - HOUR)], [entry("r1")], known=True),
            Settlement("u", [touch("a"), touch("gone")], [entry("r2")], known=True),
            Settlement("gone", [touch("a")], [entry("r3")], known=True),
            Settlement("t", [touch("a")], [entry("r4")]),
            Settlement("new", [], [entry("r5")]),
        ]
        if (written := store.settle_all(many)) is None:
            assert store.log("t", LogQuery()) == ()
            return
        assert written == (True, True, False, True, True)
        with pytest.raises(InputError):
            store.settle_all([Settlement("t", [touch("a", NOW + HOUR)], []), Settlement("u", [], [replace(entry("r"), tokens=2**70)])])
        assert [store.get(tenant, ["a"])[0].use.count for tenant in ("t", "u")] == [2.0, 1.0]
        logged = {tenant: {line.recall_id for line in store.log(tenant, LogQuery())} for tenant in store.tenants()}
        assert logged == {"t": {"r1", "r4"}, "u": {"r2"}, "new": {"r5"}}


def _seen_as_of(store: Store, at: datetime) -> list[str]:
    found = store.search("t", lookup(lexical=words("tea"), at=at, as_of=True))
    return [memory.id for memory in found.memories]
