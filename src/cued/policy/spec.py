"""What a policy may say: one struct a stage, each field with its range and the only default it has anywhere.

A field's name here is its key in the TOML. Presets in `presets/` state what they change and nothing else.
"""

from datetime import timedelta
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from cued.model import ChannelName

Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Positive = Annotated[float, Meta(gt=0.0, le=10_000.0)]
NotNegative = Annotated[float, Meta(ge=0.0, le=100.0)]
Count = Annotated[int, Meta(ge=1, le=10_000)]
Tokens = Annotated[int, Meta(ge=1, le=100_000_000)]
Weight = Annotated[float, Meta(ge=-100.0, le=100.0)]
Number = Annotated[float, Meta(ge=-1_000_000.0, le=1_000_000.0)]

Over = Literal["utterance", "state", "cue"]
Since = Literal["created", "updated", "last_used"]
Normalise = Literal["none", "minmax", "max"]
Combine = Literal["sum", "product"]
Fusing = Literal["none", "rrf", "sum"]
FloorOn = Literal["relevance", "score", "similarity"]
FormName = Literal["text", "markdown", "xml", "json"]
Overflow = Literal["omit", "compact"]
Adapt = Literal["none", "arc"]

SIGNALS: dict[str, frozenset[str]] = {
    "similarity": frozenset(),
    "bm25": frozenset(),
    "coverage": frozenset(),
    "entities": frozenset(),
    "window": frozenset(),
    "fused": frozenset(),
    "relevance": frozenset(),
    "log_odds": frozenset(),
    "note_words": frozenset(),
    "recency": frozenset({"half_life", "tau", "rate_per_day", "per_hour", "since", "stretch"}),
    "decay": frozenset({"rate_per_day", "since", "full_at"}),
    "activation": frozenset({"exponent", "unit"}),
    "frequency": frozenset(),
    "strength": frozenset(),
    "importance": frozenset(),
    "confidence": frozenset(),
    "scope": frozenset({"values"}),
    "tier": frozenset({"values"}),
    "kind": frozenset({"values"}),
    "trust": frozenset({"values"}),
}
"""Every signal and the parameters that it takes."""

FLOORS: dict[FloorOn, tuple[float, float]] = {"relevance": (0.0, 1.0), "similarity": (-1.0, 1.0)}
"""The least and the greatest value of the columns that have such; a floor outside of them lets everything pass, or nothing."""

HISTORY_SIGNALS = frozenset({"recency", "decay", "activation"})
"""The signals that fade with time: temporal intent bends them, and `decay = false` switches them off."""


class Lexical(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search by words with BM25+ over the tenant's own statistics."""

    pool: Count = 100
    per_limit: Annotated[int, Meta(ge=0, le=100)] = 0
    over: Over = "utterance"
    k1: Positive = 1.2
    b: Share = 0.75
    delta: NotNegative = 0.5


class Dense(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search by meaning: exact cosine over every visible memory."""

    pool: Count = 100
    per_limit: Annotated[int, Meta(ge=0, le=100)] = 0
    over: Over = "cue"


class Entity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search by the names, identifiers and quoted strings of the cue."""

    pool: Count = 50
    over: Over = "cue"


class Temporal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search by the stretches of time that the cue speaks of."""

    pool: Count = 50
    over: Over = "utterance"


class Channels(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which channels look, and how wide a net each casts; a channel that is not named stays shut."""

    lexical: Lexical | None = None
    dense: Dense | None = None
    entity: Entity | None = None
    temporal: Temporal | None = None
    context: Annotated[int, Meta(ge=0, le=5)] = 0


class Fuse(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the channels' findings become one column."""

    how: Fusing = "none"
    k: Annotated[int, Meta(ge=0, le=1000)] = 60
    weights: dict[ChannelName, NotNegative] = field(default_factory=dict)
    rescale: bool = False
    neighbours: Share = 0.0


class Calibration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A logistic model over named columns, and the background cosine that small stores are shrunk towards.

    `latin_only` says that the embedder knows Latin script alone: where cue or memory has another, words decide.
    """

    name: str
    about: str
    embedder: str = ""
    latin_only: bool = False
    background_mean: Number = 0.0
    background_deviation: Number = 0.1
    background_count: Number = 100.0
    intercept: Number
    weights: dict[str, Number]


class Relevance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which calibration turns evidence into a probability; "auto" takes the embedder's own, else the generic one.

    A policy may write its calibration out: `coefficients` for all rows, `word_coefficients` for those without a comparable vector.
    """

    calibration: str = "auto"
    coefficients: Calibration | None = None
    word_coefficients: Calibration | None = None


class Term(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One part of a score: a signal, or a sum or product of parts, shaped and weighted."""

    signal: str | None = None
    sum: tuple["Term", ...] = ()
    product: tuple["Term", ...] = ()
    name: str | None = None
    weight: Weight = 1.0
    lean: Weight = 0.0
    normalise: Normalise = "none"
    clip: tuple[Weight, Weight] | None = None
    half_life: timedelta | None = None
    tau: timedelta | None = None
    rate_per_day: Positive | None = None
    per_hour: Annotated[float, Meta(gt=0.0, lt=1.0)] | None = None
    since: Since | None = None
    stretch: Literal["count"] | None = None
    full_at: Positive | None = None
    exponent: Annotated[float, Meta(gt=0.0, le=2.0)] | None = None
    unit: timedelta | None = None
    values: dict[str, Weight] | None = None


class IntentFactors(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By what fading terms are multiplied when the cue speaks of the past or the present; −1 inverts them."""

    past: Annotated[float, Meta(ge=-1.0, le=10.0)] = 1.0
    present: Annotated[float, Meta(ge=-1.0, le=10.0)] = 1.0


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What orders the survivors."""

    combine: Combine = "sum"
    terms: tuple[Term, ...] = ()
    recency_weight: Share = 0.0
    intent: IntentFactors = IntentFactors()
    decay: bool = True
    renewal: bool = False


class Rerank(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a reranker's opinion of the best candidates is mixed in; depth 0 asks none."""

    depth: Annotated[int, Meta(ge=0, le=200)] = 0
    weight: NotNegative = 1.0
    deadline: timedelta = timedelta(milliseconds=200)


class Floor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The least that may speak, and on which column; `at` left out lets everything pass."""

    on: FloorOn = "relevance"
    at: Annotated[float, Meta(ge=-1000.0, le=1000.0)] | None = None


class Diversify(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether variety counts: MMR's trade (1 is pure relevance), and from which cosine on two memories are one."""

    trade: Share = 1.0
    collapse: Annotated[float, Meta(ge=0.0, le=2.0)] = 2.0


class TrustRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far what nobody has vouched for, from tools and imports, may speak where something else does: after it, and in few places.

    At most one in `one_in` is such, 1 for no bound; from a cosine of `variants` on such memories of one source count as one.
    """

    one_in: Annotated[int, Meta(ge=1, le=100)] = 1
    variants: Annotated[float, Meta(ge=0.0, le=2.0)] = 2.0


class Shares(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model's window is shared out; a quarter for memories is the ceiling."""

    system: Annotated[float, Meta(ge=0.0, le=0.5)] = 0.15
    memories: Annotated[float, Meta(gt=0.0, le=0.25)] = 0.25
    history: Share = 0.40
    query: Share = 0.20


class Budget(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many memories, and how many tokens of the prompt, a recall may take, and what happens when they do not fit.

    `window` is the model's, in tokens; with it the block never takes more than the memories' share. `core` bounds the pinned part.
    """

    limit: Count = 5
    limit_max: Count = 100
    tokens: Tokens | None = None
    window: Tokens | None = None
    shares: Shares = Shares()
    core: Tokens = 500
    overflow: Overflow = "omit"
    summary_deadline: timedelta = timedelta(seconds=2)


class Render(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of the block, and how many turns before and after a memory are shown along with it."""

    form: FormName = "text"
    neighbours: Annotated[int, Meta(ge=0, le=2)] = 0


class Settle(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a recall writes back: touches at most once per refresh floor, counts that fade, LRU-2 when asked.

    Feedback multiplies the written importance by `cited` or `bad`, within `boost_range`; `adapt` lets ghost hits move the tenant's
    recency weight, over lists of `ghosts` memories.
    """

    touch: bool = True
    refresh_floor: timedelta = timedelta(seconds=60)
    second_within: timedelta | None = None
    count_kept_per_day: Annotated[float, Meta(gt=0.0, le=1.0)] = 1.0
    cited: Annotated[float, Meta(ge=1.0, le=1.5)] = 1.05
    bad: Annotated[float, Meta(ge=0.5, le=1.0)] = 0.95
    boost_range: tuple[Annotated[float, Meta(ge=0.5, le=1.0)], Annotated[float, Meta(ge=1.0, le=1.5)]] = (0.5, 1.5)
    adapt: Adapt = "none"
    ghosts: Count = 50


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All the numbers of a recall."""

    name: str
    source: str = ""
    about: str = ""
    channels: Channels = Channels()
    fuse: Fuse = Fuse()
    relevance: Relevance = Relevance()
    score: Score = Score()
    rerank: Rerank = Rerank()
    floor: Floor = Floor()
    diversify: Diversify = Diversify()
    trust: TrustRules = TrustRules()
    budget: Budget = Budget()
    render: Render = Render()
    settle: Settle = Settle()
