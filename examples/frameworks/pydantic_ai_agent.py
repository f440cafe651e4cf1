"""A Pydantic AI agent with memory tools and recalled history; a scripted model stands in for the LLM."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import cued
from cued.integrations.pydantic_ai import RecalledHistory, memory_toolset


def script(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Keep a statement with the tool; answer a question with what stands before it."""
    last = messages[-1].parts[-1]
    if last.part_kind == "tool-return":
        return ModelResponse(parts=[TextPart("Noted.")])
    if not str(last.content).endswith("?"):
        return ModelResponse(parts=[ToolCallPart("remember_memory", {"text": f"Mara says: {last.content}"})])
    return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])


async def main() -> None:
    """Tell the agent something, and ask for it in a run that knows nothing of the first."""
    with cued.open("memories.db") as memories:
        mara = memories.tenant("mara")
        agent = Agent(FunctionModel(script), toolsets=[memory_toolset(mara)], capabilities=[ProcessHistory(RecalledHistory(mara))])
        for words in ("I am allergic to hazelnuts.", "Which nuts is Mara allergic to?"):
            print((await agent.run(words)).output)


asyncio.run(main())
