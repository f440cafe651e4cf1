"""From what a caller asks for to a cue, a policy and a filter: every field checked, or refused with what would be accepted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from msgspec.structs import replace

from cued.errors import InputError
from cued.model import GLOBAL, KINDS, TIERS, Cue, Filter, Intent, Kind
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import load
from cued.policy.spec import Policy
from cued.ports import Boost
from cued.requests.draft import label, labels, moment, one_of


class Wishes(TypedDict, total=False):
    """What one recall may ask for: the rest of its cue, and its own changes to the policy."""

    goal: str
    step: str
    open_questions: Sequence[str]
    scope: str
    tags: Sequence[str]
    kinds: Sequence[str]
    now: datetime | str
    as_of: datetime | str | None
    intent: Intent | None
    present: Sequence[str]
    limit: int | None
    floor: float | None
    budget_tokens: int | None
    window_tokens: int | None
    compact: bool | None
    recency_weight: float | None
    decay: bool | None
    without: Sequence[str]
    boost: Boost | None


def cue_of(cue: str | Cue, wishes: Mapping[str, Any], *, now: datetime) -> Cue:
    """Give the cue in a text or a cue, with what the wishes add to it."""
    fields = _cue_fields({name: value for name, value in wishes.items() if name in Cue.__struct_fields__})
    if isinstance(cue, Cue):
        return replace(cue, **fields)
    if not isinstance(cue, str):
        raise InputError("cue", cue, "a text, or a cued.Cue")
    return Cue(utterance=_sayable(cue), **{"now": now, **fields})


def policy_of(policy: str | Policy | None, wishes: Mapping[str, Any], *, usual: Policy) -> Policy:
    """Give the policy asked for, or the usual one, bent by the wishes."""
    for name in wishes:
        if name not in Wishes.__annotations__:
            raise InputError(name, wishes[name], f"the wishes {', '.join(Wishes.__annotations__)}")
    own: dict[str, Any] = {k: tuple(v) if k == "without" else v for k, v in wishes.items() if k in Adjustment.__struct_fields__}
    return adjust(usual if policy is None else load(policy), Adjustment(**own))


def filter_of(wanted: Mapping[str, Any]) -> Filter:
    """Give the filter of a listing."""
    readers: dict[str, Callable[[Any], Any]] = {
        "scope": lambda v: None if v is None else label("scope", v),
        "kinds": _kinds,
        "tiers": lambda v: tuple(one_of("tiers", tier, TIERS) for tier in ((v,) if isinstance(v, str) else v)),
        "tags": lambda v: labels("tags", v),
        "session": lambda v: None if v is None else label("session", v),
        "since": lambda v: moment("since", v),
        "until": lambda v: moment("until", v),
        "hidden": bool,
    }
    for name in wanted:
        if name not in readers:
            raise InputError(name, wanted[name], f"the filters {', '.join(readers)}")
    return Filter(**{name: readers[name](value) for name, value in wanted.items()})


def _cue_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    readers: dict[str, Callable[[Any], Any]] = {
        "goal": lambda v: _sayable(str(v)),
        "step": lambda v: _sayable(str(v)),
        "open_questions": lambda v: (_sayable(v),) if isinstance(v, str) else tuple(_sayable(str(item)) for item in v),
        "scope": lambda v: label("scope", v or GLOBAL),
        "tags": lambda v: labels("tags", v),
        "kinds": _kinds,
        "now": lambda v: moment("now", v),
        "as_of": lambda v: moment("as_of", v),
        "intent": lambda v: one_of("intent", v, _INTENTS),
        "present": lambda v: labels("present", v),
    }
    return {name: readers[name](value) for name, value in fields.items() if value is not None}


def _sayable(text: str) -> str:
    """Give a cue's text with what no encoder can take replaced: any string at all may be asked."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _kinds(values: str | Iterable[str]) -> tuple[Kind, ...]:
    return tuple(one_of("kinds", v, KINDS) for v in ((values,) if isinstance(values, str) else values))


_INTENTS: tuple[Intent, ...] = ("past", "present", "neutral")
