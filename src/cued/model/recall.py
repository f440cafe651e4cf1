"""The evidence, and the recall that is decided from it."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from msgspec import Struct, field

from cued.model.array_types import Column, OfArrays
from cued.model.cues import Cue
from cued.model.lookup import Findings, Interval, Lookup
from cued.model.memory import Memory
from cued.model.plain import JSON, plain
from cued.model.words import Gate, Intent, Kind, Outcome

_SHOWN = 60
"""How many characters of a text are shown where one is quoted."""


class Summary(Struct, frozen=True):
    """What a summariser made of memories that did not fit whole, and of which."""

    text: str
    of: tuple[str, ...]


class Evidence(OfArrays, frozen=True, kw_only=True):
    """Everything read for one recall. `decide` needs nothing else, so a saved Evidence replays exactly.

    `lookup` is what was asked of the store, so that it can be asked again; None where nothing was stored.
    """

    recall_id: str
    tenant: str
    cue: Cue
    lookup: Lookup | None = None
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

    def __repr__(self) -> str:
        """What was asked, and how many candidates were found."""
        found = len(self.findings.memories)
        return f"Evidence(recall_id={self.recall_id!r}, tenant={self.tenant!r}, cue={_cut(self.cue.utterance)!r}, found={found})"


class Recalled(Struct, frozen=True, kw_only=True):
    """A memory that a recall chose, or nearly chose, with what decided it."""

    memory: Memory
    rank: int
    score: float
    relevance: float
    contributions: dict[str, float]
    duplicates: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def text(self) -> str:
        """The memory's text."""
        return self.memory.text

    @property
    def kind(self) -> Kind:
        """The memory's kind."""
        return self.memory.kind

    @property
    def scope(self) -> str:
        """The memory's scope."""
        return self.memory.scope

    @property
    def tags(self) -> tuple[str, ...]:
        """The memory's tags."""
        return self.memory.tags

    @property
    def created_at(self) -> datetime:
        """When the memory was said."""
        return self.memory.created_at

    def __str__(self) -> str:
        """The memory's text."""
        return self.memory.text

    def __repr__(self) -> str:
        """The rank, the relevance and the text, cut where it is long."""
        return f"Recalled(rank={self.rank}, relevance={self.relevance:.2f}, id={self.memory.id!r}, text={_cut(self.memory.text)!r})"

    def to_dict(self) -> JSON:
        """The memory in brief, with what decided it, as plain data."""
        decided = {name: getattr(self, name) for name in ("score", "relevance", "rank", "contributions", "duplicates")}
        return {**self.memory.brief(), **plain(decided)}


class Omitted(Struct, frozen=True):
    """A memory that passed the floor and was left out all the same, and why."""

    id: str
    reason: str


class Trace(OfArrays, frozen=True, kw_only=True, dict=True):
    """The candidate table as decide left it: each row's columns, the stage that decided it, and the reason, of which `fates` has the words.

    The reason of what the floor struck has a place for the row's value in the column `floored`; "" where no reason has one.
    """

    ids: tuple[str, ...]
    columns: dict[str, Column]
    contributions: dict[str, Column]
    ranks: tuple[int, ...]
    reasons: tuple[str, ...]
    stages: tuple[str, ...]
    combine: str
    floored: str = ""

    @cached_property
    def fates(self) -> tuple[str, ...]:
        """What became of each row, in words; most of a table is below the floor, and few ask."""
        if not self.floored:
            return self.reasons
        values = self.columns[self.floored].tolist()
        rows = zip(self.reasons, self.stages, values, strict=True)
        return tuple(reason % value if stage == "floor" else reason for reason, stage, value in rows)


class Recall(Struct, frozen=True, kw_only=True):
    """The act of recalling and its result; `block` is the text for the prompt, "" when nothing is relevant and nothing is pinned.

    `core` are the pinned memories that the block shows every time, `compacted` tells that the block is a digest because the whole did
    not fit, and `drift` says that a conversation's cue has stopped moving, "" while it moves. It can be gone through, memory by memory;
    `str()` of it is the block, and it is true where there is a block.
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

    def __iter__(self) -> Iterator[Recalled]:
        """The chosen memories, the best first."""
        return iter(self.memories)

    def __getitem__(self, place: int) -> Recalled:
        """The chosen memory at this place; the best stands at 0."""
        return self.memories[place]

    def __len__(self) -> int:
        """How many memories were chosen."""
        return len(self.memories)

    def __bool__(self) -> bool:
        """Whether there is something for the prompt."""
        return bool(self.block)

    def __str__(self) -> str:
        """The block."""
        return self.block

    def __repr__(self) -> str:
        """The outcome in short."""
        return f"Recall(outcome={self.outcome!r}, memories={len(self.memories)}, core={len(self.core)}, tokens={self.tokens})"

    def to_dict(self) -> JSON:
        """The answer as plain data: what was chosen, the block for the prompt, and what stayed away and why."""
        fates = dict(zip(self.trace.ids, self.trace.fates, strict=True))
        return {
            "recall_id": self.recall_id,
            "policy": self.policy,
            "outcome": self.outcome,
            "memories": [each.to_dict() for each in self.memories],
            "core": [memory.brief() for memory in self.core],
            "block": self.block,
            "compacted": self.compacted,
            "drift": self.drift,
            "near_misses": [{**each.to_dict(), "rank": None, "fate": fates[each.id]} for each in self.near_misses],
            **plain({name: getattr(self, name) for name in ("omitted", "suppressed", "degraded", "tokens")}),
            "timings_ms": {stage: round(ms, 3) for stage, ms in self.timings_ms.items()},
        }


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
