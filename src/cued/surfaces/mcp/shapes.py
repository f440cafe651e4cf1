"""The shapes of tools' answers: what the schemas say that a client may read."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct


class Row(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory in an answer."""

    id: str
    text: str
    kind: str
    scope: str
    created_at: str
    trust: str
    tags: tuple[str, ...] = ()
    tier: str = ""
    relevance: Annotated[float | None, Meta(description="How surely it fits the cue, from 0 to 1.")] = None
    cut: Annotated[bool, Meta(description="The text goes on: read cued://memory/ID.")] = False
    hidden: Annotated[str, Meta(description="Why it is no longer recalled.")] = ""


class Recalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came to mind."""

    recall_id: str
    outcome: str
    note: str
    memories: tuple[Row, ...] = ()
    pinned: Annotated[tuple[Row, ...], Meta(description="Core memories, which every recall shows.")] = ()
    left_out: Annotated[int, Meta(description="How many relevant memories the budget left out.")] = 0
    degraded: tuple[str, ...] = ()


class Odds(Struct, frozen=True, kw_only=True):
    """A stored memory that a new one is at odds with."""

    id: str
    type: str
    similarity: float
    text: str


class Remembered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that was stored."""

    id: str
    note: str
    conflicts: tuple[Odds, ...] = ()
    superseded: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


class Updated(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory after its change."""

    memory: Row
    version: int
    note: str
    supersedes: tuple[str, ...] = ()


class Forgotten(Struct, frozen=True, kw_only=True):
    """What is no longer recalled."""

    forgotten: tuple[str, ...]
    note: str


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that was looked at, and what became of it."""

    id: str
    text: str
    fate: str
    stage: str
    rank: int | None = None
    relevance: float | None = None
    contributions: dict[str, float] = msgspec.field(default_factory=dict)


class Explained(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why memories come back or do not."""

    outcome: str
    note: str
    candidates: tuple[Candidate, ...] = ()
    left_out: Annotated[int, Meta(description="How many more candidates there were.")] = 0
    memory: Annotated[Candidate | None, Meta(description="What became of the memory that was asked about.")] = None
    change: Annotated[str, Meta(description="What would have to change for that memory.")] = ""
    suppressed: Annotated[dict[str, int], Meta(description="How many memories each gate hid.")] = msgspec.field(default_factory=dict)
    degraded: tuple[str, ...] = ()


class Around(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was stored around a memory or a time, oldest first."""

    note: str
    before: tuple[Row, ...] = ()
    centre: Row | None = None
    after: tuple[Row, ...] = ()
    left_out: int = 0


class Changed(Struct, frozen=True, kw_only=True):
    """A memory whose importance a verdict has changed."""

    id: str
    importance: float
    boost: float


class Judged(Struct, frozen=True, kw_only=True):
    """Whose importance a verdict has changed."""

    recall_id: str
    changed: tuple[Changed, ...]
    note: str
