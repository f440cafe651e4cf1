"""Memories that a store keeps from earlier searches are never staler than the file."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cued.conformance.samples import HOUR, NOW, lookup, record, revision, touch, words
from cued.model import TRAITS, UNUSED, Filter, Revision, Source, Traits
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.winners import Winners

KEYS = [(1 << 32) + number for number in (1, 2, 3)]


@pytest.fixture
def stores(tmp_path):
    here, there = Store(SqliteKeeper(tmp_path / "memories.db")), Store(SqliteKeeper(tmp_path / "memories.db"))
    here.remember("t", [record("t", f"m{number}") for number in (1, 2, 3)])
    yield here, there
    here.close()
    there.close()


def assert_traits(traits, memories):
    """The rows of traits are those of the memories, but that words may have other codes."""
    traits, own, words = Traits.of(memories, traits), Traits(memories), ("session", "speaker")
    assert all(np.array_equal(getattr(traits, name), getattr(own, name), equal_nan=True) for name in TRAITS if name not in words)
    for name in words:
        one, other = getattr(traits, name), getattr(own, name)
        assert np.array_equal(one[:, None] == one, other[:, None] == other)
        assert np.array_equal(one < 0, other < 0)


def found(store):
    return store.search("t", lookup(lexical=words("tea"))).memories


def test_a_change_by_another_store_is_in_the_next_answer(stores):
    here, there = stores
    before = found(here)
    assert found(here) == before
    there.revise("t", [revision("m2", importance=0.9)], at=NOW)
    there.revise("t", [Revision(id="m3", set={"text": "green tea", "fingerprint": None}, terms={"green": 1, "tea": 1})], at=NOW)
    there.forget("t", ["m1"], at=NOW)
    assert [(memory.id, memory.importance, memory.text) for memory in found(here)] == [
        ("m2", 0.9, "tea in the garden"),
        ("m3", 0.5, "green tea"),
    ]


def test_memories_that_were_never_used_share_one_use(stores):
    assert all(memory.use is UNUSED for memory in found(stores[0]))


def test_a_use_written_by_another_store_is_in_the_next_answer_and_not_kept(stores):
    here, there = stores
    found(here)
    for count in (1, 2):
        there.settle("t", [touch("m2", NOW + count * HOUR)])
        assert [memory.use.count for memory in found(here)] == [0, count, 0]
        assert found(here) == here.get("t", ["m1", "m2", "m3"])


def test_what_has_no_room_is_read_from_the_file_each_time(stores):
    roomy, cramped, none = Winners(), Winners(most_bytes=4000), Winners(most_bytes=0)
    for _ in range(2):
        with stores[0].keeper.begin("t", write=False) as rows:
            whole = tuple(row.memory for row in rows.read(["m1", "m2", "m3"]).values())
            for won in (each.read(rows, KEYS) for each in (roomy, cramped, none)):
                assert won.memories == whole
                assert_traits(won.traits, whole)
    assert 0 == none.nbytes < cramped.nbytes <= 4000 < roomy.nbytes


def test_one_that_was_dropped_is_read_anew_among_those_that_are_kept(stores):
    winners = Winners()
    with stores[0].keeper.begin("t", write=False) as rows:
        before = winners.read(rows, KEYS).memories
    winners = winners.without(KEYS[1:2])
    assert winners.missing(KEYS) == KEYS[1:2]
    stores[1].revise("t", [revision("m2", importance=0.9)], at=NOW)
    with stores[0].keeper.begin("t", write=False) as rows:
        after, traits = winners.read(rows, KEYS)
    assert (after[0], after[1].importance, after[2]) == (before[0], 0.9, before[2])
    assert_traits(traits, after)


def test_threads_that_read_side_by_side_keep_each_memory_once(stores):
    stores[0].remember("t", [record("t", f"n{number:03}", source=Source(session=f"s{number % 7}", turn=number)) for number in range(300)])
    winners, every = Winners(), [KEYS[0] + number for number in range(303)]

    def work(first):
        for start in range(0, 300, 3):
            keys = [every[(start * 7 + first + step) % len(every)] for step in range(40)]
            with stores[0].keeper.begin("t", write=False) as rows:
                memories, traits = winners.read(rows, keys, lambda missing: [key + 1 for key in missing if key + 1 in every])
            assert_traits(traits, memories)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert winners.missing(every) == []
    assert winners.nbytes == sum(1500 + len(memory.text) for memory in stores[0].list("t", Filter(), at=NOW, limit=400))


def test_what_was_dropped_is_read_anew_and_its_bytes_are_free(stores):
    winners = Winners()
    with stores[0].keeper.begin("t", write=False) as rows:
        before = winners.read(rows, KEYS).memories
    winners = winners.without([*KEYS, 7])
    assert winners.nbytes == 0
    stores[1].settle("t", [touch("m1")])
    with stores[0].keeper.begin("t", write=False) as rows:
        after, traits = winners.read(rows, KEYS)
    assert_traits(traits, after)
    assert traits[:, TRAITS.index("used")].tolist() == [1.0, 0.0, 0.0]
    assert (after[0].use.count, after[1:]) == (1.0, before[1:])


def test_a_key_without_a_row_is_no_memory(stores):
    with stores[0].keeper.begin("t", write=False) as rows:
        assert Winners().read(rows, [*KEYS, 7]).memories[-1] is None


def test_those_beside_what_was_found_are_read_with_it(stores):
    winners = Winners()
    with stores[0].keeper.begin("t", write=False) as rows:
        assert len(winners.read(rows, KEYS[:1], lambda missing: [*missing, *KEYS]).memories) == 1
        assert winners.missing(KEYS) == []
        one, other, _ = winners.read(rows, KEYS).memories
    assert one.tenant is other.tenant


def test_a_tenant_is_read_whole_where_it_has_no_more_memories_than_a_recall_finds(stores):
    shelf = stores[0]._shelves.of("t")  # noqa: SLF001 - what it has in memory is the point
    found(stores[0])
    assert shelf.version.shelf.beside(KEYS[:1]) == KEYS


def test_of_more_memories_those_that_were_written_next_to_what_was_found_are_read_with_it(stores):
    stores[0].remember("t", [record("t", f"n{number:03}") for number in range(150)])
    shelf, last = stores[0]._shelves.of("t"), KEYS[0] + 152  # noqa: SLF001
    found(stores[0])
    stores[0].forget("t", ["n020"], at=NOW)
    stores[0].erase("t", ["n018"])
    found(stores[0])
    beside = shelf.version.shelf.beside
    assert beside([KEYS[0]]) == [KEYS[0] + number for number in range(8)]
    assert beside([KEYS[0] + 17, KEYS[0] + 18]) == [KEYS[0] + number for number in (16, 17, 18, 19, 20, 22, 23)]
    assert beside([last]) == [last]


def test_a_long_memory_beside_what_was_found_is_left_where_it_is(stores):
    stores[0].remember("t", [record("t", f"n{number:03}", "word " * (5000 if number == 7 else 1)) for number in range(200)])
    shelf = stores[0]._shelves.of("t")  # noqa: SLF001
    found(stores[0])
    assert shelf.version.shelf.beside([KEYS[0] + 9]) == [KEYS[0] + number for number in (8, 9, 11, 12, 13, 14, 15)]


def test_what_stands_beside_takes_no_more_than_half_of_the_space(stores):
    winners = Winners(most_bytes=3000)
    with stores[0].keeper.begin("t", write=False) as rows:
        winners.read(rows, KEYS[:1], lambda missing: missing)
        assert winners.nbytes > 1500
        winners.read(rows, KEYS[1:2], lambda _: KEYS[2:] + pytest.fail("asked though half of it is taken"))
