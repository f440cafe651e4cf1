"""What a caller may change for one recall without writing a policy: limit, floor, budget, window, compaction, recency, decay, channels."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Final, Literal, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import CHANNELS, ChannelName
from cued.policy.spec import Policy, Share, Term

_LONGEST = timedelta(days=3650)
_SHORTEST = timedelta(seconds=1)
Number = TypeVar("Number", int, float)
Count = Annotated[int, Meta(ge=1)]
Tokens = Annotated[int, Meta(ge=1, le=1_000_000)]
Window = Annotated[int, Meta(ge=1, le=100_000_000)]
FloorName = Literal["eager", "balanced", "strict"]
HEIGHTS: Final[dict[FloorName, float]] = {"eager": 0.5, "balanced": 0.7, "strict": 0.9}
"""The relevance that each named floor asks for; what it answers and what it lets through is measured (docs/flow/floor.md)."""


class Adjustment(Struct, frozen=True, kw_only=True):
    """What one recall changes of its policy; None keeps what the policy says."""

    limit: Annotated[Count | None, Meta(description="At most so many memories.")] = None
    floor: Annotated[
        Share | FloorName | None, Meta(description="The least relevance that may speak: from 0 to 1, or eager, balanced or strict.")
    ] = None
    budget_tokens: Annotated[Tokens | None, Meta(description="At most so many tokens in the block.")] = None
    window_tokens: Annotated[Window | None, Meta(description="The model's window; memories take a quarter at most.")] = None
    compact: Annotated[bool | None, Meta(description="What does not fit is shortened, not left out.")] = None
    recency_weight: Annotated[Share | None, Meta(description="From 0 to 1, for policies that trade recency.")] = None
    decay: Annotated[bool | None, Meta(description="Whether memories fade with time.")] = None
    without: Annotated[tuple[ChannelName, ...], Meta(description="Shut this channel.")] = ()


def adjust(policy: Policy, change: Adjustment) -> Policy:
    """The policy with what this recall changes of it; a number outside the policy's own bounds is refused."""
    score, floor, budget, channels, settle = policy.score, policy.floor, policy.budget, policy.channels, policy.settle
    if change.limit is not None:
        budget = replace(budget, limit=_within("limit", change.limit, 1, budget.limit_max))
    if change.budget_tokens is not None:
        budget = replace(budget, tokens=_within("budget", change.budget_tokens, 1, 1_000_000))
    if change.window_tokens is not None:
        budget = replace(budget, window=_within("window", change.window_tokens, 1, 100_000_000))
    if change.compact is not None:
        budget = replace(budget, overflow="compact" if change.compact else "omit")
    if change.floor is not None:
        floor = replace(floor, at=_height(change.floor, policy))
    if change.recency_weight is not None:
        score = replace(score, recency_weight=_within("recency_weight", change.recency_weight, 0.0, 1.0))
        # what is said for this recall overrules what was learnt from the others
        settle = replace(settle, adapt="none")
    if change.decay is not None:
        score = replace(score, decay=change.decay)
    channels = replace(channels, **dict.fromkeys(_known_channels(change.without), None))
    return replace(policy, score=score, floor=floor, budget=budget, channels=channels, settle=settle)


def _height(floor: float | FloorName, policy: Policy) -> float:
    """The floor as a number; a name says how relevant, so it is refused where the policy's floor looks at something else."""
    if not isinstance(floor, str):
        return _within("floor", floor, 0.0, 1.0)
    if floor not in HEIGHTS or policy.floor.on != "relevance":
        names = f", or {', '.join(HEIGHTS)}" if policy.floor.on == "relevance" else f", since this policy's floor is on {policy.floor.on}"
        raise InputError("floor", floor, f"a number from 0 to 1{names}")
    return HEIGHTS[floor]


def slower(term: Term, factor: float) -> Term:
    """The term with everything that fades in it fading so many times slower; what hardly fades at all, or at once, goes no further."""
    changed: dict[str, object] = {name: tuple(slower(each, factor) for each in getattr(term, name)) for name in ("sum", "product")}
    for name in ("half_life", "tau"):
        value: timedelta | None = getattr(term, name)
        if value is not None:
            changed[name] = min(_LONGEST, max(_SHORTEST, timedelta(seconds=round(value.total_seconds() * factor))))
    if term.rate_per_day is not None:
        changed["rate_per_day"] = term.rate_per_day / factor
    if term.per_hour is not None:
        changed["per_hour"] = min(0.999999, term.per_hour ** (1 / factor))
    return replace(term, **changed)


def _within(field: str, value: Number, low: Number, high: Number) -> Number:
    kinds = int if isinstance(low, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise InputError(field, value, f"a {'whole ' if kinds is int else ''}number from {low} to {high}")
    return value


def _known_channels(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if name not in CHANNELS:
            raise InputError("without", name, f"channels: {', '.join(CHANNELS)}")
    return names
