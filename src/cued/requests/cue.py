"""What recall and explain take: the cue, where and when to look, and what this one recall changes of its policy."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import GLOBAL, NO_TIME, Cue, Intent, Kind, Trust
from cued.policy.adjust import Adjustment, adjust
from cued.policy.spec import Policy
from cued.requests.checks import MAX_CUE, label, labels, moment, read, refuse_beside, refuse_growth, refuse_unknown
from cued.requests.keywords import RecallOptions


class CueRequest(Adjustment, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cue, where and when to look, and what this one recall changes of its policy."""

    text: Annotated[str, Meta(description="What is being said or asked.")] = ""
    goal: Annotated[str, Meta(description="What the agent is working towards.")] = ""
    step: Annotated[str, Meta(description="The step it is at.")] = ""
    open_questions: Annotated[tuple[str, ...], Meta(description="An open question.")] = ()
    scope: Annotated[str, Meta(description="A project: look there and in what is global.")] = GLOBAL
    tags: Annotated[tuple[str, ...], Meta(description="Only memories with this tag.")] = ()
    kinds: Annotated[tuple[Kind, ...], Meta(description="Only this kind.")] = ()
    trusts: Annotated[tuple[Trust, ...], Meta(description="Only what comes from these.")] = ()
    as_of: Annotated[datetime | None, Meta(description="Recall as it would have been then, such as 2025-03-01.")] = None
    intent: Annotated[Intent | None, Meta(description="Overrule what the words say of time.")] = None
    present: Annotated[tuple[str, ...], Meta(description="A memory already in the prompt.")] = ()
    conversation: Annotated[str, Meta(description="The conversation that this is part of, by any name that stays the same.")] = ""
    policy: Annotated[str | None, Meta(description="A preset, in place of the usual policy.")] = None


class RecallRequest(CueRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to recall."""

    settle: Annotated[bool, Meta(description="Leave a trace: touches, and a line in the recall log.")] = True


class ExplainRequest(CueRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to explain a recall; nothing is settled."""

    memory: Annotated[str | None, Meta(description="Also say what became of this memory, and what would have to change.")] = None
    envelope: Annotated[bool, Meta(description="Also all that the recall read, to be decided again elsewhere.")] = False


class DecideRequest(Adjustment, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to decide saved evidence again: the part of a recall that needs no store."""

    policy: Annotated[str | None, Meta(description="A preset, in place of the usual policy.")] = None
    memory: Annotated[str | None, Meta(description="Also say what became of this memory, and what would have to change.")] = None


class Asked(Struct, frozen=True):
    """What a recall is about to do: its cue, and its policy with this recall's changes."""

    cue: Cue
    policy: Policy


def asked_for(
    cue: str | Cue | CueRequest, options: Mapping[str, Any], *, policy: str | Policy | None, usual: Policy, now: datetime
) -> Asked:
    """The cue and the policy that a caller asks for, in a text, a cue or a whole request, with the options beside it."""
    if isinstance(cue, CueRequest):
        refuse_beside({name: value for name, value in options.items() if name not in _BESIDE_A_REQUEST})
        request, stated = cue, frozenset(_OF_CUE)
    else:
        request, stated = _read(options), frozenset(name for name in _CHECKED.keys() & options if options[name] is not None)
    said, fields = _as_cue(cue), {name: _CHECKED[name](getattr(request, name)) for name in stated}
    said = replace(said, **fields, now=moment("now", options.get("now")) or (now if said.now == NO_TIME else said.now))
    if not any(part.strip() for part in (said.utterance, said.goal, said.step, *said.open_questions)):
        raise InputError("text", said.utterance, "a cue with words in its text, goal, step or open_questions")
    _refuse_long(said)
    if policy is not None:
        from cued.policy.presets import load_policy  # noqa: PLC0415 - what only asks a server needs no policies

        usual = load_policy(policy)
    return Asked(said, adjusted(request, usual))


def request_for(cue: str | Cue | CueRequest, options: Mapping[str, Any]) -> CueRequest:
    """The request that a text or a cue makes with the options beside it, for whoever sends it on; a request is one already."""
    if isinstance(cue, CueRequest):
        refuse_beside(options)
        return cue
    request, said = _read(options), _as_cue(cue)
    if said.now != NO_TIME:
        raise InputError("now", said.now.isoformat(), "a cue without a `now`: who decides has a clock")
    stated = {name: check(getattr(request if options.get(name) is not None else said, name)) for name, check in _CHECKED.items()}
    return replace(request, text="\n".join(filter(None, (said.utterance, said.pasted))), **stated)


def adjusted(request: CueRequest | DecideRequest, usual: Policy) -> Policy:
    """The policy that a request names, or the usual one, with the request's changes.

    A request names a preset alone, so that it cannot make a server read files.
    """
    if request is _NOTHING_ELSE:
        return usual
    if request.policy is not None:
        from cued.policy.presets import preset  # noqa: PLC0415 - what only asks a server needs no policies

        usual = preset(request.policy)
    changes = any(getattr(request, name) not in (None, ()) for name in Adjustment.__struct_fields__)
    return adjust(usual, request) if changes else usual


def _read(options: Mapping[str, Any]) -> CueRequest:
    if not options:
        return _NOTHING_ELSE
    refuse_unknown(options, _KNOWN)
    given = {name: value for name, value in options.items() if value is not None and name in CueRequest.__struct_fields__}
    return read(given | {name: (given[name],) for name in _SINGLE if isinstance(given.get(name), str)}, CueRequest)


def _as_cue(cue: str | Cue | CueRequest) -> Cue:
    if isinstance(cue, Cue):
        return _checked(cue)
    if not isinstance(cue, str | CueRequest):
        raise InputError("cue", cue, "a text, or a cued.Cue")
    return Cue(utterance=_sayable(cue if isinstance(cue, str) else cue.text))


def _checked(cue: Cue) -> Cue:
    """The cue with its fields read as those of a request are: whoever makes one may write any value into it."""
    for name in ("utterance", "pasted"):
        if not isinstance(said := getattr(cue, name), str):
            raise InputError(name, said, "a text")
    stated = {name: value for name in _OF_CUE if (value := getattr(cue, name)) != _PLAIN[name]}
    request = _read(stated)
    fields = {name: _CHECKED[name](getattr(request, name)) for name in stated}
    return replace(cue, utterance=_sayable(cue.utterance), pasted=_sayable(cue.pasted), now=moment("now", cue.now) or NO_TIME, **fields)


def _sayable(text: str) -> str:
    """A cue's text with what no encoder can take replaced: any string with a word in it may be asked."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _refuse_long(cue: Cue) -> None:
    parts = (cue.utterance, cue.goal, cue.step, *cue.open_questions, cue.pasted)
    size = sum(map(len, parts))
    if size > MAX_CUE:
        raise InputError("text", f"{size} characters", f"a cue of at most {MAX_CUE} characters in its text, goal, step and open_questions")
    if not all(map(str.isascii, parts)):
        refuse_growth("text", " ".join(parts), most=MAX_CUE)


def _all_sayable(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_sayable, texts))


_NOTHING_ELSE = CueRequest()
_KNOWN = tuple(RecallOptions.__annotations__)
_BESIDE_A_REQUEST = ("now", "boost", "vector", "fingerprint")
_SINGLE = ("open_questions", "kinds", "trusts")
_CHECKED: dict[str, Any] = {
    "goal": _sayable,
    "step": _sayable,
    "open_questions": _all_sayable,
    "scope": lambda value: label("scope", value or GLOBAL),
    "tags": lambda value: labels("tags", value),
    "kinds": tuple,
    "trusts": tuple,
    "as_of": lambda value: value,
    "intent": lambda value: value,
    "present": lambda value: labels("present", value),
    "conversation": lambda value: label("conversation", value) if value else "",
}
_OF_CUE = tuple(_CHECKED)
_PLAIN = {name: getattr(Cue(), name) for name in _OF_CUE}
