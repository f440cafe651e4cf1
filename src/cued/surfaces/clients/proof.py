"""The test that a connection works: the server is started as the client would start it, and lists its tools."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cued.errors import InputError

PATIENCE_SECONDS = 60.0
_SHOWN = 2000


def tools_of(command: Sequence[str], env: Mapping[str, str], *, folder: Path) -> list[str]:
    """The names of the tools that this command's server offers, started in a folder with only a client's environment."""
    import anyio  # noqa: PLC0415 - the protocol's SDK, for this command alone
    from mcp import Client, StdioServerParameters  # noqa: PLC0415
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    async def listed() -> list[str]:
        server = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(env), cwd=folder)
        with anyio.fail_after(PATIENCE_SECONDS):
            async with Client(stdio_client(server, errlog)) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errlog:
        try:
            return anyio.run(listed)
        except Exception as error:  # whatever the SDK, the operating system or the server's end raises: the proof has failed
            errlog.seek(0)
            said = errlog.read()[-_SHOWN:].strip()
            wanted = f"a command that serves MCP; {said or error or type(error).__name__}"
            raise InputError("server", " ".join(command), wanted) from error
