"""The shapes of a server's answers, from which schemas are made, for the verbs that programs use most.

They are put together from the nouns in the answers. Every field is there, and a number that is not finite is null.
"""

from datetime import datetime
from types import GenericAlias, MappingProxyType
from typing import Annotated, Any, Final, get_type_hints

from msgspec import Meta, Struct, defstruct

from cued.explain import Verdict
from cued.explain.single_changes import Change
from cued.handles.bootstrap import Needed, Pack
from cued.handles.keeping import OpenConflicts, Remembered
from cued.model import Choice, Conflict, Memory, Omitted, Page, Recall, Recalled, RecallEntry, Source, Stats, Supersession, Use
from cued.model.log import Shadowed

Fields = dict[str, Any]
_NUMBERS = dict[str, float | None]
_OBJECT = dict[str, Any]
_BRIEF = ("id", "text", "kind", "tier", "scope", "tags", "created_at", "updated_at", "trust", "importance", "weight")
_TEXTS = tuple[str, ...]
_TIME = Annotated[datetime, Meta(tz=True)]
_TIMES: dict[Any, Any] = {datetime: _TIME, datetime | None: _TIME | None}


def _shape(name: str, fields: Fields) -> type[Struct]:
    """A struct that has every field."""
    return defstruct(name, list(fields.items()), kw_only=True)


def _of(noun: type[Struct], *names: str, without: tuple[str, ...] = ()) -> Fields:
    """The types of a noun's fields by their names: of these, or of all."""
    types = {name: _TIMES.get(kind, kind) for name, kind in get_type_hints(noun).items()}
    return {name: types[name] for name in names or noun.__struct_fields__ if name not in without}


def _list(item: type[Struct]) -> GenericAlias:
    return GenericAlias(list, (item,))


def _or_null(shape: type[Struct]) -> Any:  # noqa: ANN401 - a type
    return shape | None


_SUPERSESSION = _shape("Supersession", _of(Supersession, "by", "at", "scope", "lifted_at"))
_OWN = _of(Memory, without=("tenant", "source", "superseded", "edges", "use"))
_TOLD_OF_LINKS: Fields = {"superseded": _list(_SUPERSESSION), "edges": list[tuple[str, str]], "use": _shape("Use", _of(Use))}
_MEMORY = _shape("Memory", {**_OWN, **_of(Source), **_TOLD_OF_LINKS})
_IN_BRIEF = {**_of(Memory, *_BRIEF), **_of(Source, "speaker", "session", "turn")}
_BRIEF_MEMORY = _shape("MemoryInBrief", _IN_BRIEF)
_WEIGHED = {**_IN_BRIEF, "score": float | None, "relevance": float | None, "contributions": _NUMBERS, "duplicates": _TEXTS}
_OMITTED = _list(_shape("Omitted", _of(Omitted)))
_RECALL: Fields = {
    **_of(Recall, "recall_id", "policy", "outcome", "block", "compacted", "drift", "degraded", "tokens", "timings_ms"),
    "memories": _list(_shape("Recalled", {**_WEIGHED, **_of(Recalled, "rank")})),
    "core": _list(_BRIEF_MEMORY),
    "near_misses": _list(_shape("NearMiss", {**_WEIGHED, "rank": None, "fate": str})),
    "omitted": _OMITTED,
    "suppressed": dict[str, int],
}
_CANDIDATE: Fields = {
    **dict.fromkeys(("id", "text", "fate", "stage"), str),
    "rank": int | None,
    "ranks": dict[str, int],
    "signals": _NUMBERS,
    "contributions": _NUMBERS,
}
_SINGLE = _list(_shape("SingleChange", _of(Change)))
_VERDICT = _shape("Verdict", {**_of(Verdict), "signals": _NUMBERS, "contributions": _NUMBERS, "single": _SINGLE})
_EXPLANATION: Fields = {
    **_RECALL,
    "combine": str,
    "read": _OBJECT,
    "candidates": _list(_shape("Candidate", _CANDIDATE)),
    "verdict": _or_null(_VERDICT),
    "ablation": _OBJECT | None,
    "envelope": _OBJECT | None,
}
_NEEDED = _shape("Needed", {**_IN_BRIEF, **_of(Needed, "need"), "contributions": _NUMBERS})
_CONFLICTS = _list(_shape("Conflict", {**_of(Conflict), "choices": _list(_shape("Choice", _of(Choice)))}))
_REMEMBERED = _shape("Remembered", {"id": str | None, **_of(Remembered), "conflicts": _CONFLICTS})
_OPEN = _list(_shape("OpenConflict", {"memory": _MEMORY, "conflicts": _CONFLICTS}))
_SHADOWED = _shape("Shadowed", {**_of(Shadowed), "best_relevance": float | None})
_ENTRY: Fields = {**_of(RecallEntry), "best_relevance": float | None, "shadow": _or_null(_SHADOWED), "evidence": _OBJECT | None}
_BRIEFS = _list(_BRIEF_MEMORY)
_CHANGED = _list(_shape("Importance", {"id": str, "importance": float, "boost": float}))

SHAPES: Final = MappingProxyType(
    {
        **dict.fromkeys(("remember", "remember_many", "remember_turns"), _REMEMBERED),
        **dict.fromkeys(("get", "update", "keep_both"), _MEMORY),
        "recall": _shape("Recall", _RECALL),
        "explain": _shape("Explanation", _EXPLANATION),
        "bootstrap": _shape("Pack", {**_of(Pack), "core": _BRIEFS, "memories": _list(_NEEDED), "omitted": _OMITTED}),
        "feedback": _shape("Feedback", {"recall_id": str, "changed": _CHANGED}),
        "log": _shape("Log", {"recalls": _list(_shape("RecallEntry", _ENTRY)), "rates": _OBJECT | None}),
        "list": _shape("Page", {**_of(Page), "memories": _list(_MEMORY)}),
        "stats": _shape("Stats", _of(Stats)),
        "timeline": _shape("Timeline", {"before": _list(_MEMORY), "centre": _or_null(_MEMORY), "after": _list(_MEMORY)}),
        "conflicts": _shape("OpenConflicts", {**_of(OpenConflicts), "found": _OPEN}),
        "forget": _shape("Forgotten", {"forgotten": _TEXTS, "erased": bool, "gone": bool, "pending": _TEXTS}),
        "restore": _shape("Restored", {"restored": _TEXTS}),
        "quarantine": _shape("Quarantined", {"quarantined": _BRIEFS}),
        "promote": _shape("Promoted", {"promoted": _BRIEFS}),
        "tenants": _shape("Tenants", {"tenants": _list(_shape("TenantSize", {"name": str, "memories": int}))}),
    }
)
"""The shape of a verb's answer, by the verb's name; for other verbs `openapi` lists the fields that they always have."""
