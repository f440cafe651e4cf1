"""All that one store keeps, copied into another of whatever kind, while others read and write the first.

What is copied of each tenant, the store's own included: every memory as it is (forgotten, expired and superseded ones with their marks,
uses, edges, forward index, vector), every line of the recall log, and every document (tokens, learnt policies, journals). A shelf is not:
it is made anew where it is searched.

First rows are put in, page by page. A mark in the target, written with each page, says how far it went: a copy that was broken off
goes on from there. Then both are gone through side by side and what differs is mended, again until nothing did: so what was written to
the source meanwhile is in the copy too. The mark also says how the copy was left. Where it was written to since, nothing is touched.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from cued.errors import BusyError, StoreError
from cued.model import UNUSED, Head, LogQuery, LogRules, RecallEntry, Row, VectorShape
from cued.ports import Keeper, Progress, Shaped, Transaction, silent
from cued.stores.admission import body
from cued.stores.standing.facts import judged
from cued.stores.vector_bytes import smaller
from cued.upkeep.pages import log_pages

PAGE: Final = 500
MARK: Final = "copied"
"""The document of each tenant in the target that says how far its copy went."""
SAMPLES: Final = 200
_PASSES: Final = 5
_EVERY_LINE: Final = LogRules(rows=2**31)
_TICK: Final = timedelta(microseconds=1)


class CopyMark(Struct, frozen=True, kw_only=True):
    """How far a tenant's copy went: the last memory and the newest line; and how it left the target: counters, a digest of documents."""

    source: str
    after: str = ""
    newest: str = ""
    change: int = 0
    epoch: int = 0
    documents: str = ""


class TriedRow(Struct, frozen=True, kw_only=True):
    """A row of the copy to try a recall with, and the tenant's change counter in the source when it was compared."""

    tenant: str
    row: Row
    change: int


class Copy(Struct, kw_only=True):
    """A copy under way: from where, into where, and what came of it so far.

    `mended` counts the memories that had changed since they were put in, or were gone; `digest` is of everything that was read back.
    """

    source: Keeper
    target: Keeper
    name: str
    progress: Progress = silent
    total: int = 0
    done: int = 0
    tenants: int = 0
    memories: int = 0
    lines: int = 0
    documents: int = 0
    mended: int = 0
    digest: str = ""
    samples: list[TriedRow] = field(default_factory=list)

    @property
    def shape(self) -> VectorShape:
        """How the target keeps vectors."""
        return self.target.vectors if isinstance(self.target, Shaped) else "float32"

    def fitted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Rows of the source as the target keeps them: vectors are made smaller where it keeps smaller ones, and never larger."""
        return (row._replace(vector=smaller(row.vector, self.shape)) for row in rows)

    def step(self, rows: int) -> None:
        """Count rows that were put in or gone through."""
        self.done += rows
        self.progress(min(self.done, self.total), self.total)


def copy(job: Copy) -> None:
    """Make the target hold all that the source does; what is there already is refused, unless it is a copy of this source."""
    tenants = job.source.tenants()
    marks = {tenant: _admitted(job, tenant) for tenant in tenants}
    job.total = 2 * sum(_head(job.source, tenant).size for tenant in tenants)
    for tenant in tenants:
        _fill(job, tenant, _anew(job, tenant, marks[tenant]))
        _settle(job, tenant)
    for tenant in set(job.target.tenants()) - set(tenants):
        _erase_copy(job, tenant)


def _admitted(job: Copy, tenant: str) -> CopyMark:
    """How far the tenant's copy went; a target that holds something else of it, or was written to since, is refused."""
    with job.target.begin(tenant, write=False) as rows:
        mark, head, documents = _mark(rows), rows.head(), _documents(rows)
        if mark is None:
            if head.size or documents or rows.log(LogQuery(limit=1)):
                raise StoreError(f"{_whose(tenant)} is in the target already, and is no copy of {job.name}: copy into a store without it")
            return CopyMark(source=job.name)
    if mark.source != job.name:
        raise StoreError(f"{_whose(tenant)} in the target is a copy of {mark.source}, not of {job.name}: copy into a store without it")
    if (head.change, head.epoch, _digest(documents)) != (mark.change, mark.epoch, mark.documents):
        raise StoreError(f"{_whose(tenant)} was written to in the target since it was copied there, and copying again would undo that")
    return mark


def left_at(rows: Transaction) -> int | None:
    """The tenant's change counter when its copy was finished, None where it is no copy."""
    mark = _mark(rows)
    return None if mark is None else mark.change


def _anew(job: Copy, tenant: str, mark: CopyMark) -> CopyMark:
    """The mark to go on from: a first one where the source has erased the tenant since and made it anew, and then the copy is erased too.

    The newest line of a log is the last to go: where the one that was copied is not in the source any more, none of its time is.
    """
    with job.source.begin(tenant, write=False) as rows:
        if not mark.newest or rows.log(LogQuery(recall_id=mark.newest, limit=1)):
            return mark
    with job.target.begin(tenant, write=True) as rows:
        rows.erase()
    return CopyMark(source=job.name)


def _fill(job: Copy, tenant: str, mark: CopyMark) -> None:
    """Insert rows, page by page, from where the copy was interrupted."""
    for page in _pages(job.source, tenant, mark.after):
        with job.target.begin(tenant, write=True) as rows:
            rows.insert([row._replace(key=0, judged=judged(row.memory)) for row in job.fitted(page)])
            mark = replace(mark, after=page[-1].memory.id)
            _leave(rows, mark)
        job.step(len(page))


def _settle(job: Copy, tenant: str) -> None:
    """Compare both sides until no content differs, and copy log and documents."""
    for _ in range(_PASSES):
        passing = _Pass(job, tenant)
        passing.run()
        lines, documents = _take_lines(job, tenant), _take_documents(job, tenant)
        if not passing.mended and _head(job.source, tenant).size == passing.memories:
            break
        job.mended += passing.mended
    else:
        raise BusyError(f"{_whose(tenant)} of {job.name} is written to all the time; run the copy again, and it goes on from here")
    job.tenants += 1
    job.memories += passing.memories
    job.lines += lines
    job.documents += documents
    job.digest = _digest([(job.digest, passing.digest.digest())])
    job.samples += passing.samples
    job.step(passing.memories)


class _Pass:
    """One comparison of a tenant's two sides by id, in which differences are mended."""

    def __init__(self, job: Copy, tenant: str) -> None:
        """Start before the first row."""
        self._job, self._tenant = job, tenant
        self._change = _head(job.source, tenant).change
        self._every = max(1, job.total // 2 // SAMPLES)
        self._new: list[Row] = []
        self._other: list[tuple[int, Row]] = []
        self._gone: list[int] = []
        self.memories = self.mended = 0
        self.digest = blake2b(digest_size=16)
        self.samples: list[TriedRow] = []

    def run(self) -> None:
        """Go through all of it."""
        theirs, ours = self._job.fitted(_rows(self._job.source, self._tenant)), _rows(self._job.target, self._tenant)
        wanted, held = next(theirs, None), next(ours, None)
        while wanted is not None or held is not None:
            if wanted is not None and held is not None and wanted.memory.id == held.memory.id:
                self._compare(wanted, held)
                wanted, held = next(theirs, None), next(ours, None)
            elif wanted is not None and (held is None or wanted.memory.id < held.memory.id):
                self._new.append(wanted)
                wanted = next(theirs, None)
            elif held is not None:
                self._gone.append(held.key)
                held = next(ours, None)
            if len(self._new) + len(self._other) + len(self._gone) >= PAGE:
                self._mend()
        self._mend()

    def _compare(self, wanted: Row, held: Row) -> None:
        self.memories += 1
        if _common(wanted) != _common(held):
            self._other.append((held.key, wanted))
        elif self.memories % self._every == 0:
            self.samples.append(TriedRow(tenant=self._tenant, row=held, change=self._change))
        for part in (body(held.memory), held.forward or b"", held.vector or b""):
            self.digest.update(len(part).to_bytes(8) + part)

    def _mend(self) -> None:
        changed = self._other
        if not (self._new or changed or self._gone):
            return
        with self._job.target.begin(self._tenant, write=True) as rows:
            held = {row.key: row for row in rows.read([row.memory.id for _, row in changed], content=True).values()}
            others = [(key, row) for key, row in changed if _without_use(row) != _without_use(held[key])]
            if others:
                rows.update([row._replace(key=key, judged=judged(row.memory)) for key, row in others])
            rows.put_uses([(key, row.memory.use) for key, row in changed])
            if self._new:
                rows.insert([row._replace(key=0, judged=judged(row.memory)) for row in self._new])
            if self._gone:
                rows.remove(self._gone)
            _leave(rows, _mark(rows) or CopyMark(source=self._job.name))
        self.mended += len(others) + len(self._new) + len(self._gone)
        self._new, self._other, self._gone = [], [], []


def unchanged(job: Copy, sample: TriedRow) -> bool:
    """Whether the tenant of a sample has not been written to in the source since it was gone through."""
    return _head(job.source, sample.tenant).change == sample.change


def _without_use(row: Row) -> Row:
    return _common(row)._replace(memory=replace(row.memory, use=UNUSED))


def _common(row: Row) -> Row:
    """The parts of a row that are the same in every keeper."""
    return row._replace(key=0, judged=None)


def _take_lines(job: Copy, tenant: str) -> int:
    """How many lines the log has; missing and differing ones are written, and those older than the source's first are dropped."""
    lines, oldest = 0, None
    for page in log_pages(partial(_lines, job.source, tenant)):
        oldest = oldest or page[0].at
        with job.target.begin(tenant, write=True) as rows:
            same_time = LogQuery(since=page[0].at, until=page[-1].at + _TICK, limit=_EVERY_LINE.rows, content=True)
            known = {line.recall_id: line for line in rows.log(same_time)}
            news = [line for line in page if known.get(line.recall_id) != line]
            if news:
                rows.put_log(news, _EVERY_LINE)
                _leave(rows, replace(_mark(rows) or CopyMark(source=job.name), newest=page[-1].recall_id))
        lines += len(page)
    if oldest is not None:
        _drop_lines(job, tenant, oldest)
    return lines


def _drop_lines(job: Copy, tenant: str, oldest: datetime) -> None:
    """Drop the lines of the target that are older than this, which the source has dropped."""
    with job.target.begin(tenant, write=False) as rows:
        (first,), (last,) = rows.log(LogQuery(limit=1, oldest_first=True)), rows.log(LogQuery(limit=1, content=True))
    if first.at < oldest:
        with job.target.begin(tenant, write=True) as rows:
            rows.put_log([last], replace(_EVERY_LINE, age=max(_TICK, last.at - oldest)))


def _take_documents(job: Copy, tenant: str) -> int:
    """How many documents there are; the target has no others."""
    with job.source.begin(tenant, write=False) as rows:
        wanted = dict(_documents(rows))
    with job.target.begin(tenant, write=False) as rows:
        if rows.document(MARK) is not None and dict(_documents(rows)) == wanted:
            return len(wanted)
    with job.target.begin(tenant, write=True) as rows:
        held, mark = dict(_documents(rows)), _mark(rows) or CopyMark(source=job.name)
        for name in {*wanted, *held}:
            if wanted.get(name) != held.get(name):
                rows.put_document(name, wanted.get(name))
        _leave(rows, mark)
    return len(wanted)


def _erase_copy(job: Copy, tenant: str) -> None:
    """Erase the copy of a tenant that is no longer in the source; whatever else the target holds stays."""
    with job.target.begin(tenant, write=True) as rows:
        mark = _mark(rows)
        if mark is not None and mark.source == job.name:
            rows.erase()


def _mark(rows: Transaction) -> CopyMark | None:
    """How far the tenant's copy went, None where it is no copy."""
    data = rows.document(MARK)
    return None if data is None else msgspec.json.decode(data, type=CopyMark)


def _leave(rows: Transaction, mark: CopyMark) -> None:
    """Note in the mark the state in which the target is left."""
    head = rows.head()
    left = replace(mark, change=head.change, epoch=head.epoch, documents=_digest(_documents(rows)))
    rows.put_document(MARK, msgspec.json.encode(left))


def _documents(rows: Transaction) -> list[tuple[str, bytes]]:
    return [(name, rows.document(name) or b"") for name in rows.documents() if name != MARK]


def _digest(parts: Sequence[tuple[str, bytes]]) -> str:
    return blake2b(msgspec.msgpack.encode(parts), digest_size=16).hexdigest()


def _head(keeper: Keeper, tenant: str) -> Head:
    with keeper.begin(tenant, write=False) as rows:
        return rows.head()


def _pages(keeper: Keeper, tenant: str, after: str = "") -> Iterator[Sequence[Row]]:
    """A tenant's rows by id, each page from a snapshot of its own."""
    while True:
        with keeper.begin(tenant, write=False) as rows:
            page = rows.scan(PAGE, after)
        if not page:
            return
        yield page
        after = page[-1].memory.id


def _rows(keeper: Keeper, tenant: str) -> Iterator[Row]:
    return (row for page in _pages(keeper, tenant) for row in page)


def _lines(keeper: Keeper, tenant: str, query: LogQuery) -> Sequence[RecallEntry]:
    with keeper.begin(tenant, write=False) as rows:
        return rows.log(query)


def _whose(tenant: str) -> str:
    return f"the tenant {tenant!r}" if tenant.strip() else "what belongs to the store itself (tokens, policies)"
