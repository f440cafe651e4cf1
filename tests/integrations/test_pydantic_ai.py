"""The toolset and the history processor of Pydantic AI."""

import asyncio

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

import cued
from cued.integrations.pydantic_ai import RecalledHistory, memory_toolset

QUESTION = "Which nuts is Mara allergic to?"


@pytest.fixture
def mara():
    with cued.open() as memories:
        tenant = memories.tenant("mara")
        tenant.remember("Mara is allergic to hazelnuts.")
        yield tenant


def test_the_toolset_has_both_tools_or_recall_alone(mara):
    both, one = memory_toolset(mara), memory_toolset(mara, remember=False)
    assert (list(both.tools), list(one.tools)) == (["recall_memories", "remember_memory"], ["recall_memories"])
    model = TestModel(call_tools=["remember_memory"])
    asyncio.run(Agent(model, toolsets=[both]).run("hello"))
    assert mara.stats().memories == 2


@pytest.mark.parametrize("text", ["", "x" * 200_000, "a\0b"])
def test_what_a_model_cannot_have_remembered_is_told_to_it_and_ends_no_run(mara, text):
    def script(messages, _info):
        last = messages[-1].parts[-1]
        if last.part_kind == "tool-return":
            return ModelResponse(parts=[TextPart(last.content)])
        return ModelResponse(parts=[ToolCallPart("remember_memory", {"text": text})])

    told = asyncio.run(Agent(FunctionModel(script), toolsets=[memory_toolset(mara)]).run("hello")).output
    assert told.startswith("Nothing was remembered: text: got ")
    assert "accepted: a text of 1 to 100000 characters" in told
    assert mara.stats().memories == 1


def test_the_block_stands_before_the_users_words_once_and_none_where_nothing_is_relevant(mara):
    seen = []

    def script(messages, _info):
        seen.append([part for message in messages if isinstance(message, ModelRequest) for part in message.parts])
        return ModelResponse(parts=[TextPart("ok")])

    agent = Agent(FunctionModel(script), system_prompt="Be kind.", capabilities=[ProcessHistory(RecalledHistory(mara))])
    first = asyncio.run(agent.run(QUESTION))
    second = asyncio.run(agent.run("And again: which nuts is Mara allergic to?", message_history=first.all_messages()))
    asyncio.run(agent.run("How tall is the Eiffel tower?", message_history=second.all_messages()))
    # as another process would that reads the history from where it is kept
    kept = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(second.all_messages()))
    other = Agent(FunctionModel(script), capabilities=[ProcessHistory(RecalledHistory(mara))])
    asyncio.run(other.run(QUESTION, message_history=kept))
    blocks = [[part for part in parts if "Recalled memories" in str(part.content)] for parts in seen]
    assert [len(each) for each in blocks] == [1, 1, 0, 1]
    kinds = [type(part) for part in seen[0]]
    assert kinds == [SystemPromptPart, UserPromptPart, UserPromptPart]
    assert "hazelnuts" in seen[0][1].content
    assert seen[0][2].content == QUESTION


def test_messages_without_a_users_words_are_left_as_they_are(mara):
    messages = [ModelRequest(parts=[SystemPromptPart(content="Be kind.")]), ModelResponse(parts=[TextPart("ok")])]
    assert asyncio.run(RecalledHistory(mara)(messages)) == messages
    several = [ModelRequest(parts=[UserPromptPart(content=[QUESTION, "Please."])])]
    assert len(asyncio.run(RecalledHistory(mara)(several))[0].parts) == 2
