"""How other programs start `cued`: a client that it is connected to, or a hook that leaves a server running in the background."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from cued.folders import Address
from cued.surfaces.cli.commands import Settings

RESIDENT = "1h"
"""How long a server that a hook has started stays without being asked."""


def launcher() -> list[str]:
    """The command that starts this installation of `cued` from any folder."""
    script = Path(sys.executable).with_name("cued.exe" if sys.platform == "win32" else "cued")
    # -P: a client starts it in the project that is open, and a repository's own click.py is none of the modules that are meant.
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "cued.surfaces.cli"]


def module_paths() -> dict[str, str]:
    """The variable that says where its modules are, if they are not in the usual place: whole paths, for a client starts it elsewhere."""
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = os.pathsep.join(str(Path(each).absolute()) for each in named)
    return {"PYTHONPATH": paths} if paths else {}


def options(chosen: Settings, scope: str | None = None) -> list[str]:
    """The current settings as options: a client starts in another folder, with another environment."""
    said = {**_unusual(chosen), **({} if scope is None else {"scope": scope})}
    return [word for name, value in said.items() for word in (f"--{name}", value)]


def startable() -> bool:
    """Whether this installation can run a server that commands find by themselves: it needs the server's packages and Unix sockets."""
    return sys.platform != "win32" and find_spec("uvicorn") is not None and find_spec("starlette") is not None


def start_server(chosen: Settings) -> None:
    """Start a server for this user's commands that outlives this one and ends by itself; nothing happens where one runs already."""
    if not startable():
        return
    # not in its words, which others on this machine can read: an address may have a password in it
    env = os.environ | {f"CUED_{name.upper()}": value for name, value in _unusual(chosen).items()}
    words, quiet = [*launcher(), "serve", "--resident", RESIDENT], subprocess.DEVNULL
    subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, cwd=Path.home(), env=env, start_new_session=True)  # noqa: S603 - our own command


def _unusual(chosen: Settings) -> dict[str, str]:
    """The settings that differ from their defaults, by name."""
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
