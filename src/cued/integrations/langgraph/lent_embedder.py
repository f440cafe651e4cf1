"""The embedder in an index configuration, as one of Cued's."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from inspect import iscoroutinefunction
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, ensure_embeddings

from cued.embed.unit_vectors import unit
from cued.errors import EmbedderError, InputError
from cued.model import Fingerprint, Matrix
from cued.ports import Role


class LentEmbedder:
    """LangChain's embeddings, or a function of the caller's, for an open store of memories."""

    def __init__(self, index: IndexConfig, *, name: str | None = None) -> None:
        """Take the `embed` of an index configuration; its `dims` are checked against every vector."""
        embed, dims = index.get("embed"), index.get("dims")
        if embed is None:
            raise InputError("index", dict(index), "an `embed`: LangChain embeddings, a function, or a provider's name")
        if dims is not None and (isinstance(dims, bool) or not isinstance(dims, int) or dims < 1):
            raise InputError("dims", dims, "how many numbers a vector has")
        self.embeddings: Embeddings = ensure_embeddings(embed)
        self._waits = iscoroutinefunction(embed) or iscoroutinefunction(getattr(type(embed), "__call__", None))  # noqa: B004 - whether calling it must be awaited
        self._name, self._dims = name or _name(embed), dims

    @property
    def fingerprint(self) -> Fingerprint:
        """The name of the model, as far as it has one, and its dimensions, which are asked for where the configuration does not say."""
        if self._dims is None:
            self._dims = len(self._called(["dimensions"])[0])
        return Fingerprint(provider="langchain", model=self._name, revision="", dimensions=self._dims)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """One unit vector a text."""
        del role  # an item and a query are embedded alike, as LangGraph's own stores do
        return unit(self._called(list(texts)), count=len(texts), dimensions=self._dims, source=self._name)

    def _called(self, texts: list[str]) -> list[list[float]]:
        try:
            if not self._waits:
                return self.embeddings.embed_documents(texts)
            with ThreadPoolExecutor(1) as thread:  # the loop of this thread may be running
                return thread.submit(lambda: asyncio.run(self.embeddings.aembed_documents(texts))).result()
        except Exception as error:  # somebody else's embedder may fail in any way: an EmbedderError is noted in `degraded`
            raise EmbedderError(f"{self._name}: {type(error).__name__}: {error}") from error


def _name(embed: str | Embeddings | Callable[..., Any]) -> str:
    if isinstance(embed, str):
        return embed
    named = getattr(embed, "model", None) or getattr(embed, "__name__", None) or type(embed).__name__
    return str(named)
