"""The approximate index of very large tenants: never the truth, never a struck memory, and as good as none where it would find too few."""

import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec

import numpy as np
import pytest
from msgspec.structs import replace

from cued.conformance import StoreConformance
from cued.conformance.samples import NOW, lookup, record
from cued.model import DenseLookup, Record
from cued.stores import Store
from cued.stores.columns import graphs, nearby, search
from cued.stores.columns.channels import Meaning
from cued.stores.columns.nearby import Nearby
from cued.stores.keepers.memory import MemoryKeeper

if graphs.library() is None:
    pytest.skip("the extra `ann` is not installed", allow_module_level=True)

WIDE, MANY, POOL = 48, 6000, 20


@pytest.fixture
def large(monkeypatch):
    """Every tenant counts as very large, and an index is there when it is first asked for."""
    monkeypatch.setattr(search, "LARGE", 1)
    monkeypatch.setattr(nearby, "_FEW", 0)
    monkeypatch.setattr(nearby, "_LEAST_SAMPLE", 0)
    begin = graphs.Index._begin  # noqa: SLF001

    def begin_and_wait(index, vectors, first):
        begin(index, vectors, first)
        index.wait()

    monkeypatch.setattr(graphs.Index, "_begin", begin_and_wait)


@pytest.mark.usefixtures("large")
class TestStoreOfLargeTenants(StoreConformance):
    """Where it finds all there are, everything that holds without an index holds with it."""

    @pytest.fixture
    def store(self, monkeypatch):
        found = graphs.Index.graphs
        monkeypatch.setattr(graphs.Index, "graphs", lambda index, vectors: found(index, vectors) or found(index, vectors))
        with closing(Store(MemoryKeeper())) as store:
            yield store


@pytest.fixture(scope="module")
def vectors():
    """Vectors in clusters, as texts have them."""
    chance = np.random.default_rng(3)
    made = chance.normal(size=(60, WIDE))[chance.integers(0, 60, MANY)] + 0.6 * chance.normal(size=(MANY, WIDE))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def stored(vectors, **given):
    store = Store(MemoryKeeper())
    records = [record("t", f"m{n:05}", f"tea {n}", vector=0, **given) for n in range(len(vectors))]
    store.adopt("t", [Record(memory=each.memory, terms=each.terms, vector=vector) for each, vector in zip(records, vectors, strict=True)])
    return store, records[0].memory.fingerprint


def asked(vector, fingerprint, **given):
    return replace(lookup(dense=DenseLookup(vector=vector, fingerprint=fingerprint, pool=POOL)), **given)


def nearest(vectors, cue, among):
    order = np.argsort(-(vectors[among] @ cue), kind="stable")[:POOL]
    return {f"m{n:05}" for n in np.asarray(among)[order]}


def found_by(store, lookup):
    """The ids that a search finds, and whether by the index."""
    kinds, meaning = [], nearby.meaning

    def noted(*args, **options):
        made = meaning(*args, **options)
        kinds.append(isinstance(made, Nearby))
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "meaning", noted)
        found = store.search("t", lookup)
    return {memory.id for memory in found.memories}, kinds[-1], found


@pytest.fixture
def some(monkeypatch):
    """Tenants of some thousands count as very large."""
    monkeypatch.setattr(search, "LARGE", 1000)
    monkeypatch.setattr(nearby, "_FEW", 200)
    monkeypatch.setattr(nearby, "_LEAST_SAMPLE", 100)
    monkeypatch.setattr(graphs, "MORE", 1000)


def ready(store, fingerprint, vectors):
    """A store whose index is made."""
    store.search("t", asked(vectors[0], fingerprint))
    index(store).wait()
    return store


def vectors_of(store):
    (held,) = store._shelves.of("t").version.shelf._held.vectors.values()  # noqa: SLF001
    return held


def index(store):
    return vectors_of(store).shared["index"]


@pytest.mark.usefixtures("some")
def test_until_the_index_is_made_all_are_scanned_and_then_nearly_the_same_are_found(vectors):
    store, fingerprint = stored(vectors)
    begun = graphs.Index._begin  # noqa: SLF001
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(graphs.Index, "_begin", lambda *_: None)
        ids, approximate, exact = found_by(store, asked(vectors[5], fingerprint))
        assert (approximate, ids) == (False, nearest(vectors, vectors[5], range(MANY)))
    assert begun is graphs.Index._begin  # noqa: SLF001
    ready(store, fingerprint, vectors)
    hits = 0
    for n in range(0, MANY, 200):
        ids, approximate, found = found_by(store, asked(vectors[n], fingerprint))
        assert approximate
        assert f"m{n:05}" in ids
        hits += len(ids & nearest(vectors, vectors[n], range(MANY)))
    assert hits >= 0.98 * POOL * len(range(0, MANY, 200))
    assert found.background.count == exact.background.count == MANY
    cosines = dict(zip((memory.id for memory in exact.memories), exact.columns["cosine"], strict=True))
    again = found_by(store, asked(vectors[5], fingerprint))[2]
    for memory, cosine in zip(again.memories, again.columns["cosine"], strict=True):
        assert cosine == cosines.get(memory.id, cosine), "a cosine that is told is exact"
    assert abs(again.background.mean - exact.background.mean) < 0.01
    assert abs(again.background.deviation - exact.background.deviation) < 0.01


@pytest.mark.usefixtures("some")
def test_what_is_struck_never_comes_back_and_enough_others_do(vectors):
    store, fingerprint = stored(vectors)
    ready(store, fingerprint, vectors)
    cue, left = vectors[5], set(range(MANY))
    for _ in range(4):
        struck = sorted(nearest(vectors, cue, sorted(left)))
        store.forget("t", struck, at=NOW)
        left -= {int(each[1:]) for each in struck}
        ids, approximate, _ = found_by(store, asked(cue, fingerprint))
        assert approximate
        assert not ids & set(struck)
        assert len(ids & nearest(vectors, cue, sorted(left))) >= 0.95 * POOL
    gone = [f"m{n:05}" for n in sorted(left)[: MANY - 4 * POOL - 150]]
    store.forget("t", gone, at=NOW)
    left -= {int(each[1:]) for each in gone}
    ids, approximate, found = found_by(store, asked(cue, fingerprint))
    assert (approximate, ids, found.visible) == (False, nearest(vectors, cue, sorted(left)), 150), "few are left: all are scanned"
    store.erase("t", [min(ids)])
    assert min(ids) not in found_by(store, asked(cue, fingerprint))[0]


@pytest.mark.usefixtures("some")
def test_what_is_new_is_found_before_it_is_indexed_and_after(vectors):
    store, fingerprint = stored(vectors[:4000])
    ready(store, fingerprint, vectors)
    assert [graph.end for graph in index(store).graphs(vectors_of(store))] == [4000]
    for start, end, graph_count in ((4000, 4500, 1), (4500, 5500, 2)):
        new = [record("t", f"m{n:05}", f"tea {n}", vector=0) for n in range(start, end)]
        store.adopt("t", [Record(memory=each.memory, terms=each.terms, vector=vectors[n]) for n, each in enumerate(new, start)])
        for n in range(start, end, 100):
            ids, approximate, _ = found_by(store, asked(vectors[n], fingerprint))
            assert approximate
            assert f"m{n:05}" in ids
        index(store).wait()
        assert len(index(store).graphs(vectors_of(store))) == graph_count
        assert len(found_by(store, asked(vectors[end - 1], fingerprint))[0] & nearest(vectors, vectors[end - 1], range(end))) >= POOL - 1


@pytest.mark.usefixtures("some")
def test_memories_that_nobody_vouched_for_have_a_pool_of_their_own(vectors):
    store, fingerprint = stored(vectors[:4000])
    unsure = [record("t", f"m{n:05}", f"tea {n}", vector=0, trust="import") for n in range(4000, 4100)]
    store.adopt("t", [Record(memory=each.memory, terms=each.terms, vector=vectors[n]) for n, each in enumerate(unsure, 4000)])
    ready(store, fingerprint, vectors)
    ids, approximate, _ = found_by(store, asked(vectors[7], fingerprint, apart=True))
    assert approximate
    assert {each for each in ids if each >= "m04000"} == nearest(vectors, vectors[7], range(4000, 4100))
    assert len(ids & nearest(vectors, vectors[7], range(4000))) >= POOL - 1


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra `minilm` is not installed")
def test_a_model_can_be_loaded_after_the_index():
    ordered = "from cued.stores.columns.graphs import library; assert library(); import onnxruntime; print(onnxruntime.__version__)"
    assert subprocess.run([sys.executable, "-c", ordered], capture_output=True, check=False).returncode == 0


@pytest.mark.usefixtures("some")
def test_without_the_package_nothing_is_another(vectors, monkeypatch):
    monkeypatch.setattr(nearby, "library", lambda: None)
    store, fingerprint = stored(vectors[:2000])
    assert found_by(store, asked(vectors[5], fingerprint))[:2] == (nearest(vectors, vectors[5], range(2000)), False)
    assert isinstance(store, Store)
    assert issubclass(Nearby, Meaning)
