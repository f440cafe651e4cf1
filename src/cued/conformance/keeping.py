"""What every store promises about writing and reading back, as tests."""

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, direction, entry, lookup, near, record, words
from cued.conformance.searching import ids
from cued.errors import InputError, NotFoundError
from cued.model import Edge, LogQuery, Record, Source, Use
from cued.ports import Store

TWINS = (
    *("1", "10", "01", " 1", "1 ", "1\n", "a", "A", "%", "_", "a%", "a_"),
    *("\u00e9", "e\u0301", "\u00df", "SS", "\U0001fad6", "\U0001fad6\U0001f3fd", "\u0131", "I"),
    *("a\x00b", "a\x00", "NULL", "'", '"; --'),
)


class KeepingConformance:
    """Writing, reading back, and keeping tenants apart."""

    def test_what_is_remembered_comes_back_whole(self, store: Store) -> None:
        """Every field of the memory survives."""
        source = Source(session="s", turn=3, speaker="Ada", url="https://x", meta={"a": 1, "b": None, "c": 1.5})
        facts = {"kind": "episodic", "tier": "core", "scope": "atlas", "tags": ("x", "y"), "entities": ("Ada",), "trust": "agent"}
        times = {"valid_from": NOW, "valid_until": NOW + HOUR, "expires_at": NOW + HOUR}
        times["quarantined_at"] = NOW
        numbers = {"importance": 0.9, "weight": 0.7, "version": 7, "use": Use(last_at=NOW, count=2.5, boost=1.1)}
        links = {"source": source, "edges": (Edge("derived_from", "z"),)}
        full = record("t", "a", text="tea ☕\x00 and\r\nrain", **facts, **times, **numbers, **links)
        store.remember("t", [full])
        assert store.get("t", ["a"]) == (full.memory,)

    def test_get_keeps_the_order_asked_and_refuses_an_unknown_id(self, store: Store) -> None:
        """The order is the asker's, repeats included."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        assert [memory.id for memory in store.get("t", ["b", "a", "b"])] == ["b", "a", "b"]
        with pytest.raises(NotFoundError):
            store.get("t", ["a", "nope"])

    def test_remember_stores_all_or_nothing(self, store: Store) -> None:
        """One bad record in a batch, at any place and for any reason, and nothing is stored."""
        store.remember("t", [record("t", "known")])
        good = record("t", "good")
        unit = direction(1)
        bad: list[tuple[Record, type[Exception]]] = [
            (record("t", "known"), InputError),
            (record("t", "good"), InputError),
            (record("t", "x", supersedes=("nope",)), NotFoundError),
            (record("t", "x", supersedes=("x",)), InputError),
            (record("other", "x"), InputError),
            (record("t", "x", source=Source(turn=2**63)), InputError),
            (record("t", "x", source=Source(meta={"huge": 2**70})), InputError),
            (record("t", "x", expires_at=NOW.replace(tzinfo=None)), InputError),
            (record("t", ""), InputError),
            (record("t", "x", "lone \ud800"), InputError),
            (replace(record("t", "x"), vector=unit * 0), InputError),
            (replace(record("t", "x"), vector=unit * float("nan")), InputError),
            (replace(record("t", "x"), vector=unit.reshape(2, 4)), InputError),
            (replace(record("t", "x"), vector=None), InputError),
        ]
        for broken, error in bad:
            with pytest.raises(error):
                store.remember("t", [good, broken])
            assert store.size("t") == 1

    def test_nothing_to_remember_is_fine(self, store: Store) -> None:
        """An empty batch changes nothing."""
        store.remember("t", [])
        assert store.size("t") == 0

    def test_tenants_whose_names_look_alike_are_strangers(self, store: Store) -> None:
        """No read and no write of one reaches another, however alike the names."""
        for number, tenant in enumerate(TWINS):
            store.remember(tenant, [record(tenant, "same", f"tea number{number}", vector=number), record(tenant, f"own{number}")])
            store.settle(tenant, [], [entry(f"recall of {number}")])
        store.forget(TWINS[0], ["same"], at=NOW)
        store.erase(TWINS[1], ["same"])
        for number, tenant in enumerate(TWINS[2:], start=2):
            assert store.size(tenant) == 2
            assert [each.recall_id for each in store.log(tenant, LogQuery(limit=9))] == [f"recall of {number}"]
            found = store.search(tenant, lookup(lexical=words("tea", f"number{number}"), dense=near(number)))
            assert found.stored == found.visible == 2
            assert {memory.tenant for memory in found.memories} == {tenant}
            assert ids(found) == sorted(["same", f"own{number}"])
            stranger = store.search(tenant, lookup(lexical=words(f"number{number - 1}")))
            assert stranger.memories == ()
            with pytest.raises(NotFoundError):
                store.get(tenant, [f"own{number - 1}"])

    def test_a_tenant_without_a_name_is_refused(self, store: Store) -> None:
        """There is no default tenant."""
        for bad in ("", "\ud800"):
            with pytest.raises(InputError):
                store.size(bad)

    def test_size_counts_what_is_stored(self, store: Store) -> None:
        """Forgotten memories count, erased ones do not, a stranger has none."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.forget("t", ["a"], at=NOW)
        assert (store.size("t"), store.size("stranger")) == (2, 0)
        store.erase("t", ["a"])
        assert store.size("t") == 1

    def test_forget_hides_and_restore_brings_back(self, store: Store) -> None:
        """The memory stays stored and can be read by id all the while."""
        store.remember("t", [record("t", "a")])
        store.forget("t", ["a"], at=NOW)
        found = store.search("t", lookup(lexical=words("tea")))
        assert (found.memories, found.struck) == ((), {"forgotten": 1})
        assert store.get("t", ["a"])[0].forgotten_at == NOW
        store.forget("t", ["a"], at=NOW + HOUR)
        assert store.get("t", ["a"])[0].forgotten_at == NOW
        store.restore("t", ["a"])
        assert store.get("t", ["a"])[0].forgotten_at is None
        assert ids(store.search("t", lookup(lexical=words("tea")))) == ["a"]

    def test_unknown_ids_stop_forget_restore_and_erase_whole(self, store: Store) -> None:
        """A NotFoundError, and the known ids in the same call are untouched."""
        store.remember("t", [record("t", "a")])
        with pytest.raises(NotFoundError):
            store.forget("t", ["a", "nope"], at=NOW)
        with pytest.raises(NotFoundError):
            store.restore("t", ["nope"])
        with pytest.raises(NotFoundError):
            store.erase("t", ["a", "nope"])
        assert store.get("t", ["a"])[0].forgotten_at is None

    def test_an_erased_memory_is_gone_and_its_id_is_free(self, store: Store) -> None:
        """No read finds it, and the id can be used anew."""
        store.remember("t", [record("t", "a", "tea", vector=1), record("t", "b", "rain", vector=2)])
        store.erase("t", ["a"])
        with pytest.raises(NotFoundError):
            store.get("t", ["a"])
        found = store.search("t", lookup(lexical=words("tea", "rain"), dense=near(1)))
        assert (ids(found), found.stored, found.terms[0].documents) == (["b"], 1, 0)
        store.remember("t", [record("t", "a", "code", vector=3)])
        found = store.search("t", lookup(lexical=words("tea", "code"), dense=near(3)))
        assert ids(found) == ["a", "b"]
        assert found.columns["cosine"][0] == pytest.approx(1.0)

    def test_close_can_be_called_twice(self, store: Store) -> None:
        """The second time does nothing."""
        store.close()
        store.close()
