"""The same conversation through every adapter recalls the same memories, and nothing of it crosses to another tenant."""

import asyncio
import re
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

import cued
from tests.integrations.conversation import ASKED, SAID, TURNS

assert len(SAID) == 40
LINE = re.compile(r"^- \[[^]]*\] (?:\w+: )?(.*)$", re.MULTILINE)

NEEDS = {"langgraph": "langgraph", "langchain": "langchain_core"}


def lines(block):
    """The texts in a block."""
    return list(LINE.findall(block))


def python(memories, user):
    tenant = memories.tenant(user)
    return lambda turns: tenant.remember_turns(turns, session="s"), lambda query: [each.text for each in tenant.recall(query, floor=0.0)]


def langgraph(memories, user):
    from cued.integrations.langgraph import CuedStore  # noqa: PLC0415

    store = CuedStore(memories)

    def put(turns):
        for number, turn in enumerate(turns):
            store.put((user, "turns"), f"{number}", {"text": turn["content"]})

    return put, lambda query: [item.value["text"] for item in store.search((user,), query=query)]


def langchain(memories, user):
    from cued.integrations.langchain import CuedRetriever  # noqa: PLC0415

    tenant = memories.tenant(user)
    retriever = CuedRetriever(tenant=tenant, floor=0.0)
    return lambda turns: tenant.remember_turns(turns, session="s"), lambda query: [each.page_content for each in retriever.invoke(query)]


def openai_agents(memories, user):
    from cued.integrations.openai_agents import CuedSession  # noqa: PLC0415

    session = CuedSession("s", memories.tenant(user))
    return lambda turns: asyncio.run(session.add_items(turns)), python(memories, user)[1]


def pydantic_ai(memories, user):
    from pydantic_ai.messages import ModelRequest, UserPromptPart  # noqa: PLC0415

    from cued.integrations.pydantic_ai import RecalledHistory  # noqa: PLC0415

    def ask(query):
        request = ModelRequest(parts=[UserPromptPart(content=query)])
        parts = asyncio.run(RecalledHistory(memories.tenant(user))([request]))[0].parts
        return lines(parts[0].content) if len(parts) > 1 else []

    return python(memories, user)[0], ask


def mem0(memories, user):
    from cued.integrations.mem0 import Memory  # noqa: PLC0415

    memory = Memory(memories)
    found = lambda query: memory.search(query, filters={"user_id": user})["results"]  # noqa: E731
    return lambda turns: memory.add(turns, user_id=user, infer=False), lambda query: [each["memory"] for each in found(query)]


def llama_index(memories, user):
    pytest.importorskip("llama_index.core", reason="the llama-index extra is not installed: make frameworks")
    from llama_index.core.base.llms.types import ChatMessage  # noqa: PLC0415

    from cued.integrations.llama_index import CuedMemoryBlock  # noqa: PLC0415

    block = CuedMemoryBlock(memories.tenant(user))
    put = lambda turns: asyncio.run(block.aput([ChatMessage(**turn) for turn in turns], session_id="s"))  # noqa: E731
    return put, lambda query: lines(asyncio.run(block.aget([ChatMessage(role="user", content=query)])))


def google_adk(memories, user):
    pytest.importorskip("google.adk", reason="the google-adk extra is not installed: make frameworks")
    from google.adk.events.event import Event  # noqa: PLC0415
    from google.genai import types  # noqa: PLC0415

    from cued.integrations.google_adk import CuedMemoryService  # noqa: PLC0415

    service = CuedMemoryService(memories, floor=0.0)

    def event(turn):
        content = types.Content(role=turn["role"], parts=[types.Part(text=turn["content"])])
        return Event(author="user" if turn["role"] == "user" else "helper", content=content)

    def put(turns):
        session = SimpleNamespace(app_name="app", user_id=user, id="s", events=[event(turn) for turn in turns])
        asyncio.run(service.add_session_to_memory(session))

    def ask(query):
        found = asyncio.run(service.search_memory(app_name="app", user_id=user, query=query)).memories
        return [each.content.parts[0].text for each in found]

    return put, ask


def crewai(memories, user):
    pytest.importorskip("crewai", reason="the crewai extra is not installed: make frameworks")
    from crewai.memory.types import MemoryRecord  # noqa: PLC0415

    from cued.integrations.crewai import CuedStorage  # noqa: PLC0415

    storage = CuedStorage(memories.tenant(user), embedder=memories.parts.embedder)

    def put(turns):
        texts = [turn["content"] for turn in turns]
        storage.save([MemoryRecord(content=text, embedding=vector) for text, vector in zip(texts, storage.embed(texts), strict=True)])

    return put, lambda query: [each.content for each, _ in storage.search(storage.embed([query])[0])]


def agent_framework(memories, user):
    pytest.importorskip("agent_framework", reason="the agent-framework extra is not installed: make frameworks")
    from agent_framework import AgentResponse, Message, SessionContext  # noqa: PLC0415

    from cued.integrations.agent_framework import CuedContextProvider  # noqa: PLC0415

    provider = CuedContextProvider(memories.tenant(user))

    def run(messages, response=None):
        context = SessionContext(session_id="s", input_messages=messages)
        context._response = response  # noqa: SLF001 - what a run of an agent would have left there
        return context

    def put(turns):
        messages = [Message(turn["role"], [turn["content"]]) for turn in turns]
        context = run(messages[:-1], AgentResponse(messages=messages[-1:]))
        asyncio.run(provider.after_run(agent=None, session=None, context=context, state={}))

    def ask(query):
        context = run([Message("user", [query])])
        asyncio.run(provider.before_run(agent=None, session=None, context=context, state={}))
        return [text for message in context.get_messages() for text in lines(message.text)]

    return put, ask


def strands(memories, user):
    pytest.importorskip("strands", reason="the strands extra is not installed: make frameworks")
    from strands.memory.types import AddMessagesContext  # noqa: PLC0415

    from cued.integrations.strands import CuedMemoryStore  # noqa: PLC0415

    store = CuedMemoryStore(memories.tenant(user), floor=0.0)

    def put(turns):
        messages = [{"role": turn["role"], "content": [{"text": turn["content"]}]} for turn in turns]
        asyncio.run(store.add_messages(messages, AddMessagesContext(sequence_numbers=list(range(len(messages))))))

    return put, lambda query: [entry.content for entry in asyncio.run(store.search(query))]


def claude(memories, user):
    from cued.integrations.claude import MemoryFiles  # noqa: PLC0415

    files = MemoryFiles(memories.tenant(user))

    def put(turns):
        for number, turn in enumerate(turns):
            files.create(f"/memories/{number}.md", turn["content"])

    return put, python(memories, user)[1]


ADAPTERS = [
    python, langgraph, langchain, openai_agents, pydantic_ai, mem0, claude, llama_index, google_adk, crewai, agent_framework, strands
]  # fmt: skip


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_adapter_recalls_the_line_that_answers_and_no_other_tenant_does(adapter):
    with cued.open() as memories:
        put, ask = adapter(memories, "mara")
        _, ask_other = adapter(memories, "noor")
        put(TURNS)
        assert {query: ask(query)[:1] for query in ASKED} == {query: [line] for query, line in ASKED.items()}
        assert [ask_other(query) for query in ASKED] == [[]] * len(ASKED)


@pytest.mark.parametrize("adapter", [adapter for adapter in ADAPTERS if adapter not in (python, openai_agents, claude)])
def test_a_question_of_any_length_is_asked_as_far_as_a_cue_goes(adapter):
    """A user may paste a whole file, and no agent's run ends over that."""
    with cued.open() as memories:
        put, ask = adapter(memories, "mara")
        put(TURNS[:8])
        assert isinstance(ask("Which nuts is Mara allergic to? " + "nuts " * 20_000), list)


@pytest.mark.parametrize("adapter", [openai_agents, llama_index, google_adk, agent_framework, strands])
def test_a_message_that_no_memory_can_hold_is_kept_as_far_as_one_can(adapter):
    with cued.open() as memories:
        put, _ = adapter(memories, "mara")
        put([{"role": "user", "content": said} for said in ("z" * 150_000, "The kettle\0is green.", "The lamp is red.")])
        kept = {memory.text for memory in memories.tenant("mara").list()}
    assert kept >= {"z" * 100_000, "The kettle is green.", "The lamp is red."}


@pytest.mark.parametrize("adapter", [adapter for adapter in ADAPTERS if adapter is not google_adk])
def test_what_one_framework_keeps_for_a_tenant_the_others_recall(adapter):
    with cued.open() as memories:
        put, _ = adapter(memories, "mara")
        put(TURNS)
        for other in (python, mem0, *(each for each in (langgraph, langchain) if find_spec(NEEDS[each.__name__]))):
            _, ask = other(memories, "mara")
            for query, line in ASKED.items():
                assert ask(query)[0] == line


def test_two_frameworks_on_one_file_see_each_others_memories_and_no_other_tenants(tmp_path):
    path = tmp_path / "memories.db"
    with cued.open(path) as one, cued.open(path) as two:
        put, ask_again = langgraph(one, "mara")
        add, ask = mem0(two, "mara")
        put(TURNS[:20])
        add(TURNS[20:])
        for query, line in ASKED.items():
            assert ask(query)[0] == ask_again(query)[0] == line
        assert [mem0(two, "noor")[1](query) for query in ASKED] == [[]] * len(ASKED)
