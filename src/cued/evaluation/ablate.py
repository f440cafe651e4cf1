"""What each part of a policy adds: the policy without it, measured on the same questions."""

from collections.abc import Iterator

from msgspec.structs import replace

from cued.evaluation.ranking import Variant, relevance_columns
from cued.model import CHANNELS
from cued.policy.spec import Diversify, Policy, Term


def variants(policy: Policy, *, fingerprint: str | None) -> tuple[Variant, ...]:
    """The policy without each channel, neighbour, score term and relevance column in turn, where it has more than the one."""
    return tuple(
        Variant(name=_name(policy, part), policy=changed, without=column) for part, changed, column in _lessened(policy, fingerprint)
    )


def part_of(name: str, policy: Policy) -> str | None:
    """The part that a variant of this policy lacks, None for any other name."""
    start = _name(policy, "")
    return name.removeprefix(start) if name.startswith(start) else None


def _name(policy: Policy, part: str) -> str:
    return f"{policy.name} without {part}"


def _lessened(policy: Policy, fingerprint: str | None) -> Iterator[tuple[str, Policy, str]]:
    channels, terms = policy.channels, policy.score.terms
    opened = [name for name in CHANNELS if getattr(channels, name) is not None]
    for name in opened:
        if len(opened) > 1:
            yield f"channel {name}", replace(policy, channels=replace(channels, **{name: None})), ""
    if channels.context:
        yield "candidates' neighbours", replace(policy, channels=replace(channels, context=0)), ""
    if policy.fuse.how == "sum" and policy.fuse.neighbours:
        yield "neighbours' support", replace(policy, fuse=replace(policy.fuse, neighbours=0.0)), ""
    for term in terms:
        if len(terms) > 1:
            kept = tuple(other for other in terms if other is not term)
            yield f"term {term.name or term.signal}", replace(policy, score=replace(policy.score, terms=kept)), ""
    if policy.diversify != Diversify():
        yield "diversify", replace(policy, diversify=Diversify()), ""
    if any(_signals(term) & {"relevance", "log_odds"} for term in terms):
        for column in relevance_columns(policy, fingerprint):
            yield f"relevance column {column}", policy, column


def _signals(term: Term) -> frozenset[str]:
    nested = (_signals(part) for part in (*term.sum, *term.product))
    return frozenset({term.signal} if term.signal else ()).union(*nested)
