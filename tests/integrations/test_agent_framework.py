"""The context provider of Microsoft's Agent Framework; tried where it is installed."""

import asyncio

import pytest

import cued

pytest.importorskip("agent_framework", reason="the agent-framework extra is not installed: make frameworks")

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from cued.integrations.agent_framework import CuedContextProvider


class Echo(BaseChatClient):
    """Keeps what it is asked, and says ok."""

    heard: list = []  # noqa: RUF012 - one list for one test

    def _inner_get_response(self, *, messages, stream, options, **rest):
        async def answered():
            self.heard.append([message.text for message in messages])
            return ChatResponse(messages=[Message("assistant", ["ok"])])

        return answered()


def test_a_run_is_remembered_and_the_next_is_given_what_it_brings_to_mind():
    async def use(memories):
        mara = memories.tenant("mara")
        client = Echo()
        agent = Agent(client, context_providers=[CuedContextProvider(mara)])
        await agent.run("I am allergic to hazelnuts.", session=agent.create_session())
        await agent.run("Which nuts am I allergic to?", session=agent.create_session())
        assert "Recalled memories" not in "".join(client.heard[0])
        assert "I am allergic to hazelnuts." in client.heard[1][0]
        assert client.heard[1][-1] == "Which nuts am I allergic to?"
        assert [each.text for each in mara.list()].count("ok") == 2
        # what was recalled is not remembered again
        assert not any("Recalled memories" in each.text for each in mara.list())
        assert len({each.source.session for each in mara.list()}) == 2

    with cued.open() as memories:
        asyncio.run(use(memories))


def test_it_may_recall_without_remembering():
    with cued.open() as memories:
        agent = Agent(Echo(), context_providers=[CuedContextProvider(memories.tenant("mara"), remember=False)])
        asyncio.run(agent.run("I am allergic to hazelnuts."))
        assert memories.tenant("mara").stats().memories == 0
