"""LlamaIndex's memory with a block of Cued's: what falls out of the short-term memory is recalled when it matters."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory

import cued
from cued.integrations.llama_index import CuedMemoryBlock


async def main() -> None:
    """Say more than the short-term memory holds, and ask for the first of it; a mock stands in for the LLM and repeats what it is told."""
    with cued.open("memories.db") as memories:
        block = CuedMemoryBlock(memories.tenant("mara"))
        limits = {"token_limit": 60, "token_flush_size": 20, "chat_history_token_ratio": 0.5}
        memory = Memory.from_defaults(session_id="monday", memory_blocks=[block], **limits)
        for words in ("I am allergic to hazelnuts, even traces make me ill.", *["The weather in Trondheim is rainy again today."] * 6):
            await memory.aput(ChatMessage(role="user", content=words))
        question = ChatMessage(role="user", content="Which nuts am I allergic to?")
        await memory.aput(question)
        print(MockLLM().chat(await memory.aget()))


asyncio.run(main())
