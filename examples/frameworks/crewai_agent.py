"""CrewAI's memory over Cued: its records are memories, and a search is a recall by words and meaning."""

from crewai.memory.unified_memory import Memory

import cued
from cued.integrations.crewai import CuedStorage

with cued.open("memories.db") as memories:
    storage = CuedStorage(memories.tenant("mara"), embedder=memories.parts.embedder)
    memory = Memory(storage=storage, embedder=storage.embed)
    # With scope, categories and importance said, CrewAI asks no LLM.
    for text in ("Mara is allergic to hazelnuts.", "Mara takes the train, for ferries make her seasick."):
        memory.remember(text, scope="/kitchen", categories=["health"], importance=0.8)
    for match in memory.recall("Which nuts is Mara allergic to?", scope="/kitchen", limit=1, depth="shallow"):
        print(match.record.content)
    memory.close()
