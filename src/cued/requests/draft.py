"""From what a caller says of a memory to a memory: every field checked, and refused in words that say what would be accepted."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import DERIVED_FROM, DISTINCT, GLOBAL, KINDS, MERGED, TIERS, TRUSTS, Edge, Kind, Memory, Scalar, Source, Tier, Trust
from cued.policy.spec import Share
from cued.requests.checks import (
    MAX_SUPERSEDED,
    MAX_TAGS,
    MAX_URL,
    checked_text,
    confidence,
    ids,
    importance,
    label,
    labels,
    metadata,
    moment,
    one_of,
    read,
    refuse_beside,
)
from cued.text.analyse import searchable
from cued.text.durations import parse_duration
from cued.text.entities import entities

OnConflict = Literal["report", "supersede", "refuse"]
Confidence = Annotated[float, Meta(ge=0.1, le=1.0)]


class Draft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller may say of a new memory; only the text is needed."""

    text: Annotated[str, Meta(description="What to remember, of 1 to 100,000 characters.")]
    id: Annotated[str | None, Meta(description="An id of your own; without one it is made.")] = None
    kind: Annotated[Kind, Meta(description="What sort of memory it is.")] = "semantic"
    tier: Annotated[Tier | None, Meta(description="How it is kept; core is pinned. Without one it follows from the kind.")] = None
    scope: Annotated[str, Meta(description="The project that it belongs to.")] = GLOBAL
    tags: Annotated[tuple[str, ...], Meta(description="A tag.")] = ()
    entities: Annotated[tuple[str, ...] | None, Meta(description="The names in it; without this they are found.")] = None
    importance: Annotated[Share, Meta(description="How much it matters, from 0 to 1.")] = 0.5
    weight: Annotated[Confidence, Meta(description="Confidence, from 0.1 to 1.")] = 1.0
    trust: Annotated[Trust, Meta(description="Where it comes from; no more than whoever stores it may say.")] = "user"
    quarantine: Annotated[bool, Meta(description="Keep it, and recall it only once a person has promoted it.")] = False
    session: Annotated[str | None, Meta(description="The conversation that it comes from.")] = None
    turn: Annotated[int | None, Meta(description="Its place in that conversation.")] = None
    speaker: Annotated[str | None, Meta(description="Who said it.")] = None
    url: Annotated[str | None, Meta(description="Where it can be read.")] = None
    meta: Annotated[dict[str, Scalar], Meta(description="Facts of your own, by which `list` can filter.")] = field(default_factory=dict)
    at: Annotated[datetime | None, Meta(description="When it was said, such as 2025-03-01T14:30. Without it: now.")] = None
    valid_from: Annotated[datetime | None, Meta(description="From when on it holds.")] = None
    valid_until: Annotated[datetime | None, Meta(description="Until when it holds.")] = None
    ttl: Annotated[str | float | None, Meta(description='How long it lives: "30d", "12h", or seconds.')] = None
    supersedes: Annotated[tuple[str, ...] | str, Meta(description="The memory that this one replaces.")] = ()
    derived_from: Annotated[tuple[str, ...] | str, Meta(description="A memory that this one was concluded from.")] = ()
    edges: Annotated[tuple[tuple[str, str], ...], Meta(description="A link: causes, mentions, or a word of your own, and an id.")] = ()
    vector: Annotated[tuple[float, ...] | None, Meta(description="Its vector, in place of the embedder's.")] = None
    fingerprint: Annotated[str | None, Meta(description="Which model made `vector`; without it, the embedder in use.")] = None


class RememberRequest(Draft, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A memory to be stored, and what is to happen where it is at odds with another."""

    conflicts: Annotated[bool, Meta(description="Look for what it contradicts, updates or repeats.")] = True
    on_conflict: Annotated[OnConflict, Meta(description="What then: tell, let the older give way, or store nothing.")] = "report"


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `update` may change; a field left unset stays as it is, and None takes a time away.

    What it `supersedes` is added to what gave way to it before, so that conflicts can be resolved one by one; () lets all of it go.
    """

    text: Annotated[str | UnsetType, Meta(description="The new text.")] = UNSET
    kind: Annotated[Kind | UnsetType, Meta(description="What sort of memory it is.")] = UNSET
    tier: Annotated[Tier | UnsetType, Meta(description="How it is kept; core is pinned.")] = UNSET
    scope: Annotated[str | UnsetType, Meta(description="The project that it belongs to; `global` for none.")] = UNSET
    tags: Annotated[tuple[str, ...] | UnsetType, Meta(description="The new tags, instead of the old ones.")] = UNSET
    importance: Annotated[Share | UnsetType, Meta(description="How much it matters, from 0 to 1.")] = UNSET
    weight: Annotated[Confidence | UnsetType, Meta(description="Confidence, from 0.1 to 1.")] = UNSET
    trust: Annotated[Trust | UnsetType, Meta(description="Where it comes from.")] = UNSET
    meta: Annotated[dict[str, Scalar] | UnsetType, Meta(description="The new facts of your own, instead of the old ones.")] = UNSET
    valid_from: Annotated[datetime | UnsetType | None, Meta(description="From when on it holds, or none.")] = UNSET
    valid_until: Annotated[datetime | UnsetType | None, Meta(description="Until when it holds, or none.")] = UNSET
    ttl: Annotated[str | float | UnsetType | None, Meta(description='How long it lives from now: "30d", "12h", seconds, or none.')] = UNSET
    supersedes: Annotated[tuple[str, ...] | str | UnsetType, Meta(description="What gives way to it too; none lets all of it go.")] = UNSET


class UpdateRequest(Change, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of one memory."""

    id: Annotated[str, Meta(description="The memory to change.")]
    if_version: Annotated[int | None, Meta(description="Only if the memory is still at this version.")] = None


def read_draft(value: str | Mapping[str, Any] | Draft) -> Draft:
    """The draft in a text, a mapping or a draft; an unknown field or a wrong type is refused by name."""
    if isinstance(value, Draft):
        return value
    if isinstance(value, str):
        return Draft(text=value)
    if not isinstance(value, Mapping):
        raise InputError("text", value, "a text, a mapping with a text in it, or a draft")
    return read(value, Draft)


def read_change(fields: Mapping[str, Any], change: Change | None) -> Change:
    """The change itself, or the one in these fields; one that changes nothing is refused."""
    if change is None:
        change = read(fields, Change)
    elif not isinstance(change, Change):
        raise InputError("change", change, "the fields by name, such as text=, or a Change")
    else:
        refuse_beside(fields)
    if all(getattr(change, name) is UNSET for name in Change.__struct_fields__):
        raise InputError("update", {}, f"at least one of {', '.join(Change.__struct_fields__)}")
    return change


def compose(draft: Draft, *, tenant: str, memory_id: str, now: datetime) -> Memory:
    """The memory that a draft describes."""
    created = moment("at", draft.at) or now
    kind = one_of("kind", draft.kind, KINDS)
    text = checked_text("text", draft.text)
    speaker = label("speaker", draft.speaker) if draft.speaker is not None else None
    memory = Memory(
        id=label("id", draft.id) if draft.id is not None else memory_id,
        tenant=tenant,
        text=text,
        created_at=created,
        updated_at=created,
        kind=kind,
        tier=one_of("tier", draft.tier or _USUAL_TIER[kind], TIERS),
        scope=label("scope", draft.scope),
        tags=labels("tags", draft.tags),
        entities=labels("entities", draft.entities) if draft.entities is not None else entities(searchable(text, speaker)),
        importance=importance(draft.importance),
        weight=confidence(draft.weight),
        trust=one_of("trust", draft.trust, TRUSTS),
        source=Source(
            session=label("session", draft.session) if draft.session is not None else None,
            turn=_place(draft.turn),
            speaker=speaker,
            url=label("url", draft.url, most=MAX_URL) if draft.url is not None else None,
            meta=metadata(draft.meta),
        ),
        valid_from=moment("valid_from", draft.valid_from),
        valid_until=moment("valid_until", draft.valid_until),
        expires_at=None if draft.ttl is None else _after(created, draft.ttl),
        quarantined_at=now if draft.quarantine else None,
        supersedes=ids("supersedes", draft.supersedes),
        edges=_edges(draft),
    )
    return _with_valid_span(memory)


def changed(memory: Memory, change: Change, *, now: datetime) -> Memory:
    """The memory after the change; its decay clock starts anew."""
    readers: dict[str, Any] = {
        "text": lambda v: checked_text("text", v),
        "kind": lambda v: one_of("kind", v, KINDS),
        "tier": lambda v: one_of("tier", v, TIERS),
        "scope": lambda v: label("scope", v),
        "tags": lambda v: labels("tags", v),
        "importance": importance,
        "weight": confidence,
        "trust": lambda v: one_of("trust", v, TRUSTS),
        "valid_from": lambda v: moment("valid_from", v),
        "valid_until": lambda v: moment("valid_until", v),
        "supersedes": lambda v: _superseding_too(memory, ids("supersedes", v)) if v else (),
    }
    new = {name: read(getattr(change, name)) for name, read in readers.items() if getattr(change, name) is not UNSET}
    if change.meta is not UNSET:
        new["source"] = replace(memory.source, meta=metadata(change.meta))
    if change.ttl is not UNSET:
        new["expires_at"] = None if change.ttl is None else _after(now, change.ttl)
    if "text" in new:
        new["entities"] = entities(searchable(new["text"], memory.source.speaker))
    return _with_valid_span(replace(memory, **new, updated_at=now))


def _superseding_too(memory: Memory, more: Sequence[str]) -> tuple[str, ...]:
    """What gives way to a memory, and these too; beyond MAX_SUPERSEDED is an InputError."""
    all_of_it = tuple(dict.fromkeys((*memory.supersedes, *more)))
    if len(all_of_it) > MAX_SUPERSEDED:
        accepted = f"at most {MAX_SUPERSEDED} that give way to one memory; a newer one may supersede this one, and more"
        raise InputError("supersedes", f"{len(all_of_it)} of them", accepted)
    return all_of_it


def _after(moment: datetime, ttl: str | float) -> datetime:
    try:
        return moment + parse_duration(ttl, field="ttl")
    except OverflowError as error:
        raise InputError("ttl", ttl, f"a time that ends before the year 10000; it would begin at {moment.isoformat()}") from error


def _place(turn: object) -> int | None:
    if turn is not None and type(turn) is not int:
        raise InputError("turn", turn, "a whole number")
    return turn


def _edges(draft: Draft) -> tuple[Edge, ...]:
    if not draft.derived_from and not draft.edges:
        return ()
    sources = (Edge(DERIVED_FROM, source) for source in ids("derived_from", draft.derived_from))
    others = (Edge(label("edges", relation), label("edges", target)) for relation, target in map(_pair, draft.edges))
    found = tuple(dict.fromkeys((*sources, *others)))
    if len(found) > MAX_TAGS:
        raise InputError("edges", f"{len(found)} of them", f"at most {MAX_TAGS}")
    if reserved := {edge.relation for edge in found} & {MERGED, DISTINCT, "supersedes"}:
        raise InputError("edges", min(reserved), "another relation: merged and distinct are consolidation's, and supersedes is a field")
    return found


def _pair(edge: Sequence[object]) -> Sequence[object]:
    if not isinstance(edge, list | tuple) or len(edge) != len(("relation", "id")):
        raise InputError("edges", edge, "pairs of a relation and an id, such as ('causes', '01J…')")
    return edge


def _with_valid_span(memory: Memory) -> Memory:
    if memory.valid_from and memory.valid_until and memory.valid_from >= memory.valid_until:
        raise InputError("valid_until", memory.valid_until.isoformat(), f"a time after valid_from, {memory.valid_from.isoformat()}")
    return memory


_USUAL_TIER = {"semantic": "fact", "episodic": "episode", "procedural": "fact", "reflection": "reflection"}
