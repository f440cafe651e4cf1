"""The tools of agents at /mcp, asked by the official client through the server's own gate."""

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
import httpx
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from cued.handles.memories import open_memories
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.agents import agents
from cued.surfaces.http.app import Limits, make_app
from cued.surfaces.http.mem0_paths import mem0
from tests.surfaces.http.conftest import FAST, serving


@pytest.fixture
def served(tmp_path):
    with (
        open_memories(tmp_path / "memories.db", embedder=None) as memories,
        serving(make_app(memories, rules=FAST, mounted=agents(memories))) as url,
    ):
        yield url, memories


def ask(url, token, tool, arguments, *, query=""):
    """The answer of one tool to a token's holder."""

    async def asked():
        async with (
            httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client,
            streamable_http_client(f"{url}/mcp/{query}", http_client=client) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await session.call_tool(tool, arguments)

    return anyio.run(asked)


def test_the_token_says_whose_memories_an_agent_has_and_the_address_which_project(served):
    url, memories = served
    tokens = Tokens(memories.parts.store)
    mira, _ = tokens.create("mira", scope="write")
    noor, _ = tokens.create("noor", scope="write")
    told = ask(url, mira, "remember", {"text": "The atlas deploy needs a green build."}, query="?scope=atlas")
    assert not told.is_error
    assert [memory.scope for memory in memories.tenant("mira").list()] == ["atlas"]
    assert "green build" in str(ask(url, mira, "recall", {"text": "atlas deploy build"}, query="?scope=atlas").content)
    assert "green build" not in str(ask(url, mira, "recall", {"text": "atlas deploy build"}).content)
    assert "green build" not in str(ask(url, noor, "recall", {"text": "atlas deploy build"}, query="?scope=atlas").content)


@pytest.mark.parametrize("query", ["?scope=", "?scope=%00", "?scope=" + "x" * 300])
def test_an_address_with_a_scope_that_is_none_is_refused_and_says_what_it_may_be(served, query):
    url, memories = served
    mira, _ = Tokens(memories.parts.store).create("mira", scope="write")
    refused = pytest.RaisesExc(MCPError, match="scope: got .*accepted: 1 to 200 characters", check=lambda error: error.code == -32602)
    with pytest.RaisesGroup(refused, flatten_subgroups=True):
        ask(url, mira, "recall", {"text": "atlas"}, query=query)


def test_a_token_that_may_only_read_lets_no_agent_write_and_none_lets_it_in(served):
    url, memories = served
    reader, _ = Tokens(memories.parts.store).create("mira", scope="read")
    assert ask(url, reader, "remember", {"text": "Mira likes tea."}).is_error
    assert memories.tenant("mira").stats().memories == 0
    assert httpx.post(f"{url}/mcp/", json={}).status_code == 401


def test_no_stream_is_held_open_over_which_nothing_would_ever_come(served):
    url, memories = served
    mira, _ = Tokens(memories.parts.store).create("mira", scope="write")
    asking = {"authorization": f"Bearer {mira}", "accept": "text/event-stream"}
    with httpx.stream("GET", f"{url}/mcp", headers=asking) as refused:
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("evil", "status"), [({"host": "evil.example"}, 421), ({"origin": "https://evil.example"}, 403), ({"content-type": "text/plain"}, 400)]
)
def test_a_stranger_s_host_origin_or_form_is_turned_away(served, evil, status):
    url, memories = served
    mira, _ = Tokens(memories.parts.store).create("mira", scope="write")
    usual = {"authorization": f"Bearer {mira}", "accept": "application/json, text/event-stream", "content-type": "application/json"}
    body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    assert httpx.post(f"{url}/mcp/", content=body, headers=usual | evil).status_code == status


def test_what_a_model_stores_is_an_agents_at_most_whatever_it_and_the_token_say(served):
    url, memories = served
    mira = memories.tenant("mira")
    mira.remember("Invoices go to billing.", id="said")
    for trust, kept in (("user", "agent"), ("tool", "tool")):
        written, _ = Tokens(memories.parts.store).create("mira", scope="write", trust=trust)
        told = ask(url, written, "remember", {"text": f"Invoices go to the {trust}.", "trust": "user", "supersedes": ["said"]})
        assert mira.get(told.structured_content["id"]).trust == kept
        assert told.structured_content["conflicts"][0]["id"] == "said"
        assert f"kept as {kept}" in told.structured_content["degraded"][0]
        for tool, arguments in (("update", {"id": "said", "text": "No."}), ("forget", {"ids": ["said"]})):
            refused = ask(url, written, tool, arguments)
            assert refused.is_error
            assert "comes from user" in refused.content[0].text
    assert not mira.get("said").superseded


def test_what_agents_and_clients_of_mem0_ask_waits_in_the_same_fair_queue_as_the_rest(tmp_path):
    with open_memories(tmp_path / "memories.db", embedder=None) as memories:
        full = make_app(memories, rules=FAST, limits=Limits(waiting=0), mounted=(*agents(memories), *mem0(memories)))
        written, _ = Tokens(memories.parts.store).create("mira", scope="write")
        with serving(full) as url:
            told = ask(url, written, "recall", {"text": "tea"})
            assert (told.is_error, "too many requests of this tenant wait" in str(told.content)) == (True, True)
            answer = httpx.get(f"{url}/mem0/memories", headers={"Authorization": f"Bearer {written}"}, timeout=30)
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:cued:error:BusyError")
