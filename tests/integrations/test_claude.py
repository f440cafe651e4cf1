"""Claude's memory tool as the `anthropic` package knows it; tried where that is installed."""

import asyncio

import pytest

import cued

anthropic_tools = pytest.importorskip("anthropic.lib.tools", reason="the claude extra is not installed: make frameworks")

from cued.integrations.claude import AsyncCuedMemoryTool, CuedMemoryTool  # noqa: E402 - after the question whether it can be

COMMANDS = [
    ({"command": "create", "path": "/memories/f", "file_text": "one\n"}, "File created successfully at: /memories/f"),
    ({"command": "insert", "path": "/memories/f", "insert_line": 1, "insert_text": "two"}, "The file /memories/f has been edited."),
    ({"command": "view", "path": "/memories/f", "view_range": [2, 2]}, "     2\ttwo"),
    ({"command": "str_replace", "path": "/memories/f", "old_str": "two", "new_str": "2"}, "     2\t2"),
    ({"command": "rename", "old_path": "/memories/f", "new_path": "/memories/g"}, "Successfully renamed /memories/f to /memories/g"),
    ({"command": "view", "path": "/memories"}, "6B\t/memories/g"),
    ({"command": "delete", "path": "/memories/g"}, "Successfully deleted /memories/g"),
]


def test_the_tool_is_named_and_answers_every_command():
    with cued.open() as memories:
        tool = CuedMemoryTool(memories.tenant("ada"), cache_control={"type": "ephemeral"})
        assert tool.to_dict() == {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
        for command, said in COMMANDS:
            assert said in tool.call(command)
        with pytest.raises(anthropic_tools.ToolError, match="does not exist"):
            tool.call({"command": "view", "path": "/memories/g"})
        assert tool.clear_all_memory() == "All memory cleared"


def test_the_async_tool_answers_every_command():
    async def use():
        with cued.open() as memories:
            tool = AsyncCuedMemoryTool(memories.tenant("ada"))
            for command, said in COMMANDS:
                assert said in await tool.call(command)
            with pytest.raises(anthropic_tools.ToolError, match="start with /memories"):
                await tool.call({"command": "create", "path": "/etc/x", "file_text": ""})
            assert await tool.clear_all_memory() == "All memory cleared"

    asyncio.run(use())
