"""What every store promises about changing what is stored, as tests."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, entry, lookup, near, record, words
from cued.errors import InputError, NotFoundError
from cued.model import Edge, Memory, Record, Touch, Use
from cued.ports import Store


class RevisingConformance:
    """Revisions, touches and the recall log."""

    def test_revise_replaces_text_terms_and_vector_together(self, store: Store) -> None:
        """The old words no longer match, the new ones do, the new vector is compared."""
        store.remember("t", [record("t", "a", "tea", vector=1)])
        coffee = record("t", "a", "coffee", vector=2)
        (new,) = store.revise("t", ["a"], lambda memory: replace(coffee, memory=replace(memory, text="coffee", version=2)), at=NOW)
        assert (new.text, new.version) == ("coffee", 2)
        assert store.get("t", ["a"]) == (new,)
        assert store.search("t", lookup(lexical=words("tea"))).memories == ()
        found = store.search("t", lookup(lexical=words("coffee"), dense=near(2)))
        assert found.columns["cosine"] == pytest.approx([1.0])
        assert found.stored == 1

    def test_revise_keeps_the_vector_when_the_text_stays(self, store: Store) -> None:
        """A revision without a vector, of the same text and fingerprint, keeps the one stored."""
        store.remember("t", [record("t", "a", "tea", vector=1)])
        store.revise("t", ["a"], lambda memory: Record(memory=replace(memory, importance=0.9), terms={"tea": 1}), at=NOW)
        assert store.search("t", lookup(dense=near(1))).columns["cosine"] == pytest.approx([1.0])

    def test_a_failed_revision_changes_nothing(self, store: Store) -> None:
        """Neither an error of the change itself nor a refused record leaves a trace."""
        store.remember("t", [record("t", "a")])
        before = store.get("t", ["a"])

        def broken(memory: Memory) -> Record:
            raise ZeroDivisionError(memory.id)

        with pytest.raises(ZeroDivisionError):
            store.revise("t", ["a"], broken, at=NOW)
        with pytest.raises(InputError):
            store.revise("t", ["a"], lambda _: record("t", "b"), at=NOW)
        with pytest.raises(NotFoundError):
            store.revise("t", ["nope"], lambda _: record("t", "nope"), at=NOW)
        assert store.get("t", ["a"]) == before
        assert store.search("t", lookup(lexical=words("tea"))).visible == 1

    def test_many_are_revised_or_none(self, store: Store) -> None:
        """In the order asked, an id named twice once, and when one of them fails all stay as they were."""
        store.remember("t", [record("t", memory_id) for memory_id in "abc"])
        revised = store.revise("t", ["c", "a", "c"], second, at=NOW)
        assert [(memory.id, memory.version) for memory in revised] == [("c", 2), ("a", 2)]
        assert revised == store.get("t", ["c", "a"])
        before = store.get("t", ["a", "b", "c"])

        def broken_at_b(memory: Memory) -> Record:
            return record("t", "stranger") if memory.id == "b" else second(memory)

        with pytest.raises(InputError):
            store.revise("t", ["a", "b", "c"], broken_at_b, at=NOW)
        with pytest.raises(NotFoundError):
            store.revise("t", ["a", "nope"], second, at=NOW)
        assert store.get("t", ["a", "b", "c"]) == before
        assert store.revise("t", [], second, at=NOW) == ()

    def test_what_a_revision_supersedes_gives_way_when_it_was_revised(self, store: Store) -> None:
        """As of `at`, not as of when the revised memory was made; the revisions of one call see each other."""
        store.remember("t", [record("t", "a", created_at=NOW - 9 * HOUR), record("t", "b", created_at=NOW - 8 * HOUR)])

        def superseding_a(memory: Memory) -> Record:
            older = ("a",) if memory.id == "b" else ()
            return replace(record("t", memory.id), memory=replace(memory, supersedes=older, importance=0.25))

        a_after, _ = reversed(store.revise("t", ["b", "a"], superseding_a, at=NOW - 2 * HOUR))
        assert a_after == store.get("t", ["a"])[0]
        assert [(mark.by, mark.at) for mark in a_after.superseded] == [("b", NOW - 2 * HOUR)]
        assert (a_after.importance, a_after.weight) == (0.25, 0.1)
        assert [_seen_as_of(store, at) for at in (NOW - 3 * HOUR, NOW - HOUR)] == [["a", "b"], ["b"]]

    def test_a_revision_may_change_edges_and_use(self, store: Store) -> None:
        """Both come back as given."""
        store.remember("t", [record("t", "a", edges=(Edge("causes", "x"),))])
        changed = {"edges": (Edge("causes", "y"), Edge("causes", "y")), "use": Use(count=2.0)}
        (revised,) = store.revise("t", ["a"], lambda memory: replace(record("t", "a"), memory=replace(memory, **changed)), at=NOW)
        assert (revised.edges, revised.use) == (changed["edges"], changed["use"])
        assert store.get("t", ["a"]) == (revised,)

    def test_touch_writes_use_and_nothing_else(self, store: Store) -> None:
        """The use of known ids is changed, unknown ids are passed over, search shows the use."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        use = Use(last_at=NOW, previous_at=NOW - HOUR, count=3.5, counted_at=NOW, boost=1.25)
        store.touch("t", [Touch("a", lambda _: use), Touch("gone", lambda _: use)])
        a, b = store.get("t", ["a", "b"])
        assert (a.use, b.use) == (use, Use())
        assert replace(a, use=Use()) == record("t", "a").memory
        assert store.search("t", lookup(lexical=words("tea"))).memories[0].use == use
        store.forget("t", ["a"], at=NOW)
        assert store.get("t", ["a"])[0].use == use

    def test_a_touch_changes_what_is_stored_at_the_time(self, store: Store) -> None:
        """Each change gets what the one before it left, in one call and over several; an error of one changes nothing."""
        store.remember("t", [record("t", "a", use=Use(boost=1.5))])
        store.touch("t", [Touch("a", counted), Touch("a", counted)])
        store.touch("t", [Touch("a", counted), Touch("a", lambda use: use)])
        assert store.get("t", ["a"])[0].use == Use(count=3.0, boost=1.5)

        def broken(use: Use) -> Use:
            raise ZeroDivisionError(use)

        with pytest.raises(ZeroDivisionError):
            store.touch("t", [Touch("a", counted), Touch("a", broken)], [entry("r")])
        with pytest.raises(InputError):
            store.touch("t", [Touch("a", counted)], [replace(entry("r"), detail={"no data": object()})])
        assert store.get("t", ["a"])[0].use.count == 3.0
        assert store.recalls("t", limit=9) == ()

    def test_an_entry_with_a_known_recall_id_takes_its_place(self, store: Store) -> None:
        """Its position in the log is kept, also when both come at once."""
        store.touch("t", [], [entry("r0"), entry("r1"), entry("r2")])
        later = replace(entry("r1"), tokens=7, detail={"cited": ["a"]})
        store.touch("t", [], [later, entry("r3"), replace(entry("r3"), tokens=8)])
        assert [(each.recall_id, each.tokens) for each in store.recalls("t", limit=9)] == [("r3", 8), ("r2", 40), ("r1", 7), ("r0", 40)]
        assert store.recalls("t", limit=1, recall_id="r1") == (later,)
        assert store.recalls("t", limit=9, recall_id="nope") == ()
        assert store.recalls("stranger", limit=9, recall_id="r1") == ()

    def test_the_recall_log_is_given_newest_first(self, store: Store) -> None:
        """As many as asked for, every field as written, also for a tenant without memories."""
        entries = [entry(f"r{number}") for number in range(5)]
        store.touch("t", [], entries[:2])
        store.touch("t", [], entries[2:])
        assert store.recalls("t", limit=3) == (entries[4], entries[3], entries[2])
        assert store.recalls("stranger", limit=3) == ()
        with pytest.raises(InputError):
            store.recalls("t", limit=0)


def second(memory: Memory) -> Record:
    """Give the memory's second version, with the content it has."""
    return replace(record(memory.tenant, memory.id), memory=replace(memory, version=2))


def counted(use: Use) -> Use:
    """Give a use counted once more."""
    return replace(use, count=use.count + 1)


def _seen_as_of(store: Store, at: datetime) -> list[str]:
    found = store.search("t", lookup(lexical=words("tea"), at=at, as_of=True))
    return [memory.id for memory in found.memories]
