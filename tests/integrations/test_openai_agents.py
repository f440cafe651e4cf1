"""The session and the tools of OpenAI's Agents SDK."""

import asyncio
import json

import pytest
from agents.memory import Session, SessionSettings

import cued
from cued.integrations.openai_agents import CuedSession, recall_tool, remember_tool

ITEMS = [
    {"role": "user", "content": "I am allergic to hazelnuts."},
    {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "1", "output": "x" * 120_000},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No hazelnuts, then.", "annotations": []}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:…"}]},
    {"role": "developer", "content": "Be brief."},
]


@pytest.fixture
def mara():
    with cued.open() as memories:
        yield memories.tenant("mara")


def run(awaitable):
    return asyncio.run(awaitable)


def test_items_come_back_as_they_were_added_in_their_order(mara):
    session = CuedSession("s", mara)
    assert isinstance(session, Session)
    assert run(session.get_items()) == []
    run(session.add_items(ITEMS[:2]))
    run(session.add_items(ITEMS[2:]))
    run(session.add_items([]))
    assert run(session.get_items()) == ITEMS
    assert run(CuedSession("s", mara).get_items(limit=2)) == ITEMS[-2:]
    assert run(session.get_items(limit=0)) == []
    for settings in (SessionSettings(limit=3), {"limit": 3}):
        assert run(CuedSession("s", mara, session_settings=settings).get_items()) == ITEMS[-3:]
    with pytest.raises(TypeError, match="limitt"):
        CuedSession("s", mara, session_settings={"limitt": 3})


def test_whoever_is_cancelled_in_a_write_hears_of_it_when_the_write_is_done(mara):
    session = CuedSession("s", mara)

    async def cancelled():
        adding = asyncio.create_task(session.add_items(ITEMS))
        await asyncio.sleep(0)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        return mara.list(session="s", hidden=True).total

    assert run(cancelled()) == len(mara.list(session="s", hidden=True)) == 8


def test_the_latest_item_is_popped_and_a_session_is_cleared_alone(mara):
    one, two = CuedSession("one", mara), CuedSession("two", mara)
    run(one.add_items(ITEMS[:3]))
    run(two.add_items(ITEMS[:1]))
    assert run(one.pop_item()) == ITEMS[2]
    assert run(one.get_items()) == ITEMS[:2]
    run(one.clear_session())
    assert run(one.pop_item()) is None
    assert run(two.get_items()) == ITEMS[:1]
    assert mara.stats().memories == 1


def test_what_was_said_is_recalled_and_what_tools_did_is_not(mara):
    run(CuedSession("s", mara).add_items(ITEMS))
    found = mara.recall("hazelnuts x look brief", floor=0.0)
    assert {each.text for each in found} == {
        "I am allergic to hazelnuts.",
        "No hazelnuts, then.",
    }
    assert {each.memory.trust for each in found} == {"user", "agent"}


def test_the_tools_recall_and_remember_for_their_tenant(mara):
    kept = run(remember_tool(mara).on_invoke_tool(context("remember_memory"), json.dumps({"text": "Mara is allergic to hazelnuts."})))
    assert kept.startswith("Remembered as ")
    assert next(iter(mara.list())).trust == "agent"
    tool = recall_tool(mara)
    assert (tool.name, list(tool.params_json_schema["properties"])) == ("recall_memories", ["query"])
    assert "hazelnuts" in run(tool.on_invoke_tool(context("recall_memories"), json.dumps({"query": "Which nuts is Mara allergic to?"})))
    assert run(tool.on_invoke_tool(context("recall_memories"), json.dumps({"query": " "}))) == "Nothing relevant is remembered."


def test_what_the_running_session_holds_is_not_recalled_again(mara):
    session = CuedSession("s", mara)
    run(session.add_items(ITEMS[:1]))
    asked = json.dumps({"query": "Which nuts am I allergic to?"})
    assert "hazelnuts" in run(recall_tool(mara).on_invoke_tool(context("recall_memories"), asked))
    assert "hazelnuts" not in run(recall_tool(mara, besides=session).on_invoke_tool(context("recall_memories"), asked))


def context(name):
    """What the SDK hands to a tool."""
    from agents.tool_context import ToolContext  # noqa: PLC0415 - only here

    return ToolContext(context=None, tool_name=name, tool_call_id="1", tool_arguments="{}")
