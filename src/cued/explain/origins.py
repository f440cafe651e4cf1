"""What memories rest on, read through the store's port: those of given ids, and all that reflections were derived from."""

from collections.abc import Iterable
from functools import partial
from itertools import islice

from cued.model import Memory
from cued.ports import Store
from cued.stores.gone_ids import with_those_left
from cued.stores.standing.facts import sources_of

_AT_ONCE = 100
"""How many memories are asked for at once; a batch is read again for each of its ids that is not stored."""


def found(store: Store, tenant: str, memory_ids: Iterable[str]) -> dict[str, Memory]:
    """The memories of these ids, by id; what is not stored is left out."""
    known: dict[str, Memory] = {}
    rest = iter(dict.fromkeys(memory_ids))
    while batch := list(islice(rest, _AT_ONCE)):
        stored, _ = with_those_left(batch, partial(store.get, tenant))
        known |= {memory.id: memory for memory in stored or ()}
    return known


def with_origins(store: Store, tenant: str, memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """These memories and all that they rest on, through other reflections too; each is read once, whatever leans on it."""
    known = {memory.id: memory for memory in memories}
    asked = set(known)
    level = list(known.values())
    while level:
        wanted = dict.fromkeys(source for memory in level for source in sources_of(memory) if source not in asked)
        asked.update(wanted)
        level = list(found(store, tenant, wanted).values())
        known |= {memory.id: memory for memory in level}
    return tuple(known.values())
