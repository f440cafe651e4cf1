"""What memories rest on, read through the store's port: those of given ids, and all that reflections were derived from."""

from collections.abc import Iterable, Iterator
from itertools import islice

from cued.errors import NotFoundError
from cued.model import Memory
from cued.ports import Store
from cued.stores.standing.facts import sources_of

_AT_ONCE = 100
"""How many memories are asked for at once; a batch is read again for each of its ids that is not stored."""


def found(store: Store, tenant: str, memory_ids: Iterable[str]) -> dict[str, Memory]:
    """The memories of these ids, by id; what is not stored is left out."""
    known: dict[str, Memory] = {}
    rest = iter(dict.fromkeys(memory_ids))
    while batch := list(islice(rest, _AT_ONCE)):
        known |= {memory.id: memory for memory in _stored(store, tenant, batch)}
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


def _stored(store: Store, tenant: str, memory_ids: list[str]) -> Iterator[Memory]:
    gone: set[str] = set()
    while left := [memory_id for memory_id in memory_ids if memory_id not in gone]:
        try:
            yield from store.get(tenant, left)
        except NotFoundError as error:
            if error.memory_id not in left:
                raise
            gone.add(error.memory_id)
        else:
            return
