"""CrewAI's storage backend; tried where `crewai` is installed."""

import asyncio
from datetime import datetime

import pytest

import cued

pytest.importorskip("crewai", reason="the crewai extra is not installed: make frameworks")

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord

from cued.integrations.crewai import CuedStorage


@pytest.fixture
def storage(memories):
    return CuedStorage(memories.tenant("mara"), embedder=memories.parts.embedder)


RECORDS = [
    MemoryRecord(id="a", content="Mara is allergic to hazelnuts.", scope="/kitchen/people", categories=["health"], metadata={"n": 1}),
    MemoryRecord(
        id="b", content="The oven is broken.", scope="/kitchen", categories=["house"], importance=0.9, source="noor", private=True
    ),
    MemoryRecord(id="c", content="The train leaves at noon.", scope="/travel", created_at=datetime(2024, 1, 1)),  # noqa: DTZ001 - as theirs
]


def ids(found):
    return [each.id for each in found]


def test_it_is_a_storage_backend_and_records_come_back_whole(storage):
    assert isinstance(storage, StorageBackend)
    storage.save(RECORDS)
    for record in RECORDS:
        same = storage.get_record(record.id)
        assert same.model_dump(exclude={"last_accessed"}) == record.model_dump(exclude={"last_accessed"})
    assert storage.get_record("unknown") is None


def test_records_are_found_by_meaning_within_scopes_categories_and_metadata(storage):
    storage.save(RECORDS)
    vector = storage.embed(["Which nuts is Mara allergic to?"])[0]
    found = storage.search(vector)
    assert found[0][0].id == "a"
    assert found[0][1] > found[1][1]
    assert ids(each for each, _ in storage.search(vector, scope_prefix="/travel")) == ["c"]
    assert set(ids(each for each, _ in storage.search(vector, scope_prefix="/kitchen"))) == {"a", "b"}
    assert ids(each for each, _ in storage.search(vector, categories=["house", "x"])) == ["b"]
    assert ids(each for each, _ in storage.search(vector, metadata_filter={"n": 1})) == ["a"]
    assert ids(each for each, _ in storage.search(vector, min_score=0.7)) == ["a"]
    assert len(storage.search(vector, limit=2)) == 2
    assert asyncio.run(storage.asearch(vector, limit=1))[0][0].id == "a"


def test_with_an_embedder_of_their_own_the_vectors_decide_and_the_cosine_is_the_score(memories):
    storage = CuedStorage(memories.tenant("mara"))
    storage.save(
        [MemoryRecord(id=name, content=f"text {name}", embedding=vector) for name, vector in (("x", [1.0, 0.0]), ("y", [0.0, 1.0]))]
    )
    found = storage.search([0.9, 0.1])
    assert ids(each for each, _ in found) == ["x", "y"]
    assert found[0][1] == pytest.approx(0.9 / (0.82**0.5), abs=1e-3)
    storage.update(MemoryRecord(id="y", content="another text", embedding=[1.0, 0.05]))
    assert len(storage.search([0.9, 0.1], min_score=0.9)) == 2
    with pytest.raises(cued.InputError, match="embedder"):
        storage.embed(["x"])


def test_records_are_updated_listed_counted_and_deleted(storage):
    asyncio.run(storage.asave(RECORDS))
    storage.save([RECORDS[0].model_copy(update={"content": "Mara is allergic to walnuts.", "scope": "/travel"})])
    assert storage.get_record("a").content == "Mara is allergic to walnuts."
    assert (storage.count(), storage.count("/travel"), storage.count("/kitchen")) == (3, 2, 1)
    assert ids(storage.list_records())[-1] == "c"
    assert len(storage.list_records(limit=1, offset=1)) == 1
    assert storage.list_categories() == {"health": 1, "house": 1}
    assert storage.delete(older_than=datetime(2025, 1, 1)) == 1  # noqa: DTZ001 - as theirs
    assert storage.delete(record_ids=["a", "unknown"]) == 1
    assert asyncio.run(storage.adelete(categories=["nothing"])) == 0
    storage.reset("/elsewhere")
    assert storage.count() == 1
    storage.reset()
    assert storage.count() == 0


def test_scopes_are_a_tree(storage):
    storage.save(RECORDS)
    assert storage.list_scopes() == ["/kitchen", "/travel"]
    assert storage.list_scopes("/kitchen") == ["/kitchen/people"]
    info = storage.get_scope_info("/kitchen")
    assert (info.record_count, info.categories, info.child_scopes) == (2, ["health", "house"], ["/kitchen/people"])
    assert info.oldest_record <= info.newest_record


def test_other_memories_of_the_tenant_are_no_records_and_stay(storage, memories):
    mara = memories.tenant("mara")
    mara.remember("Not a record of hazelnuts")
    storage.save(RECORDS)
    assert storage.count() == 3
    assert "Not a record of hazelnuts" not in {each.content for each, _ in storage.search(storage.embed(["hazelnuts"])[0])}
    storage.reset()
    assert [each.text for each in mara.list()] == ["Not a record of hazelnuts"]


def test_vectors_of_another_embedder_are_all_of_one_length(memories):
    storage = CuedStorage(memories.tenant("mara"))
    short, long = (MemoryRecord(content=f"{size} numbers", embedding=[0.1] * size) for size in (4, 8))
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.save([short, long])
    storage.save([short, MemoryRecord(id="zeros", content="no vector", embedding=[0.0] * 8)])
    again = CuedStorage(memories.tenant("mara"))
    for call in (lambda: again.save([long]), lambda: again.search([0.1] * 8), lambda: again.update(long)):
        with pytest.raises(EmbeddingDimensionMismatchError):
            call()
    again.reset()
    again.save([long])
    assert ids(each for each, _ in again.search([0.1] * 8)) == [long.id]


def test_records_are_listed_by_the_page_and_counted(storage):
    storage.save(RECORDS)
    whole = ids(storage.list_records())
    assert [ids(storage.list_records(limit=1, offset=start)) for start in range(4)] == [[each] for each in whole] + [[]]
    assert storage.list_records(limit=0) == storage.list_records(offset=-1) == []
    assert [storage.count(prefix) for prefix in (None, "/kitchen", "/elsewhere")] == [3, 2, 0]
