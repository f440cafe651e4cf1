"""What every part of a remote tenant is bound to, and how a verb of the handle is asked of a server."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from cued.errors import InputError
from cued.handles.ids import IdMaker
from cued.handles.upkeep import Span
from cued.model.plain import JSON
from cued.policy.spec import Policy
from cued.requests.checks import asked_id, label
from cued.surfaces.remote.calls import call_of
from cued.surfaces.remote.connections import Connections

Params = ParamSpec("Params")
Answer = TypeVar("Answer")


class RemoteBound:
    """A tenant's name with the connections to its server."""

    remote = True

    def __init__(self, name: str, connections: Connections) -> None:
        """Ask through these connections."""
        self.name = label("tenant", name)
        self._connections = connections
        # a conversation is named here
        self._ids, self._clock = IdMaker(), lambda: datetime.now(UTC)

    def _ask(self, verb: str, body: JSON | None = None) -> JSON:
        return self._connections.ask(call_of(verb, body or {}, tenant=self.name))


def remote_verb(
    verb: Callable[Concatenate[Any, Params], Answer],
    reading: Callable[[JSON, str], Any],
    *,
    name: str = "",
    said: Callable[[JSON], JSON] = dict,
) -> Callable[Concatenate[Any, Params], Answer]:
    """A verb of the handle that asks a server: its arguments become the request's fields, and `reading` makes the noun of the answer.

    `name` is the server's name for it if that differs, and `said` rewrites the fields. A server reports no progress.
    """

    @wraps(verb)
    def ask(self: Any, /, *args: Params.args, **options: Params.kwargs) -> Answer:  # noqa: ANN401 - whoever is bound
        bound = signature(verb).bind(self, *args, **options)
        bound.apply_defaults()
        stated = {each: value for each, value in bound.arguments.items() if each not in _HERE}
        fields = {_FIELDS.get(each, each): _SAID.get(each, _same)(value) for each, value in stated.items()}
        answer: Answer = reading(self._ask(name or verb.__name__, said(fields)), self.name)
        return answer

    return ask


def preset_named(policy: str | Policy | None) -> str | None:
    """The name of a preset; a server takes no other policy."""
    if not isinstance(policy, str | None):
        raise InputError("policy", policy.name, "the name of a preset: a server decides under those that it has")
    return policy


def _seconds(span: Span) -> str | float:
    """A span of time as JSON can say it."""
    return span.total_seconds() if isinstance(span, timedelta) else span


def _same(value: Any) -> Any:  # noqa: ANN401 - any argument
    return value


_HERE = frozenset({"self", "progress"})
"""The arguments that are not for a server."""
_FIELDS = {"memory_id": "id", "memory_ids": "ids"}
_SAID: dict[str, Callable[[Any], Any]] = {
    "memory_id": partial(asked_id, "id"),
    "other": partial(asked_id, "other"),
    "grace": _seconds,
    "older_than": _seconds,
    "pairs": list,
}
