"""The single changes that tuning tries on a policy: a weight, the half-lives, the pools; each gives a whole policy."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from cued.model import CHANNELS
from cued.policy.adjust import slower
from cued.policy.spec import Channels, Policy

WEIGHTS = (0.0, 0.5, 2.0)
HALF_LIVES = (0.25, 0.5, 2.0, 4.0, 16.0)
POOLS = (0.5, 2.0)
FLOORS = tuple(round(0.05 * step, 2) for step in range(1, 20))
_MOST_WEIGHT, _MOST_POOL = 100.0, 10_000


class Move(Struct, frozen=True, kw_only=True):
    """A policy that differs from another in one thing."""

    name: str
    policy: Policy


def moves(policy: Policy) -> Iterator[Move]:
    """Every single move from this policy, except those of its floor."""
    yield from _weights(policy)
    yield from _legs(policy)
    yield from _half_lives(policy)
    yield from _pools(policy)


def with_floor(policy: Policy, floor: float | None) -> Policy:
    """The policy with another floor, on relevance."""
    on = policy.floor.on if floor == policy.floor.at else "relevance"
    return replace(policy, floor=replace(policy.floor, at=floor, on=on))


def widened(policy: Policy) -> Policy:
    """The policy with wider pools, so that its evidence can be narrowed to that of any pools that are tried."""
    return replace(policy, channels=_scaled_pools(policy, max(POOLS)))


def _weights(policy: Policy) -> Iterator[Move]:
    terms = policy.score.terms
    for place, term in enumerate(terms):
        for factor in WEIGHTS:
            if (factor == 0.0 and len(terms) == 1) or not term.weight or policy.score.combine == "product":
                continue
            new = replace(term, weight=max(-_MOST_WEIGHT, min(_MOST_WEIGHT, round(term.weight * factor, 6))))
            changed = (*terms[:place], new, *terms[place + 1 :])
            name = f"weight of {term.name or term.signal or place}"
            yield Move(name=name, policy=replace(policy, score=replace(policy.score, terms=changed)))


def _legs(policy: Policy) -> Iterator[Move]:
    if policy.fuse.how == "none":
        return
    for name in CHANNELS:
        if getattr(policy.channels, name) is not None:
            for factor in WEIGHTS[1:]:
                weights = {**policy.fuse.weights, name: round(policy.fuse.weights.get(name, 1.0) * factor, 6)}
                yield Move(name=f"weight of the {name} channel", policy=replace(policy, fuse=replace(policy.fuse, weights=weights)))


def _half_lives(policy: Policy) -> Iterator[Move]:
    for factor in HALF_LIVES:
        terms = tuple(slower(term, factor) for term in policy.score.terms)
        if terms != policy.score.terms:
            yield Move(name="half-life", policy=replace(policy, score=replace(policy.score, terms=terms)))


def _pools(policy: Policy) -> Iterator[Move]:
    for factor in POOLS:
        yield Move(name="pools", policy=replace(policy, channels=_scaled_pools(policy, factor)))


def _scaled_pools(policy: Policy, factor: float) -> Channels:
    scaled = {}
    for name in CHANNELS:
        rules = getattr(policy.channels, name)
        if rules is not None:
            more = {"per_limit": round(rules.per_limit * factor)} if getattr(rules, "per_limit", 0) else {}
            scaled[name] = replace(rules, pool=max(1, min(_MOST_POOL, round(rules.pool * factor))), **more)
    return replace(policy.channels, **scaled)
