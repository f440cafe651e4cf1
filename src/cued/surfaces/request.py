"""What a caller may ask for, as plain JSON: every field checked for its type, and refused by name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from cued.errors import InputError
from cued.handles.bootstrap import BUDGET_TOKENS
from cued.model import GLOBAL
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import preset
from cued.policy.spec import Policy
from cued.requests.draft import moment
from cued.upkeep import AT_LEAST, IMPORTANCE_BELOW, OLDER_THAN

_Wanted = TypeVar("_Wanted", bound=Struct)


class Deciding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a request that only bends how evidence is decided, so that it also applies to a saved one."""

    policy: str | None = None
    limit: int | None = None
    floor: float | None = None
    budget_tokens: int | None = None
    window_tokens: int | None = None
    compact: bool | None = None
    recency_weight: float | None = None
    decay: bool | None = None
    memory: str | None = None

    def preset(self) -> Policy | None:
        """Give the preset that was named, if one was: a name only, so that a request cannot make a server read files."""
        return None if self.policy is None else preset(self.policy)

    def bent(self, policy: Policy) -> Policy:
        """Give the policy with this request's wishes applied."""
        wish = {name: getattr(self, name) for name in Adjustment.__struct_fields__ if hasattr(self, name)}
        return adjust(self.preset() or policy, Adjustment(**wish))


class Ask(Deciding, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to recall or explain: the cue, where and when to look, and this one recall's own wishes."""

    text: str = ""
    goal: str = ""
    step: str = ""
    open_questions: tuple[str, ...] = ()
    scope: str = GLOBAL
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    as_of: str | None = None
    intent: str | None = None
    without: tuple[str, ...] = ()
    settle: bool = True

    def wishes(self) -> dict[str, Any]:
        """Give what `Tenant.recall` takes as keywords; a field left at its default is left to the tenant."""
        stated = {name: getattr(self, name) for name in self.__struct_fields__ if name not in _NOT_WISHES}
        return {name: value for name, value in stated.items() if value != getattr(_NOTHING, name)}


class Around(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a timeline: around a memory or around a time, one of the two."""

    id: str | None = None
    at: str | None = None
    before: int = 5
    after: int = 5
    scope: str | None = None
    session: str | None = None
    hidden: bool = False

    def centre(self) -> str | datetime:
        """Give the id of the memory in the middle, or the moment."""
        moments = moment("at", self.at)
        if (self.id is None) is (moments is None):
            raise InputError("id", self.id, "either the id of a memory or a time `at`")
        return self.id or moments or ""


class Opening(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for what a conversation should start with."""

    scope: str = GLOBAL
    budget_tokens: int = BUDGET_TOKENS


class Judged(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a recall was good for: the memories that were of use, and those that did harm."""

    cited: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


class Merging(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to consolidate: only a preview unless it says `apply`."""

    apply: bool = False
    at_least: float = AT_LEAST


class Sweeping(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request to erase what has expired: only a preview unless it says `apply`."""

    apply: bool = False
    grace: str | float = 0


class Cooling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for the memories that could be let go."""

    older_than: str | float = OLDER_THAN
    importance_below: float = IMPORTANCE_BELOW


def read_ask(body: Mapping[str, Any]) -> Ask:
    """Give the request in this JSON object; a cue without a word in it is refused."""
    ask = read(body, Ask)
    if not any(part.strip() for part in (ask.text, ask.goal, ask.step, *ask.open_questions)):
        raise InputError("text", ask.text, "a cue with words in its text, goal, step or open_questions")
    return ask


def read(body: Mapping[str, Any], kind: type[_Wanted]) -> _Wanted:
    """Give the struct that this JSON object describes; an unknown field or a wrong type is refused by name."""
    try:
        return msgspec.convert(known(body, kind.__struct_fields__), kind)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at ")
        name = where.strip("`").removeprefix("$.").partition("[")[0]
        raise InputError(name, body.get(name), problem[:1].lower() + problem[1:]) from error


def known(body: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Give the JSON object as it is, if all its fields are among these."""
    for name in body:
        if name not in fields:
            raise InputError(str(name), body[name], f"the fields {', '.join(fields)}")
    return dict(body)


_NOT_WISHES = frozenset({"text", "policy", "memory", "settle"})
_NOTHING = Ask()
