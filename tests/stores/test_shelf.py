"""The shelf gives the same bits however it came about, and the right ones."""

from collections import Counter
from itertools import chain, islice
from random import Random
from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cued.conformance.samples import (
    FINGERPRINT,
    HOUR,
    NOW,
    OTHER_FINGERPRINT,
    lookup,
    near,
    random_lookup,
    random_records,
    record,
    revision,
    words,
)
from cued.conformance.searching import assert_same_bits, scatter
from cued.model import DenseLookup, EntityLookup, Source
from cued.stores import Store
from cued.stores.arrays import Ids
from cued.stores.columns import kernels
from cued.stores.columns.channels import idf
from cued.stores.columns.postings import Postings, in_order
from cued.stores.columns.vectors import Told, Vectors, in_steps
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import SqliteKeeper


def unit_vectors(count, dimensions=384, seed=1):
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions)) + 0.3
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def exact(held, cue):
    """The exact products of all vectors, whose slots are their rows."""
    rows = np.arange(held.count)
    return held.tell(cue, rows.astype(np.int32), np.zeros(held.count, dtype=np.float32), rows, into=Told.nothing(held.count))


@pytest.mark.parametrize("count", [0, 1, 300, 5000, 70_000])
@pytest.mark.parametrize("bits", [64, 40, 3])
def test_hashes_are_put_in_order_as_a_stable_sort_does_however_alike_they_begin(count, bits):
    drawn = np.random.default_rng(count + bits)
    hashes = drawn.integers(0, 2**64, 1 + count // 3, dtype=np.uint64)[drawn.integers(0, 1 + count // 3, count)]
    hashes >>= np.uint64(64 - bits)  # with few bits most begin with the same zeros
    order, ordered = in_order(hashes)
    assert order.tolist() == np.argsort(hashes, kind="stable").tolist()
    assert ordered.tolist() == np.sort(hashes).tolist()


def test_a_scan_does_not_depend_on_where_a_row_lies_or_on_how_it_is_summed():
    vectors, asked = unit_vectors(999), unit_vectors(1, seed=2)[0]
    cue = in_steps(asked)
    order = np.random.default_rng(3).permutation(999)
    one, other = Vectors(384), Vectors(384)
    one.add(np.arange(999, dtype=np.int32), vectors)
    for part in np.array_split(order, 7):
        other.add(part.astype(np.int32), vectors[part])
    slots = np.arange(999, dtype=np.int32)
    assert one.scan(cue)[order].tobytes() == other.scan(cue).tobytes()
    assert exact(one, cue)[order].tobytes() == exact(other, cue).tobytes()
    backwards = one.take(slots).astype(np.float64)[:, ::-1]
    exact_sums = [sum(row) for row in backwards * (np.rint(asked.astype(np.float64) * 2**26) / 2**26)[::-1]]
    assert exact(one, cue).tolist() == exact_sums


def test_cores_that_share_a_scan_find_the_same(monkeypatch):
    held, cue = Vectors(384), in_steps(unit_vectors(1, seed=2)[0])
    held.add(np.arange(999, dtype=np.int32), unit_vectors(999))
    alone = held.scan(cue)
    monkeypatch.setattr("cued.stores.columns.vectors._SHARED", 100)
    monkeypatch.setattr("cued.stores.columns.vectors.cpu_count", lambda: 3)
    assert held.scan(cue).tobytes() == alone.tobytes()
    monkeypatch.setattr(Thread, "start", no_thread)
    assert held.scan(cue).tobytes() == alone.tobytes()


def no_thread(_):
    raise RuntimeError("can't start new thread")


def test_what_is_no_vector_of_length_1_is_near_to_nothing():
    held, odd = Vectors(4), np.array([[np.nan, 0, 0, 0], [np.inf, 0, 0, 0], [1e30, 0, 0, 0], [0.6, 0, 0.8, 0]], dtype=np.float32)
    held.add(np.arange(4, dtype=np.int32), odd)
    assert np.isfinite(held.scan(in_steps(odd[3]))).tolist() == [False, False, False, True]
    assert held.off.tolist() == [0, 0, 0, pytest.approx(0.0073, abs=0.0001)]
    assert held.damaged


def test_a_scan_is_off_by_less_than_its_margin_and_a_cosine_by_almost_nothing():
    vectors, cue = unit_vectors(2000), unit_vectors(1, seed=2)[0]
    held, asked, slots = Vectors(384), in_steps(cue), np.arange(2000, dtype=np.int32)
    held.add(slots, vectors)
    truth = vectors.astype(np.float64) @ cue.astype(np.float64)
    off = np.abs(held.scan(asked) - truth)
    assert (off <= held.off + asked.off).all()
    assert off.max() < 0.005 < np.median(held.off) < 0.02
    assert np.abs(exact(held, asked) - truth).max() < 2e-7
    assert np.abs(held.take(slots) - vectors).max() < 1e-7


@pytest.mark.requirement("R17", "M3")
def test_the_dense_pool_is_the_true_one_among_thousands():
    vectors, cue = unit_vectors(3000, 64), unit_vectors(1, 64, seed=2)[0]
    store = Store(MemoryKeeper())
    plain = [record("t", f"m{number:04}", vector=1) for number in range(3000)]
    store.remember("t", [replace(each, vector=vector) for each, vector in zip(plain, vectors, strict=True)])
    found = store.search("t", lookup(dense=DenseLookup(vector=cue, fingerprint="sample/directions", pool=50)))
    truth = vectors.astype(np.float64) @ cue.astype(np.float64)
    assert sorted(np.argsort(-truth)[:50]) == [int(memory.id[1:]) for memory in found.memories]
    assert found.background.mean == pytest.approx(truth.mean(), abs=1e-4)
    assert found.background.deviation == pytest.approx(truth.std(), abs=1e-4)


def test_a_shelf_built_one_by_one_equals_one_built_at_once():
    random, one, other = Random(5), Store(MemoryKeeper()), Store(MemoryKeeper())
    vocabulary = [f"w{number}" for number in range(80)]
    texts = [" ".join(random.choices(vocabulary, k=12)) for _ in range(700)]
    sessions = [Source(session=f"s{number % 9}") for number in range(700)]
    records = [record("t", f"m{number:04}", texts[number], vector=number % 30, source=sessions[number]) for number in range(700)]
    one.remember("t", records)
    for each in random.sample(records, len(records)):
        other.remember("t", [each])
    for _ in range(12):
        asked = lookup(lexical=words(*random.choices(vocabulary, k=6), pool=40), dense=near(random.randint(0, 40), pool=40), context=1)
        assert_same_bits(one.search("t", asked), other.search("t", asked))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False), seed=st.integers(0, 2**32))
def test_both_stores_give_the_same_bits(tmp_path_factory, random, seed):
    stores = Store(MemoryKeeper()), Store(SqliteKeeper(tmp_path_factory.mktemp("twin") / "memories.db"))
    records = random_records("t", random)
    for store in stores:
        scatter(store, "t", list(records), Random(seed))
    targets = [each.memory.id for each in records]
    assert stores[0].linking("t", targets) == stores[1].linking("t", targets)
    for one, other in zip(*(store.scan("t", limit=99) for store in stores), strict=True):
        assert (one.memory, np.asarray(one.vector).tolist()) == (other.memory, np.asarray(other.vector).tolist())
    for _ in range(5):
        asked = random_lookup(random)
        one, other = (store.search("t", asked) for store in stores)
        assert (one.memories, one.core, one.struck) == (other.memories, other.core, other.struck)
        assert_same_bits(one, other)
    stores[1].close()


def test_erasing_most_of_a_shelf_leaves_the_rest_as_it_was():
    store, small = Store(MemoryKeeper()), Store(MemoryKeeper())
    records = [record("t", f"m{number:04}", f"tea number{number}", vector=number % 30) for number in range(1500)]
    store.remember("t", records)
    store.erase("t", [each.memory.id for each in records[20:]])
    small.remember("t", records[:20])
    asked = lookup(lexical=words("tea", "number3"), dense=near(4))
    assert_same_bits(store.search("t", asked), small.search("t", asked))
    assert store.search("t", asked).stored == 20


def test_postings_find_the_same_before_and_after_a_merge():
    random, postings, truth = Random(2), Postings(), Counter()
    for row in range(400):
        hashes = random.sample(range(2**63, 2**63 + 50), 9)
        postings.add(np.array(hashes, dtype=np.uint64), np.full(9, row, dtype=np.int32), np.full(9, 2, dtype=np.uint16))
        truth.update({(value, row): 2 for value in hashes})
        value = random.choice(hashes)
        (found,) = postings.find(np.array([value], dtype=np.uint64))
        assert sorted(found.rows.tolist()) == sorted(row for held, row in truth if held == value)
        assert set(found.counts.tolist()) == {2}
    assert [len(found.rows) for found in postings.find(np.array([7, 2**64 - 1], dtype=np.uint64))] == [0, 0]


@pytest.mark.requirement("R10")
def test_idf_stays_above_zero_on_the_smallest_stores():
    assert idf(1, 1) == pytest.approx(np.log(4 / 3))
    assert idf(1, 2) == pytest.approx(np.log(2))
    assert all(idf(among, among) > 0 for among in range(1, 50))


@pytest.mark.requirement("R10")
def test_bm25_plus_is_the_formula():
    store = Store(MemoryKeeper())
    store.remember("t", [record("t", "a", "tea tea rain"), record("t", "b", "code")])
    found = store.search("t", lookup(lexical=words("tea")))
    assert found.columns["bm25"][0] == pytest.approx(np.log(2) * (0.5 + 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2))), abs=1e-8)


@pytest.mark.requirement("R13")
def test_each_channel_answers_without_the_other():
    store = Store(MemoryKeeper())
    store.remember("t", [record("t", "a", "tea", vector=None), record("t", "b", "rain", vector=2)])
    by_words = store.search("t", lookup(lexical=words("tea")))
    by_meaning = store.search("t", lookup(dense=near(2)))
    assert [memory.id for memory in by_words.memories] == ["a"]
    assert [memory.id for memory in by_meaning.memories] == ["b"]
    assert by_meaning.uncomparable == 1


@pytest.mark.requirement("P20")
def test_an_unknown_tenants_size_is_zero_and_leaves_no_trace(tmp_path):
    for store in (Store(MemoryKeeper()), Store(SqliteKeeper(tmp_path / "memories.db"))):
        assert store.size("nobody") == 0
        assert store.search("nobody", lookup(lexical=words("tea"), at=NOW)).stored == 0
        store.close()


@pytest.mark.parametrize("pool", [1, 2, 60, 300])
@pytest.mark.parametrize("distinct", [1, 5, 10_000])
def test_all_of_the_best_are_within_their_margin_and_not_many_others(pool, distinct):
    values = np.random.default_rng(pool).integers(0, distinct, size=20_000).astype(np.float64)
    for count in (pool, pool + 1, 128 * pool, 128 * pool + 200, len(values)):
        some = values[:count]
        if len(some) >= pool:
            found = np.empty(len(some), dtype=np.intp)
            found = found[: kernels.highest(some, found, pool, 2.0)]
            assert set(np.flatnonzero(some >= np.sort(some)[-pool] - 2).tolist()) <= set(found.tolist())
            assert len(found) <= np.count_nonzero(some >= np.sort(some)[-min(2 * pool, len(some))] - 2)


@given(st.lists(st.lists(st.text("abc", max_size=3)), min_size=1), st.randoms())
def test_rows_stand_in_the_order_of_their_ids_whether_those_rise_or_not(batches, chance):
    ids = list(dict.fromkeys(chain(*batches)))
    for made in (ids, sorted(ids)):
        held, later = Ids(), iter(made)
        for batch in batches:
            held.extend(islice(later, len(batch)))
            rows, order = np.array(chance.sample(range(len(held)), len(held)), dtype=np.intp), held.order
            assert [held[row] for row in order.put(rows)] == sorted(held)
            assert np.array_equal(order.rows(order.places(rows)), rows)
            assert [held[row] for row in order.rows(np.arange(len(held)))] == sorted(held)
        assert held == made
        assert held.order.rising == (made == sorted(made))


def test_an_order_stays_as_it_was_when_ids_come_between():
    held = Ids(["b", "a"])
    before = held.order
    held.extend(["aa", "c"])
    assert [held[row] for row in before.put(np.array([0, 1]))] == ["a", "b"]
    assert held.order.places(np.arange(4)).tolist() == [2, 0, 1, 3]


def test_what_comes_first_does_not_depend_on_whether_ids_rise():
    vectors = np.repeat(unit_vectors(200), 3, axis=0)
    found = []
    for order in (range(600), np.random.default_rng(2).permutation(600).tolist()):
        store = Store(MemoryKeeper())
        store.remember("t", [replace(record("t", f"m{number:03}", "tea"), vector=vectors[number]) for number in order])
        asked = lookup(dense=DenseLookup(vector=vectors[0], fingerprint=FINGERPRINT, pool=50))
        found.append(store.search("t", asked))
    assert_same_bits(*found)


def test_names_rank_rows_by_nearness_where_most_vectors_are_of_another_embedder():
    store, of = Store(MemoryKeeper()), {True: OTHER_FINGERPRINT, False: FINGERPRINT}
    facts = [{"vector": number % 30, "fingerprint": of[number < 500], "entities": ("Ann",)} for number in range(600)]
    store.remember("t", [record("t", f"m{number:03}", "tea", **each) for number, each in enumerate(facts)])
    found = store.search("t", lookup(dense=near(3, pool=5), entity=EntityLookup(names=("Ann",), pool=5)))
    ranks = dict(zip([memory.id for memory in found.memories], found.columns["entity_rank"].tolist(), strict=True))
    assert [ranks[each] for each in ("m513", "m543", "m573")] == [1, 2, 3]


@pytest.mark.requirement("R17")
def test_gates_that_all_rows_pass_and_gates_that_some_do_not_agree():
    plain = [record("t", f"m{number}") for number in range(4)]
    store = Store(MemoryKeeper())
    store.remember("t", plain)
    assert store.search("t", lookup()).visible == 4
    store.revise("t", [revision("m1", expires_at=NOW)], at=NOW)
    store.revise("t", [revision("m2", valid_from=NOW + HOUR)], at=NOW)
    store.revise("t", [revision("m3", valid_until=NOW)], at=NOW)
    assert store.search("t", lookup()).struck == {"expiry": 1, "validity": 2}
    store.revise("t", [revision(each, expires_at=None, valid_from=None, valid_until=None) for each in ("m1", "m2", "m3")], at=NOW)
    assert store.search("t", lookup()).struck == {}
