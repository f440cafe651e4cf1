"""Every seam of Cued: what a store, an embedder, a reranker, a summariser, a judge and a clock must do, and nothing more.

Above: engine and tenant call these. Below: `stores/` and `embed/` implement them, and so can you;
`cued.conformance` runs your implementation against the same suite that ours pass.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, Protocol

from cued.model import (
    ConflictType,
    Filter,
    Findings,
    Fingerprint,
    Lookup,
    Matrix,
    Memory,
    Page,
    RecallEntry,
    Record,
    Stats,
    Stored,
    Touch,
)

Role = Literal["query", "memory"]
Clock = Callable[[], datetime]
Boost = Callable[[Memory], float]
Progress = Callable[[int, int], None]
"""Hears of long work: how much is done, and how much there is in all, 0 where nobody can tell."""


def silent(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


class Store(Protocol):
    """Keeps the memories of many tenants. Every call names its tenant; none crosses it.

    A call that returns has been made durable, and one that raises has changed nothing.
    """

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id, an unknown `supersedes` or one that closes a circle is refused."""

    def adopt(self, tenant: str, records: Sequence[Record]) -> tuple[str, ...]:
        """Store records as they are, use and supersessions included, and give the ids that were new; known ids are passed over."""

    def revise(self, tenant: str, memory_ids: Sequence[str], change: Callable[[Memory], Record], *, at: datetime) -> tuple[Memory, ...]:
        """Replace each memory by `change(memory)`, in the order given, all or none, and give the new ones back.

        A record without a vector keeps the stored one where text and fingerprint stay. Supersessions follow `supersedes`: what a
        memory supersedes from now on gives way as of `at`, what it no longer does comes back, and a memory that moves to another
        scope takes its supersessions along. The weight of a superseded memory is kept for when it comes back.
        """

    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again, as of `at`."""

    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`, as if they had never been forgotten."""

    def erase(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Remove these memories for good, down to the last byte; what they had superseded passes to what supersedes them."""

    def erase_tenant(self, tenant: str) -> None:
        """Remove everything that is kept for the tenant for good, its name and its recall log included."""

    def touch(self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = ()) -> None:
        """Change the use of memories, and write to the recall log, where a known `recall_id` replaces its entry.

        Ids that are gone by now are passed over.
        """

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give these memories in the order asked; an unknown id is a NotFoundError."""

    def list(  # noqa: PLR0913 - a page has a filter, a moment, a size, a place and a direction
        self, tenant: str, wanted: Filter, *, at: datetime, limit: int, after: str | None = None, oldest_first: bool = False
    ) -> Page:
        """Give one page of the tenant's memories, newest first unless told otherwise."""

    def scan(self, tenant: str, *, limit: int, after: str | None = None) -> tuple[Stored, ...]:
        """Give up to `limit` memories with their vectors, hidden ones included, by id, from the first id greater than `after`."""

    def linking(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give the memories that have an edge to any of these ids, by id."""

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """Count what the tenant holds."""

    def size(self, tenant: str) -> int:
        """Give the number of memories stored for the tenant, fast enough to ask before each recall."""

    def recalls(self, tenant: str, *, limit: int, recall_id: str | None = None) -> tuple[RecallEntry, ...]:
        """Give the newest entries of the tenant's recall log, newest first; with `recall_id` only that one's."""

    def document(self, tenant: str, name: str) -> bytes | None:
        """Give a small document kept for the tenant, such as what has been learnt about its traffic; None when there is none."""

    def keep_document(self, tenant: str, name: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Replace a document by `change(document)`, atomically; None removes it."""

    def tenants(self) -> tuple[str, ...]:
        """Give the names of all tenants, for whoever looks after the store; they are in no answer to a tenant."""

    def search(self, tenant: str, lookup: Lookup) -> Findings:
        """Answer a recall's whole reading from one consistent snapshot."""

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""


class Embedder(Protocol):
    """Turns texts into unit vectors, and can say exactly which model does it."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Tell which model makes these vectors; it may ask the model once."""

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """Give one unit vector a text, in order, float32; anything unusable is an EmbedderError."""


class Summariser(Protocol):
    """Writes what memories say in fewer words, for a recall that does not fit its budget."""

    def summarise(self, query: str, texts: Sequence[str], *, tokens: int) -> str:
        """Give one text of at most about `tokens` tokens that says what these texts say about the query."""


class Judge(Protocol):
    """Tells how a new memory stands to stored ones, better than rules can and slower: an entailment model, or an LLM."""

    def judge(self, new: str, old: Sequence[str]) -> Sequence[ConflictType | None]:
        """Give one type of conflict for each of the old texts, None where there is none."""


class Reranker(Protocol):
    """Scores candidates against the cue, better than the blend can and slower."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Give one score a text, higher is better."""
