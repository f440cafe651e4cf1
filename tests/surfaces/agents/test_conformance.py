"""The protocol's own tools on our server: the conformance suite's generic scenarios, and the inspector, which calls every tool."""

import json
import re
import sys

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
pytest.importorskip("uvicorn", reason="the extra `server` is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from cued.handles.memories import open_memories
from cued.surfaces.access_tokens import Tokens
from cued.surfaces.http.agents import agents
from cued.surfaces.http.app import make_app
from tests.surfaces.agents.node_tools import fetched, run
from tests.surfaces.http.conftest import FAST, serving

SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
SCENARIOS = {
    "server-initialize": 2,
    "ping": 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "dns-rebinding-protection": 2,
    "caching": 8,
    "http-header-validation": 14,
    "sep-2164-resource-not-found": 4,
    "input-required-result-unsupported-methods": 2,
    "input-required-result-ignore-extra-params": 1,
}
"""What any server can be asked, with how many checks each has. Most others call tools and read resources of the suite's own example
server, or try what this one does not offer: logging, completion, subscriptions, sampling, elicitation, tasks."""
NEED_A_TOOL = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""Checks of `server-stateless` that need tools of the suite's own: what asks for an undeclared capability, streams or logs."""
ARGUMENTS = {
    "recall": {"text": "When is the staging deploy?"},
    "remember": {"text": "The kiln cracked."},
    "update": {"id": "deploy", "importance": "0.9"},
    "explain": {"text": "When is the staging deploy?", "memory": "deploy"},
    "timeline": {"id": "deploy"},
    "feedback": {"recall_id": "RECALL", "cited": '["deploy"]'},
    "forget": {"ids": '["deploy"]'},
}


@pytest.fixture(scope="module")
def modules():
    return fetched()


@pytest.fixture
def place(tmp_path):
    with open_memories(tmp_path / "memories.db", embedder="hashing", settle="now") as memories:
        memories.tenant("me").remember("The staging deploy runs every Friday at 16:00.", id="deploy", trust="agent")
    return tmp_path / "memories.db"


@pytest.fixture
def url(place):
    """The address of a server that takes every request for one with a token: the suite knows of none."""
    with open_memories(place, embedder="hashing") as memories:
        app = make_app(memories, rules=FAST, mounted=agents(memories))
        token, _ = Tokens(memories.parts.store).create("me", scope="write")

        async def with_token(scope, receive, send):
            if scope["type"] == "http":
                scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]
            await app(scope, receive, send)

        with serving(with_token) as served:
            yield f"{served}/mcp"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_generic_scenario_of_the_suite_passes_whole(modules, url, scenario):
    _, said, failed = run(modules, SUITE, "server", "--url", url, "--scenario", scenario)
    assert f"Passed: {SCENARIOS[scenario]}/{SCENARIOS[scenario]}, 0 failed" in said, said + failed


def test_a_request_stands_alone_as_the_suite_asks(modules, url):
    _, said, failed = run(modules, SUITE, "server", "--url", url, "--scenario", "server-stateless")
    plain = re.sub(r"\x1b\[\d+m", "", said)
    passed = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", plain)
    assert passed is not None, said + failed
    broken = set(re.findall(r"\[(\S+)\s*\] FAILURE", plain))
    assert broken <= NEED_A_TOOL
    assert int(passed[3]) == len(broken) == plain.count("Not testable")


def inspected(modules, target, method, *args):
    before, after = target
    code, said, failed = run(modules, INSPECTOR, "--cli", *before, "--method", method, "--format", "json", *args, *after)
    assert code == 0, said + failed
    return json.loads(said)["result"]


@pytest.fixture(params=["http", "stdio"])
def target(request, place):
    if request.param == "http":
        return [request.getfixturevalue("url"), "--transport", "http"], []
    command = ["-m", "cued.surfaces.cli", "mcp", "--scope", "global", "--db", str(place), "--embedder", "hashing"]
    return ["-e", "PYTHONPATH=" + ":".join(path for path in sys.path if path)], ["--", sys.executable, *command]


def test_the_inspector_lists_every_tool_without_a_remark_and_calls_each(modules, target):
    tools = [tool["name"] for tool in inspected(modules, target, "tools/list", "--strict")["tools"]]
    assert sorted(tools) == sorted(ARGUMENTS)
    recalled = ""
    for name in sorted(ARGUMENTS, key=list(ARGUMENTS).index):
        said = [word for key, value in ARGUMENTS[name].items() for word in ("--tool-arg", f"{key}={value.replace('RECALL', recalled)}")]
        answer = inspected(modules, target, "tools/call", "--tool-name", name, *said)
        assert not answer.get("isError"), (name, answer)
        recalled = answer["structuredContent"].get("recall_id", recalled) if name == "recall" else recalled
    assert {prompt["name"] for prompt in inspected(modules, target, "prompts/list")["prompts"]} == {"remember-this", "what-do-you-know"}
    assert len(inspected(modules, target, "resources/list")["resources"]) >= 2
