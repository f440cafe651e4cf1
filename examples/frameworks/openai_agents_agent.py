"""An agent of OpenAI's SDK with a session and a recall tool; a script stands in for the LLM."""

import asyncio

from agents import Agent, RunConfig, Runner
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

import cued
from cued.integrations.openai_agents import CuedSession, recall_tool

ASKED = "Which nuts am I allergic to?"
SCRIPT = [
    [assistant_message("Noted.")],
    [function_call("recall_memories", {"query": ASKED}, call_id="1")],
    ModelStep.respond(lambda call: [assistant_message(call.input[-1]["output"])]),
]


async def main() -> None:
    """Say something in one session, and ask for it in another."""
    with cued.open("memories.db") as memories:
        mara, model = memories.tenant("mara"), ScriptedModel(SCRIPT)
        for name, words in (("monday", "I am allergic to hazelnuts."), ("friday", ASKED)):
            session = CuedSession(name, mara)
            agent = Agent(name="helper", model=model, tools=[recall_tool(mara, besides=session)])
            run = await Runner.run(agent, words, session=session, run_config=RunConfig(tracing_disabled=True))
            print(run.final_output)


asyncio.run(main())
