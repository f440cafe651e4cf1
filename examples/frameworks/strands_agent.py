"""A Strands agent with Cued as its memory store; a scripted model stands in for the LLM."""

from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model

import cued
from cued.integrations.strands import CuedMemoryStore


class Scripted(Model):
    """Says what was put before the question."""

    def update_config(self, **model_config):
        """Nothing to configure."""

    def get_config(self):
        """No configuration."""
        return {}

    def structured_output(self, *rest, **options):
        """Nothing: the script has no structure."""
        raise NotImplementedError

    async def stream(self, messages, *rest, **options):
        """The answer in one piece."""
        text = " ".join(part["text"] for message in messages for part in message["content"] if "text" in part)
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


with cued.open("memories.db") as memories:
    store = CuedMemoryStore(memories.tenant("mara"))
    memories.tenant("mara").remember("Mara is allergic to hazelnuts.")
    agent = Agent(model=Scripted(), memory_manager=MemoryManager(stores=[store]), callback_handler=None)
    print(agent("Which nuts is Mara allergic to?"))
