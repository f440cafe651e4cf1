"""What a write hands to the shelf of its process is what the keeper would give, and is taken only where it is all that was written."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cued.conformance.samples import NOW, lookup, near, random_lookup, random_records, record, words
from cued.conformance.searching import assert_same_bits, scatter
from cued.model import Head, Revision
from cued.stores import Store
from cued.stores.handing import MOST_ROWS, Handed
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper

TEA = lookup(lexical=words("tea", pool=100), dense=near(3, pool=100))


class Reread(SqliteKeeper):
    """A keeper that notes each time that rows are read back to make a shelf of them."""

    def __init__(self, path):
        super().__init__(path)
        self.reads = []

    def begin(self, tenant, *, write):
        return Noted(super().begin(tenant, write=write), self.reads)


class Noted:
    """A transaction whose `changed` is noted."""

    def __init__(self, begun, reads):
        self.begun, self.reads = begun, reads

    def __enter__(self):
        self.rows = self.begun.__enter__()
        return self

    def __exit__(self, *failed):
        return self.begun.__exit__(*failed)

    def changed(self, since):
        self.reads.append(since)
        return self.rows.changed(since)

    def __getattr__(self, name):
        return getattr(self.rows, name)


class Searching:
    """A store that is searched after whatever is done to it, beside one that keeps no shelf from search to search."""

    def __init__(self, handed, fresh, random):
        self.handed, self.fresh, self.random = handed, fresh, random

    def __getattr__(self, verb):
        def done(*values, **named):
            for store in (self.handed, self.fresh):
                answer = getattr(store, verb)(*values, **named)
            if self.random.random() < 0.7:
                asked = random_lookup(self.random)
                self.fresh._shelves.drop("t")  # noqa: SLF001 - so that it is built from the rows
                assert_same_bits(self.handed.search("t", asked), self.fresh.search("t", asked))
            return answer

        return done


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), seed=st.integers(0, 2**32))
def test_a_search_finds_the_same_bits_whether_rows_were_handed_over_or_read(tmp_path_factory, kind, random, seed):
    folder = tmp_path_factory.mktemp("stores")
    keepers = [MemoryKeeper() if kind == "memory" else SqliteKeeper(folder / f"{number}.db") for number in range(2)]
    handed, fresh = map(Store, keepers)
    scatter(Searching(handed, fresh, random), "t", list(random_records("t", random)), Random(seed))
    handed.close()
    fresh.close()


def test_what_was_just_written_is_not_read_back(tmp_path):
    keeper = Reread(tmp_path / "memories.db")
    store = Store(keeper)
    store.remember("t", [record("t", "a", "tea number0", vector=1)])
    store.search("t", TEA)
    keeper.reads.clear()
    for number in range(1, 20):
        store.remember("t", [record("t", f"b{number:02}", f"tea number{number}", vector=number)])
        assert len(store.search("t", TEA).memories) == number + 1
    assert keeper.reads == []
    store.close()


@pytest.mark.parametrize(
    "then",
    [
        lambda store: store.forget("t", ["b"], at=NOW),
        lambda store: store.erase("t", ["b"]),
        lambda store: store.revise("t", [Revision(id="b", set={"importance": 0.9})], at=NOW),
        lambda store: store.remember("t", [record("t", "c", "no more of it", supersedes=("b",))]),
        lambda store: store.remember("t", [record("t", f"m{number:03}", "soup") for number in range(MOST_ROWS + 1)]),
        lambda store: (store.erase_tenant("t"), store.remember("t", [record("t", "a", "tea number0", vector=1)])),
    ],
)
def test_what_is_done_to_a_new_memory_before_the_next_search_counts(tmp_path, then):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [record("t", "a", "tea number0", vector=1)])
    store.search("t", TEA)
    store.remember("t", [record("t", "b", "tea number1", vector=2)])
    then(store)
    found = store.search("t", TEA)
    other = Store(SqliteKeeper(tmp_path / "memories.db"))
    assert_same_bits(found, other.search("t", TEA))
    other.close()
    store.close()


def test_what_another_process_wrote_in_between_is_found_too(tmp_path):
    path = tmp_path / "memories.db"
    store, other = Store(SqliteKeeper(path)), Store(SqliteKeeper(path))
    store.remember("t", [record("t", "a", "tea number0", vector=1)])
    store.search("t", TEA)
    for number in range(5):
        store.remember("t", [record("t", f"b{number}", "tea here", vector=2)])
        other.remember("t", [record("t", f"c{number}", "tea there", vector=4)])
        store.remember("t", [record("t", f"d{number}", "tea again", vector=5)])
        assert len(store.search("t", TEA).memories) == 1 + 3 * (number + 1)
    other.close()
    store.close()


def test_what_a_process_wrote_that_died_before_it_handed_anything_over_is_found(tmp_path):
    path = tmp_path / "memories.db"
    store = Store(SqliteKeeper(path))
    store.remember("t", [record("t", "a", "tea number0", vector=1)])
    store.search("t", TEA)

    def dies(*_):
        raise KeyboardInterrupt

    kept, store._shelves.written = store._shelves.written, dies  # noqa: SLF001 - as if it were interrupted right there
    with pytest.raises(KeyboardInterrupt):
        store.remember("t", [record("t", "b", "tea number1", vector=2)])
    store._shelves.written = kept  # noqa: SLF001
    store.remember("t", [record("t", "c", "tea number2", vector=3)])
    assert [memory.id for memory in store.search("t", TEA).memories] == ["a", "b", "c"]
    store.close()


def test_a_write_that_fails_hands_nothing_over(tmp_path):
    store = Store(SqliteKeeper(tmp_path / "memories.db"))
    store.remember("t", [record("t", "a", "tea number0", vector=1)])
    store.search("t", TEA)
    with pytest.raises(Exception, match="does not have yet"):
        store.remember("t", [record("t", "b", "tea number1"), record("t", "a", "tea number2")])
    store.remember("t", [record("t", "c", "tea number3", vector=2)])
    assert [memory.id for memory in store.search("t", TEA).memories] == ["a", "c"]
    store.close()


def test_only_what_follows_without_a_gap_and_of_one_epoch_is_taken():
    handed, rows = Handed(), [object()]
    for change in (5, 6, 8):
        handed.put(Head(change=change, epoch=1), rows)
    taken = handed.take(4, 1)
    assert (taken.head.change, len(taken.rows)) == (6, 2)
    assert handed.take(6, 1) is None
    handed.put(Head(change=9, epoch=2), rows)
    assert handed.take(8, 1) is None
    handed.put(Head(change=10, epoch=2), rows)
    handed.put(Head(change=11, epoch=2), ())
    assert handed.take(9, 2) is None
    handed.put(Head(change=12, epoch=2), rows * MOST_ROWS)
    handed.put(Head(change=13, epoch=2), rows)
    assert handed.take(11, 2) is None
