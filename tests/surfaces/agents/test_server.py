"""The server as a client meets it: instructions, resources and prompts, over stdio in both eras, and over HTTP."""

import json
import os
import signal
import subprocess
import sys

import anyio
import httpx2
import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import Mount

from cued.surfaces.mcp.server import ToolCaller, http_endpoint, serve
from tests.surfaces.conftest import SOURCE
from tests.surfaces.test_process import INTERRUPTIBLE, posix

eras = pytest.mark.parametrize("era", ["2026-07-28", "auto", "legacy"])


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_the_instructions_tell_an_agent_to_use_memory_well(agent_of, era):
    said = agent_of(mode=era)(_instructions)
    for word in ("Before you answer", "`recall`", "corrections", "ask the user", "supersedes", "Never store passwords"):
        assert word in said


async def _instructions(client):
    return client.instructions


def test_resources_give_the_start_the_pinned_and_a_memory(agent, memories):
    tenant = memories.tenant("mira")
    assert agent.read("cued://bootstrap") == "Nothing is stored yet."
    assert agent.read("cued://pinned") == "Nothing is pinned."
    tenant.remember("Mira is allergic to peanuts.", id="nuts", tier="core", speaker="<Mira>")
    tenant.remember("The boiler is blue.", scope="boat")
    assert "peanuts" in agent.read("cued://pinned")
    assert "boiler" in agent.read("cued://bootstrap")
    assert json.loads(agent.read("cued://memory/nuts"))["tier"] == "core"
    listed = agent(lambda client: client.list_resources()).resources
    assert [str(each.uri) for each in listed] == ["cued://bootstrap", "cued://pinned"]
    (template,) = agent(lambda client: client.list_resource_templates()).resource_templates
    assert template.uri_template == "cued://memory/{id}"


@pytest.mark.parametrize("uri", ["cued://memory/", "cued://memory/nope", "cued://memory/%00", "cued://nothing", "file:///etc/passwd"])
def test_what_is_not_there_is_not_found(agent, uri):
    with pytest.raises(MCPError) as refused:
        agent.read(uri)
    assert refused.value.code == -32602


def test_prompts_can_be_picked_with_and_without_their_argument(agent):
    listed = agent(lambda client: client.list_prompts()).prompts
    assert [each.name for each in listed] == ["remember-this", "what-do-you-know"]
    with_one = agent(lambda client: client.get_prompt("remember-this", {"what": "Tea {} at four"})).messages[0].content.text
    assert with_one.startswith("Store the following in Cued: Tea {} at four\n")
    without = agent(lambda client: client.get_prompt("what-do-you-know")).messages[0].content.text
    assert without.startswith("What do you remember about me")
    with pytest.raises(MCPError, match="one of remember-this"):
        agent(lambda client: client.get_prompt("nope"))


@pytest.fixture
def started(tmp_path):
    """Give a call to the real server, as a client starts it: in a repository, with a client's small environment."""
    project = tmp_path / "galley"
    (project / ".git").mkdir(parents=True)
    (project / "deep").mkdir()
    env = {"PYTHONPATH": str(SOURCE), "CUED_DB": str(tmp_path / "memories.db"), "CUED_EMBEDDER": "hashing", "HOME": str(tmp_path)}

    def call(asking, *args, mode="auto", cwd=project / "deep"):
        async def asked():
            command = ["-m", "cued.surfaces.cli", "mcp", *args]
            server = StdioServerParameters(command=sys.executable, args=command, env=env, cwd=cwd)
            with (tmp_path / "stderr").open("w") as said, anyio.fail_after(60):
                async with mcp.Client(stdio_client(server, said), mode=mode) as client:
                    return await asking(client)

        return anyio.run(asked)

    return call


@eras
def test_a_client_over_stdio_remembers_and_recalls_in_its_project(started, era):
    async def both(client):
        assert era == "2026-07-28" or client.server_info.name == "cued"
        stored = await client.call_tool("remember", {"text": "The stove needs gas."})
        found = await client.call_tool("recall", {"text": "What does the stove need?"})
        return stored.structured_content["id"], found.structured_content["memories"][0]

    stored, found = started(both, mode=era)
    assert (found["id"], found["scope"]) == (stored, "galley")


def test_the_project_and_the_tenant_are_the_connection_s(started, tmp_path):
    started(lambda client: client.call_tool("remember", {"text": "The stove needs gas."}))

    def found(*args, **where):
        answer = started(lambda client: client.call_tool("recall", {"text": "What does the stove need?"}), *args, **where)
        return len(answer.structured_content.get("memories", ()))

    assert found("--project", str(tmp_path / "galley"), cwd=tmp_path) == 1
    assert found("--scope", "other") == 0
    assert found("--tenant", "jonas") == 0
    assert found(cwd=tmp_path) == 0


def test_a_variable_that_a_client_does_not_know_stands_for_the_working_directory(started, tmp_path):
    stored = started(lambda client: client.call_tool("remember", {"text": "The stove."}), "--project", "${workspaceFolder}")
    assert not stored.is_error
    assert "is no folder" in (tmp_path / "stderr").read_text("utf-8")


def test_the_server_leaves_when_the_client_does_and_says_nothing_else(process):
    done = process("mcp", input=b"", env={"CUED_JSON": "1"})
    assert (done.returncode, done.stdout) == (0, b"")


def asking(*calls):
    """Give the lines of a client that says all it has to say: a greeting, and calls of tools."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
    lines = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *({"id": n, "method": "tools/call", "params": {"name": name, "arguments": said}} for n, (name, said) in enumerate(calls, 1)),
    ]
    return b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines)


def test_a_client_that_closes_its_end_at_once_still_gets_every_answer(process):
    done = process("mcp", input=asking(("remember", {"text": "The stove needs gas."}), ("recall", {"text": "lamp"})))
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == [0, 1, 2]


def test_a_request_that_is_taken_back_is_not_waited_for(process):
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    odd = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}
    lines = asking(("recall", {"text": "lamp"})) + b"".join(json.dumps(each).encode() + b"\n" for each in (cancelled, odd))
    assert process("mcp", input=lines).returncode == 0


@posix
def test_a_client_that_does_not_wait_for_its_answer_is_no_error(process):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = process("mcp", input=asking(("recall", {"text": "lamp"})), capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_with_what_it_has_to_write_though_its_client_stays(process, which):
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    serving = process("mcp", runner=subprocess.Popen, by=("-c", INTERRUPTIBLE), **ends)
    serving.stdin.write(asking(("remember", {"text": "The stove needs gas."})))
    serving.stdin.flush()
    assert [json.loads(serving.stdout.readline())["id"] for _ in range(2)] == [0, 1]
    asked = asking(("recall", {"text": "What does the stove need?"})).splitlines()[-1]
    serving.stdin.write(asked.replace(b'"id": 1', b'"id": 2') + b"\n")
    serving.stdin.flush()
    recall = json.loads(serving.stdout.readline())["result"]["structuredContent"]
    serving.send_signal(which)
    try:
        assert serving.wait(60) == 128 + which
    finally:
        serving.kill()
        _, said = serving.communicate()
    assert said == b""
    logged = json.loads(process("log", "--json").stdout)["recalls"]
    assert [each["recall_id"] for each in logged] == [recall["recall_id"]]


def test_what_is_no_message_does_not_end_the_server(process):
    listed = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    done = process("mcp", input=b"not json\n{}\n[1]\n" + json.dumps(listed).encode() + b"\n")
    assert done.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())


def test_a_request_that_cannot_be_read_is_answered_under_its_id(process):
    """A client waits for an answer to each of its requests, and one in JavaScript may cut a character in two."""
    cut = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"remember","arguments":{"text":"\\ud83d"}}}'
    deep = "[" * 100_000 + "]" * 100_000
    first = f'{{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{{"name":"recall","arguments":{deep}}}}}'
    last = f'{{"method":"tools/call","params":{{"name":"recall","arguments":{deep}}},"jsonrpc":"2.0","id":9}}'
    done = process("mcp", input=f'{cut}\n{first}\n{last}\nnot json\n{{"jsonrpc":"2.0","method":"notifications/x"}}\n'.encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["id"] for each in answers] == [7, "a-1", 9, None]
    assert all((each["error"]["code"], "lone surrogates" in each["error"]["message"]) == (-32700, True) for each in answers)


def test_the_sdk_is_loaded_for_the_server_alone():
    program = "import sys; from cued.surfaces.cli.agents import mcp, hook, connect; print('mcp' in sys.modules, 'pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env={"PYTHONPATH": str(SOURCE)}, timeout=60)
    assert done.stdout.split() == [b"False", b"False"]


@pytest.fixture
def web(memories):
    """Give a call to the HTTP endpoint, mounted as a server mounts it, with the tenant from the request."""

    def caller_of(context):
        name = context.request.headers["x-tenant"]
        return ToolCaller(tenant=memories.tenant(name), scope="boat", may_write=name != "reader")

    def call(asking, *, headers):
        async def asked():
            endpoint = http_endpoint(serve(caller_of))
            app = Starlette(routes=[Mount("/mcp", app=endpoint.app)])
            transport = httpx2.ASGITransport(app=app)
            async with endpoint.running(), httpx2.AsyncClient(transport=transport, headers=headers, base_url="http://cued.test") as http:
                return await asking(http)

        return anyio.run(asked)

    return call


@pytest.mark.parametrize("era", ["2026-07-28", "legacy"])
def test_the_endpoint_serves_each_request_for_its_own_caller(web, memories, era):
    memories.tenant("mira").remember("The boiler is blue.", id="boiler")

    async def asked(http):
        async with mcp.Client(streamable_http_client("http://cued.test/mcp/", http_client=http), mode=era) as client:
            found = await client.call_tool("recall", {"text": "boiler"})
            stored = await client.call_tool("remember", {"text": "The mast is tall."})
            return [each["id"] for each in found.structured_content.get("memories", ())], stored.is_error

    assert web(asked, headers={"x-tenant": "mira"}) == (["boiler"], False)
    assert web(asked, headers={"x-tenant": "jonas"}) == ([], False)
    assert web(asked, headers={"x-tenant": "reader"}) == ([], True)
