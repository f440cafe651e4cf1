"""An agent of OpenAI's SDK with a session and a recall tool; a scripted model stands in for the LLM."""

import asyncio

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import cued
from cued.integrations.openai_agents import CuedSession, recall_tool


class Scripted(Model):
    """Says "Noted." to statements; to a question it calls the tool, and then says what the tool has found."""

    async def get_response(self, system_instructions, input, *rest, **options):  # noqa: A002
        """The next step of the script."""
        last = input[-1]
        if last.get("type") == "function_call_output":
            return said(last["output"])
        if last["content"].endswith("?"):
            call = {"name": "recall_memories", "arguments": f'{{"query": "{last["content"]}"}}', "call_id": "1", "type": "function_call"}
            return ModelResponse(output=[ResponseFunctionToolCall(**call)], usage=Usage(), response_id=None)
        return said("Noted.")

    def stream_response(self, *rest, **options):
        """Nothing: this script is not streamed."""
        raise NotImplementedError


def said(text: str) -> ModelResponse:
    """A message of the model."""
    content = [ResponseOutputText(text=text, type="output_text", annotations=[])]
    message = ResponseOutputMessage(id="1", content=content, role="assistant", status="completed", type="message")
    return ModelResponse(output=[message], usage=Usage(), response_id=None)


async def main() -> None:
    """Say something in one session, and ask for it in another."""
    with cued.open("memories.db") as memories:
        mara = memories.tenant("mara")
        for name, words in (("monday", "I am allergic to hazelnuts."), ("friday", "Which nuts am I allergic to?")):
            session = CuedSession(name, mara)
            agent = Agent(name="helper", model=Scripted(), tools=[recall_tool(mara, besides=session)])
            run = await Runner.run(agent, words, session=session, run_config=RunConfig(tracing_disabled=True))
            print(run.final_output)


asyncio.run(main())
