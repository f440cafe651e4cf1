"""The cue, the evidence, and the recall that is decided from it."""

from datetime import datetime

from msgspec import Struct, field

from cued.model.lookup import Findings, Interval
from cued.model.memory import Memory
from cued.model.words import GLOBAL, Column, Gate, Intent, Kind, Outcome


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
    time_share: float = 0.0
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
