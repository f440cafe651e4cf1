"""A LangChain retriever whose documents are the memories that a query brings to mind."""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from cued.handles.tenant import Tenant
from cued.integrations.searching import recalled
from cued.model import GLOBAL, Recalled


class CuedRetriever(BaseRetriever):
    """Recalls from one tenant. Nothing comes where nothing is relevant, unless `floor` is lowered."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    tenant: Tenant = Field(exclude=True)
    """Whose memories these are."""
    k: int = 10
    """How many documents at most."""
    scope: str = GLOBAL
    """The project that is looked into, beside what is global."""
    floor: float | None = None
    """The least relevance that a document has; None for the policy's own."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None) -> list[Document]:
        """The recalled memories, the best first."""
        del run_manager
        return self._recalled(query, self.k if k is None else k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        """The recalled memories, the best first, from a worker thread."""
        del run_manager
        return await asyncio.to_thread(self._recalled, query, self.k if k is None else k)

    def _recalled(self, query: str, k: int) -> list[Document]:
        return [document(each) for each in recalled(self.tenant, query, scope=self.scope, limit=k, floor=self.floor)]


def document(found: Recalled) -> Document:
    """A recalled memory as a document: its text, and what it takes to weigh it."""
    memory = found.memory
    facts: dict[str, Any] = {
        **memory.source.meta,
        "relevance": found.relevance,
        "score": found.score,
        "kind": memory.kind,
        "scope": memory.scope,
        "tags": list(memory.tags),
        "trust": memory.trust,
        "created_at": memory.created_at.isoformat(),
        "session": memory.source.session,
        "speaker": memory.source.speaker,
    }
    return Document(id=memory.id, page_content=memory.text, metadata={name: value for name, value in facts.items() if value is not None})
