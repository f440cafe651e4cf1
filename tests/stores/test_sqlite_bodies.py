"""Memories that a store keeps decoded are never staler than the file."""

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, lookup, record, words
from cued.errors import CorruptError
from cued.model import Touch, Use
from cued.stores.keepers.sqlite import SqliteStore
from cued.stores.keepers.sqlite.bodies import Bodies
from cued.stores.keepers.sqlite.connection import translated

KEYS = [(1 << 32) + number for number in (1, 2, 3)]


@pytest.fixture
def stores(tmp_path):
    here, there = SqliteStore(tmp_path / "memories.db"), SqliteStore(tmp_path / "memories.db")
    here.remember("t", [record("t", f"m{number}") for number in (1, 2, 3)])
    yield here, there
    here.close()
    there.close()


def found(store):
    return store.search("t", lookup(lexical=words("tea"))).memories


def test_a_change_by_another_store_is_in_the_next_answer(stores):
    here, there = stores
    before = found(here)
    assert found(here) == before
    there.revise("t", ["m2"], lambda old: record("t", old.id, importance=0.9), at=NOW)
    there.revise("t", ["m3"], lambda old: record("t", old.id, text="green tea"), at=NOW)
    there.forget("t", ["m1"], at=NOW)
    assert [(memory.id, memory.importance, memory.text) for memory in found(here)] == [
        ("m2", 0.9, "tea in the garden"),
        ("m3", 0.5, "green tea"),
    ]


def test_a_use_written_by_another_store_is_in_the_next_answer_and_not_kept(stores):
    here, there = stores
    found(here)
    for count in (1.0, 2.0):
        used = Use(last_at=NOW, count=count, counted_at=NOW - HOUR)
        there.touch("t", [Touch("m2", lambda _, used=used: used)])
        assert [memory.use for memory in found(here)] == [Use(), used, Use()]
        assert found(here) == here.get("t", ["m1", "m2", "m3"])


def test_what_has_no_room_is_read_from_the_file_each_time(stores):
    connection = stores[0].connection()
    roomy, cramped, none = Bodies(), Bodies(most_bytes=4000), Bodies(most_bytes=0)
    for _ in range(2):
        assert roomy.read(connection, KEYS) == cramped.read(connection, KEYS) == none.read(connection, KEYS) == found(stores[0])
    assert 0 == none.nbytes < cramped.nbytes <= 4000 < roomy.nbytes


def test_what_was_dropped_is_read_anew_and_its_bytes_are_free(stores):
    connection, bodies = stores[0].connection(), Bodies()
    before = bodies.read(connection, KEYS)
    bodies.drop([*KEYS, 7])
    assert bodies.nbytes == 0
    stores[1].touch("t", [Touch("m1", lambda _: Use(count=1.0))])
    assert bodies.read(connection, KEYS) == (replace(before[0], use=Use(count=1.0)), *before[1:])


def test_a_key_without_a_row_is_damage(stores, tmp_path):
    with pytest.raises(CorruptError, match="1 indexed memories have no row"), translated(tmp_path):
        Bodies().read(stores[0].connection(), [*KEYS, 7])
