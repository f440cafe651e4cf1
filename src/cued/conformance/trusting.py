"""What every store promises about trust and quarantine, as tests."""

from collections.abc import Callable
from functools import partial

import pytest

from cued.conformance.samples import HOUR, NOW, lookup, near, record, revision, words
from cued.conformance.searching import ids
from cued.errors import TrustError
from cued.model import TRUSTS, Filter, Revision
from cued.ports import Store


class TrustConformance:
    """Who gives way to whom, what is pinned, and what waits for a person's word."""

    def test_nothing_gives_way_to_what_is_less_trusted(self, store: Store) -> None:
        """Whoever is as much trusted may supersede; of the others nothing is stored."""
        store.remember("t", [record("t", trust, trust=trust) for trust in TRUSTS])
        for place, trust in enumerate(TRUSTS):
            for other, old in enumerate(TRUSTS):
                new = record("t", f"{trust} over {old}", trust=trust, supersedes=(old,))
                if other < place:
                    _refused(partial(store.remember, "t", [new]))
                else:
                    store.remember("t", [new])
        assert store.size("t") == 4 + 10

    def test_a_revision_is_worth_the_word_of_whoever_makes_it(self, store: Store) -> None:
        """It changes nothing that is more trusted, lets no more trusted one give way, and raises nothing above itself."""
        store.remember("t", [record("t", "u"), record("t", "a", trust="agent"), record("t", "w", trust="tool")])
        before = store.get("t", ["u", "a", "w"])
        for refused in (
            Revision(id="u", set={"importance": 0.1}, word="agent"),
            Revision(id="w", supersede=("u",), word="agent"),
            Revision(id="w", supersede=("a",), word="tool"),
            Revision(id="w", set={"trust": "user"}, word="agent"),
        ):
            _refused(partial(store.revise, "t", [refused], at=NOW))
        assert store.get("t", ["u", "a", "w"]) == before
        store.revise("t", [Revision(id="w", supersede=("a",), word="agent"), Revision(id="w", supersede=("u",))], at=NOW)
        assert ids(store.search("t", lookup(lexical=words("tea")))) == ["w"]

    def test_what_nobody_has_vouched_for_is_not_pinned(self, store: Store) -> None:
        """Neither when it is stored or adopted nor by a revision; once it is a user's it can be."""
        pinned = [record("t", trust, tier="core", trust=trust) for trust in TRUSTS]
        store.remember("t", pinned[:2])
        for write in (store.remember, store.adopt):
            for each in pinned[2:]:
                _refused(partial(write, "t", [each]))
        store.remember("t", [record("t", "w", trust="tool")])
        _refused(lambda: store.revise("t", [revision("w", tier="core")], at=NOW))
        store.revise("t", [revision("w", tier="core", trust="user")], at=NOW)
        _refused(lambda: store.revise("t", [revision("w", trust="import")], at=NOW))
        found = store.search("t", lookup(lexical=words("nothing"), core=True))
        assert [memory.id for memory in found.core] == ["agent", "user", "w"]

    def test_a_quarantined_memory_is_kept_and_listed_and_never_found(self, store: Store) -> None:
        """Not as of a time either, and nothing counts it; only a user's word lets it out, and then all is as it was."""
        store.remember("t", [record("t", "a", "tea", created_at=NOW - 9 * HOUR), record("t", "b", "tea", trust="tool")])
        asked = [lookup(lexical=words("tea"), dense=near(3)), lookup(lexical=words("tea"), dense=near(3), at=NOW, as_of=True)]
        before = [store.search("t", each) for each in asked]
        store.revise("t", [Revision(id="b", set={"quarantined_at": NOW}, word="tool")], at=NOW)
        for each in asked:
            found = store.search("t", each)
            assert (ids(found), found.struck, found.background.count) == (["a"], {"quarantine": 1}, 1)
        assert [memory.id for memory in store.list("t", Filter(), at=NOW, limit=9)] == ["a", "b"]
        assert [memory.id for memory in store.list("t", Filter(quarantined=True), at=NOW, limit=9)] == ["b"]
        assert [memory.id for memory in store.list("t", Filter(quarantined=False), at=NOW, limit=9)] == ["a"]
        assert store.stats("t", at=NOW).quarantined == 1
        _refused(lambda: store.revise("t", [Revision(id="b", set={"quarantined_at": None}, word="agent")], at=NOW))
        store.revise("t", [revision("b", quarantined_at=None)], at=NOW)
        assert [ids(store.search("t", each)) for each in asked] == [ids(found) for found in before]

    def test_what_a_quarantined_memory_superseded_stands_meanwhile(self, store: Store) -> None:
        """At every time, as if the quarantined one had never been; and gives way again when it is let out."""
        store.remember("t", [record("t", "a", created_at=NOW - 9 * HOUR)])
        store.remember("t", [record("t", "b", created_at=NOW - 5 * HOUR, supersedes=("a",))])
        asked = [lookup(lexical=words("tea")), lookup(lexical=words("tea"), at=NOW - HOUR, as_of=True)]
        assert [ids(store.search("t", each)) for each in asked] == [["b"]] * 2
        before = store.get("t", ["a", "b"])
        store.revise("t", [revision("b", quarantined_at=NOW)], at=NOW)
        assert [ids(store.search("t", each)) for each in asked] == [["a"]] * 2
        assert store.get("t", ["a"])[0].weight == 1.0
        store.revise("t", [revision("b", quarantined_at=None)], at=NOW + HOUR)
        assert [ids(store.search("t", each)) for each in asked] == [["b"]] * 2
        assert [memory.superseded for memory in store.get("t", ["a", "b"])] == [memory.superseded for memory in before]

    def test_a_memory_can_be_stored_in_quarantine(self, store: Store) -> None:
        """What it claims gives way only once it is let out."""
        store.remember("t", [record("t", "a")])
        store.remember("t", [record("t", "b", supersedes=("a",), quarantined_at=NOW)])
        assert ids(store.search("t", lookup(lexical=words("tea")))) == ["a"]
        store.revise("t", [revision("b", quarantined_at=None)], at=NOW)
        assert ids(store.search("t", lookup(lexical=words("tea")))) == ["b"]

    def test_a_search_and_a_listing_can_ask_for_some_trusts_alone(self, store: Store) -> None:
        """Struck memories count in nothing, pinned ones neither."""
        store.remember("t", [record("t", trust, trust=trust, tier="core" if trust == "user" else "fact") for trust in TRUSTS])
        found = store.search("t", lookup(lexical=words("tea"), trusts=("agent", "tool"), core=True))
        assert (ids(found), found.struck, found.visible, found.core) == (["agent", "tool"], {"trust": 2}, 2, ())
        assert {memory.id for memory in store.list("t", Filter(trusts=("import", "user")), at=NOW, limit=9)} == {"import", "user"}
        assert store.stats("t", at=NOW).by_trust == {"agent": 1, "import": 1, "tool": 1, "user": 1}

    def test_a_flood_of_one_sort_keeps_nothing_of_the_other_out_of_a_pool(self, store: Store) -> None:
        """Where pools are asked for apart: each channel's pool of both."""
        store.remember("t", [record("t", f"w{number}", "tea", vector=1, trust="tool") for number in range(9)])
        store.remember("t", [record("t", "u", "tea with much rain and a train to the garden", vector=2)])
        narrow = {"lexical": words("tea", pool=3), "dense": near(1, pool=3)}
        assert ids(store.search("t", lookup(**narrow))) == ["w0", "w1", "w2"]
        found = store.search("t", lookup(**narrow, apart=True))
        assert ids(found) == ["u", "w0", "w1", "w2"]
        assert found.columns["lexical_rank"].tolist() == found.columns["dense_rank"].tolist() == [4, 1, 2, 3]


def _refused(write: Callable[[], object]) -> None:
    with pytest.raises(TrustError):
        write()
