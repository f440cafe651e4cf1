"""From what a caller says of a memory to a memory: every field checked, and refused in words that say what would be accepted."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import DERIVED_FROM, DISTINCT, GLOBAL, KINDS, MERGED, TIERS, TRUSTS, Edge, Memory, Scalar, Source
from cued.text.analyse import searchable
from cued.text.durations import parse_duration
from cued.text.entities import entities

MAX_TEXT = 100_000
MAX_LABEL = 200
MAX_TAGS = 64
MAX_META = 64
Spoken = TypeVar("Spoken", "Draft", "Change")
_TIMES = ("at", "valid_from", "valid_until")


class Draft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a caller may say of a new memory; only the text is needed."""

    text: str
    id: str | None = None
    kind: str = "semantic"
    tier: str | None = None
    scope: str = GLOBAL
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] | None = None
    importance: float = 0.5
    weight: float = 1.0
    trust: str = "user"
    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    url: str | None = None
    meta: dict[str, Scalar] = field(default_factory=dict)
    at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ttl: str | float | None = None
    supersedes: tuple[str, ...] | str = ()
    derived_from: tuple[str, ...] | str = ()
    edges: tuple[tuple[str, str], ...] = ()


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `update` may change; a field left unset stays as it is, and None takes a time away.

    What it `supersedes` is added to what gave way to it before, so that conflicts can be resolved one by one; () lets all of it go.
    """

    text: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    tier: str | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    importance: float | UnsetType = UNSET
    weight: float | UnsetType = UNSET
    trust: str | UnsetType = UNSET
    meta: dict[str, Scalar] | UnsetType = UNSET
    valid_from: datetime | UnsetType | None = UNSET
    valid_until: datetime | UnsetType | None = UNSET
    ttl: str | float | UnsetType | None = UNSET
    supersedes: tuple[str, ...] | str | UnsetType = UNSET


def read_draft(value: str | Mapping[str, Any] | Draft) -> Draft:
    """Give the draft in a text, a mapping or a draft; an unknown field or a wrong type is refused by name."""
    if isinstance(value, Draft):
        return value
    if isinstance(value, str):
        return Draft(text=value)
    return _converted(value, Draft)


def read_change(fields: Mapping[str, Any]) -> Change:
    """Give the change in these keyword arguments."""
    change = _converted(fields, Change)
    if not fields:
        raise InputError("update", {}, f"at least one of {', '.join(Change.__struct_fields__)}")
    return change


def compose(draft: Draft, *, tenant: str, memory_id: str, now: datetime) -> Memory:
    """Give the memory that a draft describes."""
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
        importance=share("importance", draft.importance),
        weight=confidence(draft.weight),
        trust=one_of("trust", draft.trust, TRUSTS),
        source=Source(
            session=label("session", draft.session) if draft.session is not None else None,
            turn=draft.turn,
            speaker=speaker,
            url=label("url", draft.url, most=2000) if draft.url is not None else None,
            meta=metadata(draft.meta),
        ),
        valid_from=moment("valid_from", draft.valid_from),
        valid_until=moment("valid_until", draft.valid_until),
        expires_at=None if draft.ttl is None else created + parse_duration(draft.ttl, field="ttl"),
        supersedes=ids("supersedes", draft.supersedes),
        edges=_edges(draft),
    )
    return _with_valid_span(memory)


def changed(memory: Memory, change: Change, *, now: datetime) -> Memory:
    """Give the memory after the change; its decay clock starts anew."""
    readers: dict[str, Any] = {
        "text": lambda v: checked_text("text", v),
        "kind": lambda v: one_of("kind", v, KINDS),
        "tier": lambda v: one_of("tier", v, TIERS),
        "scope": lambda v: label("scope", v),
        "tags": lambda v: labels("tags", v),
        "importance": lambda v: share("importance", v),
        "weight": confidence,
        "trust": lambda v: one_of("trust", v, TRUSTS),
        "valid_from": lambda v: moment("valid_from", v),
        "valid_until": lambda v: moment("valid_until", v),
        "supersedes": lambda v: tuple(dict.fromkeys((*memory.supersedes, *ids("supersedes", v)))) if v else (),
    }
    new = {name: read(getattr(change, name)) for name, read in readers.items() if getattr(change, name) is not UNSET}
    if change.meta is not UNSET:
        new["source"] = replace(memory.source, meta=metadata(change.meta))
    if change.ttl is not UNSET:
        new["expires_at"] = None if change.ttl is None else now + parse_duration(change.ttl, field="ttl")
    if "text" in new:
        new["entities"] = entities(searchable(new["text"], memory.source.speaker))
    return _with_valid_span(replace(memory, **new, updated_at=now))


def checked_text(name: str, value: object) -> str:
    """Give a text that can be stored: not empty, not longer than MAX_TEXT, without NUL and lone surrogates."""
    accepted = f"a text of 1 to {MAX_TEXT} characters, not only white space, without NUL and lone surrogates"
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT or not storable(value):
        raise InputError(name, value, accepted)
    return value


def label(name: str, value: object, *, most: int = MAX_LABEL) -> str:
    """Give a short name (a scope, a tag, an id, a session)."""
    if not isinstance(value, str) or not value.strip() or len(value) > most or not storable(value):
        raise InputError(name, value, f"1 to {most} characters, not only white space, without NUL and lone surrogates")
    return value


def labels(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Give distinct short names, in the order given."""
    if isinstance(values, str):
        raise InputError(name, values, "a list of names, not one string")
    found = tuple(dict.fromkeys(label(name, value) for value in values))
    if len(found) > MAX_TAGS:
        raise InputError(name, f"{len(found)} of them", f"at most {MAX_TAGS}")
    return found


def ids(name: str, values: str | Iterable[str]) -> tuple[str, ...]:
    """Give distinct ids of memories; a single one may stand for a list."""
    return labels(name, (values,) if isinstance(values, str) else values)


def share(name: str, value: object) -> float:
    """Give a number from 0 to 1."""
    accepted = "a number from 0 to 1; a rating on a 1–10 scale is divided by 10, so 7 is 0.7"
    return _number(name, value, 0.0, 1.0, accepted=accepted)


def confidence(value: object) -> float:
    """Give a memory's weight."""
    return _number("weight", value, 0.1, 1.0, accepted="a confidence from 0.1 to 1")


def one_of(name: str, value: object, known: tuple[Any, ...]) -> Any:  # noqa: ANN401 - gives back a member of `known`
    """Give the value if it is among the known ones."""
    if value not in known:
        raise InputError(name, value, f"one of {', '.join(known)}")
    return value


def moment(name: str, value: object) -> datetime | None:
    """Give an aware UTC time from a datetime or an ISO 8601 string; one without a zone is read as UTC."""
    if value is None:
        return None
    accepted = 'a time such as "2025-03-01" or "2025-03-01T14:30:00+02:00"; without a zone it is UTC'
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError as error:
            raise InputError(name, value, accepted) from error
    if not isinstance(value, datetime):
        raise InputError(name, value, accepted)
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise InputError(name, value, accepted) from error


def metadata(value: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Give free metadata: short keys, plain finite values."""
    accepted = f"at most {MAX_META} keys; values are texts of at most {MAX_LABEL * 10} characters, finite numbers, true, false or null"
    fine = len(value) <= MAX_META and all(_plain(item) for item in value.values())
    if not fine:
        raise InputError("meta", dict(value), accepted)
    return {label("meta", key): item for key, item in value.items()}


def storable(text: str) -> bool:
    """Tell whether every store can keep this text: it has no NUL and no lone surrogate."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _plain(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_LABEL * 10 and storable(value)
    if isinstance(value, bool) or value is None:
        return True
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) < 2**53


def _number(name: str, value: object, low: float, high: float, *, accepted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(name, value, accepted)
    return float(value)


def _edges(draft: Draft) -> tuple[Edge, ...]:
    sources = (Edge(DERIVED_FROM, source) for source in ids("derived_from", draft.derived_from))
    others = (Edge(label("edges", relation), label("edges", target)) for relation, target in draft.edges)
    found = tuple(dict.fromkeys((*sources, *others)))
    if len(found) > MAX_TAGS:
        raise InputError("edges", f"{len(found)} of them", f"at most {MAX_TAGS}")
    if reserved := {edge.relation for edge in found} & {MERGED, DISTINCT, "supersedes"}:
        raise InputError("edges", min(reserved), "another relation: merged and distinct are consolidation's, and supersedes is a field")
    return found


def _with_valid_span(memory: Memory) -> Memory:
    if memory.valid_from and memory.valid_until and memory.valid_from >= memory.valid_until:
        raise InputError("valid_until", memory.valid_until.isoformat(), f"a time after valid_from, {memory.valid_from.isoformat()}")
    return memory


def _converted(value: Mapping[str, Any], kind: type[Spoken]) -> Spoken:
    unknown = [key for key in value if key not in kind.__struct_fields__]
    if unknown:
        raise InputError(unknown[0], value[unknown[0]], f"the fields {', '.join(kind.__struct_fields__)}")
    plain = {
        key: moment(key, item) if key in _TIMES else list(item) if isinstance(item, set | frozenset) else item
        for key, item in value.items()
    }
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        name = str(error).rpartition("$.")[2].split("`")[0].split("[")[0] if "$." in str(error) else kind.__name__.lower()
        raise InputError(name, value.get(name), str(error).split(" - at")[0]) from error


_USUAL_TIER = {"semantic": "fact", "episodic": "episode", "procedural": "fact", "reflection": "reflection"}
