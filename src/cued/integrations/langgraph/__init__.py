"""A store for LangGraph's agents: `CuedStore` and `AsyncCuedStore` in the place of `SqliteStore`, `PostgresStore` and their async twins."""

from cued.integrations.langgraph.async_store import AsyncCuedStore
from cued.integrations.langgraph.graph_store import CuedStore
from cued.integrations.langgraph.lent_embedder import LentEmbedder

__all__ = ["AsyncCuedStore", "CuedStore", "LentEmbedder"]
