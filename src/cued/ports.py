"""Every seam of Cued: what a store, an embedder, a reranker and a clock must do, and nothing more.

Above: engine and tenant call these. Below: `stores/` and `embed/` implement them, and so can you;
`cued.conformance` runs your implementation against the same suite that ours pass.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, Protocol

from cued.model import (
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
    Touch,
)

Role = Literal["query", "memory"]
Clock = Callable[[], datetime]


class Store(Protocol):
    """Keeps the memories of many tenants. Every call names its tenant; none crosses it.

    A call that returns has been made durable, and one that raises has changed nothing.
    """

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id or an unknown `supersedes` is refused."""

    def revise(self, tenant: str, memory_id: str, change: Callable[[Memory], Record]) -> Memory:
        """Replace one memory by `change(memory)`, atomically, and give the new one back.

        A record without a vector keeps the stored one where text and fingerprint stay; supersessions follow `supersedes`.
        """

    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again."""

    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`."""

    def erase(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Remove these memories for good."""

    def touch(self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = ()) -> None:
        """Write back what settle found; ids that are gone by now are passed over."""

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Give these memories in the order asked; an unknown id is a NotFoundError."""

    def list(self, tenant: str, wanted: Filter, *, at: datetime, limit: int, after: str | None = None) -> Page:
        """Give one page of the tenant's memories, newest first."""

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """Count what the tenant holds."""

    def size(self, tenant: str) -> int:
        """Give the number of memories stored for the tenant, fast enough to ask before each recall."""

    def recalls(self, tenant: str, *, limit: int) -> tuple[RecallEntry, ...]:
        """Give the newest entries of the tenant's recall log, newest first."""

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


class Reranker(Protocol):
    """Scores candidates against the cue, better than the blend can and slower."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Give one score a text, higher is better."""
