"""A verb's answer for a command: from the server that runs on the same store, or else from the store, opened here.

What opens a store is loaded only then, so that asking a server takes no longer than it must.
"""

from cued.model.plain import JSON
from cued.surfaces.cli.settings import Settings
from cued.surfaces.resident import Asker, ask


def from_server(chosen: Settings, verb: str, body: JSON) -> JSON | None:
    """The answer of a server that runs on the same store; None where none does, or it is not to be asked."""
    if chosen.direct:
        return None
    return ask(Asker(db=chosen.db, tenant=chosen.tenant, embedder=chosen.embedder, policy=chosen.policy), verb, body)


def read(chosen: Settings, verb: str, body: JSON, *, embed: bool = False, settle: bool = False) -> JSON:
    """The answer of a verb that reads."""
    answer = from_server(chosen, verb, body)
    if answer is not None:
        return answer
    from cued.surfaces.cli.opening import tenant_to_read  # noqa: PLC0415 - loads the engine
    from cued.surfaces.verbs import call  # noqa: PLC0415

    with tenant_to_read(chosen, embed=embed, settle=settle) as tenant:
        return call(verb, tenant, body)


def written(chosen: Settings, verb: str, body: JSON) -> JSON:
    """The answer of a verb that stores something; the file is made if it is not there."""
    answer = from_server(chosen, verb, body)
    if answer is not None:
        return answer
    from cued.surfaces.cli.opening import tenant_to_write  # noqa: PLC0415 - loads the engine
    from cued.surfaces.verbs import call  # noqa: PLC0415

    with tenant_to_write(chosen, embed=True, make=True) as tenant:
        return call(verb, tenant, body)
