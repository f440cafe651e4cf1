"""What a caller may change for one recall without writing a policy: limit, floor, budget, window, compaction, recency, decay, channels."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import CHANNELS, ChannelName
from cued.policy.spec import Policy

Number = TypeVar("Number", int, float)


class Adjustment(Struct, frozen=True, kw_only=True):
    """One recall's own wishes; None keeps what the policy says."""

    limit: int | None = None
    floor: float | None = None
    budget_tokens: int | None = None
    window_tokens: int | None = None
    compact: bool | None = None
    recency_weight: float | None = None
    decay: bool | None = None
    without: tuple[ChannelName, ...] = ()


def adjust(policy: Policy, wish: Adjustment) -> Policy:
    """The policy with the adjustment made; what lies outside the policy's own bounds is refused."""
    if wish == _NOTHING:
        return policy
    score, floor, budget, channels, settle = policy.score, policy.floor, policy.budget, policy.channels, policy.settle
    if wish.limit is not None:
        budget = replace(budget, limit=_within("limit", wish.limit, 1, budget.limit_max))
    if wish.budget_tokens is not None:
        budget = replace(budget, tokens=_within("budget", wish.budget_tokens, 1, 1_000_000))
    if wish.window_tokens is not None:
        budget = replace(budget, window=_within("window", wish.window_tokens, 1, 100_000_000))
    if wish.compact is not None:
        budget = replace(budget, overflow="compact" if wish.compact else "omit")
    if wish.floor is not None:
        floor = replace(floor, at=_within("floor", wish.floor, 0.0, 1.0))
    if wish.recency_weight is not None:
        score = replace(score, recency_weight=_within("recency_weight", wish.recency_weight, 0.0, 1.0))
        # what is said for this recall overrules what was learnt from the others
        settle = replace(settle, adapt="none")
    if wish.decay is not None:
        score = replace(score, decay=wish.decay)
    channels = replace(channels, **dict.fromkeys(_known_channels(wish.without), None))
    return replace(policy, score=score, floor=floor, budget=budget, channels=channels, settle=settle)


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


_NOTHING = Adjustment()
