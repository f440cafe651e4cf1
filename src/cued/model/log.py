"""The recall log: one line a recall, what may be asked of it, what is kept in it, and what feedback says about a line."""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct, field

from cued.model.words import GLOBAL, Outcome


class RecallEntry(Struct, frozen=True, kw_only=True):
    """One line of the recall log: enough for rates and feedback, and no memory's text unless that is asked for.

    `found_by` stands beside `chosen`: the channel that alone found a memory, "" where several did. `cited` and `bad` are what feedback
    said. `cue` and `evidence` (an envelope) are kept by choice.
    """

    recall_id: str
    at: datetime
    policy: str
    policy_digest: str = ""
    scope: str = GLOBAL
    outcome: Outcome
    candidates: int
    chosen: tuple[str, ...]
    found_by: tuple[str, ...] = ()
    best_relevance: float
    floor: float | None = None
    below_floor: int
    suppressed: int = 0
    omitted: int = 0
    tokens: int
    degraded: tuple[str, ...] = ()
    total_ms: float
    stage_ms: dict[str, float] = field(default_factory=dict)
    cited: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    cue: str | None = None
    evidence: bytes | None = None


class LogQuery(Struct, frozen=True, kw_only=True):
    """Which lines of the log are wanted, newest first unless told otherwise; a field left at its default does not filter."""

    since: datetime | None = None
    until: datetime | None = None
    outcome: Outcome | None = None
    policy: str | None = None
    recall_id: str | None = None
    limit: int = 100
    oldest_first: bool = False
    content: bool = False


class LogRules(Struct, frozen=True, kw_only=True):
    """How much of the log is kept for a tenant, and whether cue and evidence are: never, of the last, or of a share of all recalls."""

    rows: int = 10_000
    age: timedelta | None = None
    content: Literal["off", "last", "sampled"] = "off"
    last: int = 500
    share: float = 0.01


class Feedback(Struct, frozen=True, kw_only=True):
    """What one recall was good for, with the factors that a verdict puts on a memory's importance and their bounds."""

    recall_id: str
    cited: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    cited_factor: float
    bad_factor: float
    least: float
    most: float
