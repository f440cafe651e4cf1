"""What would have to change for a memory to pass the gate that keeps it out, in words."""

from collections.abc import Callable

from msgspec.structs import replace

from cued.model import NOBODY, Gate, Lookup, Memory, Supersession
from cued.stores.standing.facts import sources_of
from cued.stores.standing.judging import Judgement, table

SWEPT = "a memory whose time ran out"
"""What is said in place of the id of one that is no longer stored."""


def change_of(judged: Judgement, memory_id: str) -> str:
    """What would have to change for a memory to pass the gate that strikes it; "" for one that stands."""
    gate = judged.gate(memory_id)
    return "" if gate is None else _CHANGES[gate](judged, judged.memories[memory_id])


def _supersession(judged: Judgement, memory: Memory) -> str:
    by = _superseding(memory, judged.lookup)[-1].by
    if by == NOBODY:
        return f"it gave way to {SWEPT}; remembering it anew brings it back"
    return f"it gave way to {by}; forgetting that one brings it back"


def _superseding(memory: Memory, lookup: Lookup) -> list[Supersession]:
    """The supersessions that hold where and when the lookup looks: the memory judged with one of them at a time."""
    alone = table([replace(memory, superseded=(each,)) for each in memory.superseded])
    return [each for each, holds in zip(memory.superseded, alone.struck(lookup, "supersession"), strict=True) if holds]


def _provenance(judged: Judgement, memory: Memory) -> str:
    """What has become of each source that counts, and what would let the reflection speak again."""
    counting = [each for each in sources_of(memory) if each in judged.memories and "as_of" not in judged.strikes[each]]
    told = ", ".join(f"{source} ({_fallen(judged, source)})" for source in counting)
    return f"all that it was derived from has fallen: {told}; it speaks again once one of them is back, or once it is remembered anew"


def _fallen(judged: Judgement, source: str) -> str:
    if "forgotten" in judged.strikes[source]:
        return "forgotten"
    if "quarantine" in judged.strikes[source]:
        return "in quarantine"
    marks = _superseding(judged.memories[source], judged.lookup)
    return f"superseded by {marks[-1].by or SWEPT}" if marks else "its own sources are gone"


def _validity(judged: Judgement, memory: Memory) -> str:
    ends = [f"{word} {at:%Y-%m-%d %H:%M}" for word, at in (("from", memory.valid_from), ("until", memory.valid_until)) if at is not None]
    return f"it holds {' '.join(ends)}, and the cue asks about {judged.lookup.at:%Y-%m-%d %H:%M}"


def _tags(judged: Judgement, memory: Memory) -> str:
    return f"it lacks the tags {', '.join(sorted(set(judged.lookup.tags) - set(memory.tags)))}"


_CHANGES: dict[Gate, Callable[[Judgement, Memory], str]] = {
    "forgotten": lambda *_: "restoring it (`forget --undo`) brings it back",
    "quarantine": lambda _, m: f"it has been in quarantine since {m.quarantined_at:%Y-%m-%d %H:%M}; a person's `promote` lets it out",
    "scope": lambda judged, m: f"it belongs to scope {m.scope!r}, the cue looks in {judged.lookup.scope!r}",
    "as_of": lambda judged, m: f"it was written {m.created_at:%Y-%m-%d %H:%M}, after {judged.lookup.at:%Y-%m-%d %H:%M}",
    "expiry": lambda _, m: f"it expired {m.expires_at:%Y-%m-%d %H:%M}; `update --ttl` gives it a new term",
    "validity": _validity,
    "supersession": _supersession,
    "provenance": _provenance,
    "trust": lambda judged, m: f"it comes from {m.trust}, and only {' or '.join(judged.lookup.trusts)} may speak here",
    "kinds": lambda judged, m: f"it is {m.kind}, the cue asks for {', '.join(judged.lookup.kinds)}",
    "tags": _tags,
}
