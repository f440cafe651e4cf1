"""Where mem0's memories live: which tenant and scope belong to a user, an agent and a run, and which memory an id means.

In a whole store every user is a tenant. In one tenant, as behind a token of the server, every user is a scope of it. An agent or a run
without a user has a home of its own, so that nothing crosses from one to another.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from cued.errors import InputError
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.integrations.searching import every, stored
from cued.model import GLOBAL, Memory

ENTITIES = ("user_id", "agent_id", "run_id")
NOBODY = "filters must contain at least one of: user_id, agent_id, run_id; such as filters={'user_id': 'u1'}"


class Home(Struct, frozen=True):
    """A tenant's handle, and the scope in it."""

    tenant: Tenant
    scope: str


class Homes:
    """The way from mem0's ids to tenants, scopes and memories, and back."""

    def __init__(self, over: Memories | Tenant) -> None:
        """Look after a whole store, or after one tenant alone."""
        self._over = over

    def of(self, entities: Mapping[str, str]) -> Home:
        """The home of a user, or of an agent or a run where there is no user."""
        if isinstance(self._over, Tenant):
            return Home(self._over, _marked(entities))
        marked = _marked(entities)
        user = entities.get("user_id")
        return Home(self._over.tenant(user if user and not user.startswith(_MARKS) else marked), GLOBAL)

    def every(self) -> Iterator[Home]:
        """Every home that there is."""
        if isinstance(self._over, Memories):
            yield from (Home(self._over.tenant(name), GLOBAL) for name in self._over.tenants())
        else:
            yield from (Home(self._over, scope) for scope in self._over.stats().by_scope if scope.startswith(_MARKS))

    def entities(self, memory: Memory) -> dict[str, str]:
        """Whose a memory is that another program stored here: the user, by the tenant or the scope."""
        name = memory.tenant if isinstance(self._over, Memories) else memory.scope
        for mark in _MARKS:
            if name.startswith(mark):
                return {f"{mark[:-1]}_id": name[len(mark) :]}
        return {"user_id": name}

    def public_id(self, tenant: str, memory_id: str) -> str:
        """The id that callers see; in a whole store it has the tenant in it, because mem0 asks by id alone."""
        if isinstance(self._over, Tenant):
            return memory_id
        return f"{urlsafe_b64encode(tenant.encode()).decode().rstrip('=')}.{memory_id}"

    def find(self, memory_id: str) -> tuple[Tenant, Memory] | None:
        """The memory that an id means, with its tenant; None where there is none."""
        tenant, own = self._resolved(str(memory_id))
        if tenant is None:
            return None
        memory = stored(tenant, own)
        if memory is None or not (isinstance(self._over, Memories) or memory.scope.startswith(_MARKS)):
            return None
        return tenant, memory

    def erase(self, home: Home) -> None:
        """Remove everything in a home for good."""
        gone = [memory.id for memory in every(home.tenant, scope=home.scope, hidden=True)]
        home.tenant.forget(*gone, erase=True)

    def _resolved(self, memory_id: str) -> tuple[Tenant | None, str]:
        if isinstance(self._over, Tenant):
            return self._over, memory_id
        coded, _, own = memory_id.partition(".")
        try:
            tenant = self._over.tenant(urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode())
        except ValueError:  # no code, or of what is no tenant's name
            return None, memory_id
        return tenant, own


def entities_of(given: Mapping[str, Any], *, otherwise: str = NOBODY) -> dict[str, str]:
    """The ids of user, agent and run in some fields, as texts; an id with white space is refused, and so is having none."""
    found = {name: _id(name, given[name]) for name in ENTITIES if given.get(name) is not None}
    if not found:
        raise InputError("filters", dict(given), otherwise)
    return found


def _id(name: str, given: object) -> str:
    """An id without white space around it. Errors have mem0's words, which programs may look for."""
    value = str(given).strip()
    if not value:
        raise InputError(f"Invalid {name}", given, "an id, which cannot be empty or whitespace-only")
    if any(character.isspace() for character in value):
        raise InputError(f"Invalid {name}", given, "an id, which cannot contain whitespace")
    return value


def _marked(entities: Mapping[str, str]) -> str:
    """The name of a home with its kind: that of the user, else of the agent, else of the run."""
    kind = next(name for name in ENTITIES if name in entities)
    return f"{kind.removesuffix('_id')}:{entities[kind]}"


_MARKS = ("user:", "agent:", "run:")
