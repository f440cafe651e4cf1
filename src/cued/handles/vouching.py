"""What a caller's word is worth: how far its memories are trusted, whether they are pinned, and what gives way to them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from cued.errors import NotFoundError, TrustError
from cued.model import DERIVED_FROM, UNVERIFIED, Conflict, Memory, Trust, lower_of, outranks

Get = Callable[[Sequence[str]], Sequence[Memory]]


class Denied(NamedTuple):
    """A supersession that was denied, because the older memory is more trusted."""

    new: Memory
    old: Memory


class Vouched(NamedTuple):
    """Memories with the trust that they deserve, notes on what was lowered, and supersessions that a person must decide on."""

    memories: list[Memory]
    notes: tuple[str, ...]
    denied: list[Denied]


def vouched(memories: Sequence[Memory], word: Trust, get: Get) -> Vouched:
    """These new memories, none more trusted than the caller or than what it was concluded from, and none that goes beyond that.

    What is unverified is not pinned, and what is more trusted than a memory does not give way to it: that becomes a conflict.
    """
    notes: dict[str, None] = {}
    lowered = [_lowered(memory, word, get, notes) for memory in memories]
    denied = _denied(lowered, get)
    if not denied:
        return Vouched(lowered, tuple(notes), denied)
    kept = {(each.new.id, each.old.id) for each in denied}
    allowed = [replace(m, supersedes=tuple(old for old in m.supersedes if (m.id, old) not in kept)) for m in lowered]
    return Vouched(allowed, tuple(notes), denied)


def refuse_touching(memories: Iterable[Memory], word: Trust) -> None:
    """Refuse to hide, erase or bring back what is more trusted than the caller."""
    _refuse_higher(memories, word, "hides it, erases it or brings it back", "let a {} do it")


def refuse_judging(memories: Iterable[Memory], word: Trust) -> None:
    """Refuse a verdict on what is more trusted than the caller."""
    _refuse_higher(memories, word, "says what it is good for", "let a {} or an agent say it")


def refuse_all_but_users(word: Trust, what: str) -> None:
    """Refuse what only a person may do."""
    if word != "user":
        raise TrustError(f"no {word}'s word {what}", "a person's: the `cued` command, or a token of trust user")


def with_denied(found: Sequence[Conflict], denied: Sequence[Denied]) -> tuple[Conflict, ...]:
    """The conflicts of denied supersessions, then those that were found, each old memory once."""
    from cued.conflicts.finding import choices  # noqa: PLC0415 - its words are loaded with the first conflict, not with `import cued`

    similar = {conflict.id: conflict.similarity for conflict in found}
    told: dict[str, Conflict] = {}
    for new, old in denied:
        reason = f"it comes from {old.trust} and this one from {new.trust}, so it does not give way unless a {old.trust} says so"
        similarity = similar.get(old.id, 0.0)
        told[old.id] = Conflict(id=old.id, type="update", similarity=similarity, text=old.text, reason=reason, choices=choices(new, old))
    return (*told.values(), *(conflict for conflict in found if conflict.id not in told))


def _refuse_higher(memories: Iterable[Memory], word: Trust, what: str, remedy: str) -> None:
    for memory in memories:
        if outranks(memory.trust, word):
            refused = f"memory {memory.id!r} comes from {memory.trust}, and no {word}'s word {what}"
            raise TrustError(refused, remedy.format(memory.trust), memory_id=memory.id)


def _lowered(memory: Memory, word: Trust, get: Get, notes: dict[str, None]) -> Memory:
    trust = lower_of(memory.trust, word)
    if trust != memory.trust:
        notes[f"trust: kept as {trust}, for whoever stores through this is no {memory.trust}"] = None
    sources = [edge.target for edge in memory.edges if edge.relation == DERIVED_FROM]
    for source in known(sources, get).values():
        if outranks(trust, source.trust):
            trust = source.trust
            notes[f"trust: kept as {trust}, as what it was derived from is ({source.id})"] = None
    tier = memory.tier
    if tier == "core" and trust in UNVERIFIED:
        tier = "fact"
        notes[f"tier: kept as fact, for what comes from {trust} is unverified and not pinned; `promote` it to user first"] = None
    return memory if (trust, tier) == (memory.trust, memory.tier) else replace(memory, trust=trust, tier=tier)


def _denied(memories: Sequence[Memory], get: Get) -> list[Denied]:
    # Nothing outranks a user, so that those who speak for users read nothing.
    claiming = [memory for memory in memories if memory.supersedes and memory.trust != "user"]
    if not claiming:
        return []
    together = {memory.id: memory for memory in memories}
    elsewhere = known([old for memory in claiming for old in memory.supersedes if old not in together], get)
    all_known = {**elsewhere, **together}
    pairs = ((memory, all_known[old]) for memory in claiming for old in memory.supersedes if old in all_known)
    return [Denied(new, old) for new, old in pairs if outranks(old.trust, new.trust)]


def known(memory_ids: Sequence[str], get: Get) -> Mapping[str, Memory]:
    """Those of the memories that are stored, by id."""
    found: dict[str, Memory] = {}
    for memory_id in dict.fromkeys(memory_ids):
        try:
            found[memory_id] = get([memory_id])[0]
        except NotFoundError:
            continue
    return found
