"""An agent of Google's kit that preloads memories; a scripted model stands in for the LLM."""

import asyncio

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

import cued
from cued.integrations.google_adk import CuedMemoryService


class Scripted(BaseLlm):
    """Says what it was told of the past, or that it has taken note."""

    async def generate_content_async(self, llm_request, stream=False):  # noqa: FBT002
        """The answer."""
        told = [part.text for content in llm_request.contents for part in content.parts if "PAST_CONVERSATIONS" in (part.text or "")]
        text = told[0] if told else "Noted."
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


async def main() -> None:
    """Say something in one session, and ask for it in another."""
    with cued.open("memories.db") as memories:
        sessions, memory = InMemorySessionService(), CuedMemoryService(memories)
        agent = Agent(name="helper", model=Scripted(model="scripted"), tools=[PreloadMemoryTool()])
        runner = Runner(app_name="kitchen", agent=agent, session_service=sessions, memory_service=memory)
        for name, words in (("monday", "I am allergic to hazelnuts."), ("friday", "Which nuts am I allergic to?")):
            await sessions.create_session(app_name="kitchen", user_id="mara", session_id=name)
            message = types.Content(role="user", parts=[types.Part(text=words)])
            async for event in runner.run_async(user_id="mara", session_id=name, new_message=message):
                print(event.content.parts[0].text)
            await memory.add_session_to_memory(await sessions.get_session(app_name="kitchen", user_id="mara", session_id=name))


asyncio.run(main())
