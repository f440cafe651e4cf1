"""The recall log: one line a recall, what may be asked of it, what is kept in it, and what feedback says about a line."""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import blake2b
from math import log2
from typing import Any, Literal, NamedTuple, get_args

from msgspec import Struct, field

from cued.errors import InputError
from cued.model.words import GLOBAL, Outcome

ERASED = "erased"
"""What stands in a line of the log in place of the id of a memory that was erased."""


class Shadowed(Struct, frozen=True, kw_only=True):
    """What another policy made of the same evidence, without being shown."""

    policy: str
    policy_digest: str
    outcome: Outcome
    chosen: tuple[str, ...]
    best_relevance: float
    floor: float | None = None
    tokens: int


class RecallEntry(Struct, frozen=True, kw_only=True):
    """One line of the recall log: enough for rates and feedback, and no memory's text unless that is asked for.

    `found_by` stands beside `chosen`: the channel that alone found a memory, "" where several did. `cited` and `bad` are what feedback
    said. `conversation` is a short digest of the one that the recall is part of, and `cue_mark` of the cue, so short that it tells no more
    than whether the cue stood still. `shadow` is what a policy on trial made of it. `cue` and `evidence` (an envelope) are kept by choice.
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
    conversation: str = ""
    cue_mark: str = ""
    shadow: Shadowed | None = None
    cue: str | None = None
    evidence: bytes | None = None


class LogQuery(Struct, frozen=True, kw_only=True):
    """Which lines of the log are wanted, newest first unless told otherwise; a field left at its default does not filter.

    `naming` asks for lines of recalls in which one of these memories was chosen, or would have been by the policy on trial; `kept` for
    lines whose evidence is kept; with `content` lines come with their cue and evidence.
    """

    since: datetime | None = None
    until: datetime | None = None
    outcome: Outcome | None = None
    policy: str | None = None
    recall_id: str | None = None
    limit: int = 100
    oldest_first: bool = False
    naming: tuple[str, ...] = ()
    kept: bool = False
    content: bool = False


TallyBy = Literal["", "scope", "policy"]


class TallyQuery(Struct, frozen=True, kw_only=True):
    """Which lines of the log are counted, in stretches of how many seconds, and by what beside; "" is all together."""

    since: datetime | None = None
    until: datetime | None = None
    every_s: int = 86_400
    by: TallyBy = ""


class Tally(Struct, frozen=True, kw_only=True):
    """The lines of one stretch of time under one label, counted; a policy's label is its name and its digest.

    `injected`, `degraded`, `cited` and `bad` count lines, `chosen` and what follows it are sums.
    """

    start: datetime
    label: str = ""
    recalls: int
    injected: int
    outcomes: dict[Outcome, int]
    degraded: int
    cited: int
    bad: int
    chosen: int
    tokens: int
    below_floor: int
    suppressed: int
    omitted: int
    total_ms: float


class Spread(NamedTuple):
    """How many lines had this best relevance and this floor, both in twentieths, and took this long, as a step of `ms_step`.

    A floor of none is `NO_FLOOR`.
    """

    relevance: int
    floor: int
    ms: int
    recalls: int


class Tallies(Struct, frozen=True, kw_only=True):
    """Lines of the log, counted: the stretches in order, and how figures are spread over every `nth` line of all."""

    rows: tuple[Tally, ...] = ()
    spread: tuple[Spread, ...] = ()
    nth: int = 1


SPREAD_LINES = 100_000
"""Above how many lines a spread is taken of a part of them."""
MOST_STRETCHES = 2000
RELEVANCE_STEPS = 20
NO_FLOOR = 21
MS_STEPS = 80
_LEAST_MS = 2.0**-6
_PER_DOUBLING = 4


def ms_step(ms: float) -> int:
    """The step of a time on a scale of four steps a doubling, from 1/64 ms to about 9 minutes."""
    return max(0, min(MS_STEPS - 1, int(_PER_DOUBLING * log2(max(ms, _LEAST_MS)) + 24)))


def ms_of(step: int) -> float:
    """The time in the middle of a step, in milliseconds."""
    return float(2.0 ** ((step - 24 + 0.5) / _PER_DOUBLING))


KeptContent = Literal["off", "last", "sampled"]


class LogRules(Struct, frozen=True, kw_only=True):
    """How much of the log is kept for a tenant, and whether cue and evidence are: never, of the last, or of a share of all recalls."""

    rows: int = 10_000
    age: timedelta | None = None
    content: KeptContent = "off"
    last: int = 500
    share: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what cannot be a rule."""
        for name, (fits, accepted) in _RULES.items():
            value = getattr(self, name)
            if not fits(value):
                raise InputError(f"log.{name}", value, accepted)

    def keeps_content(self, recall_id: str) -> bool:
        """Whether the cue and the evidence of this recall are kept; the same answer in every process."""
        if self.content == "sampled":
            return int.from_bytes(blake2b(recall_id.encode(), digest_size=8).digest()) / 2**64 < self.share
        return self.content == "last" and self.last > 0


class Feedback(Struct, frozen=True, kw_only=True):
    """What one recall was good for, with the factors that a verdict puts on a memory's importance and their bounds."""

    recall_id: str
    cited: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    cited_factor: float
    bad_factor: float
    least: float
    most: float


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "rows": (lambda value: _whole(value, 1), "a whole number, 1 or more"),
    "age": (
        lambda value: value is None or (isinstance(value, timedelta) and value > timedelta()),
        "a timedelta of more than nothing, or None for any age",
    ),
    "content": (lambda value: value in get_args(KeptContent), 'one of "off", "last", "sampled"'),
    "last": (lambda value: _whole(value, 0), "a whole number, 0 or more"),
    "share": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1,
        "a number from 0 to 1",
    ),
}
"""What each may be, and how that is said."""
