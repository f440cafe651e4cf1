"""Other memory layers, raced where they are installed: each loaded and asked as its own documentation says, with the vectors given.

pip install chromadb langgraph langgraph-checkpoint-sqlite, and python -m bench --peers.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench import corpus
from bench.racing import SHOWN, Ask, Racer
from bench.vectors import DIMENSIONS

CASE: Final = "race-peers"
_AT_ONCE: Final = 1000
_TENANT: Final = ("memories", "the only one")


def chroma(block: corpus.Block, folder: Path, _stack: ExitStack) -> Ask:
    """A collection of Chroma's on disk, asked with a filter on its tenant, as in an application with many users."""
    import chromadb  # noqa: PLC0415 - a peer that few have installed

    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.create_collection("memories", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for first in range(0, len(block.drafts), _AT_ONCE):
        some = block.drafts[first : first + _AT_ONCE]
        collection.add(
            ids=[str(first + number) for number in range(len(some))],
            embeddings=block.vectors[first : first + _AT_ONCE],
            documents=[draft["text"] for draft in some],
            metadatas=[{"tenant": _TENANT[1]}] * len(some),
        )

    def ask(question: corpus.Question) -> list[int]:
        found = collection.query(query_embeddings=[question.vector], n_results=SHOWN, where={"tenant": _TENANT[1]})
        return [int(each) for each in found["ids"][0]]

    return ask


def langgraph_in_memory(block: corpus.Block, _folder: Path, _stack: ExitStack) -> Ask:
    """LangGraph's InMemoryStore with an index."""
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415 - a peer

    vectors = dict[str, Any]()
    return _langgraph(InMemoryStore(index=_index(vectors)), block, vectors)  # type: ignore[arg-type]  # its TypedDict, by its keys


def langgraph_in_sqlite(block: corpus.Block, folder: Path, stack: ExitStack) -> Ask:
    """LangGraph's SqliteStore with an index."""
    from langgraph.store.sqlite import SqliteStore  # noqa: PLC0415 - a peer

    vectors = dict[str, Any]()
    store = stack.enter_context(SqliteStore.from_conn_string(str(folder / "langgraph.db"), index=_index(vectors)))
    store.setup()
    return _langgraph(store, block, vectors)


def _index(vectors: Mapping[str, Any]) -> dict[str, Any]:
    """What LangGraph's stores take for an index whose texts are embedded already."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [vectors[text] for text in texts]

    return {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}


def _langgraph(store: Any, block: corpus.Block, vectors: dict[str, Any]) -> Ask:  # noqa: ANN401 - either of its stores
    from langgraph.store.base import PutOp  # noqa: PLC0415

    texts = [draft["text"] for draft in block.drafts]
    vectors.update(zip(texts, block.vectors.tolist(), strict=True))
    for first in range(0, len(texts), _AT_ONCE):
        store.batch([PutOp(_TENANT, str(first + number), {"text": text}) for number, text in enumerate(texts[first : first + _AT_ONCE])])

    def ask(question: corpus.Question) -> list[int]:
        vectors.setdefault(question.text, question.vector.tolist())
        return [int(each.key) for each in store.search(_TENANT, query=question.text, limit=SHOWN)]

    return ask


PEERS: Final[Mapping[str, Racer]] = {
    "LangGraph in SQLite": langgraph_in_sqlite,
    "Chroma, with a tenant": chroma,
    "LangGraph in memory": langgraph_in_memory,
}
