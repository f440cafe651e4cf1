"""The memory store of Strands; tried where `strands-agents` is installed."""

import asyncio

import pytest

pytest.importorskip("strands", reason="the strands extra is not installed: make frameworks")

from strands.memory import MemoryManager
from strands.memory.types import AddMessagesContext

from cued.integrations.strands import CuedMemoryStore

MESSAGES = [
    {"role": "user", "content": [{"text": "I am allergic to hazelnuts."}, {"image": {}}]},
    {"role": "assistant", "content": [{"toolUse": {"name": "x", "input": {}, "toolUseId": "1"}}]},
    {"role": "assistant", "content": [{"text": "No hazelnuts, then."}]},
]


def test_facts_are_added_and_found_with_their_metadata(mara):
    store = CuedMemoryStore(mara, name="past", floor=0.0)
    told = asyncio.run(store.add("Mara is allergic to hazelnuts.", {"n": [1]}))
    asyncio.run(store.add("The train leaves at noon."))
    found = asyncio.run(store.search("Which nuts is Mara allergic to?"))
    assert (found[0].content, found[0].store_name) == ("Mara is allergic to hazelnuts.", "past")
    assert (found[0].metadata["id"], found[0].metadata["n"]) == (told, [1])
    assert len(asyncio.run(store.search("nuts", {"max_search_results": 1}))) == 1
    assert asyncio.run(store.search(" ")) == []


def test_a_batch_of_messages_that_comes_again_is_kept_once(mara):
    store = CuedMemoryStore(mara)
    context = AddMessagesContext(sequence_numbers=[0, 1, 4])
    for _ in range(2):
        asyncio.run(store.add_messages(MESSAGES, context))
    assert [(each.text, each.trust) for each in mara.list()] == [("No hazelnuts, then.", "agent"), ("I am allergic to hazelnuts.", "user")]
    assert len({each.source.session for each in mara.list()}) == 1
    asyncio.run(CuedMemoryStore(mara).add_messages(MESSAGES, context))
    asyncio.run(store.add_messages(MESSAGES))
    assert mara.stats().memories == 6


def test_the_manager_searches_and_writes_through_it(mara):
    manager = MemoryManager(stores=[CuedMemoryStore(mara)])
    asyncio.run(manager.add("Mara is allergic to hazelnuts."))
    found = asyncio.run(manager.search("Which nuts is Mara allergic to?"))
    assert [(entry.content, entry.store_name) for entry in found] == [("Mara is allergic to hazelnuts.", "cued")]


def test_what_cannot_be_is_refused(mara):
    for options, word in (({"name": " "}, "name must not be empty"), ({"max_search_results": 0}, "at least 1")):
        with pytest.raises(ValueError, match=word):
            CuedMemoryStore(mara, **options)
    with pytest.raises(ValueError, match="at least 1"):
        asyncio.run(CuedMemoryStore(mara).search("nuts", {"max_search_results": 0}))
    with pytest.raises(ValueError, match="not writable"):
        asyncio.run(CuedMemoryStore(mara, writable=False).add("Mara is allergic to hazelnuts."))
