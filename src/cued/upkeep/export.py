"""A tenant's memories as JSON lines: everything that a store keeps of them, for another store or for safe keeping.

Each memory is written as it stands when its page is read. While others write, `backup` gives a copy of one moment and this does not.
`importers.own` reads it back.
"""

from collections.abc import Iterator
from datetime import datetime

from cued.importers.lines import DOCUMENTS, FORMAT, End, Header, document_line, memory_line, recall_line, written
from cued.importers.own import RECALLS
from cued.importers.sealing import Seal, export_key
from cued.model import LogQuery
from cued.ports import Progress, Store, silent
from cued.upkeep.pages import batches, scanned

PAGE = 256


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
    entries = store.log(tenant, LogQuery(limit=RECALLS, oldest_first=True, content=True))
    total = store.size(tenant)
    yield written(Header(cued=FORMAT, tenant=tenant, exported_at=at, memories=total, recalls=len(entries)))
    memories = 0
    for page in batches(scanned(tenant, store), PAGE):
        for stored in page:
            yield memory_line(stored, vector=vectors)
        memories += len(page)
        progress(memories, max(memories, total))
    yield from map(recall_line, entries)
    for name in DOCUMENTS:
        data = store.document(tenant, name)
        if data is not None:
            yield document_line(name, data)
    counts[:] = memories, len(entries)
