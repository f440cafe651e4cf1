"""arc: whether a tenant's traffic asks for what is recent or for what is frequent, learnt from ghost hits.

The adaptive replacement cache of Megiddo & Modha (FAST 2003), over memory ids. Nothing is cached here and nothing is evicted from the
store: the lists only watch which memories come back. One that comes back soon after it left the recent list says that the list was too
short, so recency deserves more; one that comes back after it left the frequent list says the same of frequency.
"""

from datetime import datetime
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from cued.policy.spec import Policy

DOCUMENT = "arc"
"""The name under which a tenant's lists are kept."""

_MARK_BYTES = 8
"""Enough that no two of a tenant's ids share a mark: of a hundred million two do once in some thousand tenants."""

Ids = tuple[str, ...]


class Arc(Struct, frozen=True, kw_only=True):
    """The four lists, newest first, and the share of `size` that the recent list should have.

    `recent` was seen once and `frequent` at least twice; the ghosts are what each of them has let go of.
    """

    size: Annotated[int, Meta(ge=1)]
    target: Annotated[float, Meta(ge=0.0)] = 0.0
    recent: Ids = ()
    frequent: Ids = ()
    recent_ghosts: Ids = ()
    frequent_ghosts: Ids = ()


class Learnt(Struct, frozen=True):
    """What a tenant's document says: the lists, of marks in place of ids, and when each was last counted."""

    arc: Arc
    counted_at: dict[str, datetime]


def start(size: int, share: float) -> Arc:
    """Empty lists whose balance is `share`.

    The paper starts at 0. Here the start is the policy's own recency weight, so that switching adaptation on changes nothing until
    traffic does; a policy that says nothing has weight 0, which is the paper's start.
    """
    return Arc(size=size, target=share * size)


def balance(arc: Arc) -> float:
    """The share of recency, target/size, in [0, 1]: 1 is all recency, 0 all frequency."""
    return min(1.0, arc.target / arc.size)


def access(arc: Arc, memory_id: str) -> Arc:
    """The lists after one access, by the four cases of the paper's figure 4."""
    if memory_id in arc.recent or memory_id in arc.frequent:
        return _promoted(arc, memory_id)
    ones, twos = len(arc.recent_ghosts), len(arc.frequent_ghosts)
    if memory_id in arc.recent_ghosts:
        raised = replace(arc, target=min(arc.target + max(1.0, twos / ones), float(arc.size)))
        return _promoted(_replaced(raised, memory_id), memory_id)
    if memory_id in arc.frequent_ghosts:
        lowered = replace(arc, target=max(arc.target - max(1.0, ones / twos), 0.0))
        return _promoted(_replaced(lowered, memory_id), memory_id)
    roomy = _with_room(arc, memory_id)
    return replace(roomy, recent=(memory_id, *roomy.recent))


def learn(document: bytes | None, *, chosen: Ids, policy: Policy, now: datetime) -> bytes:
    """The tenant's document after a recall that chose these ids, in their order.

    An id that was counted within the refresh floor is passed over, so a loop of identical recalls drives nothing; the times are kept
    beside the lists, because recalls in a loop are answered before the touches of the first are written.
    """
    rules = policy.settle
    before = _read(document) or Learnt(start(rules.ghosts, policy.score.recency_weight), {})
    # other lengths than before: the balance that was learnt is kept, the lists start anew
    arc = before.arc if before.arc.size == rules.ghosts else start(rules.ghosts, balance(before.arc))
    times = dict(before.counted_at)
    for each in map(mark, dict.fromkeys(chosen)):
        if each not in times or now - times[each] >= rules.refresh_floor:
            arc = access(arc, each)
            times[each] = now
    return msgspec.json.encode(Learnt(arc, {each: times[each] for each in _listed(arc)}))


def learnt_balance(document: bytes | None, policy: Policy) -> float | None:
    """The balance that a recall under this policy should use; None where it does not adapt or nothing is learnt yet."""
    learnt = _read(document) if policy.settle.adapt == "arc" else None
    return None if learnt is None else balance(learnt.arc)


def mark(memory_id: str) -> str:
    """What stands for an id in the document, which outlives memories: one that is erased must not be named in it."""
    return blake2b(memory_id.encode(), digest_size=_MARK_BYTES).hexdigest()


def _promoted(arc: Arc, memory_id: str) -> Arc:
    """The lists with the id in front of the frequent one, and nowhere else."""
    return replace(
        arc,
        recent=_without(arc.recent, memory_id),
        frequent=(memory_id, *_without(arc.frequent, memory_id)),
        recent_ghosts=_without(arc.recent_ghosts, memory_id),
        frequent_ghosts=_without(arc.frequent_ghosts, memory_id),
    )


def _with_room(arc: Arc, memory_id: str) -> Arc:
    """The lists with room for an id that is on none of them."""
    total = len(_listed(arc))
    if len(arc.recent) == arc.size:
        return replace(arc, recent=arc.recent[:-1])
    if len(arc.recent) + len(arc.recent_ghosts) == arc.size:
        return _replaced(replace(arc, recent_ghosts=arc.recent_ghosts[:-1]), memory_id)
    if total < arc.size:
        return arc
    if total == 2 * arc.size:
        arc = replace(arc, frequent_ghosts=arc.frequent_ghosts[:-1])
    return _replaced(arc, memory_id)


def _replaced(arc: Arc, memory_id: str) -> Arc:
    """The lists with the oldest of the recent or of the frequent made a ghost, whichever is over its target."""
    length = len(arc.recent)
    if arc.recent and (length > arc.target or (length == arc.target and memory_id in arc.frequent_ghosts)):
        return replace(arc, recent=arc.recent[:-1], recent_ghosts=(arc.recent[-1], *arc.recent_ghosts))
    return replace(arc, frequent=arc.frequent[:-1], frequent_ghosts=(arc.frequent[-1], *arc.frequent_ghosts))


def _without(ids: Ids, memory_id: str) -> Ids:
    return tuple(each for each in ids if each != memory_id) if memory_id in ids else ids


def _listed(arc: Arc) -> Ids:
    return (*arc.recent, *arc.frequent, *arc.recent_ghosts, *arc.frequent_ghosts)


def _read(document: bytes | None) -> Learnt | None:
    """What the document says; one that cannot be read or is at odds with itself says nothing, for traffic teaches it again."""
    if document is None:
        return None
    try:
        learnt = _DECODER.decode(document)
    except (msgspec.DecodeError, RecursionError):
        return None
    return learnt if _sound(learnt.arc) and set(learnt.counted_at) == set(_listed(learnt.arc)) else None


def _sound(arc: Arc) -> bool:
    """Whether the lists obey the paper's bounds: each id once, live ≤ c, recent with ghosts ≤ c, all ≤ 2c, ghosts only when full."""
    listed, live = _listed(arc), len(arc.recent) + len(arc.frequent)
    return (
        arc.target <= arc.size
        and len(set(listed)) == len(listed) <= 2 * arc.size
        and len(arc.recent) + len(arc.recent_ghosts) <= arc.size
        and live <= arc.size
        and (live == arc.size or live == len(listed))
    )


_DECODER = msgspec.json.Decoder(Learnt)
