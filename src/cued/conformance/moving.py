"""What every store promises about moving contents in and out, about documents, and about a tenant that is erased, as tests."""

import numpy as np
import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, direction, entry, lookup, near, record, words
from cued.errors import InputError, NotFoundError
from cued.model import NOBODY, Edge, Filter, LogQuery, Record, Stats, Stored, Supersession, Use
from cued.ports import Store

ODD_IDS = ("B", "a", "a\x00", "a\x00b", "a b", "\u00df", "\u00e9", "\uffee", "\U0001fad6")
"""In the order of their code points, which UTF-16 would not keep."""


class MovingConformance:
    """Adopting, scanning, documents, tenants."""

    def test_what_is_adopted_comes_back_as_it_was(self, store: Store) -> None:
        """Use, marks, weight, version and oblivion are kept, and no belief gives way to what is adopted."""
        marks = (Supersession(by="nowhere", at=NOW - HOUR, weight_before=0.75), Supersession(by="new", at=NOW - HOUR, scope="p"))
        use = Use(last_at=NOW, count=2.0, boost=1.25)
        old = record("t", "old", superseded=marks, weight=0.1, use=use, version=4, edges=(Edge("derived_from", "lost"),))
        new = record("t", "new", supersedes=("old", "lost"), forgotten_at=NOW - 2 * HOUR)
        plain = record("t", "plain")
        store.remember("t", [plain])
        assert store.adopt("t", [old, new]) == ("old", "new")
        assert store.get("t", ["old", "new", "plain"]) == (old.memory, new.memory, plain.memory)
        found = store.search("t", lookup(lexical=words("tea"), dense=near(17)))
        assert (found.stored, found.struck) == (3, {"forgotten": 1, "supersession": 1})
        assert [memory.id for memory in store.linking("t", ["lost"])] == ["old"]
        assert store.size("t") == 3

    def test_adopted_beliefs_live_on(self, store: Store) -> None:
        """Forgetting the newer brings the older back with its weight, as if both had been remembered here."""
        mark = Supersession(by="new", at=NOW - HOUR, weight_before=0.75)
        store.adopt("t", [record("t", "new", supersedes=("old", "lost")), record("t", "old", superseded=(mark,), weight=0.1)])
        store.forget("t", ["new"], at=NOW)
        (old,) = store.get("t", ["old"])
        assert (old.superseded, old.weight) == ((replace(mark, lifted_at=NOW),), 0.75)
        store.restore("t", ["new"])
        assert store.get("t", ["old"])[0].superseded == (mark,)

    def test_a_restored_memory_hides_what_it_superseded_though_no_mark_tells_of_it(self, store: Store) -> None:
        """As contents from elsewhere may have it: as of when it was made."""
        store.adopt("t", [record("t", "old"), record("t", "new", supersedes=("old",), forgotten_at=NOW - HOUR)])
        assert store.search("t", lookup()).struck == {"forgotten": 1}
        store.restore("t", ["new"])
        (old, new) = store.get("t", ["old", "new"])
        assert old.superseded == (Supersession(by="new", at=new.created_at),)
        assert store.search("t", lookup()).struck == {"supersession": 1}

    def test_what_is_known_gives_way_to_what_is_adopted_and_supersedes_it(self, store: Store) -> None:
        """As a later copy of the same memories has it; what is more trusted, of another project or claims the new one is not superseded."""
        known = [record("t", "old", weight=0.75), record("t", "user's"), record("t", "far", scope="p"), record("t", "circle")]
        store.adopt("t", [*known, record("t", "round", supersedes=("circle", "new"))])
        claims = ("old", "far", "circle", "round", "lost")
        news = [record("t", "new", supersedes=claims, scope="q"), record("t", "import", trust="import", supersedes=("user's",))]
        assert store.adopt("t", news) == ("new", "import")
        old, new, *others = store.get("t", ["old", "new", "user's", "far", "round", "import"])
        assert old.superseded == (Supersession(by="new", at=new.created_at, scope="q", weight_before=0.75),)
        assert new.supersedes == ("old", "circle", "lost")
        assert [(each.superseded, each.supersedes) for each in others] == [((), ()), ((), ()), ((), ("circle", "new")), ((), ())]
        store.forget("t", ["new"], at=NOW)
        assert store.get("t", ["old"])[0].superseded == (replace(old.superseded[0], lifted_at=NOW),)

    def test_what_is_adopted_gives_way_to_what_is_known_as_that_holds_here(self, store: Store) -> None:
        """Not to one that is forgotten, and for good to one that supersedes it no more, which so leaves no name behind."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.remember("t", [record("t", "newer", supersedes=("a", "b")), record("t", "other", supersedes=("b",))])
        stored = {each.memory.id: each for each in scanned(store, 9)}
        back = [Record(memory=stored[each].memory, terms=record("t", "any").terms, vector=stored[each].vector) for each in ("a", "b")]
        store.erase("t", ["a", "b"])
        store.adopt("t", [back[0]])
        (mark,) = back[0].memory.superseded
        assert store.get("t", ["a"])[0] == replace(back[0].memory, superseded=(replace(mark, by=NOBODY),))
        store.erase("t", ["newer", "other"])
        kept = [replace(back[1], memory=replace(back[1].memory, superseded=back[1].memory.superseded[:1]))]
        store.adopt("t", [record("t", "newer", supersedes=("b",), forgotten_at=NOW)])
        store.adopt("t", kept)
        (b,) = store.get("t", ["b"])
        assert (b.weight, [each.lifted_at for each in b.superseded]) == (1.0, [NOW])

    def test_known_ids_are_passed_over_when_adopting(self, store: Store) -> None:
        """Nothing of what is known changes, and of two records with one id the first is taken."""
        store.remember("t", [record("t", "a", "tea")])
        before = store.get("t", ["a"])
        assert store.adopt("t", [record("t", "a", "rain"), record("t", "b", "code"), record("t", "b", "music")]) == ("b",)
        assert store.get("t", ["a"]) == before
        assert store.get("t", ["b"])[0].text == "code"
        assert store.adopt("t", [record("t", "a", "rain"), record("t", "b")]) == ()
        assert store.adopt("t", []) == ()
        assert store.search("t", lookup(lexical=words("rain", "music"))).memories == ()

    def test_adopting_stores_all_or_nothing(self, store: Store) -> None:
        """One record that cannot be stored, and none is."""
        naive = Use(last_at=NOW.replace(tzinfo=None))
        for broken in (record("other", "x"), record("t", ""), replace(record("t", "x"), vector=None), record("t", "x", use=naive)):
            with pytest.raises(InputError):
                store.adopt("t", [record("t", "good"), broken])
            assert store.size("t") == 0

    def test_a_scan_gives_everything_by_id_with_its_vector(self, store: Store) -> None:
        """Hidden memories too, in the order of code points, page by page without gap or overlap."""
        store.remember("t", [record("t", memory_id, vector=number) for number, memory_id in enumerate(ODD_IDS)])
        store.remember("t", [record("t", "z pending", vector=None, expires_at=NOW, use=Use(count=1.0))])
        store.forget("t", ["a"], at=NOW)
        for size in (1, 2, 4, 50):
            found = scanned(store, size)
            assert [each.memory.id for each in found] == sorted([*ODD_IDS, "z pending"])
            assert tuple(each.memory for each in found) == store.get("t", [each.memory.id for each in found])
        vectors = {each.memory.id: each.vector for each in scanned(store, 3)}
        assert vectors.pop("z pending") is None
        for number, memory_id in enumerate(ODD_IDS):
            assert np.asarray(vectors[memory_id]).tobytes() == direction(number).tobytes()

    def test_a_scan_of_nothing_is_empty_and_its_limit_is_checked(self, store: Store) -> None:
        """Strangers have nothing, and there is nothing after the last."""
        store.remember("t", [record("t", "a")])
        assert store.scan("stranger", limit=5) == store.scan("t", limit=5, after="a") == ()
        with pytest.raises(InputError):
            store.scan("t", limit=0)

    def test_what_is_scanned_can_be_adopted_elsewhere(self, store: Store) -> None:
        """The same contents are found the same."""
        store.remember("t", [record("t", f"m{number}", vector=number, entities=("Ada",)) for number in range(5)])
        store.forget("t", ["m1"], at=NOW)
        terms = record("t", "any").terms
        moved = [Record(memory=replace(each.memory, tenant="u"), terms=terms, vector=each.vector) for each in scanned(store, 2)]
        assert len(store.adopt("u", moved)) == 5
        asked = lookup(lexical=words("tea"), dense=near(3))
        one, other = store.search("t", asked), store.search("u", asked)
        assert [replace(memory, tenant="u") for memory in one.memories] == list(other.memories)
        assert one.columns["cosine"].tobytes() == other.columns["cosine"].tobytes()

    def test_a_document_is_kept_changed_and_removed(self, store: Store) -> None:
        """Under its own name, for its own tenant, and only from what it was."""
        assert store.document("t", "balance") is None
        assert store.swap_document("t", "balance", old=None, new=b"one")
        assert store.swap_document("t", "balance", old=b"one", new=b"one\x00two")
        assert store.swap_document("t", "other", old=None, new=b"")
        assert (store.document("t", "balance"), store.document("t", "other")) == (b"one\x00two", b"")
        assert (store.document("u", "balance"), store.document("t", "Balance")) == (None, None)
        for stale in (None, b"", b"one"):
            assert not store.swap_document("t", "balance", old=stale, new=b"three")
        assert not store.swap_document("t", "never was", old=b"", new=b"three")
        assert store.document("t", "balance") == b"one\x00two"
        assert store.swap_document("t", "balance", old=b"one\x00two", new=None)
        assert store.swap_document("t", "never was", old=None, new=None)
        assert store.document("t", "balance") is None
        for bad in ("", "\ud800"):
            with pytest.raises(InputError):
                store.document("t", bad)
            with pytest.raises(InputError):
                store.swap_document("t", bad, old=None, new=b"")

    def test_no_document_brings_back_a_tenant_that_was_known_and_is_gone(self, store: Store) -> None:
        """Whether it had one before or not; of one that is there it is written as ever."""
        store.remember("t", [record("t", "a")])
        assert store.swap_document("t", "balance", old=None, new=b"one", known=True)
        store.erase_tenant("t")
        assert not store.swap_document("t", "balance", old=None, new=b"two", known=True)
        assert_empty(store, "t")

    def test_a_search_reads_a_document_along(self, store: Store) -> None:
        """The one that the lookup names, as of the same moment, also where there are no memories."""
        assert store.search("t", lookup(document="balance")).document is None
        store.swap_document("t", "balance", old=None, new=b"one")
        assert store.search("t", lookup(document="balance")).document == b"one"
        store.remember("t", [record("t", "a")])
        found = store.search("t", lookup(lexical=words("tea"), document="balance"))
        assert (found.document, found.visible) == (b"one", 1)
        assert [store.search("t", lookup(document=name)).document for name in (None, "other")] == [None, None]

    def test_tenants_are_those_that_something_is_kept_for(self, store: Store) -> None:
        """A memory, a recall or a document; whoever was only asked about is none, nor who has only erased things."""
        assert store.tenants() == ()
        store.remember("\u00e9", [record("\u00e9", "a")])
        store.settle("recalled", [], [entry("r")])
        store.swap_document("documented", "d", old=None, new=b"d")
        store.remember("gone", [record("gone", "a")])
        store.erase("gone", ["a"])
        store.remember("empty", [])
        store.search("asked", lookup())
        assert store.tenants() == ("documented", "recalled", "\u00e9")

    def test_an_erased_tenant_leaves_nothing_and_touches_no_other(self, store: Store) -> None:
        """No memory, recall or document, and under the same name a new life can begin."""
        for tenant in ("t", "T"):
            store.remember(tenant, [record(tenant, "a", edges=(Edge("causes", "b"),)), record(tenant, "b")])
            store.settle(tenant, [], [entry("r")])
            store.swap_document(tenant, "d", old=None, new=b"d")
            assert store.search(tenant, lookup(lexical=words("tea"))).stored == 2
        store.erase_tenant("t")
        assert_empty(store, "t")
        assert (store.size("T"), len(store.log("T", LogQuery())), store.document("T", "d")) == (2, 1, b"d")
        assert store.search("T", lookup(lexical=words("tea"))).visible == 2
        store.remember("t", [record("t", "b", "rain"), record("t", "c", "tea")])
        assert [memory.id for memory in store.search("t", lookup(lexical=words("tea", "rain"))).memories] == ["b", "c"]
        assert store.get("t", ["b"])[0].text == "rain"
        store.erase_tenant("never was")
        assert store.tenants() == ("T", "t")


def scanned(store: Store, size: int) -> list[Stored]:
    """Everything in a scan of tenant t, in pages of this size."""
    found: list[Stored] = []
    while page := store.scan("t", limit=size, after=found[-1].memory.id if found else None):
        assert len(page) <= size
        found += page
    return found


def assert_empty(store: Store, tenant: str) -> None:
    """Hold that no read finds anything of the tenant."""
    assert tenant not in store.tenants()
    assert (store.size(tenant), store.stats(tenant, at=NOW)) == (0, Stats())
    assert store.search(tenant, lookup(lexical=words("tea"), core=True)).stored == 0
    assert store.list(tenant, Filter(hidden=True), at=NOW, limit=9).memories == ()
    assert (store.scan(tenant, limit=9), store.linking(tenant, ["a", "b"]), store.log(tenant, LogQuery())) == ((), (), ())
    assert store.document(tenant, "d") is None
    with pytest.raises(NotFoundError):
        store.get(tenant, ["a"])
