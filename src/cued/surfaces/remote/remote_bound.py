"""What every part of a server's tenant is bound to: whose memories these are, and the connections that they are asked through."""

from datetime import UTC, datetime, timedelta

from cued.errors import InputError
from cued.handles.ids import IdMaker
from cued.handles.upkeep import Span
from cued.model.plain import JSON
from cued.policy.spec import Policy
from cued.requests.checks import label
from cued.surfaces.remote.calls import call_of
from cued.surfaces.remote.connections import Connections


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


def preset_named(policy: str | Policy | None) -> str | None:
    """The name of a policy, which is all that can be said of it to a server."""
    if not isinstance(policy, str | None):
        raise InputError("policy", policy.name, "the name of a preset: a server decides under those that it has")
    return policy


def seconds(span: Span) -> str | float:
    """A span of time as JSON can say it."""
    return span.total_seconds() if isinstance(span, timedelta) else span
