"""LlamaIndex's memory block; tried where `llama-index-core` is installed."""

import asyncio

import pytest

import cued

pytest.importorskip("llama_index.core", reason="the llama-index extra is not installed: make frameworks")

from llama_index.core.base.llms.types import ChatMessage

from cued.integrations.llama_index import CuedMemoryBlock


def test_messages_become_turns_of_their_session_and_are_recalled_by_the_last_words():
    with cued.open() as memories:
        mara = memories.tenant("mara")
        block = CuedMemoryBlock(mara, name="past", priority=1, scope="kitchen")
        said = [ChatMessage(role="user", content="I am allergic to hazelnuts."), ChatMessage(role="system", content="Be kind.")]
        asyncio.run(block.aput(said, session_id="monday"))
        asyncio.run(block.aput([ChatMessage(role="assistant", content="No hazelnuts, then.")]))
        asyncio.run(block.aput(said, from_short_term_memory=True))
        assert sorted({(each.source.session, each.scope) for each in mara.list()}) == [("llama-index", "kitchen"), ("monday", "kitchen")]
        question = [ChatMessage(role="user", content="Which nuts am I allergic to?"), ChatMessage(role="assistant", content="Let me see")]
        assert "hazelnuts" in asyncio.run(block.aget(question))
        assert asyncio.run(block.aget([])) == asyncio.run(block.aget()) == ""
        assert (block.name, block.priority) == ("past", 1)


def test_a_block_may_refuse_what_falls_out_of_the_short_term_memory():
    with cued.open() as memories:
        block = CuedMemoryBlock(memories.tenant("mara"), accept_short_term_memory=False)
        asyncio.run(block.aput([ChatMessage(role="user", content="x")], from_short_term_memory=True))
        assert memories.tenant("mara").stats().memories == 0


def test_a_block_is_shortened_by_what_was_recalled_last():
    with cued.open() as memories:
        mara = memories.tenant("mara")
        mara.remember("Mara is allergic to hazelnuts.")
        mara.remember("Mara is allergic to penicillin,\n- and to pollen.")
        block = CuedMemoryBlock(mara)
        whole = asyncio.run(block.aget([ChatMessage(role="user", content="What is Mara allergic to?")]))
        head, first, _, tail, _ = whole.split("\n")
        assert asyncio.run(block.atruncate(whole, 1)) == f"{head}\n{first}\n{tail}\n"
        assert asyncio.run(block.atruncate(whole, 500)) is None
