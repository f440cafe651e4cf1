"""The nouns. Frozen values without behaviour; every other module is functions between them.

Times are aware UTC datetimes. Scores: higher is better. Ranks start at 1 and 0 means "not found by this channel".
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

Kind = Literal["semantic", "episodic", "procedural", "reflection"]
Tier = Literal["core", "fact", "reflection", "episode"]
Trust = Literal["user", "agent", "tool", "import"]
Intent = Literal["past", "present", "neutral"]
Outcome = Literal["recalled", "nothing_stored", "all_gated", "nothing_matched", "below_floor", "omitted"]
ChannelName = Literal["lexical", "dense", "entity", "temporal"]
Gate = Literal["forgotten", "scope", "as_of", "expiry", "validity", "supersession", "provenance", "kinds", "tags"]
ConflictType = Literal["duplicate", "update", "negation", "related"]

KINDS: tuple[Kind, ...] = get_args(Kind)
TIERS: tuple[Tier, ...] = get_args(Tier)
TRUSTS: tuple[Trust, ...] = get_args(Trust)
CHANNELS: tuple[ChannelName, ...] = get_args(ChannelName)
GATES: tuple[Gate, ...] = get_args(Gate)
GLOBAL = "global"
DERIVED_FROM = "derived_from"
MERGED = "merged"
DISTINCT = "distinct"

Scalar = str | int | float | bool | None
Column = NDArray[np.float64]
Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Source(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a memory comes from."""

    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    url: str | None = None
    meta: dict[str, Scalar] = field(default_factory=dict)


class Edge(Struct, frozen=True):
    """A link from a memory to another: derived_from, causes, mentions, or a word of the user's own.

    Consolidation marks with `merged` what it merged into a memory, and with `distinct` what was parted from it again.
    """

    relation: str
    target: str


class Supersession(Struct, frozen=True, kw_only=True):
    """That a memory gave way to another: everywhere (scope None), or inside one project alone.

    `lifted_at` tells since when it no longer holds, because the newer memory was forgotten or let go; None while it holds. One that
    was lifted before it could hold, `lifted_at` = `at`, waits for a forgotten memory to be restored.
    """

    by: str
    at: datetime
    scope: str | None = None
    weight_before: float = 1.0
    lifted_at: datetime | None = None


class Use(Struct, frozen=True, kw_only=True):
    """How a memory has been recalled so far: the last two times, a fading count as of a time, and feedback's factor."""

    last_at: datetime | None = None
    previous_at: datetime | None = None
    count: float = 0.0
    counted_at: datetime | None = None
    boost: float = 1.0


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored text with its facts."""

    id: str
    tenant: str
    text: str
    created_at: datetime
    updated_at: datetime
    kind: Kind = "semantic"
    tier: Tier = "fact"
    scope: str = GLOBAL
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    importance: float = 0.5
    weight: float = 1.0
    trust: Trust = "user"
    source: Source = Source()
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    forgotten_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded: tuple[Supersession, ...] = ()
    edges: tuple[Edge, ...] = ()
    use: Use = Use()
    fingerprint: str | None = None
    version: int = 1


class Record(Struct, frozen=True, kw_only=True):
    """A memory as a store keeps it: with its analysed terms, and its vector unless that is still pending."""

    memory: Memory
    terms: dict[str, int]
    vector: Vector | None = None


class Stored(Struct, frozen=True, kw_only=True):
    """A memory read back whole, with its vector unless that is still pending."""

    memory: Memory
    vector: Vector | None = None


class Fingerprint(Struct, frozen=True, kw_only=True):
    """Which embedder made a vector; vectors are comparable only when every field is equal."""

    provider: str
    model: str
    revision: str
    dimensions: int
    normalised: bool = True
    prefix: str = ""

    def __str__(self) -> str:
        """Spell the fingerprint as stores keep it."""
        spelled = f"{self.provider}/{self.model}@{self.revision}/{self.dimensions}"
        return spelled + ("" if self.normalised else "/raw") + (f"/{self.prefix}" if self.prefix else "")


class Interval(Struct, frozen=True):
    """A half-open stretch of time, start ≤ t < end."""

    start: datetime
    end: datetime


class Cue(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the agent is doing now: the words, the state of the work, and where and when to look."""

    utterance: str = ""
    goal: str = ""
    step: str = ""
    open_questions: tuple[str, ...] = ()
    scope: str = GLOBAL
    tags: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    now: datetime
    as_of: datetime | None = None
    intent: Intent | None = None
    present: tuple[str, ...] = ()


class Lookup(Struct, frozen=True, kw_only=True):
    """Everything one recall asks of a store, as data: the gates, and what each open channel looks for."""

    scope: str
    at: datetime
    as_of: bool = False
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    lexical: "LexicalLookup | None" = None
    dense: "DenseLookup | None" = None
    entity: "EntityLookup | None" = None
    temporal: "TemporalLookup | None" = None
    context: int = 0
    core: bool = False


class LexicalLookup(Struct, frozen=True, kw_only=True):
    """Search by words: the analysed terms of the cue and the constants of BM25+."""

    terms: tuple[str, ...]
    pool: int
    k1: float
    b: float
    delta: float


class DenseLookup(Struct, frozen=True, kw_only=True):
    """Search by meaning: the cue's vector and the fingerprint that stored vectors must share."""

    vector: Vector
    fingerprint: str
    pool: int


class EntityLookup(Struct, frozen=True, kw_only=True):
    """Search by names: the cue's entities, normalised as memories' are, and at the share `hop`, 0 to 1, the names beside those."""

    names: tuple[str, ...]
    pool: int
    hop: float = 0.0


class TemporalLookup(Struct, frozen=True, kw_only=True):
    """Search by time: the intervals that the cue speaks of."""

    intervals: tuple[Interval, ...]
    pool: int


class TermStatistic(Struct, frozen=True):
    """A term of the cue, in how many visible memories it stands, and its idf there."""

    term: str
    documents: int
    idf: float


class Background(Struct, frozen=True, kw_only=True):
    """How this cue's cosine is spread over all visible memories that carry a comparable vector."""

    count: int = 0
    mean: float = 0.0
    deviation: float = 0.0


class Findings(Struct, frozen=True, kw_only=True):
    """What a store answers to a Lookup: the candidates as columns, and the counts around them.

    `columns` has, for each candidate, `<channel>_rank` (0 when that channel did not find it), `cosine` and its
    neighbours `cosine_before`, `cosine_after` (nan without a comparable vector), `bm25`, `bm25_before`,
    `bm25_after`, `coverage`, `coverage_before`, `coverage_after`, `entities` (share of the cue's entities),
    `linked` (0 to 1 - `entities`: what the names beside those add to it, 0 without a hop), `window` (1 inside an asked interval)
    and `length` (the memory's, in terms). `struck` names only the gates that struck something, `vectors` is None without a dense
    lookup, and `core` has the visible core memories by id where the lookup asks.
    """

    stored: int = 0
    visible: int = 0
    struck: dict[Gate, int] = field(default_factory=dict)
    memories: tuple[Memory, ...] = ()
    core: tuple[Memory, ...] = ()
    columns: dict[str, Column] = field(default_factory=dict)
    vectors: Matrix | None = None
    background: Background = Background()
    terms: tuple[TermStatistic, ...] = ()
    uncomparable: int = 0


class Summary(Struct, frozen=True):
    """What a summariser made of memories that did not fit whole, and of which."""

    text: str
    of: tuple[str, ...]


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything read for one recall. `decide` needs nothing else, so a saved Evidence replays exactly."""

    recall_id: str
    tenant: str
    cue: Cue
    findings: Findings
    intent: Intent = "neutral"
    intervals: tuple[Interval, ...] = ()
    fingerprint: str | None = None
    boost: Column | None = None
    balance: float | None = None
    rerank: dict[str, float] | None = None
    summary: Summary | None = None
    degraded: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


class Recalled(Struct, frozen=True, kw_only=True):
    """A memory that a recall chose, or nearly chose, with what decided it."""

    memory: Memory
    rank: int
    score: float
    relevance: float
    contributions: dict[str, float]
    duplicates: tuple[str, ...] = ()


class Omitted(Struct, frozen=True):
    """A memory that passed the floor and was left out all the same, and why."""

    id: str
    reason: str


class Trace(Struct, frozen=True, kw_only=True):
    """The candidate table as decide left it: each row's columns, its fate and the stage that decided it."""

    ids: tuple[str, ...]
    columns: dict[str, Column]
    contributions: dict[str, Column]
    ranks: tuple[int, ...]
    fates: tuple[str, ...]
    stages: tuple[str, ...]
    combine: str


class Recall(Struct, frozen=True, kw_only=True):
    """The act of recalling and its result; `block` is the text for the prompt, "" when nothing is relevant and nothing is pinned.

    `core` are the pinned memories that the block shows every time, `compacted` tells that the block is a digest because the whole did
    not fit, and `drift` says that a conversation's cue has stopped moving, "" while it moves.
    """

    recall_id: str
    tenant: str
    policy: str
    outcome: Outcome
    memories: tuple[Recalled, ...] = ()
    core: tuple[Memory, ...] = ()
    block: str = ""
    compacted: bool = False
    drift: str = ""
    near_misses: tuple[Recalled, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    suppressed: dict[Gate, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    tokens: int = 0
    timings_ms: dict[str, float] = field(default_factory=dict)
    trace: Trace


class Touch(Struct, frozen=True):
    """What settle writes back for one memory: a change of its use, applied to what is stored when it is written."""

    id: str
    change: Callable[[Use], Use]


class Choice(Struct, frozen=True, kw_only=True):
    """One way to resolve a conflict, with the exact calls that do it; none where nothing is to be done."""

    action: Literal["keep both", "update old", "supersede", "delete old"]
    python: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()


class Conflict(Struct, frozen=True, kw_only=True):
    """That a new memory may be at odds with a stored one: how so, how similar they are, and what can be done."""

    id: str
    type: ConflictType
    similarity: float
    text: str
    reason: str
    choices: tuple[Choice, ...]


class Filter(Struct, frozen=True, kw_only=True):
    """Which memories `list` shows; a field left at its default does not filter."""

    scope: str | None = None
    kinds: tuple[Kind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    tags: tuple[str, ...] = ()
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    hidden: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """One page of a listing, newest first; `next` continues it and is None on the last page."""

    memories: tuple[Memory, ...]
    next: str | None
    total: int


class Stats(Struct, frozen=True, kw_only=True):
    """What a tenant holds, counted."""

    memories: int = 0
    visible: int = 0
    forgotten: int = 0
    superseded: int = 0
    expired: int = 0
    pending_vectors: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    by_tier: dict[str, int] = field(default_factory=dict)
    by_scope: dict[str, int] = field(default_factory=dict)
    by_tag: dict[str, int] = field(default_factory=dict)
    by_fingerprint: dict[str, int] = field(default_factory=dict)
    oldest_at: datetime | None = None
    newest_at: datetime | None = None


class RecallEntry(Struct, frozen=True, kw_only=True):
    """One line of the recall log: enough for rates and feedback, and no memory's text."""

    recall_id: str
    at: datetime
    policy: str
    outcome: Outcome
    candidates: int
    chosen: tuple[str, ...]
    best_relevance: float
    below_floor: int
    tokens: int
    total_ms: float
    detail: dict[str, Any] = field(default_factory=dict)
