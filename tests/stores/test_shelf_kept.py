"""A shelf that was kept finds the same as one built from the rows, and one that is damaged, stale or erased is never used."""

from random import Random
from threading import Thread
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import DecodeError, msgpack
from msgspec.structs import replace

from cued.conformance.samples import NOW, lookup, near, random_lookup, random_records, record, revision, words
from cued.conformance.searching import assert_same_bits, ids, scatter
from cued.model import Filter, Head, Source
from cued.stores import Store, shelves
from cued.stores.columns.kept import unwrap, wrap
from cued.stores.columns.shelf import NotNumbers
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.shelves import TenantShelf
from cued.stores.vector_bytes import as_vector

ASKED = lookup(lexical=words("tea", "rain", pool=40), dense=near(3, pool=40), context=1)


class Kept:
    """The rows of a keeper with a kept shelf put before them, and how many rows were read."""

    def __init__(self, rows, parts):
        self._rows, self._parts, self.read = rows, parts, 0

    def __getattr__(self, name):
        return getattr(self._rows, name)

    def shelf(self):
        return self._parts

    def changed(self, since):
        found = self._rows.changed(since)
        self.read += len(found.ids)
        return found


def many(count):
    return [record("t", f"m{number:04}", f"tea number{number}", vector=number % 30) for number in range(count)]


def filled(path, count=600):
    store = Store(SqliteKeeper(path))
    store.remember("t", many(count))
    return store


def shelved(keeper, parts=()):
    """The shelf of however few memories, from these parts where they are of use, and how many rows were read for it."""
    held = TenantShelf()
    with keeper.begin("t", write=False) as rows, pytest.MonkeyPatch.context() as patched:
        patched.setattr(shelves, "_LEAST_UNKEPT", 0)
        kept = Kept(rows, parts)
        return held.bring_to(kept, rows.head()), kept.read


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), seed=st.integers(0, 2**32))
def test_a_kept_shelf_with_what_came_since_finds_the_same_bits(random, seed):
    store, records = Store(MemoryKeeper()), [record("t", "first", vector=1), *random_records("t", random)]
    half = len(records) // 2
    scatter(store, "t", records[: half + 1], Random(seed))
    if not store.size("t"):
        return
    before, _ = shelved(store.keeper)
    parts = wrap(before.shelf, change=before.change, epoch=before.epoch)
    late = [each for each in records[half + 1 :] if not each.memory.supersedes]
    store.adopt("t", late)
    known = [memory.id for memory in store.list("t", Filter(), at=NOW, limit=99).memories]
    store.forget("t", known[:1], at=NOW)
    store.revise("t", [revision(each, importance=0.1) for each in known[1:3]], at=NOW)
    restored, read = shelved(store.keeper, parts)
    rebuilt, all_read = shelved(store.keeper)
    assert read <= all_read
    for _ in range(4):
        asked = random_lookup(random)
        one, other = restored.shelf.search(asked), rebuilt.shelf.search(asked)
        assert (one.keys, one.core_keys) == (other.keys, other.core_keys)
        assert_same_bits(one.findings, other.findings)


@pytest.mark.parametrize("threads", [True, False])
def test_many_vectors_that_are_taken_in_beside_their_reading_are_each_with_their_memory(threads, monkeypatch):
    if not threads:
        monkeypatch.setattr(Thread, "start", no_thread)
    keeper, count = MemoryKeeper(), 5000
    Store(keeper).remember("t", many(count))
    version, _ = shelved(keeper)
    (block,) = version.shelf._held.vectors.values()  # noqa: SLF001
    assert block.count == count
    with keeper.begin("t", write=False) as rows:
        stored = rows.read([f"m{number:04}" for number in range(0, count, 97)], content=True)
    slots = [int(row) for row in range(count) if version.shelf.keys[row] in {each.key for each in stored.values()}]
    for slot, row in zip(slots, sorted(stored.values(), key=lambda row: row.key), strict=True):
        assert np.allclose(block.take(np.array([slot], dtype=np.int32))[0], as_vector(row.vector), atol=1e-6)


def no_thread(_):
    raise RuntimeError("can't start new thread")


def test_a_vector_of_nobody_among_many_is_damage():
    keeper = MemoryKeeper()
    Store(keeper).remember("t", many(5000))

    class WithAStranger(Kept):
        def vectors(self, since):
            *some, (keys, data) = self._rows.vectors(since)
            return [*some, ((*keys[:-1], keys[-1] + 1), data)]

    with keeper.begin("t", write=False) as rows, pytest.raises(DecodeError):
        TenantShelf().bring_to(WithAStranger(rows, ()), rows.head())


def test_closing_keeps_the_shelf_and_the_next_process_reads_it(tmp_path):
    store = filled(tmp_path / "memories.db")
    found = store.search("t", ASKED)
    store.close()
    again = Store(SqliteKeeper(tmp_path / "memories.db"))
    with again.keeper.begin("t", write=False) as rows:
        parts = list(rows.shelf())
    assert shelved(again.keeper, parts)[1] == 0
    assert shelved(again.keeper)[1] == 600
    same = again.search("t", ASKED)
    assert same.memories == found.memories
    assert_same_bits(same, found)
    again.remember("t", [record("t", "late", "tea rain", vector=3)])
    assert "late" in ids(again.search("t", ASKED))
    again.close()


def test_a_few_changes_do_not_make_it_be_kept_anew(tmp_path):
    store = filled(tmp_path / "memories.db")
    store.search("t", ASKED)
    store.close()
    again = Store(SqliteKeeper(tmp_path / "memories.db"))
    again.remember("t", [record("t", "late", "tea rain", vector=3)])
    again.search("t", ASKED)
    with again.keeper.begin("t", write=False) as rows:
        before = list(rows.shelf())
    again.close()
    with SqliteKeeper(tmp_path / "memories.db").begin("t", write=False) as rows:
        assert list(rows.shelf()) == before


@pytest.mark.parametrize("at", range(0, 4000, 97))
def test_a_kept_shelf_with_one_wrong_byte_is_passed_over(at):
    store = Store(MemoryKeeper())
    store.remember("t", many(40))
    version, _ = shelved(store.keeper)
    parts = wrap(version.shelf, change=version.change, epoch=version.epoch)
    assert unwrap(parts, change=version.change, epoch=version.epoch) is not None
    whole = b"".join(parts)
    wrong, damaged, start = at * len(whole) // 4000, [], 0
    for part in parts:
        here = bytearray(part)
        if start <= wrong < start + len(part):
            here[wrong - start] ^= 0x10
        damaged.append(bytes(here))
        start += len(part)
    assert unwrap(damaged, change=version.change, epoch=version.epoch) is None
    assert shelved(store.keeper, damaged)[1] == 40


def forged(parts, column, change):
    """The parts with one column or one list of names changed, and with sums that are right."""
    head, names = msgpack.decode(parts[0][4:]), msgpack.decode(parts[1], type=NotNumbers)
    columns = {name: np.frombuffer(part, kind).copy() for (name, kind), part in zip(head["columns"], parts[2:], strict=True)}
    if column in columns:
        columns[column] = change(columns[column])
    else:
        names = replace(names, **{column: change(getattr(names, column))})
    bodies = [msgpack.encode(names), *(each.tobytes() for each in columns.values())]
    head |= {"columns": [(name, each.dtype.str) for name, each in columns.items()], "sums": list(map(crc32, bodies))}
    packed = msgpack.encode(head)
    return [crc32(packed).to_bytes(4) + packed, *bodies]


def with_one(value):
    """A change of a column to this value in its middle."""

    def changed(column):
        column[len(column) // 2] = value
        return column

    return changed


def in_a_circle(links):
    return np.roll(np.arange(len(links), dtype=links.dtype), 1)


def shorter(column):
    return column[:-1]


def repeated(column):
    return [*column[:-1], column[0]]


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("key", shorter),
        ("key", with_one(0)),
        ("length", shorter),
        ("length", with_one(-1)),
        ("length", np.float64),
        ("fingerprint", with_one(9)),
        ("scope", with_one(9)),
        ("alive", with_one(0)),
        ("posting_hash", shorter),
        ("posting_hash", with_one(0)),
        ("posting_start", shorter),
        ("posting_start", with_one(-1)),
        ("posting_start", with_one(2**62)),
        ("posting_row", with_one(40)),
        ("posting_row", with_one(-1)),
        ("posting_count", shorter),
        ("session", with_one(9)),
        ("before", with_one(40)),
        ("before", in_a_circle),
        ("after", with_one(-2)),
        ("after", in_a_circle),
        ("ids", repeated),
        ("ids", shorter),
        ("sessions", repeated),
        ("marks", lambda _: [(40, [])]),
        ("marks", lambda _: [(3, [("", 2**64 - 1, 0)])]),
        ("sources", lambda _: [(-1, ("m0001",))]),
    ],
)
def test_a_forged_shelf_that_leads_out_of_its_rows_is_passed_over(column, change):
    store, where = Store(MemoryKeeper()), [Source(session=name, turn=1) for name in ("one", "two")]
    store.remember("t", [record("t", f"m{number:04}", f"tea number{number}", source=where[number % 2]) for number in range(40)])
    version, _ = shelved(store.keeper)
    parts = wrap(version.shelf, change=version.change, epoch=version.epoch)
    assert shelved(store.keeper, forged(parts, column, lambda same: same))[1] == 0
    assert shelved(store.keeper, forged(parts, column, change))[1] == 40


@pytest.mark.parametrize("late", [False, True])
def test_a_forged_shelf_of_other_memories_is_passed_over(late):
    store = Store(MemoryKeeper())
    store.remember("t", many(40))
    version, _ = shelved(store.keeper)
    parts = wrap(version.shelf, change=version.change, epoch=version.epoch)
    if late:
        store.revise("t", [revision("m0020", importance=0.1)], at=NOW)
        parts = forged(parts, "ids", lambda ids: [f"other {each}" for each in ids])
    else:
        parts = forged(parts, "key", lambda keys: keys + 1)
    again, read = shelved(store.keeper, parts)
    assert read >= 40
    assert again.shelf.stored == 40


def test_a_session_goes_on_whose_memories_were_all_erased_before_the_shelf_was_kept():
    store = Store(MemoryKeeper())
    store.remember("t", [*many(5), *(record("t", each, "tea", source=Source(session="talk", turn=1)) for each in ("gone", "other"))])
    store.search("t", ASKED)
    store.erase("t", ["gone", "other"])
    store.search("t", ASKED)
    version = store._shelves.of("t").version  # noqa: SLF001
    parts = wrap(version.shelf, change=version.change, epoch=version.epoch)
    store.remember("t", [record("t", "new", "tea", source=Source(session="talk", turn=2))])
    assert shelved(store.keeper, parts)[0].shelf.stored == 6


def test_a_kept_shelf_of_another_life_or_of_the_future_is_passed_over():
    store = Store(MemoryKeeper())
    store.remember("t", many(5))
    version, _ = shelved(store.keeper)
    parts = wrap(version.shelf, change=version.change, epoch=version.epoch)
    head = Head(version.change, version.epoch, 5)
    assert unwrap(parts, change=head.change, epoch=head.epoch + 1) is None
    assert unwrap(parts, change=head.change - 1, epoch=head.epoch) is None
    assert unwrap(parts[:-1], change=head.change, epoch=head.epoch) is None
    assert unwrap((), change=head.change, epoch=head.epoch) is None
    assert unwrap([b"nonsense"], change=head.change, epoch=head.epoch) is None


def test_an_erased_memory_is_in_no_byte_of_a_kept_shelf(tmp_path):
    path = tmp_path / "memories.db"
    store = filled(path)
    store.remember("t", [record("t", "secret-identity-of-somebody", "rain", vector=4)])
    store.search("t", ASKED)
    store.close()
    assert b"secret-identity-of-somebody" in path.read_bytes()
    store = Store(SqliteKeeper(path))
    store.erase("t", ["secret-identity-of-somebody"])
    with store.keeper.begin("t", write=False) as rows:
        assert not rows.shelf()
    assert all(b"secret-identity-of-somebody" not in each.read_bytes() for each in tmp_path.iterdir())
    store.close()
    assert all(b"secret-identity-of-somebody" not in each.read_bytes() for each in tmp_path.iterdir())
