"""An agent to be: the official client, in both eras of the protocol, on our server in this process."""

from dataclasses import dataclass

import anyio
import mcp
import pytest

from cued.handles.memories import open_memories
from cued.surfaces.mcp.server import ToolCaller, serve

MODERN = "2026-07-28"


@dataclass(frozen=True)
class Agent:
    """Speaks to a server as an agent's client does."""

    server: object
    mode: str = MODERN

    def __call__(self, asking):
        """Give what `asking` makes of an open client; an error of the protocol comes out as it is, not in a group."""

        async def asked():
            async with mcp.Client(self.server, mode=self.mode) as client:
                try:
                    return await asking(client), None
                except mcp.MCPError as error:
                    return None, error

        answer, error = anyio.run(asked)
        if error is not None:
            raise error
        return answer

    def call(self, name, **arguments):
        return self(lambda client: client.call_tool(name, arguments))

    def told(self, name, **arguments):
        """Give the structured answer of a call that is not refused."""
        answer = self.call(name, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def refused(self, name, **arguments):
        """Give the text of a call that is refused."""
        answer = self.call(name, **arguments)
        assert answer.is_error, answer.structured_content
        return answer.content[0].text

    def read(self, uri):
        return self(lambda client: client.read_resource(uri)).contents[0].text


@pytest.fixture
def memories():
    with open_memories(None, embedder="hashing", settle="now") as opened:
        yield opened


@pytest.fixture
def agent_of(memories):
    """Give the agent of a tenant in a project."""

    def made(tenant="mira", scope="boat", *, mode=MODERN, may_write=True, pair=False):
        caller = ToolCaller(tenant=memories.tenant(tenant), scope=scope, may_write=may_write)
        return Agent(serve(lambda _context: caller, search_and_fetch=pair), mode)

    return made


@pytest.fixture
def agent(agent_of):
    return agent_of()
