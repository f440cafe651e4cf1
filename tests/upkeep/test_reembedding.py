"""Re-embedding: every vector becomes the new embedder's, online, resumable, and never mixed with the old one's."""

import pytest
from msgspec.structs import replace

from cued.errors import EmbedderError, InputError
from cued.model import DenseLookup, Lookup, Revision, Source
from cued.text.analyse import searchable
from cued.upkeep.reembedding import reembed
from tests.building import NOW, ago, memory
from tests.fakes import FailingEmbedder, ListEmbedder
from tests.stocking import everything, stock


class PickyEmbedder(ListEmbedder):
    """An embedder that cannot take texts with a certain word, alone or in company."""

    def embed(self, texts, *, role):
        if any("unspeakable" in text for text in texts):
            raise EmbedderError("a text was refused")
        return super().embed(texts, role=role)


class ShortEmbedder(ListEmbedder):
    """An embedder that gives fewer numbers than it says."""

    def embed(self, texts, *, role):
        return super().embed(texts, role=role)[:, 1:]


class SlowEmbedder(ListEmbedder):
    """An embedder so slow that something happens to the store during its first answer."""

    def __init__(self, meanwhile):
        super().__init__(name="slow")
        self.meanwhile = meanwhile

    def embed(self, texts, *, role):
        if not self.asked:
            self.meanwhile()
        return super().embed(texts, role=role)


def fingerprints(store):
    return {name: each.fingerprint for name, (each, _) in everything(store).items()}


def stocked(store, count=10):
    """Store so many memories of an old embedder."""
    stock(store, *(memory(f"m{number:02}", created=ago(days=number), text=f"Fact number {number}.") for number in range(count)))


@pytest.mark.requirement("X8")
def test_every_memory_gets_the_new_vector_and_nothing_else_changes(store):
    stocked(store, 4)
    stock(store, memory("said", source=Source(speaker="Ada"), used=ago(days=1), count=2))
    stock(store, memory("pending"), fingerprint=None)
    store.forget("t", ["m01"], at=NOW)
    before = everything(store)
    embedder, heard = ListEmbedder(name="new"), []
    result = reembed("t", store, embedder, at=NOW, batch=4, progress=lambda done, total: heard.append((done, total)))
    assert (result.done, result.left, result.failed, result.fingerprint) == (6, 0, (), str(embedder.fingerprint))
    assert heard == [(4, 6), (6, 6)]
    after = everything(store)
    for name, (kept, vector) in after.items():
        assert kept == replace(before[name][0], fingerprint=str(embedder.fingerprint))
        assert vector == embedder.embed([searchable(kept.text, kept.source.speaker)], role="memory")[0].tolist()
    assert reembed("t", store, embedder, at=NOW).done == 0
    assert everything(store) == after


@pytest.mark.requirement("X8")
def test_half_way_no_search_compares_vectors_of_two_models(store):
    stocked(store)
    embedder = FailingEmbedder()
    cue = embedder.embed(["Fact number 1."], role="query")[0]
    lookup = Lookup(scope="global", at=NOW, dense=DenseLookup(vector=cue, fingerprint=str(embedder.fingerprint), pool=50))

    def goes_down(done, total):
        embedder.down = True

    with pytest.raises(EmbedderError, match=r"4 memories done, 6 left, run it again to go on: the embedder is down"):
        reembed("t", store, embedder, at=NOW, batch=4, progress=goes_down)
    found = store.search("t", lookup)
    assert [each.id for each in found.memories] == ["m00", "m01", "m02", "m03"]
    assert found.uncomparable == 6


@pytest.mark.requirement("X8")
def test_a_run_that_was_cut_short_goes_on_where_it_ended(store):
    stocked(store)
    embedder = FailingEmbedder()

    def goes_down(done, total):
        embedder.down = done == 6

    with pytest.raises(EmbedderError):
        reembed("t", store, embedder, at=NOW, batch=3, progress=goes_down)
    embedder.down, embedder.asked = False, []
    result = reembed("t", store, embedder, at=NOW, batch=3)
    assert (result.done, result.left) == (4, 0)
    assert embedder.asked == [f"Fact number {number}." for number in range(6, 10)]


@pytest.mark.requirement("X8")
def test_what_is_written_meanwhile_is_neither_lost_nor_given_the_vector_of_an_old_text(store):
    stocked(store, 6)

    def meddle():
        store.revise("t", [Revision(id="m00", set={"text": "Something else.", "fingerprint": None}, terms={"something": 1})], at=NOW)
        store.erase("t", ["m01"])
        stock(store, memory("m99", text="Brand new."))

    embedder = SlowEmbedder(meddle)
    result = reembed("t", store, embedder, at=NOW, batch=2)
    assert (result.done, result.left) == (6, 0)
    after = everything(store)
    assert after.keys() == {"m00", "m02", "m03", "m04", "m05", "m99"}
    assert (after["m00"][0].text, after["m00"][0].version) == ("Something else.", 2)
    assert after["m00"][1] == embedder.embed(["Something else."], role="memory")[0].tolist()
    assert set(fingerprints(store).values()) == {str(embedder.fingerprint)}


@pytest.mark.requirement("X8")
def test_a_text_that_the_embedder_cannot_take_is_named_and_the_rest_is_done(store):
    stocked(store, 5)
    stock(store, memory("m02b", text="An unspeakable text."), memory("m9", text="Another unspeakable one."))
    result = reembed("t", store, PickyEmbedder(name="new"), at=NOW, batch=3)
    assert (result.done, result.left, result.failed) == (5, 2, ("m02b", "m9"))
    assert fingerprints(store)["m02b"] == "fake/plane@1/2"


@pytest.mark.requirement("X8")
def test_an_embedder_that_gives_nothing_usable_changes_nothing(store):
    stocked(store, 2)
    before = everything(store)
    with pytest.raises(EmbedderError, match=r"0 memories done, 2 left.*\(1, 15\)"):
        reembed("t", store, ShortEmbedder(name="short"), at=NOW)
    assert everything(store) == before
    with pytest.raises(InputError, match="batch"):
        reembed("t", store, ListEmbedder(), at=NOW, batch=0)


@pytest.mark.requirement("X8", "P19")
def test_other_tenants_keep_their_vectors(store):
    stocked(store, 2)
    stock(store, replace(memory("theirs"), tenant="other"))
    before = everything(store, "other")
    reembed("t", store, ListEmbedder(name="new"), at=NOW)
    assert everything(store, "other") == before
