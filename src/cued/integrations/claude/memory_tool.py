"""Claude's memory tool over files in memories, for `client.beta.messages.run_tools(tools=[…])`."""

import asyncio
from collections.abc import Callable
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from cued.handles.tenant import Tenant
from cued.handles.threads import awaited
from cued.integrations.claude.memory_files import MemoryFiles
from cued.model import GLOBAL


class CuedMemoryTool(BetaAbstractMemoryTool):
    """The tool `memory_20250818`, whose files are memories of one tenant."""

    def __init__(self, tenant: Tenant, *, scope: str = GLOBAL, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        """Keep the files in this tenant's memories."""
        super().__init__(cache_control=cache_control)
        self.files = MemoryFiles(tenant, scope=scope)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A folder's contents, or a file's lines."""
        return _done(self.files.view, command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """The message about a new file."""
        return _done(self.files.create, command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """The lines around what was replaced."""
        return _done(self.files.str_replace, command.path, command.old_str, command.new_str or "")

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """The message about inserted lines."""
        return _done(self.files.insert, command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """The message about what was erased."""
        return _done(self.files.delete, command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """The message about what was moved."""
        return _done(self.files.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """The message that all files were erased; other memories of the tenant stay."""
        return self.files.clear()


class AsyncCuedMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool `memory_20250818` for the asynchronous client; each command runs in a worker thread."""

    def __init__(self, tenant: Tenant, *, scope: str = GLOBAL, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        """Keep the files in this tenant's memories."""
        super().__init__(cache_control=cache_control)
        self._plain, self._run = CuedMemoryTool(tenant, scope=scope), asyncio.to_thread
        self.files = self._plain.files

    view = awaited(CuedMemoryTool.view)
    create = awaited(CuedMemoryTool.create)
    str_replace = awaited(CuedMemoryTool.str_replace)
    insert = awaited(CuedMemoryTool.insert)
    delete = awaited(CuedMemoryTool.delete)
    rename = awaited(CuedMemoryTool.rename)
    clear_all_memory = awaited(CuedMemoryTool.clear_all_memory)


def _done(command: Callable[..., str], *arguments: Any) -> str:  # noqa: ANN401 - the command's own
    """A command's message; one that cannot be done is a ToolError, which the model reads."""
    try:
        return command(*arguments)
    except ValueError as error:
        raise ToolError(str(error)) from error
