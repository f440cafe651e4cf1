"""A tenant's memories as JSON lines: everything that a store keeps of them, for another store or for safe keeping.

Each memory is written as it stands when its page is read. While others write, `backup` gives a copy of one moment and this does not.
`importers.own` reads it back.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from cued.importers.lines import DOCUMENTS, FORMAT, End, Header, document_line, memory_line, recall_line, written
from cued.importers.sealing import Seal, export_key
from cued.model import TallyQuery
from cued.ports import Progress, Store, silent
from cued.upkeep.pages import batches, log_pages, scanned

PAGE = 256
_LIFETIME_S = 2**31 - 1
"""The longest stretch of time that a log is counted in."""


def export(tenant: str, store: Store, *, at: datetime, vectors: bool = False, progress: Progress = silent) -> Iterator[bytes]:
    """The lines of an export, one at a time; with `vectors` nothing need be embedded again where the file is believed.

    The last line has the seal by which this store knows the file again.
    """
    seal = Seal(export_key(store, make=True))
    counts = [0, 0]
    for line in _lines(tenant, store, counts, at=at, vectors=vectors, progress=progress):
        yield seal.add(line)
    yield written(End(memories=counts[0], recalls=counts[1], seal=seal.written()))


def _lines(  # noqa: PLR0913 - an export's own, and where to count
    tenant: str, store: Store, counts: list[int], *, at: datetime, vectors: bool, progress: Progress
) -> Iterator[bytes]:
    total, lines = store.size(tenant), sum(each.recalls for each in store.tally(tenant, TallyQuery(every_s=_LIFETIME_S)).rows)
    yield written(Header(cued=FORMAT, tenant=tenant, exported_at=at, memories=total, recalls=lines))
    memories = recalls = 0
    for page in batches(scanned(tenant, store), PAGE):
        for stored in page:
            yield memory_line(stored, vector=vectors)
        memories += len(page)
        progress(memories, max(memories, total))
    for entries in log_pages(partial(store.log, tenant)):
        yield from map(recall_line, entries)
        recalls += len(entries)
    for name in DOCUMENTS:
        data = store.document(tenant, name)
        if data is not None:
            yield document_line(name, data)
    counts[:] = memories, recalls
