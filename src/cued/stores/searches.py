"""What a search finds, as the store answers it: read within a transaction, or from afar in one message.

Where the rows are far away, the shelf in memory is searched as it is. One message then brings the tenant's counters and how what was
found has been used. Where the counters are the shelf's, that is the answer. Where they are not, the next message brings the rows
written since.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from time import monotonic
from typing import Final, NamedTuple, cast

from msgspec.structs import replace

from cued import pacing
from cued.errors import LostConnectionError, StoreError
from cued.model import Findings, Glance, Lookup, Memory, Traits
from cued.ports import Distant, Keeper, Reading, Transaction
from cued.stores.columns.shelf import Hits, Shelf
from cued.stores.shelves import ShelfVersion, Shelves, TenantShelf
from cued.stores.standing.past import as_known
from cued.stores.winners import Winners, Won

log = logging.getLogger("cued")

_TRIES: Final = 5
_TRIED_S: Final = 1.0
_GLANCES: Final = 4
"""How many messages a recall may take before it reads in a transaction, where others write all the time."""


class SearchResult(NamedTuple):
    """What a search found, with its memories, and the reading that it is as of."""

    hits: Hits
    won: Won
    core: Sequence[Memory | None]
    rows: Reading

    @property
    def memories(self) -> Sequence[Memory | None]:
        """The memories of the hits, None for a broken one."""
        return self.won.memories

    def answer(self, lookup: Lookup) -> Findings:
        """The answer, with the document that was asked for; as of a time, with each memory as it was known then."""
        memories, core = (tuple(filter(None, some)) for some in (self.memories, self.core))
        if lookup.as_of:
            memories, core = (tuple(as_known(memory, at=lookup.at) for memory in some) for some in (memories, core))
        traits = None if lookup.as_of else Traits.of(memories, self.won.traits)
        document = None if lookup.document is None else self.rows.document(lookup.document)
        damaged = max(0, self.rows.head().size - self.hits.findings.stored)
        return replace(self.hits.findings, memories=memories, core=core, document=document, damaged=damaged, traits=traits)


def search(keeper: Keeper, shelves: Shelves, tenant: str, lookup: Lookup) -> Findings:
    """A recall's whole reading, from one consistent snapshot; as of a time, with each memory as it was known then.

    Where a connection is lost in the middle it is tried again, some times and for a second at most: reading twice changes nothing.
    """
    until = monotonic() + _TRIED_S
    for _ in range(_TRIES):
        try:
            return _found(keeper, shelves, tenant, lookup)
        except LostConnectionError:
            if monotonic() > until:
                raise
    return _found(keeper, shelves, tenant, lookup)


def keep(keeper: Keeper, tenant: str, held: TenantShelf, version: ShelfVersion) -> None:
    """Keep a version of a tenant's shelf with its rows, so that the next process need not build it; what cannot be kept is built again."""
    try:
        with keeper.begin(tenant, write=True) as rows:
            version.keep(rows)
    except StoreError as error:
        log.info("the shelf of a tenant is not kept for the next process: %s", error)
    held.kept(version)


def _found(keeper: Keeper, shelves: Shelves, tenant: str, lookup: Lookup) -> Findings:
    held, distant = shelves.of(tenant), _distant(keeper)
    if distant is not None and (found := _glanced(distant, tenant, held, lookup)) is not None:
        shelves.trim(held)
        return found.answer(lookup)
    with _snapshot(keeper, tenant, held) as (rows, version):
        if version is None:
            shelves.drop(tenant)
            return SearchResult(Shelf().search(lookup), Winners().read(rows, ()), (), rows).answer(lookup)
        answer = _found_in(held, version, rows, lookup).answer(lookup)
    shelves.trim(held)
    if distant is not None and version.worth_keeping:
        keep(keeper, tenant, held, version)  # other nodes want it too
    return answer


def _distant(keeper: Keeper) -> Distant | None:
    """The keeper where it is one that is far away."""
    return cast("Distant", keeper) if _can_glance(type(keeper)) else None


@cache
def _can_glance(kind: type[Keeper]) -> bool:
    # Looked at once: what a class offers does not change, and looking takes longer than a message to a file.
    return issubclass(kind, Distant)


@contextmanager
def _snapshot(keeper: Keeper, tenant: str, held: TenantShelf) -> Iterator[tuple[Transaction, ShelfVersion | None]]:
    """A snapshot of the tenant's rows and the shelf as of it; None for a stranger, of whom nothing is kept."""
    version = held.caught_up()
    if version is not None and version.is_of(held.newest):
        with keeper.begin(tenant, write=False) as rows:
            if version.is_of(rows.head()):
                yield rows, version
                return
    with ExitStack() as left:
        # What takes long is left to others right away, what is soon done only where somebody waits.
        with pacing.waiting() if version is None or pacing.PACE.queue else nullcontext(), held.lock:
            rows = left.enter_context(keeper.begin(tenant, write=False))
            head = rows.head()
            version = held.bring_to(rows, head) if head.change else None
        yield rows, version


def _found_in(held: TenantShelf, version: ShelfVersion, rows: Reading, lookup: Lookup) -> SearchResult:
    """What a search finds, with its memories; one that cannot be read is taken off the shelf, as if it were not there."""
    while True:
        hits = version.shelf.search(lookup)
        won = version.winners.read(rows, hits.keys, version.shelf.beside)
        found = SearchResult(hits, won, version.winners.read(rows, hits.core_keys).memories, rows)
        if all(found.memories) and all(found.core):
            return found
        keyed = zip((*hits.keys, *hits.core_keys), (*found.memories, *found.core), strict=True)
        version = held.without(version, [key for key, memory in keyed if memory is None])


def _glanced(keeper: Distant, tenant: str, held: TenantShelf, lookup: Lookup) -> SearchResult | None:
    """What a search finds; None where it takes a transaction: nothing in memory, something removed or broken, or no end to the changes."""
    for _ in range(_GLANCES):
        version = held.caught_up()
        if version is None:
            return None
        newest = held.newest
        behind = newest.epoch == version.epoch and newest.change > version.change
        if behind:
            found, rows = None, _glance(keeper, tenant, Glance(newest.epoch, newest.change, since=version.change))
        else:
            found, rows = _searched(keeper, tenant, version, lookup, newest.epoch)
        if found is not None and version.is_of(rows.head()):
            return None if None in (*found.memories, *found.core) else found
        if not held.follow(version, rows, known=behind):
            return None
    return None


def _searched(keeper: Distant, tenant: str, version: ShelfVersion, lookup: Lookup, epoch: int) -> tuple[SearchResult, Reading]:
    hits = version.shelf.search(lookup)
    keys = (*hits.keys, *hits.core_keys)
    missing = version.winners.missing(keys)
    rows = _glance(keeper, tenant, Glance(epoch, version.change, keys=keys, missing=missing, document=lookup.document))
    won, core = version.winners.read(rows, hits.keys), version.winners.read(rows, hits.core_keys).memories
    return SearchResult(hits, won, core, rows), rows


def _glance(keeper: Distant, tenant: str, wanted: Glance) -> Reading:
    with pacing.waiting():
        return keeper.glance(tenant, wanted)
