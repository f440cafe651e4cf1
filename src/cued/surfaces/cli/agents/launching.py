"""How `cued` is started again by another: by a client that it is connected to, or in the background for the hooks to come."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from cued.folders import Address
from cued.surfaces.cli.commands import Settings

RESIDENT = "1h"
"""How long a server that a hook has started waits for the next."""


def launcher() -> list[str]:
    """What starts this very `cued`, wherever it is called from."""
    script = Path(sys.executable).with_name("cued.exe" if sys.platform == "win32" else "cued")
    # -P: a client starts it in the project that is open, and a repository's own click.py is none of the modules that are meant.
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "cued.surfaces.cli"]


def module_paths() -> dict[str, str]:
    """The variable that says where its modules are, if they are not in the usual place: whole paths, for a client starts it elsewhere."""
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = os.pathsep.join(str(Path(each).absolute()) for each in named)
    return {"PYTHONPATH": paths} if paths else {}


def options(chosen: Settings, scope: str | None = None) -> list[str]:
    """The settings that hold now, spelled out: a client has neither this folder nor this environment."""
    said = {**_unusual(chosen), **({} if scope is None else {"scope": scope})}
    return [word for name, value in said.items() for word in (f"--{name}", value)]


def startable() -> bool:
    """Whether this installation can run a server that commands find by themselves: it needs its packages, and sockets of one machine."""
    return sys.platform != "win32" and find_spec("uvicorn") is not None and find_spec("starlette") is not None


def start_server(chosen: Settings) -> None:
    """Start a server for the commands of this user, which outlives this one and ends by itself; one that runs already stays alone."""
    if not startable():
        return
    # not in its words, which others on this machine can read: an address may have a password in it
    env = os.environ | {f"CUED_{name.upper()}": value for name, value in _unusual(chosen).items()}
    words, quiet = [*launcher(), "serve", "--resident", RESIDENT], subprocess.DEVNULL
    subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, cwd=Path.home(), env=env, start_new_session=True)  # noqa: S603 - our own command


def _unusual(chosen: Settings) -> dict[str, str]:
    """The settings that are not the usual ones, by name."""
    policy = chosen.policy
    said = {
        "db": None if chosen.default_db else _db_option(chosen.db),
        "tenant": None if chosen.tenant == "me" else chosen.tenant,
        "embedder": None if chosen.embedder == "auto" else chosen.embedder or "none",
        "policy": str(Path(policy).absolute()) if policy is not None and Path(policy).is_file() else policy,
    }
    return {name: value for name, value in said.items() if value is not None}


def _db_option(db: Path | Address) -> str:
    return db.url if isinstance(db, Address) else str(db.absolute())
