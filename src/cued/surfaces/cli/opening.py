"""Where a command's answer comes from: a server that already runs on the memories, or else the store, opened here.

Reading makes no file, and only what needs an embedder loads one. The engine is imported only when a store is opened, so that asking a
server is fast.
"""

import gc
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cued.model.plain import JSON
from cued.surfaces.cli.commands import Settings
from cued.surfaces.cli.output import note
from cued.surfaces.resident import Asker, ask

if TYPE_CHECKING:
    from cued.handles.memories import Memories
    from cued.handles.settling import Mode
    from cued.handles.tenant import Tenant

_NEW_OBJECTS = 100_000
"""How many objects are made before Python looks for garbage cycles: more than the engine, which stays until the end, consists of."""
_THREADS = "OPENBLAS_NUM_THREADS"


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
    prepare(chosen, embed=embed and chosen.db.exists())
    return read_here(chosen, verb, body, embed=embed, settle=settle)


def written(chosen: Settings, verb: str, body: JSON) -> JSON:
    """The answer of a verb that stores something; the file is made if it is not there."""
    answer = from_server(chosen, verb, body)
    if answer is not None:
        return answer
    prepare(chosen, embed=True)
    return write_here(chosen, verb, body, embed=True, make=True)


def read_here(chosen: Settings, verb: str, body: JSON, *, embed: bool = False, settle: bool = False, **more: Any) -> JSON:  # noqa: ANN401 - what a verb is handed beside its request
    """The answer of a verb that reads, from the store as this process opens it."""
    from cued.surfaces.verbs import call  # noqa: PLC0415 - loads the engine

    with tenant_to_read(chosen, embed=embed, settle=settle) as tenant:
        return call(verb, tenant, body, **more)


def write_here(chosen: Settings, verb: str, body: JSON, *, embed: bool = False, make: bool = False) -> JSON:
    """The answer of a verb that changes the store as this process opens it."""
    from cued.surfaces.verbs import call  # noqa: PLC0415 - loads the engine

    with tenant_to_write(chosen, embed=embed, make=make) as tenant:
        return call(verb, tenant, body)


def prepare(chosen: Settings, *, embed: bool) -> None:
    """Prepare this process for a single answer; where it is to embed, begin to load the model."""
    gc.set_threshold(_NEW_OBJECTS)
    _load_numpy()
    provider = {"auto": "cued", "cued": "cued", "minilm": "minilm"}.get(chosen.embedder or "")
    if embed and provider is not None:
        from cued.embed.minilm import load_ahead  # noqa: PLC0415 - loads numpy

        load_ahead(provider)


def _load_numpy() -> None:
    """Load numpy without its threads: starting them takes long, and a single answer multiplies nothing large."""
    if _THREADS not in os.environ:
        os.environ[_THREADS] = "1"
        import numpy as np  # noqa: F401, PLC0415 - reads the variable now; a server that is started from here is to have threads

        del os.environ[_THREADS]


@contextmanager
def tenant_to_read(chosen: Settings, *, embed: bool = False, settle: bool = False) -> "Iterator[Tenant]":
    """The tenant to read from; where there is no file yet, an empty one, and a note that says so."""
    with memories_to_read(chosen, embed=embed, settle=settle) as memories:
        yield memories.tenant(chosen.tenant)


@contextmanager
def memories_to_read(chosen: Settings, *, embed: bool = False, settle: bool = False) -> "Iterator[Memories]":
    """The memories to read from; where there is no file yet, an empty store, and a note that says so."""
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
    """The tenant to write to; a missing file, and its usual folder, are made only with `make`."""
    if not make and not chosen.db.exists():
        with tenant_to_read(chosen) as tenant:
            yield tenant
        return
    if make:
        _refuse_memory(chosen)
        make_folder(chosen)
    with opened(chosen, embed=embed) as memories:
        yield memories.tenant(chosen.tenant)


def _refuse_memory(chosen: Settings) -> None:
    from cued.errors import InputError  # noqa: PLC0415 - loaded with the engine
    from cued.handles.memories import IN_MEMORY  # noqa: PLC0415 - loads the engine

    if str(chosen.db) == IN_MEMORY:
        raise InputError("db", IN_MEMORY, "a file: what is kept in memory is gone when this command ends")


def make_folder(chosen: Settings) -> None:
    """Make the database's usual folder; one that the user has named must be there already."""
    if chosen.default_db and isinstance(chosen.db, Path):
        chosen.db.parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def opened(chosen: Settings, *, embed: bool = False, readonly: bool = False, settle: "Mode" = "now") -> "Memories":
    """The whole store, opened; a missing file is an error when it is only to be read."""
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
