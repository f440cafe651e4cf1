"""mem0's REST interface, asked through the server's own gate."""

import pytest

from cued.handles.memories import open_memories
from cued.surfaces.http.app import make_app
from cued.surfaces.http.mem0_paths import mem0
from tests.surfaces.http.conftest import FAST, Served, serving


@pytest.fixture
def served(tmp_path):
    with (
        open_memories(tmp_path / "memories.db", embedder="hashing") as memories,
        serving(make_app(memories, rules=FAST, mounted=mem0(memories))) as url,
    ):
        running = Served(url, memories)
        yield running
        running.close()


@pytest.fixture
def mira(served):
    return served.client()


def added(client, text, **whose):
    answer = client.post("/mem0/memories", json={"messages": [{"role": "user", "content": text}], **whose})
    assert answer.status_code == 200, answer.text
    return answer.json()["results"][0]["id"]


def test_a_memory_is_added_read_changed_and_deleted(mira):
    told = added(mira, "Likes green tea", user_id="ada", metadata={"topic": "drinks"})
    assert mira.get(f"/mem0/memories/{told}").json()["metadata"] == {"topic": "drinks"}
    assert mira.put(f"/mem0/memories/{told}", json={"text": "Likes black tea"}).json() == {"message": "Memory updated successfully!"}
    assert [each["memory"] for each in mira.get("/mem0/memories", params={"user_id": "ada"}).json()["results"]] == ["Likes black tea"]
    assert mira.delete(f"/mem0/memories/{told}").json() == {"message": "Memory deleted successfully"}
    assert [each["event"] for each in mira.get(f"/mem0/memories/{told}/history").json()] == ["ADD", "UPDATE", "DELETE"]
    for answer in (mira.get(f"/mem0/memories/{told}"), mira.put(f"/mem0/memories/{told}", json={"text": "x"})):
        assert (answer.status_code, answer.json()["detail"]) == (404, "Memory not found")


def test_search_takes_the_ids_in_its_filters_or_beside_them(mira):
    added(mira, "Likes green tea", user_id="ada")
    added(mira, "Likes coffee", user_id="bob")
    for asked in ({"filters": {"user_id": "ada"}}, {"user_id": "ada"}):
        found = mira.post("/mem0/search", json={"query": "what tea does she like?", "threshold": 0.0, **asked}).json()["results"]
        assert [each["memory"] for each in found] == ["Likes green tea"]
        assert 0 <= found[0]["score"] <= 1
    assert (
        mira.post("/mem0/search", json={"query": "tea"}).status_code == 422
        or mira.post("/mem0/search", json={"query": "tea"}).status_code == 400
    )


@pytest.mark.parametrize("asked", [{"filters": ["user_id"]}, {"filters": "user_id"}, {"user_id": "ada", "filters": {"NOT": [{"NOT": 1}]}}])
def test_a_filter_that_is_none_is_refused(mira, asked):
    assert mira.post("/mem0/search", json={"query": "tea", **asked}).status_code == 422


def test_a_token_reaches_its_own_tenant_alone(served, mira):
    told = added(mira, "Likes green tea", user_id="ada")
    noor = served.client(tenant="noor")
    assert noor.get("/mem0/memories", params={"user_id": "ada"}).json() == {"results": []}
    assert noor.get(f"/mem0/memories/{told}").status_code == 404
    assert served.bare().get("/mem0/memories", params={"user_id": "ada"}).status_code == 401
    shared = served.memories.tenant("mira").remember("Not a user's").id
    assert mira.get(f"/mem0/memories/{shared}").status_code == 404


def test_rights_are_held(served, mira):
    added(mira, "Likes green tea", user_id="ada")
    reader, admin = served.client(scope="read"), served.client(scope="admin")
    assert reader.get("/mem0/memories", params={"user_id": "ada"}).status_code == 200
    assert reader.post("/mem0/memories", json={"messages": "x", "user_id": "ada"}).status_code == 403
    assert reader.delete("/mem0/memories", params={"user_id": "ada"}).status_code == 403
    assert mira.post("/mem0/reset").status_code == 403
    assert mira.get("/mem0/configure").json()["version"] == "v1.1"
    assert admin.post("/mem0/configure", json={}).status_code == 400
    assert mira.delete("/mem0/memories", params={"user_id": "ada"}).json() == {"message": "All relevant memories deleted"}
    added(mira, "Likes green tea", user_id="ada")
    assert admin.post("/mem0/reset").json() == {"message": "All memories reset"}
    assert mira.get("/mem0/memories", params={"user_id": "ada"}).json() == {"results": []}


def test_what_cannot_be_done_is_told(mira):
    assert mira.delete("/mem0/memories").status_code == 422
    assert mira.get("/mem0/memories", params={"user_id": "ada", "top_k": "many"}).status_code == 422
    assert mira.post("/mem0/memories", json={"user_id": "ada"}).status_code == 422
    assert mira.patch("/mem0/memories").status_code == 405
    assert mira.get("/mem0/nowhere").status_code == 404


def test_without_the_flag_there_is_no_such_path(tmp_path):
    with open_memories(tmp_path / "m.db", embedder=None) as memories, serving(make_app(memories, rules=FAST)) as url:
        running = Served(url, memories)
        assert running.client().get("/mem0/memories", params={"user_id": "ada"}).status_code == 404
        running.close()


def test_what_a_token_of_low_trust_stores_is_trusted_no_further(served):
    written, _ = served.tokens.create("mira", scope="write", trust="tool")
    told = added(served.bare(Authorization=f"Bearer {written}"), "Likes green tea", user_id="ada")
    assert served.memories.tenant("mira").get(told).trust == "tool"
