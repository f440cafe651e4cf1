"""Re-embedding: every memory gets a vector of the embedder in use, while others read and write.

The fingerprints are the whole state. A vector is replaced together with its fingerprint, so two models' vectors never mix; a run
that was cut short is simply run again and goes on with what is left.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from cued.embed.excerpted import Embedding, embedded_memories, excerpts_of
from cued.errors import EmbedderError, InputError
from cued.model import Memory, Revision, Stored
from cued.others import marked
from cued.ports import Embedder, Progress, Store, silent
from cued.upkeep.pages import batches, scanned

BATCH = 64
PASSES = 3
OUTAGE = 3
"""So many texts refused one after the other are taken for an embedder that is down, not for texts that it cannot take."""


class Reembedded(Struct, frozen=True, kw_only=True):
    """How many memories got a vector of the new embedder, how many still lack one, and the ids of those that it refused."""

    fingerprint: str
    done: int
    left: int
    failed: tuple[str, ...] = ()


def reembed(  # noqa: PLR0913 - a long work has its parts, a moment, a step and a progress
    tenant: str, store: Store, embedder: Embedder, *, at: datetime, batch: int = BATCH, progress: Progress = silent
) -> Reembedded:
    """Embed each memory, hidden ones too, that has another embedder's vector or none, or lacks those of its excerpts.

    Use, times and version stay.

    A text that was changed meanwhile is embedded in the next pass. When the embedder is down the work done is kept, and an
    EmbedderError says how much is left.
    """
    if batch < 1:
        raise InputError("batch", batch, "1 or more")
    work = _Work(tenant, store, embedder, at)
    total = work.left()
    for _ in range(PASSES):
        before = work.done
        for memories in batches(work.pending(), batch):
            work.embed(memories)
            progress(work.done, max(total, work.done))
        work.finish()
        if work.done == before:
            break
    return Reembedded(fingerprint=work.fingerprint, done=work.done, left=work.left(), failed=tuple(work.failed))


class _Work:
    """One run over a tenant."""

    def __init__(self, tenant: str, store: Store, embedder: Embedder, at: datetime) -> None:
        self._tenant, self._store, self._embedder, self._at = tenant, store, embedder, at
        self.fingerprint = str(marked(embedder))
        self.done = 0
        self.failed: list[str] = []
        self._refused: list[str] = []
        self._last: EmbedderError | None = None

    def pending(self) -> Iterator[Memory]:
        """The memories without a vector of this embedder or those of their excerpts, but for those that it cannot take."""
        for stored in scanned(self._tenant, self._store):
            if stored.memory.id not in self.failed and (stored.memory.fingerprint != self.fingerprint or _lacks_excerpts(stored)):
                yield stored.memory

    def left(self) -> int:
        """How many memories lack a vector of this embedder."""
        stats = self._store.stats(self._tenant, at=self._at)
        return stats.memories - stats.by_fingerprint.get(self.fingerprint, 0)

    def embed(self, memories: Sequence[Memory]) -> None:
        """Embed these, together or, if that fails, one by one, and keep what came of it."""
        try:
            vectors = self._vectors(memories)
        except EmbedderError:
            self._embed_singly(memories)
        else:
            self._keep(memories, vectors)
            self.finish()

    def finish(self) -> None:
        """Take the texts that were refused last for ones that it cannot take, unless it has taken none at all."""
        if self._refused and not self.done:
            raise self._stop()
        self.failed, self._refused = self.failed + self._refused, []

    def _embed_singly(self, memories: Sequence[Memory]) -> None:
        for memory in memories:
            try:
                vectors = self._vectors([memory])
            except EmbedderError as error:
                self._refused.append(memory.id)
                self._last = error
                if len(self._refused) == OUTAGE:
                    raise self._stop() from error
            else:
                self._keep([memory], vectors)
                self.finish()

    def _stop(self) -> EmbedderError:
        return EmbedderError(f"{self.done} memories done, {self.left()} left, run it again to go on: {self._last}")

    def _vectors(self, memories: Sequence[Memory]) -> Sequence[Embedding]:
        return embedded_memories(memories, self._embedder)[0]

    def _keep(self, memories: Sequence[Memory], made: Sequence[Embedding]) -> None:
        revisions = [
            Revision(id=memory.id, set={"fingerprint": self.fingerprint}, **each._asdict(), made_from=memory.version)
            for memory, each in zip(memories, made, strict=True)
        ]
        self.done += len(self._store.revise(self._tenant, revisions, at=self._at).memories)


def _lacks_excerpts(stored: Stored) -> bool:
    """Whether a memory was stored when long notes had one vector as well."""
    return stored.excerpts is None and bool(excerpts_of(stored.memory))
