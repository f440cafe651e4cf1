"""What list, timeline, map and log take."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from cued.errors import InputError
from cued.model import Filter, HiddenState, Kind, LogQuery, Order, Outcome, Scalar, Tier, Trust
from cued.requests.checks import Request, label, labels, metadata, read, refuse_beside

MAX_PAGE = 1000
MAX_CONTAINS = 500
PageSize = Annotated[int, Meta(ge=1, le=MAX_PAGE)]
MapSize = Annotated[int, Meta(ge=1, le=5000)]
Few = Annotated[int, Meta(ge=1, le=200)]
Around = Annotated[int, Meta(ge=0, le=1000)]


class ListRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for one page of memories; a filter left at its default does not filter."""

    scope: Annotated[str | None, Meta(description="Only this scope; `global` is one.")] = None
    kinds: Annotated[tuple[Kind, ...], Meta(description="Only this kind.")] = ()
    tiers: Annotated[tuple[Tier, ...], Meta(description="Only this tier.")] = ()
    trusts: Annotated[tuple[Trust, ...], Meta(description="Only what comes from these.")] = ()
    quarantined: Annotated[bool | None, Meta(description="Only what is in quarantine.")] = None
    tags: Annotated[tuple[str, ...], Meta(description="Only memories with this tag.")] = ()
    meta: Annotated[dict[str, Scalar], Meta(description="Only memories whose `meta` has this.")] = field(default_factory=dict)
    session: Annotated[str | None, Meta(description="Only what comes from this conversation.")] = None
    since: Annotated[datetime | None, Meta(description="Written at this time or later.")] = None
    until: Annotated[datetime | None, Meta(description="Written before this time.")] = None
    hidden: Annotated[bool, Meta(description="Also what is forgotten, superseded or expired.")] = False
    state: Annotated[HiddenState | None, Meta(description="Only what is hidden, and for this reason.")] = None
    contains: Annotated[str, Meta(description="Only texts with all these words, or parts of words, in them.")] = ""
    order_by: Annotated[Order, Meta(description="By when they were written, the newest first, or by this, the greatest first.")] = "written"
    oldest_first: Annotated[bool, Meta(description="From the other end: the oldest memories first, or the least.")] = False
    limit: Annotated[PageSize, Meta(description="So many a page, at most 1000.")] = 50
    after: Annotated[str | None, Meta(description="Continue after the page that gave this cursor as `next`.")] = None

    def filter(self) -> Filter:
        """Which memories the page shows."""
        return Filter(
            scope=None if self.scope is None else label("scope", self.scope),
            kinds=self.kinds,
            tiers=self.tiers,
            trusts=self.trusts,
            quarantined=self.quarantined,
            tags=labels("tags", self.tags),
            meta=metadata(self.meta),
            session=None if self.session is None else label("session", self.session),
            since=self.since,
            until=self.until,
            hidden=self.hidden,
            state=self.state,
            contains=_words(self.contains),
        )


class TimelineRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what was stored around a memory or around a time, one of the two."""

    id: Annotated[str | None, Meta(description="The memory in the middle.")] = None
    at: Annotated[datetime | None, Meta(description="Around this time, in place of a memory.")] = None
    before: Annotated[Around, Meta(description="So many before it.")] = 5
    after: Annotated[Around, Meta(description="So many after it.")] = 5
    scope: Annotated[str | None, Meta(description="Only this project and what is global.")] = None
    session: Annotated[str | None, Meta(description="Only what comes from this conversation.")] = None
    hidden: Annotated[bool, Meta(description="Also what is forgotten, superseded or expired.")] = False

    def centre(self) -> str | datetime:
        """The id of the memory in the middle, or the moment."""
        if (self.id is None) is (self.at is None):
            raise InputError("id", self.id, "either the id of a memory or a time `at`")
        return self.id or self.at or ""


class MapRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for memories laid out by meaning, of many a sample of the whole."""

    scope: Annotated[str | None, Meta(description="Only this scope; `global` is one.")] = None
    kinds: Annotated[tuple[Kind, ...], Meta(description="Only this kind.")] = ()
    text: Annotated[str, Meta(description="A cue to be laid out among them.")] = ""
    also: Annotated[tuple[str, ...], Meta(description="A memory to be on the map whatever else is.")] = ()
    limit: Annotated[MapSize, Meta(description="So many memories, at most 5000; of more, so many by chance, the same each time.")] = 1000

    def filter(self) -> Filter:
        """Which memories are laid out."""
        return Filter(scope=None if self.scope is None else label("scope", self.scope), kinds=self.kinds)


class LogRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for lines of the recall log; a filter left at its default does not filter."""

    since: Annotated[datetime | None, Meta(description="Recalls at this time or later.")] = None
    until: Annotated[datetime | None, Meta(description="Recalls before this time.")] = None
    outcome: Annotated[Outcome | None, Meta(description="Only recalls that ended like this.")] = None
    policy: Annotated[str | None, Meta(description="Only recalls under the policy of this name.")] = None
    recall_id: Annotated[str | None, Meta(description="Only this recall.")] = None
    limit: Annotated[PageSize, Meta(description="So many lines at most.")] = 100
    oldest_first: Annotated[bool, Meta(description="The oldest lines first.")] = False
    content: Annotated[bool, Meta(description="Also the cue and the evidence, where the store keeps them.")] = False

    def query(self) -> LogQuery:
        """The question to the store."""
        return LogQuery(**{name: getattr(self, name) for name in self.__struct_fields__})


def _words(text: str) -> tuple[str, ...]:
    """The distinct words of a search, as they are compared; no more than a person would type."""
    words = tuple(dict.fromkeys(text.casefold().split()))
    if len(text) > MAX_CONTAINS:
        raise InputError("contains", f"{len(text)} characters", f"at most {MAX_CONTAINS} characters")
    return words


def whole_request(kind: type[Request], request: Request | None, wanted: Mapping[str, Any]) -> Request:
    """The request itself, or the one in these keywords, of which a kind, a tier or a trust may stand alone."""
    if request is not None:
        refuse_beside(wanted)
        if not isinstance(request, kind):
            raise InputError("request", request, f"the fields by name, such as limit=, or a {kind.__name__}")
        return request
    given = {name: value for name, value in wanted.items() if value is not None}
    return read(given | {name: (given[name],) for name in ("kinds", "tiers", "trusts") if isinstance(given.get(name), str)}, kind)
