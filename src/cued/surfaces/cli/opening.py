"""The memories that a command works on: a verb's answer from the server that runs on them, or else the store, opened here.

Reads make no file, and only what needs an embedder loads one. What opens a store is loaded only then, so that asking a server takes no
longer than it must.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from cued.model.plain import JSON
from cued.surfaces.cli.commands import Settings
from cued.surfaces.cli.output import note
from cued.surfaces.resident import Asker, ask

if TYPE_CHECKING:
    from cued.handles.memories import Memories
    from cued.handles.settling import Mode
    from cued.handles.tenant import Tenant


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
    if embed and chosen.db.exists():
        _load_model_ahead(chosen)
    from cued.surfaces.verbs import call  # noqa: PLC0415 - loads the engine

    with tenant_to_read(chosen, embed=embed, settle=settle) as tenant:
        return call(verb, tenant, body)


def written(chosen: Settings, verb: str, body: JSON) -> JSON:
    """The answer of a verb that stores something; the file is made if it is not there."""
    answer = from_server(chosen, verb, body)
    if answer is not None:
        return answer
    _load_model_ahead(chosen)
    from cued.surfaces.verbs import call  # noqa: PLC0415 - loads the engine

    with tenant_to_write(chosen, embed=True, make=True) as tenant:
        return call(verb, tenant, body)


def _load_model_ahead(chosen: Settings) -> None:
    """Begin to load the model in a thread of its own, while the engine is loaded and the store is opened."""
    provider = {"auto": "cued", "cued": "cued", "minilm": "minilm"}.get(chosen.embedder or "")

    def load(provider: str) -> None:
        from cued.embed.minilm import load_ahead  # noqa: PLC0415 - loads numpy

        load_ahead(provider)

    if provider is not None:
        # No daemon: what is in the middle of loading when the process ends would take it down with it.
        with suppress(RuntimeError):  # no thread can be had: then it is loaded when it is needed
            Thread(target=load, args=(provider,), name="cued-model").start()


@contextmanager
def tenant_to_read(chosen: Settings, *, embed: bool = False, settle: bool = False) -> "Iterator[Tenant]":
    """The tenant to read from; where no file is yet, an empty one, and a note that says so."""
    with memories_to_read(chosen, embed=embed, settle=settle) as memories:
        yield memories.tenant(chosen.tenant)


@contextmanager
def memories_to_read(chosen: Settings, *, embed: bool = False, settle: bool = False) -> "Iterator[Memories]":
    """All tenants to read from; where no file is yet, none, and a note that says so."""
    if chosen.db.exists():
        with opened(chosen, embed=embed, readonly=not settle) as memories:
            yield memories
        return
    from cued.handles.memories import open_memories  # noqa: PLC0415 - loads the engine
    from cued.policy.presets import DEFAULT  # noqa: PLC0415

    note(f"nothing is stored at {chosen.db} yet; `cued remember` makes it")
    with open_memories(None, embedder=None, policy=chosen.policy or DEFAULT) as memories:
        yield memories


@contextmanager
def tenant_to_write(chosen: Settings, *, embed: bool = False, make: bool = False) -> "Iterator[Tenant]":
    """The tenant to write to; only with `make` a file that is not there is made, its usual folder included."""
    if not make and not chosen.db.exists():
        with tenant_to_read(chosen) as tenant:
            yield tenant
        return
    if make:
        make_folder(chosen)
    with opened(chosen, embed=embed) as memories:
        yield memories.tenant(chosen.tenant)


def make_folder(chosen: Settings) -> None:
    """Make the database's usual folder; one that the user has named must be there already."""
    if chosen.default_db and isinstance(chosen.db, Path):
        chosen.db.parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def opened(chosen: Settings, *, embed: bool = False, readonly: bool = False, settle: "Mode" = "now") -> "Memories":
    """Open the whole store; a file that is not there is an error when it is only to be read."""
    from cued.handles.memories import open_memories  # noqa: PLC0415 - loads the engine
    from cued.model import LogRules  # noqa: PLC0415
    from cued.policy.presets import DEFAULT  # noqa: PLC0415

    with noting_warnings():
        return open_memories(
            chosen.db,
            embedder=chosen.embedder if embed else None,
            policy=chosen.policy or DEFAULT,
            # what is named on the command line decides
            learnt=chosen.policy is None,
            settle=settle,
            log=None if chosen.keep is None else LogRules(content=chosen.keep),  # type: ignore[arg-type]  # checked by the rules
            readonly=readonly,
            journal=chosen.journal,
        )


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Turn the package's own warnings into notes on stderr."""
    from cued.embed import CuedWarning  # noqa: PLC0415 - loads numpy

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CuedWarning)
        yield
    for each in caught:
        note(str(each.message))
