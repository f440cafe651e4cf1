"""The words that the nouns are made of: what a memory, a gate, a channel or an outcome can be."""

from datetime import UTC, datetime
from typing import Literal, get_args

Kind = Literal["semantic", "episodic", "procedural", "reflection"]
Tier = Literal["core", "fact", "reflection", "episode"]
Trust = Literal["user", "agent", "tool", "import"]
Intent = Literal["past", "present", "neutral"]
Outcome = Literal["recalled", "nothing_stored", "all_gated", "nothing_matched", "below_floor", "omitted"]
ChannelName = Literal["lexical", "dense", "entity", "temporal"]
Gate = Literal["forgotten", "quarantine", "scope", "as_of", "expiry", "validity", "supersession", "provenance", "trust", "kinds", "tags"]
HiddenState = Literal["forgotten", "superseded", "expired"]
Order = Literal["written", "used", "importance", "kind", "tier", "trust", "scope", "session", "chance"]
"""What a listing goes by; `chance` has nothing to do with what a memory is, so that its first page is a sample of the whole."""
ConflictType = Literal["duplicate", "update", "negation", "related"]

KINDS: tuple[Kind, ...] = get_args(Kind)
TIERS: tuple[Tier, ...] = get_args(Tier)
TRUSTS: tuple[Trust, ...] = get_args(Trust)
"""From the most trusted down."""
VectorShape = Literal["float32", "float16", "int8"]
"""How a store keeps vectors: exact, in half, or in a quarter of the space."""
VECTOR_SHAPES: tuple[VectorShape, ...] = get_args(VectorShape)
UNVERIFIED: frozenset[Trust] = frozenset({"tool", "import"})
"""Where what nobody has vouched for comes from."""
CHANNELS: tuple[ChannelName, ...] = get_args(ChannelName)
GATES: tuple[Gate, ...] = get_args(Gate)
GLOBAL = "global"
OWN_TENANT = " "
"""Under this name a store keeps what is nobody's memory, such as tokens; no tenant is called so, for a name has more than white space."""
POLICY_DOCUMENT = "policy"
"""The document of a tenant that has the policies which were learnt or saved for it, as `insight.learnt` reads it."""
LABELS_DOCUMENT = "labels"
"""The document of a tenant that has what a person has said of its recalls."""
DERIVED_FROM = "derived_from"
MERGED = "merged"
DISTINCT = "distinct"

Scalar = str | int | float | bool | None

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_TIME = datetime.min.replace(tzinfo=UTC)
"""The `now` of a cue that does not say when it is; the clock does."""


def outranks(one: Trust, other: Trust) -> bool:
    """Whether one trust is higher than another."""
    return TRUSTS.index(one) < TRUSTS.index(other)


def lower_of(one: Trust, other: Trust) -> Trust:
    """The lower of two trusts."""
    return other if outranks(one, other) else one
