"""Adapters on a server's memories: what takes a handle works with one that `cued.connect` gives."""

import asyncio

import pytest

import cued
from cued.integrations.mem0 import Memory

pytest.importorskip("langgraph.store.base", reason="the extra `langgraph` is not installed")

from cued.integrations.langgraph import AsyncCuedStore, CuedStore


@pytest.fixture
def address(server):
    """The server's address with a token of scope admin in it."""
    written, _ = server.tokens.create("mara", scope="admin")
    return server.url.replace("//", f"//{written}@")


def used(store):
    """What a store shows of some items of two users, two of them with the same words."""
    store.put(("mara", "facts"), "nuts", {"text": "Allergic to hazelnuts", "n": 1})
    store.put(("mara", "facts"), "again", {"text": "Allergic to hazelnuts", "n": 2})
    store.put(("mara", "more"), "tea", {"text": "Drinks green tea", "n": 3}, ttl=0.00001)
    store.put(("noor", "facts"), "nuts", {"text": "Likes hazelnuts"}, index=["text", "other"])
    store.put(("mara", "facts"), "nuts", {"text": "Allergic to all hazelnuts", "n": 4})
    store.delete(("noor", "facts"), "gone")
    while not store.memories.tenant("mara").expired():
        pass
    return {
        "get": store.get(("mara", "facts"), "nuts").value,
        "newest": [item.key for item in store.search(("mara",), filter={"n": {"$gt": 1}}, refresh_ttl=False)],
        "ranked": sorted(item.key for item in store.search(("mara",), query="hazelnuts")),
        "page": len(store.search(("mara",), query="hazelnuts", limit=1)),
        "namespaces": store.list_namespaces(),
        "swept": [store.sweep_ttl(), store.sweep_ttl()],
    }


def test_a_store_on_a_server_shows_what_one_on_a_file_shows(address):
    with CuedStore.from_conn_string(":memory:") as here, CuedStore.from_conn_string(address) as there:
        assert used(there) == used(here)


def test_a_store_on_a_server_takes_its_token_from_the_address_or_the_environment(server, address, monkeypatch):
    monkeypatch.delenv("CUED_TOKEN", raising=False)
    with pytest.raises(cued.InputError, match="TOKEN@host"), CuedStore.from_conn_string(server.url):
        pass
    written, _ = server.tokens.create("mara", scope="write")
    monkeypatch.setenv("CUED_TOKEN", written)
    with CuedStore.from_conn_string(server.url, tenant="mara") as store:
        store.put(("facts",), "a", {"text": "hello"})
        assert store.list_namespaces() == [("facts",)]
    with CuedStore.from_conn_string(server.url) as store, pytest.raises(cued.CuedError, match="another tenant"):
        store.put(("noor",), "a", {"text": "hello"})


def test_a_server_embeds_and_scores_by_itself(address):
    with pytest.raises(cued.InputError, match="embeds by itself"), CuedStore.from_conn_string(address, index={"embed": len, "dims": 1}):
        pass
    with CuedStore.from_conn_string(address, index={"distance_type": "l2"}) as store, pytest.raises(cued.InputError, match="distance_type"):
        store.search(("mara",), query="hazelnuts")


def test_the_async_store_awaits_a_server(address):
    async def use():
        async with AsyncCuedStore.from_conn_string(address) as store:
            await store.aput(("mara",), "nuts", {"text": "Allergic to hazelnuts"})
            return [item.key for item in await store.asearch(("mara",), query="hazelnuts")]

    assert asyncio.run(use()) == ["nuts"]


def test_mem0s_memory_takes_a_servers_memories(server, address):
    written, _ = server.tokens.create("mara", scope="admin")
    with cued.connect(server.url, token=written) as memories:
        memory = Memory(memories)
        added = memory.add("Allergic to hazelnuts", user_id="mara", infer=False, metadata={"topic": "food"})["results"][0]["id"]
        found = memory.search("hazelnuts", filters={"user_id": "mara", "topic": "food"})["results"]
        assert [(each["id"], each["metadata"]) for each in found] == [(added, {"topic": "food"})]
        memory.delete(added)
        assert memory.get(added) is None


def test_a_retriever_finds_a_servers_memories_whole(server):
    langchain = pytest.importorskip("cued.integrations.langchain", reason="the extra `langchain` is not installed")
    written, _ = server.tokens.create("mara", scope="write")
    with cued.connect(server.url, token=written) as memories:
        mara = memories.tenant("mara")
        mara.remember("Allergic to hazelnuts", meta={"topic": "food"})
        found = langchain.CuedRetriever(tenant=mara, floor=0.0).invoke("hazelnuts")
        assert [(each.page_content, each.metadata["topic"]) for each in found] == [("Allergic to hazelnuts", "food")]


def test_a_session_is_kept_on_a_server(server):
    agents = pytest.importorskip("cued.integrations.openai_agents", reason="the extra `openai-agents` is not installed")
    written, _ = server.tokens.create("mara", scope="write")
    items = [{"role": "user", "content": f"Number {number}"} for number in range(5)]

    async def use(session):
        await session.add_items(items)
        latest = await session.get_items(2)
        popped = await session.pop_item()
        await session.clear_session()
        return latest, popped, await session.get_items()

    with cued.connect(server.url, token=written) as memories:
        assert asyncio.run(use(agents.CuedSession("s", memories.tenant("mara")))) == (items[3:], items[4], [])
