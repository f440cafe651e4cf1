"""What buttons do: a sequence of verbs, and the verbs that undo it."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from cued.errors import InputError
from cued.model.plain import JSON
from cued.surfaces.inspector.pages.beliefs import choice_steps
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import clipped, plural
from cued.surfaces.verbs import VERBS

MOST_STEPS = 500
_SHOWN = 60


class VerbCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A verb and the fields of its request."""

    verb: str
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def long(self) -> bool:
        """Whether it may take long."""
        return self.verb in VERBS and VERBS[self.verb].long


def done(visit: Visit, steps: Sequence[VerbCall]) -> JSON:
    """What was done in words, the last answer, and the steps that undo all of it; no steps if one of them cannot be undone."""
    if not 1 <= len(steps) <= MOST_STEPS or any(step.verb not in _UNDOING for step in steps):
        raise InputError("verb", [step.verb for step in steps][:5], f"1 to {MOST_STEPS} steps of {', '.join(_UNDOING)}")
    undo: list[JSON] = []
    undoable, answer = True, {}
    for step in steps:
        before = _before(visit, step)
        answer = visit.ask(step.verb, step.body)
        back = _UNDOING[step.verb](step.body, before, answer)
        undoable = undoable and back is not None
        undo = [*(back or ()), *undo]
    against = [{**each, "choices": choice_steps(_stored(visit, answer), each["id"])} for each in answer.get("conflicts", ())]
    return {"told": _summary(steps, answer), "undo": undo if undoable else [], "answer": answer, "conflicts": against}


def _before(visit: Visit, step: VerbCall) -> JSON:
    """The state, before a step, of what it changes."""
    if step.verb == "update":
        return visit.ask("get", {"id": step.body.get("id", "")})
    return visit.ask("policy_history") if step.verb.startswith("policy_") else {}


def _stored(visit: Visit, answer: JSON) -> JSON:
    return visit.ask("get", {"id": answer["id"]})


def _summary(steps: Sequence[VerbCall], answer: JSON) -> str:
    """What was done, in a few words."""
    verb, count = steps[-1].verb, sum(len(step.body.get("ids", [0])) for step in steps)
    memories = plural(count, "memory", "memories")
    text = f": {clipped(answer['text'], _SHOWN)}" if len(steps) == 1 and "text" in answer else ""
    words = {
        "remember": "Remembered",
        "update": f"Changed{text}" if len(steps) == 1 else f"Changed {memories}",
        "forget": f"Forgot {memories}",
        "restore": f"Brought back {memories}",
        "quarantine": f"Put {memories} into quarantine",
        "promote": f"Let {memories} out of quarantine",
        "keep_both": "Kept both",
        "consolidate": f"Merged {plural(len(answer.get('merges', ())), 'pair')}",
        "unmerge": f"Brought back {plural(len(answer.get('restored', ())), 'memory', 'memories')}",
        "feedback": "Noted",
        **dict.fromkeys(("policy_save", "policy_rollback"), _decides(answer)),
    }
    return words[verb]


def _decides(answer: JSON) -> str:
    current = next((each for each in answer.get("versions", ()) if each["number"] == answer["current"]), None)
    return "The usual policy decides" if current is None else f"{current['name']} (version {current['number']}) decides from now on"


def _undo_policy(_body: JSON, before: JSON, _answer: JSON) -> list[JSON]:
    return [{"verb": "policy_rollback", "body": {"to": before["current"]}}]


def _undo_update(body: JSON, before: JSON, _answer: JSON) -> list[JSON] | None:
    if "ttl" in body:
        return None
    old = {name: before[name] for name in body if name not in {"id", "if_version", "supersedes"}}
    steps = [{"verb": "update", "body": {"id": body["id"], **old}}] if old else []
    if "supersedes" in body:
        # what is named is added to what gave way before: so all of it is let go of, and what was there before named again
        steps.append({"verb": "update", "body": {"id": body["id"], "supersedes": []}})
        if before["supersedes"]:
            steps.append({"verb": "update", "body": {"id": body["id"], "supersedes": before["supersedes"]}})
    return steps


def _undo_forget(body: JSON, _before: JSON, _answer: JSON) -> list[JSON] | None:
    return None if body.get("erase") else [{"verb": "restore", "body": {"ids": body["ids"]}}]


def _undo_consolidate(_body: JSON, _before: JSON, answer: JSON) -> list[JSON] | None:
    newer = list(dict.fromkeys(merge["newer"] for merge in answer["merges"]))
    return [{"verb": "unmerge", "body": {"ids": newer}}] if newer and answer["applied"] else None


def _nothing(_body: JSON, _before: JSON, _answer: JSON) -> None:
    return None


Undoing = Callable[[JSON, JSON, JSON], list[JSON] | None]
_UNDOING: Mapping[str, Undoing] = MappingProxyType(
    {
        "remember": lambda _body, _before, answer: [{"verb": "forget", "body": {"ids": answer["ids"]}}],
        "update": _undo_update,
        "forget": _undo_forget,
        "restore": lambda body, _before, _answer: [{"verb": "forget", "body": {"ids": body["ids"]}}],
        "quarantine": lambda body, _before, _answer: [{"verb": "promote", "body": {"ids": body["ids"]}}],
        "promote": lambda body, _before, _answer: [{"verb": "quarantine", "body": {"ids": body["ids"]}}],
        "keep_both": _nothing,
        "consolidate": _undo_consolidate,
        "unmerge": _nothing,
        "feedback": _nothing,
        "policy_save": _undo_policy,
        "policy_rollback": _undo_policy,
    }
)
"""The verbs that a page may use to change something, each with a function that gives the steps to undo it."""
