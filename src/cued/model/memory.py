"""A memory and all that is kept with it.

None of these can be part of a cycle, so the collector is told to pass them over: thousands are held for each tenant that is searched.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct, field

from cued.model.plain import JSON, plain
from cued.model.words import GLOBAL, HiddenState, Kind, Scalar, Tier, Trust

if TYPE_CHECKING:
    from cued.model.array_types import Matrix, Vector


class Source(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Where a memory comes from."""

    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    url: str | None = None
    meta: dict[str, Scalar] = field(default_factory=dict)

    @property
    def said(self) -> bool:
        """Whether it was said in a session: as a turn of it, or by somebody; what was only noted in one stands by itself."""
        return self.session is not None and (self.turn is not None or bool(self.speaker))


class Edge(Struct, frozen=True, gc=False):
    """A link from a memory to another: derived_from, causes, mentions, or a word of the user's own.

    Consolidation marks with `merged` what it merged into a memory, and with `distinct` what was parted from it again.
    """

    relation: str
    target: str


NOBODY: Final = ""
"""Who superseded a memory, when that one is no longer stored; no memory's id is empty."""


class Supersession(Struct, frozen=True, kw_only=True, gc=False):
    """That a memory gave way to another: everywhere (scope None), or inside one project alone.

    `lifted_at` tells since when it no longer holds, because the newer memory was forgotten or let go; None while it holds. One that
    was lifted before it could hold, `lifted_at` = `at`, waits for a forgotten memory to be restored. `by` is NOBODY once the newer
    memory's time has run out and it was swept: then it holds for good.
    """

    by: str
    at: datetime
    scope: str | None = None
    weight_before: float = 1.0
    lifted_at: datetime | None = None


class Use(Struct, frozen=True, kw_only=True, gc=False):
    """How a memory has been recalled so far: the last two times, a fading count as of a time, and feedback's factor."""

    last_at: datetime | None = None
    previous_at: datetime | None = None
    count: float = 0.0
    counted_at: datetime | None = None
    boost: float = 1.0

    def due(self, at: datetime, refresh_floor: timedelta) -> bool:
        """Whether a use at this moment counts: there was none yet, or the last one lies at least the refresh floor back."""
        return self.last_at is None or at - self.last_at >= refresh_floor


UNUSED: Final = Use()
"""The use of the memories that were never recalled nor judged: one for all, so that it tells them by being it."""


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A stored text with its facts.

    One that is quarantined is kept and listed, and neither recalled nor counted in what it supersedes until a person promotes it.
    """

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
    quarantined_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded: tuple[Supersession, ...] = ()
    edges: tuple[Edge, ...] = ()
    use: Use = UNUSED
    fingerprint: str | None = None
    version: int = 1

    def to_dict(self) -> JSON:
        """Everything that is kept of it as plain data, but whose it is and its vector; the fields are named as `remember` takes them."""
        whole = {name: getattr(self, name) for name in self.__struct_fields__ if name not in {"tenant", "source", "superseded", "edges"}}
        return plain(
            {
                **whole,
                **{name: getattr(self.source, name) for name in self.source.__struct_fields__},
                "superseded": [{"by": s.by, "at": s.at, "scope": s.scope, "lifted_at": s.lifted_at} for s in self.superseded],
                "edges": [[edge.relation, edge.target] for edge in self.edges],
            }
        )

    def brief(self) -> JSON:
        """What an answer says of a memory that is one of many: the text and what it takes to weigh it."""
        return plain(
            {
                **{name: getattr(self, name) for name in ("id", "text", "kind", "tier", "scope", "tags", "created_at", "updated_at")},
                **{name: getattr(self.source, name) for name in ("speaker", "session", "turn")},
                **{name: getattr(self, name) for name in ("trust", "importance", "weight")},
            }
        )


class Record(Struct, frozen=True, kw_only=True):
    """A memory as a store keeps it: with its analysed terms, and its vector unless that is still pending.

    A note that is too long for one vector to say what is in it has `excerpts`: the vectors of its parts.
    """

    memory: Memory
    terms: dict[str, int]
    vector: "Vector | None" = None
    excerpts: "Matrix | None" = None


class Stored(Struct, frozen=True, kw_only=True):
    """A memory read back whole, with its vector unless that is still pending, and those of its excerpts where it has any."""

    memory: Memory
    vector: "Vector | None" = None
    excerpts: "Matrix | None" = None


class Seen(Struct, frozen=True):
    """A memory as somebody has seen it: its id and its version then."""

    id: str
    version: int


class Revision(Struct, frozen=True, kw_only=True):
    """A change of one memory, as data.

    `set` has fields of Memory and their new values, never id, tenant, superseded, use, forgotten_at or version; `supersede`, `let_go`,
    `link` and `unlink` change `supersedes` and `edges` by single members. `terms` and `vector` with `excerpts` come with a new text or
    fingerprint, else the stored ones stay. The version grows by 1 a call, unless only fingerprint and vector change.

    `word` is whose word it is: a memory of higher trust neither changes by it nor gives way, which is a TrustError.

    It applies to the version that it was `made_from`, any for None, and where each of `needs` is stored in that version and stands:
    not forgotten, superseded nowhere, not expired, and valid. Both are judged by what is stored when the call begins.
    """

    id: str
    set: dict[str, Any] = field(default_factory=dict)
    supersede: tuple[str, ...] = ()
    let_go: tuple[str, ...] = ()
    link: tuple[Edge, ...] = ()
    unlink: tuple[Edge, ...] = ()
    terms: dict[str, int] | None = None
    vector: "Vector | None" = None
    excerpts: "Matrix | None" = None
    word: Trust = "user"
    made_from: int | None = None
    needs: tuple[Seen, ...] = ()


class LeftOut(Struct, frozen=True):
    """A revision that did not apply: because a memory, itself or a needed one, is gone or has changed, or would change nothing."""

    id: str
    reason: Literal["gone", "changed", "unchanged"]
    because: str


class Revised(Struct, frozen=True, kw_only=True):
    """What became of revisions: the memories as they are now, each once in the order asked, and the revisions that did not apply."""

    memories: tuple[Memory, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Touch(Struct, frozen=True, kw_only=True):
    """One use of a memory, counted where the last one lies at least `refresh_floor` back; the count fades to `kept_per_day` a day."""

    id: str
    at: datetime
    refresh_floor: timedelta
    kept_per_day: float


class Fingerprint(Struct, frozen=True, kw_only=True):
    """Which embedder made a vector; vectors are comparable only when every field is equal."""

    provider: str
    model: str
    revision: str
    dimensions: int
    normalised: bool = True
    prefix: str = ""

    def __str__(self) -> str:
        """The fingerprint as stores keep it."""
        spelled = f"{self.provider}/{self.model}@{self.revision}/{self.dimensions}"
        return spelled + ("" if self.normalised else "/raw") + (f"/{self.prefix}" if self.prefix else "")


class Filter(Struct, frozen=True, kw_only=True):
    """Which memories `list` shows; a field left at its default does not filter.

    `state` asks for what is hidden for this reason, and for nothing else. `contains` has words in lower case, all of which stand in the
    text, be it inside of longer ones.
    """

    scope: str | None = None
    kinds: tuple[Kind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    trusts: tuple[Trust, ...] = ()
    quarantined: bool | None = None
    tags: tuple[str, ...] = ()
    meta: dict[str, Scalar] = field(default_factory=dict)
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    hidden: bool = False
    state: HiddenState | None = None
    contains: tuple[str, ...] = ()


class Page(Struct, frozen=True, kw_only=True):
    """One page of a listing, newest first; `next` continues it and is None on the last page."""

    memories: tuple[Memory, ...]
    next: str | None
    total: int

    def __iter__(self) -> Iterator[Memory]:
        """The memories of the page."""
        return iter(self.memories)

    def __getitem__(self, place: int) -> Memory:
        """The memory at this place of the page."""
        return self.memories[place]

    def __len__(self) -> int:
        """How many memories are on the page; `total` says how many the listing has."""
        return len(self.memories)


class Stats(Struct, frozen=True, kw_only=True):
    """What a tenant holds, counted."""

    memories: int = 0
    visible: int = 0
    forgotten: int = 0
    superseded: int = 0
    expired: int = 0
    quarantined: int = 0
    bytes: int = 0
    pending_vectors: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    by_tier: dict[str, int] = field(default_factory=dict)
    by_trust: dict[str, int] = field(default_factory=dict)
    by_scope: dict[str, int] = field(default_factory=dict)
    by_tag: dict[str, int] = field(default_factory=dict)
    by_fingerprint: dict[str, int] = field(default_factory=dict)
    oldest_at: datetime | None = None
    newest_at: datetime | None = None
