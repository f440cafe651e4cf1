"""The frameworks that Cued has adapters for: the versions that they are tried with, and the examples on their pages."""

import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Adapter(NamedTuple):
    """A framework's adapter: where it stands, the version it was last tried with, whose memories it keeps and how, and their own tests.

    `theirs` says which of the framework's own tests were run over the adapter, how many of them passed, and what the others look at.
    """

    page: str
    extra: str
    names: str
    tried: str
    tenant: str
    scope: str
    kept: str
    theirs: str


_HANDLE = "the handle"
_SCOPE = "`scope=…`, `global` without"
ADAPTERS = {
    "LangGraph": Adapter(
        page="langgraph",
        extra="langgraph",
        names="`CuedStore`, `AsyncCuedStore`",
        tried="langgraph-checkpoint 4.3.2, langgraph 1.2.22",
        tenant="the first label of a namespace, or one for the whole store",
        scope="`global`",
        kept="an item is a memory for each text that is indexed; the labels below the tenant are tags",
        theirs="those of SqliteStore 3.1.2, 151 of 153 (the others look at its tables); of PostgresStore 3.2.0, 298 of 299 (one counts "
        "its connections); of InMemoryStore 4.3.2, 116 of 117 (one wants cosines, and what is not indexed shown)",
    ),
    "LangChain": Adapter(
        page="langchain",
        extra="langchain",
        names="`CuedRetriever`",
        tried="langchain-core 1.8.1, langchain-tests 1.1.9",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="it only reads: a document is a memory",
        theirs="the standard tests of retrievers in `langchain-tests`, all",
    ),
    "OpenAI Agents": Adapter(
        page="openai-agents",
        extra="openai-agents",
        names="`CuedSession`, `recall_tool`, `remember_tool`",
        tried="openai-agents 0.24.0",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="an item is a turn of its session; what is no one's words lies in a scope that no recall looks into",
        theirs="those of its sessions, 68 of 86 (the others look at SQLiteSession's tables, locks and connections)",
    ),
    "Pydantic AI": Adapter(
        page="pydantic-ai",
        extra="pydantic-ai",
        names="`memory_toolset`, `RecalledHistory`",
        tried="pydantic-ai-slim 2.68.0",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="what the agent's tool is told to remember, as an agent's word",
        theirs="it has none for memories",
    ),
    "LlamaIndex": Adapter(
        page="llama-index",
        extra="llama-index",
        names="`CuedMemoryBlock`",
        tried="llama-index-core 0.14.25",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="a message is a turn; its `session_id` is the session",
        theirs="it has none for blocks of others",
    ),
    "Google ADK": Adapter(
        page="google-adk",
        extra="google-adk",
        names="`CuedMemoryService`",
        tried="google-adk 2.13.0",
        tenant="`user_id`",
        scope="`app_name`",
        kept="an event is a turn, and its id is kept, so that it is added once",
        theirs="what those of its memory in the process expect of searches, written anew for other stores, 30 of 30",
    ),
    "CrewAI": Adapter(
        page="crewai",
        extra="crewai",
        names="`CuedStorage`",
        tried="crewai 1.15.30",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="a record is a memory; the paths of its own scopes are tags",
        theirs="those of its storages, 164 of 168 (two want metadata refused that is kept here, one a vector back, one half a label met)",
    ),
    "Microsoft Agent Framework": Adapter(
        page="agent-framework",
        extra="agent-framework",
        names="`CuedContextProvider`",
        tried="agent-framework-core 1.23.0",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="what was said in a run is turns of its session",
        theirs="it has none for providers of others",
    ),
    "Strands": Adapter(
        page="strands",
        extra="strands",
        names="`CuedMemoryStore`",
        tried="strands-agents 1.62.0",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="a fact is a memory and a message a turn; the numbers of messages make their ids",
        theirs="none for stores of others; of those of its own file store, the checks of name, limit and writability are kept",
    ),
    "Claude's memory tool": Adapter(
        page="claude",
        extra="claude",
        names="`CuedMemoryTool`, `AsyncCuedMemoryTool`, `MemoryFiles`",
        tried="anthropic 2.10.0",
        tenant=_HANDLE,
        scope=_SCOPE,
        kept="a file is a memory, a long one several",
        theirs="those of its tool over a file system, files mirrored into the store, 74 of 83 (the rest look at links and rights)",
    ),
    "mem0": Adapter(
        page="mem0",
        extra="",
        names="`Memory`, `AsyncMemory`, and REST at `/mem0`",
        tried="mem0ai 2.2.1",
        tenant="`user_id`, else `agent:…` or `run:…`; behind a token, the token's tenant",
        scope="`global`; behind a token, `user:…`",
        kept="a message, or what an extractor makes of it, is a memory; `run_id` is the session",
        theirs="its own class beside ours, 21 calls of the same shape; 27 refusals in its words; its tests replace its inner parts",
    ),
}


def frameworks_table() -> str:
    """A row for each framework: its page, what to install, what it offers, and what it was tried with."""
    rows = ["| framework | install | offers | needs | tried with |", "| --- | --- | --- | --- | --- |"]
    for name, adapter in ADAPTERS.items():
        install = f"`cued[{adapter.extra}]`" if adapter.extra else "`cued`"
        rows.append(f"| [{name}]({adapter.page}.md) | {install} | {adapter.names} | {_needs(adapter)} | {adapter.tried} |")
    return "\n".join(rows)


def mapping_table() -> str:
    """A row for each framework: whose memories it keeps, where, and as what."""
    rows = ["| framework | tenant | scope | what is kept |", "| --- | --- | --- | --- |"]
    rows += [f"| {name} | {adapter.tenant} | {adapter.scope} | {adapter.kept} |" for name, adapter in ADAPTERS.items()]
    return "\n".join(rows)


def framework(page: str) -> str:
    """What is to be known of one framework's adapter at a glance, for its page."""
    adapter = next(each for each in ADAPTERS.values() if each.page == page)
    facts = {
        "needs": _needs(adapter),
        "tried with": adapter.tried,
        "tenant": adapter.tenant,
        "scope": adapter.scope,
        "kept": adapter.kept,
        "their own tests": adapter.theirs,
    }
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {fact} |" for name, fact in facts.items())])


def _needs(adapter: Adapter) -> str:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return ", ".join(f"`{need}`" for need in extras[adapter.extra]) if adapter.extra else "nothing of theirs"


def example(name: str) -> str:
    """An example as it stands in its file, which tests run."""
    code = (ROOT / "examples" / f"{name}.py").read_text("utf-8")
    return f"```python\n{code.rstrip()}\n```"
