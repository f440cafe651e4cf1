"""The frameworks that Cued has adapters for: the versions that they are tried with, and the examples on their pages."""

import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Adapter(NamedTuple):
    """A framework's adapter: its page, its extra, the names it offers, and the version that it was last tried with."""

    page: str
    extra: str
    names: str
    tried: str


ADAPTERS = {
    "LangGraph": Adapter("langgraph", "langgraph", "`CuedStore`, `AsyncCuedStore`", "langgraph-checkpoint 4.3.1, langgraph 1.2.20"),
    "LangChain": Adapter("langchain", "langchain", "`CuedRetriever`", "langchain-core 1.7.2, langchain-tests 1.1.9"),
    "OpenAI Agents": Adapter("openai-agents", "openai-agents", "`CuedSession`, `recall_tool`, `remember_tool`", "openai-agents 0.24.0"),
    "Pydantic AI": Adapter("pydantic-ai", "pydantic-ai", "`memory_toolset`, `RecalledHistory`", "pydantic-ai-slim 2.66.0"),
    "LlamaIndex": Adapter("llama-index", "llama-index", "`CuedMemoryBlock`", "llama-index-core 0.14.25"),
    "Google ADK": Adapter("google-adk", "google-adk", "`CuedMemoryService`", "google-adk 2.13.0"),
    "CrewAI": Adapter("crewai", "crewai", "`CuedStorage`", "crewai 1.15.30"),
    "Microsoft Agent Framework": Adapter("agent-framework", "agent-framework", "`CuedContextProvider`", "agent-framework-core 1.23.0"),
    "Strands": Adapter("strands", "strands", "`CuedMemoryStore`", "strands-agents 1.62.0"),
    "Claude's memory tool": Adapter("claude", "claude", "`CuedMemoryTool`, `AsyncCuedMemoryTool`, `MemoryFiles`", "anthropic 2.8.0"),
    "mem0": Adapter("mem0", "", "`Memory`, `AsyncMemory`, and REST at `/mem0`", "mem0ai 2.2.1"),
}


def frameworks_table() -> str:
    """A row for each framework: its page, what to install, what it offers, and what it was tried with."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    rows = ["| framework | install | offers | needs | tried with |", "| --- | --- | --- | --- | --- |"]
    for name, adapter in ADAPTERS.items():
        install = f"`cued[{adapter.extra}]`" if adapter.extra else "`cued`"
        needs = ", ".join(f"`{need}`" for need in extras[adapter.extra]) if adapter.extra else "nothing of theirs"
        rows.append(f"| [{name}]({adapter.page}.md) | {install} | {adapter.names} | {needs} | {adapter.tried} |")
    return "\n".join(rows)


def example(name: str) -> str:
    """An example as it stands in its file, which tests run."""
    code = (ROOT / "examples" / f"{name}.py").read_text("utf-8")
    return f"```python\n{code.rstrip()}\n```"
