"""The LangChain retriever."""

import asyncio

import pytest

import cued
from cued.integrations.langchain import CuedRetriever


@pytest.fixture
def mara():
    with cued.open() as memories:
        tenant = memories.tenant("mara")
        tenant.remember("Mara is allergic to hazelnuts.", meta={"from": "chat"}, tags=["health"])
        tenant.remember("Mara takes the train.", scope="travel")
        yield tenant


def test_documents_carry_the_text_the_id_and_what_it_takes_to_weigh_them(mara):
    (found,) = CuedRetriever(tenant=mara).invoke("Which nuts is Mara allergic to?")
    memory = mara.get(found.id)
    assert found.page_content == memory.text == "Mara is allergic to hazelnuts."
    assert found.metadata["relevance"] >= 0.7
    assert (found.metadata["from"], found.metadata["tags"], found.metadata["trust"]) == ("chat", ["health"], "user")


def test_nothing_comes_where_nothing_is_relevant_unless_the_floor_is_lowered(mara):
    question = "How tall is the Eiffel tower in metres?"
    assert CuedRetriever(tenant=mara).invoke(question) == []
    assert CuedRetriever(tenant=mara).invoke("  ") == []
    assert len(CuedRetriever(tenant=mara, floor=0.0).invoke(question)) == 1
    assert len(CuedRetriever(tenant=mara, floor=0.0, scope="travel").invoke(question)) == 2


def test_how_many_is_said_once_or_each_time_and_it_can_be_awaited(mara):
    retriever = CuedRetriever(tenant=mara, k=2, floor=0.0, scope="travel")
    assert [len(retriever.invoke("train", **more)) for more in ({}, {"k": 1})] == [2, 1]
    assert len(asyncio.run(retriever.ainvoke("train"))) == 2
