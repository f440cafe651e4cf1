"""Claude's memory tool as the `anthropic` package knows it; tried where that is installed."""

import asyncio
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cued

anthropic_tools = pytest.importorskip("anthropic.lib.tools", reason="the claude extra is not installed: make frameworks")

from anthropic.tools.memory import BetaLocalFilesystemMemoryTool  # noqa: E402 - after the question whether it can be

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


PATHS = [
    "/memories",
    "/memories/a",
    "/memories/a/b.md",
    "/memories/c.txt",
    "/memories/a/d/e",
    "/memories/../x",
    "/tmp/x",
    "/memories/c.txt/z",
]
TEXTS = ["", "one", "one\ntwo\n", "a\r\nb", "x\n\n\nx", "\n", "tab\tü"]
path, text, line, old = st.sampled_from(PATHS), st.sampled_from(TEXTS), st.integers(-2, 5), st.sampled_from(["one", "x", "b", "gone"])
command = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": path}, optional={"view_range": st.lists(line, min_size=2, max_size=2)}),
    st.fixed_dictionaries({"command": st.just("create"), "path": path, "file_text": text}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": path, "old_str": old, "new_str": text}),
    st.fixed_dictionaries({"command": st.just("insert"), "path": path, "insert_line": line, "insert_text": text}),
    st.fixed_dictionaries({"command": st.just("delete"), "path": path}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": path, "new_path": path}),
)  # fmt: skip


def said(tool, asked):
    """What a tool says to a command, without the sizes of folders, which are a file system's own."""
    try:
        answer = tool.call(asked)
    except anthropic_tools.ToolError as error:
        return f"refused: {error}"
    except OSError:
        return "refused by the file system"
    return "\n".join(
        row.split("\t")[-1] if row.endswith("/") or row.split("\t")[-1] == asked.get("path") else row for row in answer.split("\n")
    )


@settings(max_examples=150)
@given(st.lists(command, min_size=1, max_size=12))
def test_it_says_what_the_packages_own_tool_over_files_says(commands):
    with tempfile.TemporaryDirectory() as folder, cued.open(embedder=None) as memories:
        theirs, ours = BetaLocalFilesystemMemoryTool(folder), CuedMemoryTool(memories.tenant("ada"))
        for asked in commands:
            expected, got = said(theirs, asked), said(ours, asked)
            assert got == expected or (expected == "refused by the file system" and got.startswith("refused: ")), asked
            if asked["command"] == "rename" and got.startswith("refused"):
                # Theirs leaves the new folder behind when there is nothing to rename.
                return
