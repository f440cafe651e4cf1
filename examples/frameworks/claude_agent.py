"""Claude's memory tool over Cued; the script calls the tool as the model would."""

from anthropic.lib.tools import ToolError

import cued
from cued.integrations.claude import CuedMemoryTool

SCRIPT = (
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/people/mara.md", "file_text": "Mara is allergic to hazelnuts.\n"},
    {"command": "insert", "path": "/memories/people/mara.md", "insert_line": 1, "insert_text": "Mara takes the train."},
    {"command": "view", "path": "/memories/people/mara.md"},
)

with cued.open("memories.db") as memories:
    mara = memories.tenant("mara")
    tool = CuedMemoryTool(mara)
    # With a key: client.beta.messages.tool_runner(model=…, messages=…, tools=[tool], betas=["context-management-2025-06-27"])
    for command in SCRIPT:
        try:
            print(tool.call(command))
        except ToolError as refused:  # a file that an earlier run has made; the model reads it too
            print(refused)
    print(mara.recall("Which nuts is Mara allergic to?").block)
