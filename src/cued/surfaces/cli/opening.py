"""Opening the memories that a command works on: reads make no file, and only what needs an embedder loads one."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cued.embed import CuedWarning
from cued.errors import InputError
from cued.handles.memories import Memories, open_memories
from cued.handles.settling import Mode
from cued.handles.tenant import Tenant
from cued.model import LogRules
from cued.policy.presets import DEFAULT
from cued.surfaces.cli.output import note
from cued.surfaces.cli.settings import Settings


@contextmanager
def tenant_to_read(chosen: Settings, *, embed: bool = False, settle: bool = False) -> Iterator[Tenant]:
    """The tenant to read from; where no file is yet, an empty one, and a note that says so."""
    if not chosen.db.exists():
        note(f"nothing is stored at {chosen.db} yet; `cued remember` makes it")
        with open_memories(None, embedder=None, policy=chosen.policy or DEFAULT) as memories:
            yield memories.tenant(chosen.tenant)
        return
    with opened(chosen, embed=embed, readonly=not settle) as memories:
        yield memories.tenant(chosen.tenant)


@contextmanager
def tenant_to_write(chosen: Settings, *, embed: bool = False, make: bool = False) -> Iterator[Tenant]:
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


def opened(chosen: Settings, *, embed: bool = False, readonly: bool = False, settle: Mode = "now") -> Memories:
    """Open the whole store; a file that is not there is an error when it is only to be read."""
    if chosen.db.is_dir():
        raise InputError("--db", str(chosen.db), "the path of a file, and this is a folder")
    with noting_warnings():
        return open_memories(
            chosen.db,
            embedder=chosen.embedder if embed else None,
            policy=chosen.policy or DEFAULT,
            # what is named on the command line decides
            learnt=chosen.policy is None,
            settle=settle,
            log=LogRules(content=chosen.keep),  # type: ignore[arg-type]  # checked by the rules
            readonly=readonly,
            journal=chosen.journal,
        )


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Turn the package's own warnings into notes on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CuedWarning)
        yield
    for each in caught:
        note(str(each.message))
