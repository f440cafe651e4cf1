"""The project that an agent works in: the scope of its memories, and what its `.cued.toml` says."""

from contextlib import suppress
from os.path import realpath
from pathlib import Path

import msgspec
from msgspec import Struct

from cued.errors import InputError
from cued.folders import plain_bytes
from cued.model import GLOBAL
from cued.requests.checks import label

FILE = ".cued.toml"
_LARGEST = 8192
"""How many bytes of a repository's file are read: a hook reads it at every prompt, and it may be written by anybody.

The time to parse it grows with the square of a key's length: at most 0.2 s for this many bytes, and 11 s for eight times as many.
"""


class Hooks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of the hooks that a user has set up do something in this project."""

    session_start: bool = True
    user_prompt: bool = True
    store_turns: bool = True
    recall_first: bool = True


class ProjectFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a `.cued.toml` may say; a policy is a preset's name, so that a repository cannot make Cued read files."""

    scope: str | None = None
    policy: str | None = None
    hooks: Hooks = Hooks()


class Project(Struct, frozen=True, kw_only=True):
    """A project: its scope, and what its file says; outside any project the scope is `global`."""

    scope: str = GLOBAL
    policy: str | None = None
    hooks: Hooks = Hooks()


def project_at(folder: Path, *, scope: str | None = None) -> Project:
    """The project of a folder; its scope is the one given, else that in `.cued.toml`, else the name of the repository.

    All worktrees of a repository have one scope, the name of the main one. Outside any repository the scope is `global`.
    """
    root = checkout(folder)
    said = _project_file(root or folder)
    named = scope or said.scope or (_name(root) if root is not None else GLOBAL)
    return Project(scope=label("scope", named), policy=said.policy, hooks=said.hooks)


def checkout(folder: Path) -> Path | None:
    """The root of the checkout around a folder; None outside any, and for a home folder that is itself in git."""
    here = folder.absolute()
    found = next((each for each in (here, *here.parents) if (each / ".git").exists()), None)
    return None if found is None or found == Path.home() else found


def _project_file(root: Path) -> ProjectFile:
    path = root / FILE
    try:
        if not path.exists():
            return ProjectFile()
        written = plain_bytes(path, most=_LARGEST)
    except OSError as error:
        raise InputError(FILE, str(path), f"a file that can be read ({error.strerror})") from error
    if written is None:
        raise InputError(FILE, str(path), f"a plain file of {_LARGEST:,} bytes at most")
    import tomllib  # noqa: PLC0415 - a hook runs at every prompt, and few projects have the file

    try:
        said = msgspec.convert(tomllib.loads(written.decode("utf-8")), ProjectFile)
    except (ValueError, RecursionError) as error:
        raise InputError(FILE, str(path), f"scope, policy and a table [hooks]; {error}") from error
    if said.policy is not None:
        from cued.policy.presets import names  # noqa: PLC0415 - loads policies

        if said.policy not in names():
            raise InputError(FILE, str(path), f"a policy that is one of {', '.join(names())}; not {said.policy!r}")
    return said


def _name(root: Path) -> str:
    """The name of the repository; of a worktree, whose `.git` is a file that points to the main checkout, that one's name."""
    with suppress(OSError, ValueError):  # a name that no file can have
        led = plain_bytes(root / ".git", most=_LARGEST) or b""
        # Not `Path.resolve`, which takes offence at links that lead to each other, up to Python 3.12.
        inside = Path(realpath(root / led.decode("utf-8", "replace").removeprefix("gitdir:").strip()))
        if inside.parent.name == "worktrees":
            common = inside.parents[1]
            return (common.parent.name if common.name == ".git" else common.name.removesuffix(".git")) or root.name
    return root.name
