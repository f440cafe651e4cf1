"""How `cued` is started again by another: by a client that it is connected to, or in the background for the hooks to come."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from cued.folders import Address
from cued.surfaces.cli.settings import Settings

RESIDENT = "1h"
"""How long a server that a hook has started waits for the next."""


def launcher() -> list[str]:
    """What starts this very `cued`, wherever it is called from."""
    script = Path(sys.executable).with_name("cued.exe" if sys.platform == "win32" else "cued")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "cued.surfaces.cli"]


def options(chosen: Settings, scope: str | None = None) -> list[str]:
    """The settings that hold now, spelled out: a client has neither this folder nor this environment."""
    policy = chosen.policy
    said = {
        "--db": None if chosen.default_db else _spelled(chosen.db),
        "--tenant": None if chosen.tenant == "me" else chosen.tenant,
        "--embedder": None if chosen.embedder == "auto" else chosen.embedder or "none",
        "--policy": str(Path(policy).absolute()) if policy is not None and Path(policy).is_file() else policy,
        "--scope": scope,
    }
    return [word for name, value in said.items() if value is not None for word in (name, value)]


def startable() -> bool:
    """Whether this installation can run a server that commands find by themselves: it needs its packages, and sockets of one machine."""
    return sys.platform != "win32" and find_spec("uvicorn") is not None and find_spec("starlette") is not None


def start_server(chosen: Settings) -> None:
    """Start a server for the commands of this user, which outlives this one and ends by itself; one that runs already stays alone."""
    if not startable():
        return
    words = [*launcher(), "serve", "--resident", RESIDENT, *options(chosen)]
    quiet = subprocess.DEVNULL
    subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, cwd=Path.home(), start_new_session=True)  # noqa: S603 - our own command


def _spelled(db: Path | Address) -> str:
    return db.url if isinstance(db, Address) else str(db.absolute())
