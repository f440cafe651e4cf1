"""LangChain's own standard tests of retrievers; tried where `langchain-tests` is installed."""

import pytest

pytest.importorskip("langchain_tests", reason="langchain-tests is not installed: make frameworks")

from langchain_tests.integration_tests import RetrieversIntegrationTests

import cued
from cued.integrations.langchain import CuedRetriever

MEMORIES = cued.open()
MEMORIES.tenant("mara").remember_many([f"Berth number {number} is free" for number in range(12)])


class TestCuedRetriever(RetrieversIntegrationTests):
    """The standard tests."""

    @property
    def retriever_constructor(self):
        return CuedRetriever

    @property
    def retriever_constructor_params(self):
        return {"tenant": MEMORIES.tenant("mara"), "floor": 0.0}

    @property
    def retriever_query_example(self):
        return "which berth is free?"
