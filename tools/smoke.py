"""A try of every surface of an installed Cued, run by the environment that it is installed in: `python -I tools/smoke.py`.

Nothing of the checkout is used but this file: what is tried is what the wheels hold. A line each is printed; the first that fails ends it.
"""

import asyncio
import json
import os
import re
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import cued

TEXT, CUE, FAR = "The staging deploy runs every Friday at 16:00.", "When is the staging deploy?", "How long do I boil an egg?"
COMMAND = Path(sysconfig.get_path("scripts")) / ("cued.exe" if os.name == "nt" else "cued")


def main() -> None:
    """Try every surface in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="cued", ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        os.environ |= {"CUED_DB": str(Path(folder) / "memories.db"), "XDG_CACHE_HOME": folder, "HOME": folder}
        for surface, tried in SURFACES.items():
            began = time.perf_counter()
            tried()
            print(f"{surface:24} {time.perf_counter() - began:6.2f} s", flush=True)
        os.chdir(Path(folder).parent)


def _python() -> None:
    _hold(cued.__version__ == version("cued"), "the version is the metadata's")
    _hold("site-packages" in str(cued.__file__), "the package is the installed one")
    with cued.open("python.db") as memories:
        alice = memories.tenant("alice")
        alice.remember(TEXT)
        _hold(TEXT in alice.recall(CUE).block, "what was stored comes back")
        _hold(not alice.recall(FAR), "nothing comes back for what is not known")
        _hold("minilm" in next(iter(alice.stats().by_fingerprint)), "the model is the shipped one")


def _asyncio() -> None:
    async def tried() -> str:
        async with cued.aio.open("aio.db") as memories:
            await memories.tenant("alice").remember(TEXT)
            return (await memories.tenant("alice").recall(CUE)).block

    _hold(TEXT in asyncio.run(tried()), "what was stored comes back")


def _command_line() -> None:
    _hold(_run("--version").strip() == f"cued {cued.__version__}", "the command is there")
    made = _run("remember", TEXT).strip()
    _hold(json.loads(_run("recall", CUE, "--json"))["memories"][0]["id"] == made, "what was stored comes back")
    _hold("chosen" in _run("explain", CUE), "a recall is explained")
    _hold(len(json.loads(_run("policy", "list", "--json"))["policies"]) > 1, "presets are there")
    _run("backup", "copy.db")
    _hold(TEXT in _run("export"), "memories are exported")


def _hooks() -> None:
    said = _run("hook", "user-prompt", stdin=json.dumps({"session_id": "s", "prompt": CUE}))
    _hold(TEXT in said, "a prompt brings what fits")


def _clients() -> None:
    _hold('"mcp"' in _run("connect", "cursor", "--print"), "a client's configuration is made")


def _http() -> None:
    with _served() as (url, token), cued.connect(url, token=token) as memories:
        me = memories.tenant("me")
        _hold(TEXT in me.recall(CUE).block, "the client recalls")
        me.remember("The kiln cracked.")
        _hold(json.loads(_page(f"{url}/v1/openapi.json", token))["info"]["version"] == cued.__version__, "the interface is described")
        _hold(TEXT in _run("recall", CUE, "--block"), "a command asks the server")

        async def tried() -> str:
            async with cued.aio.connect(url, token=token) as memories:
                return (await memories.tenant("me").recall(CUE)).block

        _hold(TEXT in asyncio.run(tried()), "the client for asyncio recalls")


def _inspector() -> None:
    with _served() as (url, token):
        _hold(TEXT in _page(f"{url}/?text=staging+deploy", token), "a page shows what was recalled")


def _agents() -> None:
    from mcp import StdioServerParameters  # noqa: PLC0415 - an extra
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    _serves_agents(stdio_client(StdioServerParameters(command=str(COMMAND), args=["mcp", "--scope", "global"], env=dict(os.environ))))


def _agents_over_http() -> None:
    import httpx2  # noqa: PLC0415 - what the SDK asks with
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    with _served() as (url, token):
        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        _serves_agents(streamable_http_client(f"{url}/mcp", http_client=client))


def _serves_agents(way: Any) -> None:  # noqa: ANN401 - a transport of the protocol's SDK
    from mcp import Client  # noqa: PLC0415 - an extra

    async def tried() -> tuple[int, str]:
        async with Client(way) as client:
            tools = await client.list_tools()
            answer = await client.call_tool("recall", {"text": CUE})
            return len(tools.tools), str(answer.content)

    count, told = asyncio.run(tried())
    _hold(count == 7 and TEXT in told, "an agent has its seven tools, and recalls")  # noqa: PLR2004 - as many as there are


def _page(url: str, token: str) -> str:
    asked = Request(url, headers={"Authorization": f"Bearer {token}", "Accept": "text/html, application/json"})  # noqa: S310 - our own server
    with urlopen(asked, timeout=60) as answer:  # noqa: S310 - likewise
        return str(answer.read().decode())


@contextmanager
def _served() -> Iterator[tuple[str, str]]:
    token = _run("token", "create", "--scope", "write").strip()
    with subprocess.Popen([COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # noqa: S603 - our own command
        try:
            yield re.findall(r"http://\S+:\d+", server.stdout.readline() if server.stdout else "")[0], token
        finally:
            server.terminate()


def _run(*words: str, stdin: str = "") -> str:
    done = subprocess.run([COMMAND, *words], input=stdin, capture_output=True, encoding="utf-8", check=False, timeout=120)  # noqa: S603 - our own command
    _hold(done.returncode == 0, f"cued {' '.join(words)}: {done.stderr}")
    return done.stdout


def _hold(holds: bool, what: str) -> None:  # noqa: FBT001 - an assertion that optimisation does not take away
    if not holds:
        raise SystemExit(f"does not hold: {what}")


SURFACES: dict[str, Callable[[], None]] = {
    "Python": _python,
    "asyncio": _asyncio,
    "command line": _command_line,
    "hooks": _hooks,
    "clients' configurations": _clients,
    "HTTP and its clients": _http,
    "the inspector": _inspector,
    "MCP over stdio": _agents,
    "MCP over HTTP": _agents_over_http,
}

if __name__ == "__main__":
    main()
