"""The store: memories, beliefs, searches and the log of one keeper's rows.

Above: the handles, upkeep, importers, and the engine, which know it by its port. Below: beliefs, the shelf that answers searches, and
a keeper, which reads and writes rows and knows nothing of what they mean.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from cued.errors import ContestedError, InputError, NotFoundError
from cued.model import (
    Condition,
    Feedback,
    Filter,
    Findings,
    LogQuery,
    LogRules,
    Lookup,
    Memory,
    Order,
    Page,
    Quotas,
    RecallEntry,
    Record,
    Revised,
    Revision,
    Row,
    Settlement,
    Stats,
    Stored,
    Tallies,
    TallyQuery,
    Touch,
    VectorShape,
    Workings,
)
from cued.ports import Inspectable, Joint, Keeper, Shaped, Transaction
from cued.stores.admission import admit, admit_document, admit_record, admit_tenant, at_least_one, first_of_each
from cued.stores.arrays import micros
from cued.stores.columns.kernels import COMPILED
from cued.stores.encoding import stored
from cued.stores.journalling import DOCUMENT as JOURNAL
from cued.stores.journalling import note
from cued.stores.metering import RecallMeter, refuse_growth_beyond
from cued.stores.paging import paged, part
from cued.stores.recall_log import CALENDAR_S, naming_none
from cued.stores.revising import grows, revise
from cued.stores.searches import keep, search
from cued.stores.settlements import admitted, write
from cued.stores.shelves import SHELVES_BYTES, Shelves
from cued.stores.use import boosted, news, noted, verdicts_of
from cued.stores.work import Work

_AS_USUAL = LogRules()
_UNBOUNDED = Quotas()


_TRIES = 5

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Write = Callable[Concatenate["Store", Given], Answer]


def repeated(write: Write[Given, Answer]) -> Write[Given, Answer]:
    """A write that is tried again where the database let another one go first; a try that lost keeps nothing, so nothing is done twice."""

    @wraps(write)
    def again(store: "Store", /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        for _ in range(_TRIES - 1):
            try:
                return write(store, *args, **kwargs)
            except ContestedError:
                store.contested += 1
        return write(store, *args, **kwargs)

    return again


class Store:
    """The memories of many tenants, kept by a keeper."""

    def __init__(
        self,
        keeper: Keeper,
        *,
        log_rules: LogRules = _AS_USUAL,
        quotas: Quotas = _UNBOUNDED,
        shelves_bytes: int = SHELVES_BYTES,
        journalled: bool = False,
    ) -> None:
        """Keep everything with this keeper; `quotas` bound each tenant, and `shelves_bytes` the memory for the tenants searched of late.

        With `journalled` each tenant that is written to gets a journal of what is written and erased, which goes on from then on.
        """
        self.keeper = keeper
        self._journalled = journalled
        self.log_rules = log_rules
        self.quotas = quotas
        self._bounded = quotas.memories is not None or quotas.bytes is not None
        self._meter = None if quotas.recalls_a_minute is None else RecallMeter(quotas.recalls_a_minute)
        self._shelves = Shelves(shelves_bytes)
        self.contested = 0
        self._shape: VectorShape = keeper.vectors if isinstance(keeper, Shaped) else "float32"

    @repeated
    def remember(self, tenant: str, records: Sequence[Record]) -> None:
        """Store all the records or none; a known id or an unknown `supersedes` is refused."""
        fresh = list[Row]()
        with self._writing(tenant, "remember", [record.memory.id for record in records], growing=True, fresh=fresh) as rows:
            work = Work(rows, shape=self._shape)
            admit(tenant, records, known=work.known(record.memory.id for record in records))
            fresh += work.remember(records)

    @repeated
    def adopt(self, tenant: str, records: Sequence[Record]) -> tuple[str, ...]:
        """The ids that were new, of records stored as they are; known ids stay, but give way to what is new and supersedes them."""
        admit_tenant(tenant)
        for record in records:
            admit_record(tenant, record)
        with self._writing(tenant, "adopt", [record.memory.id for record in records], growing=True) as rows:
            work = Work(rows, shape=self._shape)
            new = first_of_each(records, known=work.known(record.memory.id for record in records))
            work.adopt(new)
        return tuple(record.memory.id for record in new)

    @repeated
    def revise(self, tenant: str, revisions: Sequence[Revision], *, at: datetime) -> Revised:
        """The memories that these revisions changed, and the revisions that did not apply; those that do are one step."""
        admit_tenant(tenant)
        if not revisions:
            return Revised()
        with self._writing(tenant, "revise", [revision.id for revision in revisions], growing=any(map(grows, revisions))) as rows:
            return revise(tenant, rows, revisions, at=at, shape=self._shape)

    @repeated
    def forget(self, tenant: str, memory_ids: Sequence[str], *, at: datetime) -> None:
        """Hide these memories from every recall; what they had superseded is visible again."""
        with self._writing(tenant, "forget", memory_ids) as rows:
            work = Work(rows)
            work.beliefs.forget(memory_ids, at=at)
            work.update({})

    @repeated
    def restore(self, tenant: str, memory_ids: Sequence[str]) -> None:
        """Undo `forget`."""
        with self._writing(tenant, "restore", memory_ids) as rows:
            work = Work(rows)
            work.beliefs.restore(memory_ids)
            work.update({})

    @repeated
    def erase(self, tenant: str, memory_ids: Sequence[str], *, more: bool = False, expired: bool = False) -> None:
        """Remove these memories for good, out of the log too: a line that names one says that it is erased, and keeps no evidence nor cue.

        With `more` to be erased right after, their bytes are overwritten together with those. Where they have `expired`, what they had
        superseded does not come back.
        """
        with self._writing(tenant, "erase", memory_ids) as rows:
            work = Work(rows)
            erased = work.beliefs.erase(memory_ids, lapsed=work.lapsed(), expired=expired)
            work.unlink(erased)
            work.update({})
            work.remove(erased, more=more)
            if lines := naming_none(rows, erased):
                rows.put_log(lines, self.log_rules)

    @repeated
    def erase_tenant(self, tenant: str) -> None:
        """Remove everything that is kept for the tenant for good; a stranger has nothing to remove."""
        admit_tenant(tenant)
        with self.keeper.begin(tenant, write=True) as rows:
            rows.erase()
        self._shelves.drop(tenant)

    @repeated
    def settle(
        self, tenant: str, touches: Sequence[Touch], entries: Sequence[RecallEntry] = (), *, known: bool = False, keep: bool = False
    ) -> bool:
        """Whether this was written: uses counted on top of what is stored, ids that are gone passed over, and lines of the recall log.

        With `keep` the lines have their cue and evidence whatever the rules say. Of a tenant that was `known` when these recalls were
        made and is gone by now nothing is written, and of those of its memories that are gone no id.
        """
        admit_tenant(tenant)
        left = Settlement(tenant, touches, admitted(entries, self.log_rules, keep=keep), known)
        if not left.touches and not left.entries:
            return True
        with self.keeper.begin(tenant, write=True) as rows:
            return write(rows, left, self.log_rules)

    def settle_all(self, settlements: Sequence[Settlement]) -> tuple[bool, ...] | None:
        """Which of these were written, all in one step and each as `settle` does it; None where the keeper cannot, and then none was."""
        if not isinstance(self.keeper, Joint):
            return None
        lefts = [each._replace(entries=admitted(each.entries, self.log_rules)) for each in settlements]
        tenants = list(dict.fromkeys(each.tenant for each in lefts))
        with self.keeper.begin_all(tenants) as begun:
            rows = dict(zip(tenants, begun, strict=True))
            return tuple(write(rows[left.tenant], left, self.log_rules) for left in lefts)

    @repeated
    def feedback(self, tenant: str, feedback: Feedback) -> tuple[str, ...]:
        """The ids on which this is a new verdict; uses and log are changed in one step, so it counts once."""
        admit_tenant(tenant)
        with self.keeper.begin(tenant, write=True) as rows:
            lines = rows.log(LogQuery(recall_id=feedback.recall_id, limit=1, content=True))
            if not lines:
                raise InputError("recall_id", feedback.recall_id, "the id of a settled recall that is still in the log")
            verdicts, before = news(lines[0], feedback), verdicts_of(lines[0])
            if verdicts:
                found = rows.read(list(verdicts))
                rows.put_uses([
                    (row.key, boosted(row.memory.use, feedback, verdicts[each], instead_of=before.get(each))) for each, row in found.items()
                ])  # fmt: skip
                rows.put_log([noted(lines[0], verdicts)], self.log_rules)
        return tuple(verdicts)

    def get(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """These memories in the order asked; an unknown id is a NotFoundError."""
        return tuple(row.memory for row in self._read(tenant, memory_ids))

    def fetch(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Stored, ...]:
        """These memories with their vectors in the order asked; an unknown id is a NotFoundError."""
        return tuple(map(stored, self._read(tenant, memory_ids, content=True)))

    def known(self, tenant: str, memory_ids: Sequence[str]) -> frozenset[str]:
        """Those of the ids that are stored."""
        with self._reading(tenant) as rows:
            return frozenset(rows.read(memory_ids))

    def list(  # noqa: PLR0913 - the port's
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
        asked = part(micros(at), after, at_least_one(limit) + 1, oldest_first=oldest_first, order_by=order_by)
        with self._reading(tenant) as rows:
            return paged(*rows.page(wanted, asked), asked)

    def scan(self, tenant: str, *, limit: int, after: str | None = None) -> tuple[Stored, ...]:
        """Up to `limit` memories with their vectors, hidden ones included, by id, from the first id greater than `after`."""
        at_least_one(limit)
        with self._reading(tenant) as rows:
            return tuple(map(stored, rows.scan(limit, after or "")))

    def linking(self, tenant: str, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """The memories that have an edge to any of these ids, by id."""
        with self._reading(tenant) as rows:
            return tuple(sorted(rows.linking(memory_ids), key=lambda memory: memory.id))

    def stats(self, tenant: str, *, at: datetime) -> Stats:
        """What the tenant holds, counted; the `by_…` counts are over everything stored."""
        with self._reading(tenant) as rows:
            return rows.stats(micros(at))

    def count_recall(self, tenant: str, *, at: datetime) -> None:
        """Note that a recall begins; one more than the quotas allow in a minute is a RateError."""
        if self._meter is not None:
            self._meter.count(tenant, at=at)

    def size(self, tenant: str) -> int:
        """The number of memories stored for the tenant."""
        with self._reading(tenant) as rows:
            return rows.head().size

    def holds(self, tenant: str) -> bool:
        """Whether there may be memories of the tenant to search: some are in memory, or are stored."""
        return self._shelves.holds(tenant) or self.size(tenant) > 0

    def log(self, tenant: str, query: LogQuery) -> tuple[RecallEntry, ...]:
        """The lines of the tenant's recall log that the query asks for, newest first unless told otherwise."""
        at_least_one(query.limit)
        with self._reading(tenant) as rows:
            return tuple(rows.log(query))

    def tally(self, tenant: str, query: TallyQuery) -> Tallies:
        """The lines of the tenant's recall log counted, without reading each."""
        at_least_one(query.every_s, field="every", most=CALENDAR_S)
        with self._reading(tenant) as rows:
            return rows.tally(query)

    def condition(self) -> Condition:
        """The state that the keeper's files are in, which one that has none leaves empty, and whether searches are as quick as can be."""
        return replace(self.keeper.condition() if isinstance(self.keeper, Inspectable) else Condition(), compiled=COMPILED)

    def workings(self) -> Workings:
        """What is in memory and how often that helped, and how many writes were made again."""
        return self._shelves.workings(contested=self.contested)

    def document(self, tenant: str, name: str) -> bytes | None:
        """A small document kept for the tenant; None when there is none."""
        admit_document(name)
        with self._reading(tenant) as rows:
            return rows.document(name)

    @repeated
    def swap_document(self, tenant: str, name: str, *, old: bytes | None, new: bytes | None, known: bool = False) -> bool:
        """Whether the document was `old` still and is `new` now, in one step; None is no document.

        Of a tenant that was `known` before nothing is written if it is gone by now.
        """
        admit_tenant(tenant)
        admit_document(name)
        with self.keeper.begin(tenant, write=True) as rows:
            if rows.document(name) != old or (known and not rows.head().change):
                return False
            if new != old:
                rows.put_document(name, new)
            return True

    def tenants(self) -> tuple[str, ...]:
        """The names of all tenants for which anything is kept, in order."""
        return self.keeper.tenants()

    def pending(self) -> tuple[str, ...]:
        """What keeps the last bytes of what was erased from being overwritten, in words."""
        return self.keeper.pending()

    def search(self, tenant: str, lookup: Lookup) -> Findings:
        """A recall's whole reading, from one consistent snapshot; as of a time, with each memory as it was known then.

        Where a connection is lost in the middle it is tried again, some times and for a second at most: reading twice changes nothing.
        """
        admit_tenant(tenant)
        return search(self.keeper, self._shelves, tenant, lookup)

    def _read(self, tenant: str, memory_ids: Sequence[str], *, content: bool = False) -> Sequence[Row]:
        """The rows of these memories in the order asked; an unknown id is a NotFoundError."""
        with self._reading(tenant) as rows:
            found = rows.read(memory_ids, content=content)
        for memory_id in memory_ids:
            if memory_id not in found:
                raise NotFoundError(memory_id)
        return [found[memory_id] for memory_id in memory_ids]

    def _reading(self, tenant: str) -> AbstractContextManager[Transaction]:
        """A snapshot of the tenant's rows."""
        admit_tenant(tenant)
        return self.keeper.begin(tenant, write=False)

    @contextmanager
    def _writing(
        self, tenant: str, verb: str, memory_ids: Sequence[str], *, growing: bool = False, fresh: Sequence[Row] = ()
    ) -> Iterator[Transaction]:
        """A transaction that changes these memories, within the quotas where it is `growing`, and noted in the tenant's journal if any.

        In the end the rows are `fresh` that it wrote, where they are new and all that it wrote; the shelf gets them.
        """
        admit_tenant(tenant)
        with self.keeper.begin(tenant, write=True) as rows:
            before = rows.head()
            yield rows
            after = rows.head()
            if growing and self._bounded:
                refuse_growth_beyond(self.quotas, before, after)
            if after != before:
                journal = rows.document(JOURNAL)
                if journal is not None or self._journalled:
                    note(rows, verb, memory_ids, journal=journal, before=before)
                    after = rows.head()
        if after != before:
            self._shelves.written(tenant, after, fresh)

    def keep_shelves(self) -> None:
        """Have the shelves kept with their rows that would save the next process much, however this one ends."""
        for tenant, held, version in self._shelves.unkept():
            keep(self.keeper, tenant, held, version)

    def close(self) -> None:
        """Let go of files and connections, with the shelves kept for whoever comes next; a second call does nothing."""
        self.keep_shelves()
        self._shelves.after_fork()
        self.keeper.close()
