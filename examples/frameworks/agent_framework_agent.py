"""An agent of Microsoft's framework with Cued as its context provider; a scripted client stands in for the LLM."""

import asyncio

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

import cued
from cued.integrations.agent_framework import CuedContextProvider


class Scripted(BaseChatClient):
    """Says what stands before the question, or that it has taken note."""

    def _inner_get_response(self, *, messages, stream, options, **rest):
        async def answered() -> ChatResponse:
            told = next((message.text for message in messages if "hazelnuts" in message.text and "Recalled" in message.text), "Noted.")
            return ChatResponse(messages=[Message("assistant", [told])])

        return answered()


async def main() -> None:
    """Say something in one session, and ask for it in another."""
    with cued.open("memories.db") as memories:
        agent = Agent(Scripted(), context_providers=[CuedContextProvider(memories.tenant("mara"))])
        for words in ("I am allergic to hazelnuts.", "Which nuts am I allergic to?"):
            print((await agent.run(words, session=agent.create_session())).text)


asyncio.run(main())
