"""Which gate kept a memory out of a lookup, told from the memory itself, and what would have to change for it to pass."""

from collections.abc import Callable, Iterable
from datetime import datetime

from cued.errors import NotFoundError
from cued.model import DERIVED_FROM, GLOBAL, Gate, Lookup, Memory, Supersession
from cued.ports import Store

Known = dict[str, Memory]


def change_of(gate: Gate, memory: Memory, lookup: Lookup, known: Known) -> str:
    """Give what would have to change for this gate to let the memory pass."""
    return _lost(memory, lookup, known) if gate == "provenance" else _CHANGES[gate](memory, lookup)


def gate_of(memory: Memory, lookup: Lookup, known: Known) -> Gate | None:
    """Give the first gate that strikes this memory in this lookup, or None; `known` are its origins, by id."""
    at = lookup.at
    strikes: dict[Gate, Callable[[], bool]] = {
        "forgotten": lambda: _forgotten(memory, lookup),
        "scope": lambda: memory.scope not in {GLOBAL, lookup.scope},
        "as_of": lambda: lookup.as_of and memory.created_at > at,
        "expiry": lambda: memory.expires_at is not None and memory.expires_at <= at,
        "validity": lambda: not _valid(memory, at),
        "supersession": lambda: bool(_superseding(memory, lookup)),
        "provenance": lambda: memory.id in lost({**known, memory.id: memory}, lookup),
        "kinds": lambda: bool(lookup.kinds) and memory.kind not in lookup.kinds,
        "tags": lambda: not set(lookup.tags) <= set(memory.tags),
    }
    return next((gate for gate, struck in strikes.items() if struck()), None)


def origins(memory: Memory, tenant: str, store: Store) -> Known:
    """Give all that a reflection rests on, through other reflections too, by id; what is no longer stored is left out."""
    known: Known = {}
    asked = {memory.id}
    wanted = sources(memory)
    while wanted := [each for each in wanted if each not in asked]:
        asked.update(wanted)
        found = _stored(wanted, tenant, store)
        known |= {each.id: each for each in found}
        wanted = [source for each in found for source in sources(each)]
    return known


def sources(memory: Memory) -> list[str]:
    """Give what a reflection was derived from; what other memories were makes no difference to any gate."""
    return [edge.target for edge in memory.edges if edge.relation == DERIVED_FROM] if memory.kind == "reflection" else []


def lost(known: Known, lookup: Lookup) -> set[str]:
    """Give the ids of the reflections whose every stored source is forgotten, superseded or lost itself, as the stores' gate does."""
    down = {each.id for each in known.values() if _forgotten(each, lookup) or _superseding(each, lookup)}
    found: set[str] = set()
    while more := {each.id for each in known.values() if each.id not in found and _rests_on_none(each, known, down)}:
        found |= more
        down |= more
    return found


def _rests_on_none(memory: Memory, known: Known, down: set[str]) -> bool:
    left = [source for source in sources(memory) if source in known]
    return bool(left) and down.issuperset(left)


def _stored(memory_ids: Iterable[str], tenant: str, store: Store) -> list[Memory]:
    found: list[Memory] = []
    for memory_id in dict.fromkeys(memory_ids):
        try:
            found += store.get(tenant, [memory_id])
        except NotFoundError:
            continue
    return found


def _forgotten(memory: Memory, lookup: Lookup) -> bool:
    return memory.forgotten_at is not None and (not lookup.as_of or memory.forgotten_at <= lookup.at)


def _superseding(memory: Memory, lookup: Lookup) -> list[Supersession]:
    """Give the supersessions that hold where and when the lookup looks."""
    return [mark for mark in memory.superseded if mark.scope in {None, lookup.scope} and _holds(mark, lookup)]


def _holds(mark: Supersession, lookup: Lookup) -> bool:
    """Tell whether a supersession strikes; what was lifted counts only for those who ask as of a time before."""
    return mark.at <= lookup.at and (mark.lifted_at is None or (lookup.as_of and lookup.at < mark.lifted_at))


def _valid(memory: Memory, at: datetime) -> bool:
    return (memory.valid_from is None or memory.valid_from <= at) and (memory.valid_until is None or at < memory.valid_until)


def _lost(memory: Memory, lookup: Lookup, known: Known) -> str:
    """Give what has become of all that a reflection was derived from, and what would let it speak again."""
    told = ", ".join(f"{source} ({_fallen(known[source], lookup)})" for source in sources(memory) if source in known)
    return f"all that it was derived from has fallen: {told}; it speaks again once one of them is back, or once it is remembered anew"


def _fallen(memory: Memory, lookup: Lookup) -> str:
    if _forgotten(memory, lookup):
        return "forgotten"
    marks = _superseding(memory, lookup)
    return f"superseded by {marks[-1].by}" if marks else "its own sources are gone"


_CHANGES: dict[Gate, Callable[[Memory, Lookup], str]] = {
    "forgotten": lambda _m, _: "restoring it (`forget --undo`) brings it back",
    "scope": lambda m, lookup: f"it belongs to scope {m.scope!r}, the cue looks in {lookup.scope!r}",
    "as_of": lambda m, lookup: f"it was written {m.created_at:%Y-%m-%d}, after {lookup.at:%Y-%m-%d}",
    "expiry": lambda m, _: f"it expired {m.expires_at:%Y-%m-%d %H:%M}; `update --ttl` gives it a new term",
    "validity": lambda m, _: f"it holds from {m.valid_from or 'ever'} until {m.valid_until or 'ever'}",
    "supersession": lambda m, lookup: f"it gave way to {_superseding(m, lookup)[-1].by}; forgetting that one brings it back",
    "kinds": lambda m, lookup: f"it is {m.kind}, the cue asks for {', '.join(lookup.kinds)}",
    "tags": lambda m, lookup: f"it lacks the tags {', '.join(sorted(set(lookup.tags) - set(m.tags)))}",
}
