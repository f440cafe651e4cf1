"""Taking in memories that were made elsewhere: in whole chunks, each id once, with vectors of this embedder alone.

Above: `own` reads our own exports, the modules beside it what others wrote. Below: `Store.adopt`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct, field
from msgspec.structs import replace

from cued.embed.excerpted import Embedding, embedded_memories
from cued.errors import CuedError, EmbedderError
from cued.model import Fingerprint, Matrix, Memory, Record, Vector
from cued.others import marked
from cued.ports import Embedder, Progress, Store
from cued.text.analyse import analyse, searched_text

CHUNK = 256
CHUNK_SIZE = 4_000_000


class Skipped(Struct, frozen=True):
    """Something in a file that is not taken in, and why."""

    reason: str


class Incoming(Struct, frozen=True, kw_only=True):
    """A memory to be stored as it is: where in its file it stands, how long it is there, and its vectors if it brings any."""

    memory: Memory
    place: str = ""
    size: int = 0
    vector: Vector | None = None
    excerpts: Matrix | None = None


class Imported(Struct, frozen=True, kw_only=True):
    """What an import did: how many memories are new, how many were known by their id, and what was left out and why."""

    format: str
    stored: int = 0
    known: int = 0
    recalls: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()


class Intake:
    """Stores what comes in for one tenant, chunk by chunk, and counts it."""

    def __init__(self, tenant: str, store: Store, *, embedder: Embedder | None, progress: Progress) -> None:
        """Bind the intake to its tenant; nothing is read yet."""
        self.tenant, self.store = tenant, store
        self.stored = self.known = self.recalls = 0
        self.skipped: dict[str, int] = {}
        self._embedder, self._progress = embedder, progress
        self._degraded: dict[str, None] = {}

    def take(self, items: Iterable[Incoming | Skipped], *, total: int = 0) -> None:
        """Store the items in chunks that each go in whole or not at all; `total` is 0 where nobody can tell yet."""
        for chunk in _chunks(self._without_skipped(items)):
            try:
                self._store(chunk)
            except CuedError as error:
                error.add_note(f"in {_places(chunk)}")
                raise
            self.report(total)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A block in which an error or an interrupt gets a note on how much is stored by then."""
        try:
            yield
        except (CuedError, KeyboardInterrupt) as error:
            error.add_note(f"{self.stored} memories are stored so far; the same import again goes on from there")
            raise

    def skip(self, reason: str) -> None:
        """Count one more that is left out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def note(self, reason: str) -> None:
        """Say once what was not done."""
        self._degraded[reason] = None

    def report(self, total: int) -> None:
        """Report how far this is."""
        done = self.stored + self.known + self.recalls
        self._progress(done, max(done, total) if total else 0)

    def result(self, name: str) -> Imported:
        """What was done."""
        return Imported(
            format=name,
            stored=self.stored,
            known=self.known,
            recalls=self.recalls,
            skipped=dict(sorted(self.skipped.items())),
            degraded=tuple(self._degraded),
        )

    def _without_skipped(self, items: Iterable[Incoming | Skipped]) -> Iterator[Incoming]:
        for item in items:
            if isinstance(item, Skipped):
                self.skip(item.reason)
            else:
                yield item

    def _store(self, chunk: Sequence[Incoming]) -> None:
        # Looked up first, so that what is known is not embedded again; `adopt` has the last word.
        known = self.store.known(self.tenant, [item.memory.id for item in chunk])
        fresh: dict[str, Incoming] = {}
        for item in chunk:
            if item.memory.id not in known:
                fresh.setdefault(item.memory.id, item)
        adopted = self.store.adopt(self.tenant, self._records(list(fresh.values()))) if fresh else ()
        self.stored += len(adopted)
        self.known += len(chunk) - len(adopted)

    def _records(self, items: Sequence[Incoming]) -> list[Record]:
        wanted = self._fingerprint()
        lacking = [item for item in items if wanted is not None and not _fits(item, wanted)]
        made = self._embedded([item.memory for item in lacking])
        ours = {item.memory.id: each for item, each in zip(lacking, made, strict=True)}
        return [_record(item, spelled=None if wanted is None else str(wanted), made=ours) for item in items]

    def _fingerprint(self) -> Fingerprint | None:
        try:
            return None if self._embedder is None else marked(self._embedder)
        except EmbedderError as error:
            self.note(f"vector pending: {error}")
            return None

    def _embedded(self, memories: Sequence[Memory]) -> list[Embedding]:
        if self._embedder is None or not memories:
            return [Embedding()] * len(memories)
        try:
            return embedded_memories(memories, self._embedder)[0]
        except EmbedderError as error:
            self.note(f"vector pending: {error}")
            return [Embedding()] * len(memories)


def _fits(item: Incoming, wanted: Fingerprint) -> bool:
    """Whether an item brings a vector of this very embedder."""
    return item.vector is not None and item.memory.fingerprint == str(wanted) and len(item.vector) == wanted.dimensions


def _record(item: Incoming, *, spelled: str | None, made: dict[str, Embedding]) -> Record:
    """The record, with the vectors made here, else those it brings, else with neither vector nor fingerprint."""
    memory = item.memory
    vector, excerpts = made.get(memory.id, (item.vector, item.excerpts))
    owner = spelled if memory.id in made else memory.fingerprint
    return Record(
        memory=replace(memory, fingerprint=None if vector is None else owner),
        terms=analyse(searched_text(memory)),
        vector=vector,
        excerpts=excerpts,
    )


def _chunks(items: Iterable[Incoming]) -> Iterator[list[Incoming]]:
    """The items in chunks that are bounded in number and in size."""
    chunk: list[Incoming] = []
    size = 0
    for item in items:
        chunk.append(item)
        size += max(item.size, len(item.memory.text))
        if len(chunk) == CHUNK or size >= CHUNK_SIZE:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _places(chunk: Sequence[Incoming]) -> str:
    first, last = chunk[0].place, chunk[-1].place
    return first if first == last else f"{first} to {last}"
