"""Excerpts: what stands anywhere in a long text is found by its meaning, in every store and whatever is done to it."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import DecodeError
from msgspec.structs import replace

import cued
from cued.conformance.samples import NOW, direction, lookup, near, record
from cued.conformance.searching import ids
from cued.embed import load_embedder
from cued.errors import InputError
from cued.model import VECTOR_SHAPES, Revision
from cued.stores import Store
from cued.stores.columns.excerpts import LESS, packed, unpacked
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.vector_bytes import MOST_EXCERPTS, as_data, as_excerpts, as_vector, matrices, runs, smaller
from cued.upkeep.reembedding import reembed
from tests.stores.kinds import KINDS, place
from tests.stores.test_vector_shapes import keeper

NOTE = """Weekly round of the house, 4 May. The gutters on the north side are clear again, and the ladder is back in the shed. The boiler
was bled, the pressure stands at 1.4 bar, and the man from the gas company comes on the 21st to look at the valve that sticks. We still
owe him for the visit in March; the bill lies in the blue folder with the others.

The cellar is drier than last year. Two of the boxes with old school books had to go, the rest is on the new shelf now, a hand above the
floor. Mireille would like to use the front half for her bicycles from June, which is fine as long as the door to the meter stays free.

In the garden the beans are in, and the nets over the strawberries. The pump of the rain barrel makes a noise like a coffee mill; Tom says
it is the bearing. He will bring one from work, and in return wants the big saw for the weekend after next. The hedge waits until July,
because of the blackbirds in it.

Upstairs the window in the bathroom closes again. The paint for the landing is bought, two tins of it, a warmer white than the last; it
wants a dry week and somebody with time. The carpet on the stairs goes to the cleaner's on Thursday, and comes back on Monday.

Last of all the neighbours: the Okafors are away on holiday until Whitsun, and have asked us to look after their dog. Biscuit eats twice
a day, at seven and at six, is afraid of the vacuum cleaner, sleeps in the hall, and must not be let out of the back door."""


def unit(seed, count, dimensions):
    drawn = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 400), st.integers(1, 9), st.sampled_from(VECTOR_SHAPES))
def test_a_vector_and_its_excerpts_come_back_as_near_as_bytes_allow(seed, dimensions, count, shape):
    vector, *excerpts = unit(seed, 1 + count, dimensions)
    data = as_data(vector, shape, np.stack(excerpts))
    assert len(data) % 4, "what four divides is read as float32"
    assert as_vector(data).tolist() == as_vector(as_data(vector, shape)).tolist()
    back = as_excerpts(data)
    assert back.shape == (count, dimensions)
    assert np.abs(back - excerpts).max() <= 4 * 2**-9 / 2 * 8
    assert as_data(as_vector(data), shape, back) == data, "once kept, it changes no more"
    assert as_data(vector, shape) == as_data(vector, shape, None)


@given(st.integers(0, 10_000), st.integers(1, 400), st.integers(1, 9))
def test_excerpts_are_packed_to_within_half_a_step_and_then_stay_as_they_are(seed, dimensions, count):
    drawn = unit(seed, count, dimensions)
    rows = packed(drawn)
    doubled = 2.0 ** rows[:, :1]
    steps = np.array([4.0, *[2.0] * 31, *[1.0] * dimensions][:dimensions]) / 512
    assert (np.abs(unpacked(rows) - drawn) <= 0.5 * steps * doubled * 1.0001).all()
    assert packed(unpacked(rows)).tobytes() == rows.tobytes()


def test_a_smaller_copy_keeps_the_excerpts_as_they_are():
    vector, *excerpts = unit(1, 4, 384)
    large = as_data(vector, "float32", np.stack(excerpts))
    small = smaller(large, "int8")
    assert small == as_data(vector, "int8", np.stack(excerpts))
    assert smaller(small, "float16") == small
    assert len(large) - len(small) >= 3 * 384 - 8


def test_vectors_with_and_without_excerpts_lie_among_each_other():
    some = {key: (unit(key, 1, 16)[0], unit(key, key % 4, 16) if key % 4 else None) for key in range(20)}
    stored = [(key, as_data(*each[:1], "float16" if key % 3 else "float32", each[1])) for key, each in some.items()]
    found = {}
    for run in runs(stored):
        for keys, vectors, excerpts in matrices(*run):
            own = [None] * len(keys) if excerpts is None else excerpts.reshape(len(keys), -1, excerpts.shape[1])
            found |= {key: (vector, rows) for key, vector, rows in zip(keys, vectors, own, strict=True)}
    assert found.keys() == some.keys()
    for key, (vector, excerpts) in some.items():
        assert np.abs(found[key][0] - vector).max() < 1e-3
        assert (None if excerpts is None else packed(excerpts).tolist()) == (None if found[key][1] is None else found[key][1].tolist())


@given(st.binary(max_size=40).map(lambda rest: b"\x04" + rest) | st.integers(1, 30).map(lambda end: _DATA[:end]))
def test_bytes_that_are_no_such_vectors_are_refused_and_nothing_worse(data):
    try:
        vector, excerpts = as_vector(data), as_excerpts(data)
    except DecodeError:
        return
    assert vector.ndim == 1
    assert excerpts is None or excerpts.shape[1] == len(vector)


_DATA = as_data(unit(1, 1, 4)[0], "float32", unit(2, 2, 4))


def test_what_cannot_be_the_excerpts_of_a_text_is_refused_and_leaves_nothing_behind():
    store, whole = Store(MemoryKeeper()), record("t", "a", vector=1)
    for faulty in (unit(1, 2, 9), unit(1, MOST_EXCERPTS + 1, 8), unit(1, 1, 8)[0], np.empty((0, 8), np.float32), 3 * unit(1, 2, 8)):
        with pytest.raises(InputError, match="excerpts"):
            store.remember("t", [replace(whole, excerpts=faulty)])
    with pytest.raises(InputError, match="excerpts"):
        store.remember("t", [replace(record("t", "a", vector=None), excerpts=unit(1, 2, 8))])
    with pytest.raises(InputError, match="excerpts"):
        store.remember("t", [replace(whole, excerpts=np.full((1, 8), np.nan, dtype=np.float32))])
    assert not store.known("t", ["a"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_almost_as_near_as_the_nearest_of_its_excerpts_in_every_keeper(kind, tmp_path):
    with place(kind, tmp_path) as where, closing(Store(keeper(kind, where, "float32"))) as store:
        store.remember("t", [record("t", "long", vector=1, excerpts=(2, 3)), record("t", "short", vector=4)])
        found = store.search("t", lookup(dense=near(3, pool=1)))
        assert ids(found) == ["long"]
        assert found.columns["cosine"].tolist() == pytest.approx([1.0 - LESS], abs=0.02)
        assert found.vectors[0] == pytest.approx(direction(1), abs=1e-6)
        own = float(direction(1) @ direction(3))
        asked = replace(near(3, pool=2), excerpts=False)
        plain = store.search("t", lookup(dense=asked)).columns["cosine"]
        assert plain[0] == pytest.approx(own, abs=1e-6), "where excerpts do not count, the text's own vector does"
        store.revise("t", [Revision(id="long", set={"text": "tea"}, terms={"tea": 1}, vector=direction(5))], at=NOW)
        assert store.fetch("t", ["long"])[0].excerpts is None, "a new text brings its own"


def test_reembedding_gives_excerpts_to_the_long_texts_that_were_stored_without():
    embedder = load_embedder("hashing:64")
    with cued.open(embedder=embedder) as memories:
        tenant = memories.tenant("t")
        tenant.remember(NOTE, vector=embedder.embed([NOTE], role="memory")[0].tolist())
        tenant.remember("A short one.")
        store = memories.parts.store
        assert [each.excerpts for each in store.scan("t", limit=9)] == [None, None]
        assert reembed("t", store, embedder, at=NOW).done == 1
        long, short = sorted(store.scan("t", limit=9), key=lambda each: -len(each.memory.text))
        assert (len(long.excerpts), short.excerpts) == (3, None)
        assert reembed("t", store, embedder, at=NOW).done == 0


@pytest.mark.parametrize("again", [False, True])
def test_what_stands_at_the_end_of_a_long_note_is_recalled(again, tmp_path):
    # The encoder reads the first 254 pieces of a text, and what is asked for stands behind them.
    path, question = tmp_path / "memories.db", "Whose dog are we looking after?"
    others = ["The tyres of the van were changed in April.", "Mireille prefers tea.", "The school play is on the ninth."]
    with cued.open(path) as memories:
        tenant = memories.tenant("t")
        tenant.remember(NOTE)
        tenant.remember_many(others)
        if not again:
            assert [memory.text for memory in tenant.recall(question)] == [NOTE]
            vector = memories.parts.embedder.embed([NOTE], role="memory")[0]
            tenant.forget(tenant.recall(question)[0].id, erase=True)
            tenant.remember(NOTE, vector=vector.tolist())
            assert not tenant.recall(question), "its own vector alone says nothing of that"
    if again:
        with cued.open(path) as memories:
            assert [memory.text for memory in memories.tenant("t").recall(question)] == [NOTE]
