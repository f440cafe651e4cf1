"""What one recall asks of a store, and what the store answers."""

from datetime import datetime
from math import nan
from typing import ClassVar

from msgspec import Struct, field

from cued.model.array_types import Column, Matrix, OfArrays, Vector
from cued.model.memory import Memory
from cued.model.traits import Traits
from cued.model.words import CHANNELS, Gate, Kind, Trust

SEEDS_PER_STEP = 10
"""For each step of context that a lookup asks for, so many more of a channel's best bring their neighbours along."""


class Interval(Struct, frozen=True):
    """A half-open stretch of time, start ≤ t < end."""

    start: datetime
    end: datetime


class Lookup(Struct, frozen=True, kw_only=True):
    """Everything one recall asks of a store, as data: the gates, and what each open channel looks for.

    With `apart` each channel's pool is taken twice, of what somebody vouches for and of what nobody does: a flood of the one keeps
    nothing of the other out.
    """

    scope: str
    at: datetime
    as_of: bool = False
    trusts: tuple[Trust, ...] = ()
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    lexical: "LexicalLookup | None" = None
    dense: "DenseLookup | None" = None
    entity: "EntityLookup | None" = None
    temporal: "TemporalLookup | None" = None
    apart: bool = False
    context: int = 0
    core: bool = False
    document: str | None = None


class LexicalLookup(Struct, frozen=True, kw_only=True):
    """Search by words: the analysed terms of the cue and the constants of BM25+.

    `alone` has the utterance's own terms where the cue's state adds others: a row is worth the better of both shares.
    """

    terms: tuple[str, ...]
    alone: tuple[str, ...] = ()
    pool: int
    k1: float
    b: float
    delta: float


class DenseLookup(OfArrays, frozen=True, kw_only=True):
    """Search by meaning: the cue's vector and the fingerprint that stored vectors must share.

    `alone` is the utterance's own vector where the cue has state too: a row is as near as it is to the nearer of both. Where `excerpts`
    count, a long text is about as near as the nearest of its parts.
    """

    vector: Vector
    alone: Vector | None = None
    fingerprint: str
    pool: int
    excerpts: bool = True


class EntityLookup(Struct, frozen=True, kw_only=True):
    """Search by names: the cue's entities, normalised as memories' are."""

    names: tuple[str, ...]
    pool: int


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


COLUMNS: dict[str, float] = {
    **dict.fromkeys((f"{channel}_rank" for channel in CHANNELS), 0.0),
    **dict.fromkeys(("cosine", "cosine_before", "cosine_after"), nan),
    **dict.fromkeys(("bm25", "bm25_before", "bm25_after", "coverage", "coverage_before", "coverage_after"), 0.0),
    **dict.fromkeys(("entities", "window", "length"), 0.0),
}
"""Every column of the findings, with what stands in it for a row of which nothing is known."""


class Findings(OfArrays, frozen=True, kw_only=True):
    """What a store answers to a Lookup: the candidates as columns, and the counts around them.

    `columns` has, for each candidate, `<channel>_rank` (0 when that channel did not find it), `cosine` and its
    neighbours `cosine_before`, `cosine_after` (nan without a comparable vector), `bm25`, `bm25_before`,
    `bm25_after`, `coverage`, `coverage_before`, `coverage_after`, `entities` (share of the cue's entities),
    `window` (1 inside an asked interval) and `length` (the memory's, in terms). `struck` names only the gates that struck something,
    `vectors` is None without a dense lookup, `core` has the visible core memories by id where the lookup asks, and `document` the
    document that it names. `damaged` counts the memories that are left out because they can no longer be read. `traits` are those
    of these very memories, where they are at hand.
    """

    derived: ClassVar[frozenset[str]] = frozenset({"traits"})

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
    document: bytes | None = None
    damaged: int = 0
    traits: Traits | None = None
