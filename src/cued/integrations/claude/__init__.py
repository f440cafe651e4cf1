"""Claude's memory tool: `CuedMemoryTool` and `AsyncCuedMemoryTool` for the `anthropic` package, `MemoryFiles` for everybody else."""

from typing import TYPE_CHECKING, Any

from cued.integrations.claude.memory_files import MemoryFiles

if TYPE_CHECKING:
    from cued.integrations.claude.memory_tool import AsyncCuedMemoryTool, CuedMemoryTool

__all__ = ["AsyncCuedMemoryTool", "CuedMemoryTool", "MemoryFiles"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - one of the two tools, which need the anthropic package
    """A tool, loaded when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cued.integrations.claude import memory_tool  # noqa: PLC0415

    return getattr(memory_tool, name)
