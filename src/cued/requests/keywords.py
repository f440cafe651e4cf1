"""The same fields as keywords of the handle's verbs, for type checkers: a misspelt one is found before anything runs.

A test holds each against its request. Keywords take more than JSON can say: any sequence, a datetime, a function.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from cued.model import ChannelName, HiddenState, Intent, Kind, Memory, Order, Outcome, Scalar, Tier, Trust
from cued.policy.adjust import FloorName

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray


class RecallOptions(TypedDict, total=False):
    """What one recall may say beside its cue: the rest of the cue, what it changes of the policy, its own `now` and a `boost`.

    A `vector` is the cue as the caller has embedded it, by the embedder in use or by the one that the `fingerprint` names.
    """

    goal: str
    step: str
    open_questions: Sequence[str]
    scope: str
    tags: Sequence[str]
    kinds: Sequence[Kind] | Kind
    trusts: Sequence[Trust] | Trust
    as_of: datetime | str | None
    intent: Intent | None
    present: Sequence[str]
    conversation: str
    limit: int | None
    floor: float | FloorName | None
    budget_tokens: int | None
    window_tokens: int | None
    compact: bool | None
    recency_weight: float | None
    decay: bool | None
    without: Sequence[ChannelName]
    now: datetime | str
    boost: Callable[[Memory], float] | None
    vector: "Sequence[float] | NDArray[floating] | None"
    fingerprint: str | None


class Facts(TypedDict, total=False):
    """What may be said of a new memory beside its text."""

    id: str | None
    kind: Kind
    tier: Tier | None
    scope: str
    tags: Sequence[str]
    entities: Sequence[str] | None
    importance: float
    weight: float
    trust: Trust
    quarantine: bool
    session: str | None
    turn: int | None
    speaker: str | None
    url: str | None
    meta: Mapping[str, Scalar]
    at: datetime | str | None
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    ttl: str | float | timedelta | None
    supersedes: Sequence[str] | str
    derived_from: Sequence[str] | str
    edges: Sequence[tuple[str, str]]
    vector: "Sequence[float] | NDArray[floating] | None"
    fingerprint: str | None


class Changes(TypedDict, total=False):
    """What may be changed of a memory; None takes a time away."""

    text: str
    kind: Kind
    tier: Tier
    scope: str
    tags: Sequence[str]
    importance: float
    weight: float
    trust: Trust
    meta: Mapping[str, Scalar]
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    ttl: str | float | timedelta | None
    supersedes: Sequence[str] | str


class Wanted(TypedDict, total=False):
    """Which memories a listing shows, and which page of them."""

    scope: str | None
    kinds: Sequence[Kind] | Kind
    tiers: Sequence[Tier] | Tier
    trusts: Sequence[Trust] | Trust
    quarantined: bool | None
    tags: Sequence[str]
    meta: Mapping[str, Scalar]
    session: str | None
    since: datetime | str | None
    until: datetime | str | None
    hidden: bool
    state: HiddenState | None
    contains: str
    order_by: Order
    oldest_first: bool
    limit: int
    after: str | None


class LogOptions(TypedDict, total=False):
    """Which lines of the recall log are wanted."""

    since: datetime | str | None
    until: datetime | str | None
    outcome: Outcome | None
    policy: str | None
    recall_id: str | None
    limit: int
    oldest_first: bool
    content: bool


class MapOptions(TypedDict, total=False):
    """Which memories are laid out, and what among them."""

    scope: str | None
    kinds: Sequence[Kind] | Kind
    text: str
    also: Sequence[str]
    limit: int
