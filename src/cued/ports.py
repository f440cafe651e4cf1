"""Every seam of Cued: what a store, its keeper, an embedder, a reranker, a summariser, a judge, an extractor and a clock must do.

Above: engine and tenant call these. Below: `stores/` and `embed/` implement them, and so can you, tried by `cued.conformance` as ours are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from cued.model import (
    Condition,
    ConflictType,
    Fault,
    Feedback,
    Filter,
    Fingerprint,
    Glance,
    Head,
    Indexed,
    LogQuery,
    LogRules,
    Memory,
    Order,
    Page,
    RecallEntry,
    Record,
    Revised,
    Revision,
    Row,
    Settlement,
    Slice,
    Stats,
    Stored,
    Tallies,
    TallyQuery,
    Touch,
    Use,
    VectorShape,
    Workings,
)

if TYPE_CHECKING:
    from cued.model import Findings, Lookup, Matrix  # made of numpy, which opening a store needs, and naming `cued.open` does not

Role = Literal["query", "memory"]
Clock = Callable[[], datetime]
Boost = Callable[[Memory], float]
Timer = Callable[[], float]
Progress = Callable[[int, int], None]
"""Hears of long work: how much is done, and how much there is in all, 0 where nobody can tell."""


def silent(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


class Store(Protocol):
    """The memories of many tenants. Every call names its tenant; none crosses it, and what crosses the seam is data.

    A call that returns has been made durable, and one that raises has changed nothing.
    """

    @property
    def log_rules(self) -> LogRules:
        """How much of the recall log it keeps, and whether cue and evidence are kept in it."""

    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id, an unknown `supersedes` or one that closes a circle is refused.

        So is, with a TrustError, to supersede what is more trusted, and to pin what nobody has vouched for; and, with a QuotaError,
        whatever goes beyond the tenant's quotas. The same holds for what is adopted or revised.
        """

    def adopt(self, tenant: str, records: Sequence[Record]) -> tuple[str, ...]:
        """The ids that were new, of records stored as they are; known ones stay, but give way to what is new, supersedes them and may."""

    def revise(self, tenant: str, revisions: Sequence[Revision], *, at: datetime) -> Revised:
        """The memories that these revisions changed, in the order given, and the revisions that did not apply; those that do are one step.

        Supersessions follow `supersedes`: what a memory supersedes from now on gives way as of `at`, what it no longer does comes back,
        and a memory that moves to another scope takes its supersessions along. The weight of a superseded memory is kept for when it
        comes back. A circle, a wrong scope or a field that cannot be set is an InputError, an unknown `supersede` a NotFoundError, what
        the revision's `word` is not worth a TrustError, and nothing changes.
        """

    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again, as of `at`."""

    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`, as if they had never been forgotten."""

    def erase(self, tenant: str, memory_ids: Sequence[str], *, more: bool = False, expired: bool = False) -> None:
        """Remove these memories for good, down to the last byte; what they had superseded passes to what supersedes them.

        No other memory names them afterwards, by an edge or as superseded. Nor does the log keep them: a line that names one of them
        has "erased" in place of its id, and loses its cue and its evidence. With `more` to be erased right after, their bytes may be
        overwritten together with those. Where they have `expired`, what those that were not forgotten had superseded stays so for good.
        """

    def erase_tenant(self, tenant: str) -> None:
        """Remove everything that is kept for the tenant for good, its name and its recall log included."""

    def settle(
        self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = (), *, known: bool = False, keep: bool = False
    ) -> bool:
        """Whether this was written: uses counted on top of what is stored, ids that are gone passed over, and lines of the recall log.

        With `keep` the lines have their cue and evidence whatever the rules of the log say. A known `recall_id` replaces its line. Of a
        tenant that was `known` then nothing is written if it is gone by now, nor any id that is: no recall in flight brings them back.
        """

    def settle_all(self, settlements: Sequence[Settlement]) -> tuple[bool, ...] | None:
        """Which of these were written, each as by `settle` and all of them in one step; None where that cannot be, and nothing was done."""

    def feedback(self, tenant: str, feedback: Feedback) -> tuple[str, ...]:
        """The ids on which this is a new verdict; their uses and the line of the recall are changed in one step, so it counts once.

        A recall that is not in the log, or an id that it did not choose, is an InputError.
        """

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """These memories in the order asked; an unknown id is a NotFoundError."""

    def fetch(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Stored, ...]:
        """These memories with their vectors in the order asked; an unknown id is a NotFoundError."""

    def known(self, tenant: str, memory_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that are stored."""

    def list(  # noqa: PLR0913 - a page has a filter, a moment, a size, a place, a direction and an order
        self,
        tenant: str,
        wanted: Filter,
        *,
        at: datetime,
        limit: int,
        after: str | None = None,
        oldest_first: bool = False,
        order_by: Order = "written",
    ) -> Page:
        """One page of the tenant's memories, newest first unless told otherwise."""

    def scan(self, tenant: str, *, limit: int, after: str | None = None) -> tuple[Stored, ...]:
        """Up to `limit` memories with their vectors, hidden ones included, by id, from the first id greater than `after`."""

    def linking(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """The memories that have an edge to any of these ids, by id."""

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """What the tenant holds, counted."""

    def count_recall(self, tenant: str, *, at: datetime) -> None:
        """Note that a recall begins; one more than the store's quotas allow in a minute is a RateError."""

    def size(self, tenant: str) -> int:
        """The number of memories stored for the tenant."""

    def holds(self, tenant: str) -> bool:
        """Whether there may be memories of the tenant, fast enough to ask before each recall; False only where there are none."""

    def log(self, tenant: str, query: LogQuery) -> tuple[RecallEntry, ...]:
        """The lines of the tenant's recall log that the query asks for, newest first unless told otherwise."""

    def tally(self, tenant: str, query: TallyQuery) -> Tallies:
        """The lines of the tenant's recall log counted in stretches of time, however many they are."""

    def condition(self) -> Condition:
        """The state of what the memories are kept in, for whoever looks after the store."""

    def workings(self) -> Workings:
        """What is in memory and how often that helped, for whoever watches a server."""

    def document(self, tenant: str, name: str) -> bytes | None:
        """A small document kept for the tenant, such as what has been learnt about its traffic; None when there is none."""

    def swap_document(self, tenant: str, name: str, *, old: bytes | None, new: bytes | None, known: bool = False) -> bool:
        """Whether the document was `old` still, a tenant that was `known` is there still, and it is `new` now, at once; None is none."""

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants, for whoever looks after the store; they are in no answer to a tenant."""

    def pending(self) -> tuple[str, ...]:
        """What keeps the last bytes of what was erased from being overwritten, in words; nothing when all of them are gone."""

    def search(self, tenant: str, lookup: "Lookup") -> "Findings":
        """A recall's whole reading, from one consistent snapshot."""

    def keep_shelves(self) -> None:
        """Keep for the next process what searches have in memory, where building it anew would take long; asked when nobody recalls."""

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing."""


@runtime_checkable
class Keeper(Protocol):
    """Where rows are kept: in this process, in a file, in a database. `cued.stores.Store` makes a whole store of one.

    A keeper knows nothing of beliefs, gates or searches: it reads and writes rows, one tenant a transaction.
    """

    def begin(self, tenant: str, *, write: bool) -> AbstractContextManager["Transaction"]:
        """A transaction on one tenant: a snapshot to read, or with `write` the only one of that tenant's that writes.

        When the block ends, all that it wrote is durable; when it raises, nothing of it is kept.
        """

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which a row, a line of the log or a document is kept, in order."""

    def pending(self) -> tuple[str, ...]:
        """What keeps the last bytes of what was removed from being overwritten, in words; nothing when all of them are gone."""

    def close(self) -> None:
        """Let go of files and connections; a second call does nothing, and whatever comes later is a StoreError."""


@runtime_checkable
class Joint(Protocol):
    """A keeper that can make what is written for several tenants durable in one step."""

    def begin_all(self, tenants: Sequence[str]) -> AbstractContextManager[Sequence["Transaction"]]:
        """A transaction that writes for each of these tenants, none of them twice; when the block raises, nothing of any is kept."""


@runtime_checkable
class Inspectable(Protocol):
    """A keeper whose files have a state that can be looked at."""

    def condition(self) -> Condition:
        """The state of its files."""


@runtime_checkable
class Shaped(Protocol):
    """A keeper that says in which shape the vectors of new rows are to be; any other gets float32."""

    @property
    def vectors(self) -> VectorShape:
        """The shape, which it was given when it was made."""


@runtime_checkable
class Checkable(Protocol):
    """A keeper that can tell rows which are not what was written."""

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants."""

    def faults(self, tenant: str) -> Iterator[Fault | None]:
        """What is wrong with the tenant's rows, None for a row that is whole; at the end what is wrong with their number."""


@runtime_checkable
class Distant(Protocol):
    """A keeper so far away that each message to it counts: all that a recall asks about a tenant in memory goes there and back in one."""

    def glance(self, tenant: str, at: Glance) -> "Reading":
        """What it is to look at, as of one moment, and nothing else."""


class Reading(Protocol):
    """What a recall reads of one tenant at one moment."""

    def head(self) -> Head:
        """The tenant's counters."""

    def removed(self, since: int) -> Sequence[int]:
        """The keys of the rows that were removed after the change of this number, as long as the head's epoch is the same."""

    def changed(self, since: int) -> Indexed:
        """The rows written after the change of this number, all for 0, in the order of their keys; broken ones are left out."""

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:
        """The vectors of rows whose content was written after this change, all for 0, in runs of one size: keys, and bytes end to end."""

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows in their order, None for one that can no longer be read; their use need not be in them."""

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used, each with its key."""

    def document(self, name: str) -> bytes | None:
        """A document, None when there is none."""


class Transaction(Reading, Protocol):
    """What can be read and written of one tenant at one moment; lists go in and come out whole, never one row a call.

    Keys and rows are of this tenant and were read before, but for inserted ones. What is written is seen by the reads that follow.
    """

    def read(self, memory_ids: Sequence[str], *, content: bool = False) -> dict[str, Row]:
        """The rows of those of the ids that are stored, by id; with `content` with forward index and vector."""

    def lapsed(self) -> Sequence[Row]:
        """Every row whose `judged.marks` is not empty."""

    def insert(self, rows: Sequence[Row]) -> Sequence[int]:
        """The keys of new rows, greater than all before; they are written, edges and use too, and none of their ids is stored."""

    def update(self, rows: Sequence[Row]) -> None:
        """Replace rows by their keys, all but their use, and where `forward` is None all but forward index and vector."""

    def remove(self, keys: Sequence[int], *, more: bool = False) -> None:
        """Remove rows and all that hangs on them, down to the last byte; with `more` to be removed right after, together with those."""

    def erase(self) -> None:
        """Remove all that is kept for the tenant, down to the last byte; it is the last thing that a transaction does."""

    def put_uses(self, uses: Sequence[tuple[int, Use]]) -> None:
        """Write how rows were used, by key; that changes no counter of the head."""

    def page(self, wanted: Filter, asked: Slice) -> tuple[Sequence[Memory], int]:
        """A part of the listing of what the filter wants, in the order that is asked for, and how many it wants in all."""

    def scan(self, limit: int, after: str) -> Sequence[Row]:
        """Up to `limit` rows with forward index and vector, by id in the order of code points, from the first id greater than `after`."""

    def linking(self, memory_ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with an edge to any of these ids, each once."""

    def stats(self, at: int) -> Stats:
        """What the tenant holds, counted, as of a moment in microseconds."""

    def log(self, query: LogQuery) -> Sequence[RecallEntry]:
        """The lines that the query asks for, by time and then as they were written; cue and evidence only with `content`."""

    def tally(self, query: TallyQuery) -> Tallies:
        """The lines that the query means, counted, by start and label; `cued.stores.recall_log.tallied` counts any lines."""

    def put_log(self, entries: Sequence[RecallEntry], rules: LogRules) -> None:
        """Write lines, in place of those with the same `recall_id`, and drop what the rules do not keep.

        That is what is beyond `rows` lines, or older by more than `age` than the newest of these; with `content` "last", the cue and the
        evidence of all but the `last` newest lines.
        """

    def put_document(self, name: str, body: bytes | None) -> None:
        """Write a document; None removes it."""

    def documents(self) -> Sequence[str]:
        """The names of the tenant's documents, in order."""

    def shelf(self) -> Sequence[bytes]:
        """The parts of the tenant's shelf as they were last put, which are never the truth; none where none were, or are kept here."""

    def put_shelf(self, parts: Sequence[bytes]) -> None:
        """Keep the parts until any row is removed, and change no counter of the head; a keeper without durable rows keeps none."""


class Embedder(Protocol):
    """Turns texts into unit vectors, and can say exactly which model does it."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Which model makes these vectors; it may ask the model once."""

    def embed(self, texts: Sequence[str], *, role: Role) -> "Matrix":
        """One unit vector a text, in order, float32; anything unusable is an EmbedderError."""


class Summariser(Protocol):
    """Writes what memories say in fewer words, for a recall that does not fit its budget."""

    def summarise(self, query: str, texts: Sequence[str], *, tokens: int) -> str:
        """One text of at most about `tokens` tokens that says what these texts say about the query."""


class Judge(Protocol):
    """How a new memory stands to stored ones, judged better than by rules and slower: an entailment model, or an LLM."""

    def judge(self, new: str, old: Sequence[str]) -> Sequence[ConflictType | None]:
        """One type of conflict for each of the old texts, None where there is none."""


class Extractor(Protocol):
    """What is worth remembering of a conversation, told in fewer and better words than its turns: an LLM, or rules of your own."""

    def extract(self, turns: Sequence[Mapping[str, Any]]) -> Sequence[str | Mapping[str, Any]]:
        """The memories, each a text or the fields of `remember`; an empty list where nothing is worth it."""


class Reranker(Protocol):
    """Scores candidates against the cue, better than the blend can and slower."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, higher is better."""


class Parts(NamedTuple):
    """What the verbs work with: the store, and an embedder, a reranker, a summariser and a judge of conflicts where there are any."""

    store: Store
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    summariser: Summariser | None = None
    judge: Judge | None = None
