"""What a search finds, as the store answers it: read within a transaction, or from afar in one message.

Where the rows are far away, the shelf in memory is searched as it is. One message then brings the tenant's counters and how what was
found has been used. Where the counters are the shelf's, that is the answer. Where they are not, the next message brings the rows
written since.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from cued.model import Findings, Glance, Lookup, Memory
from cued.ports import Distant, Reading
from cued.stores.columns.shelf import Hits
from cued.stores.shelves import TenantShelf, Version
from cued.stores.standing.past import as_known

_GLANCES: Final = 4
"""How many messages a recall may take before it reads in a transaction, where others write all the time."""


class Found(NamedTuple):
    """What a search found, with its memories, and the reading that it is as of."""

    hits: Hits
    memories: Sequence[Memory | None]
    core: Sequence[Memory | None]
    rows: Reading

    def told(self, lookup: Lookup) -> Findings:
        """The answer, with the document that was asked for; as of a time, with each memory as it was known then."""
        memories, core = (
            tuple(as_known(memory, at=lookup.at) if lookup.as_of else memory for memory in some if memory is not None)
            for some in (self.memories, self.core)
        )
        document = None if lookup.document is None else self.rows.document(lookup.document)
        damaged = max(0, self.rows.head().size - self.hits.findings.stored)
        return replace(self.hits.findings, memories=memories, core=core, document=document, damaged=damaged)


def found_in(held: TenantShelf, version: Version, rows: Reading, lookup: Lookup) -> Found:
    """What a search finds, with its memories; one that cannot be read is taken off the shelf, as if it were not there."""
    while True:
        hits = version.shelf.search(lookup)
        found = Found(hits, version.winners.read(rows, hits.keys), version.winners.read(rows, hits.core_keys), rows)
        keyed = zip((*hits.keys, *hits.core_keys), (*found.memories, *found.core), strict=True)
        broken = [key for key, memory in keyed if memory is None]
        if not broken:
            return found
        version = held.without(version, broken)


def glanced(keeper: Distant, tenant: str, held: TenantShelf, lookup: Lookup) -> Found | None:
    """What a search finds; None where it takes a transaction: nothing in memory, something removed or broken, or no end to the changes."""
    for _ in range(_GLANCES):
        version = held.version
        if version is None:
            return None
        newest = held.newest
        behind = newest.epoch == version.epoch and newest.change > version.change
        if behind:
            found, rows = None, keeper.glance(tenant, Glance(newest.epoch, newest.change, since=version.change))
        else:
            found, rows = _searched(keeper, tenant, version, lookup, newest.epoch)
        if found is not None and version.is_of(rows.head()):
            return None if None in (*found.memories, *found.core) else found
        if not held.follow(version, rows, known=behind):
            return None
    return None


def _searched(keeper: Distant, tenant: str, version: Version, lookup: Lookup, epoch: int) -> tuple[Found, Reading]:
    hits = version.shelf.search(lookup)
    keys = (*hits.keys, *hits.core_keys)
    missing = version.winners.missing(keys)
    rows = keeper.glance(tenant, Glance(epoch, version.change, keys=keys, missing=missing, document=lookup.document))
    return Found(hits, version.winners.read(rows, hits.keys), version.winners.read(rows, hits.core_keys), rows), rows
