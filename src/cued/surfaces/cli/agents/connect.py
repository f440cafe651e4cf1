"""`cued connect`: a client's configuration, written, shown, undone and tried."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cued.errors import InputError
from cued.surfaces.cli.asking import ask
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.output import note, say, show
from cued.surfaces.cli.settings import Settings, settings
from cued.surfaces.clients import changes
from cued.surfaces.clients.hooking import KINDS
from cued.surfaces.clients.table import CLIENTS, NAME, Client, editing, hook_settings
from cued.surfaces.project import checkout


@click.command(name="connect", cls=Verb, globals_shown=("db", "tenant", "embedder", "policy", "json"))
@click.argument("client", type=click.Choice(tuple(CLIENTS)))
@click.option("--here", is_flag=True, help="Into this project's own configuration, not into the user's.")
@click.option(
    "--hook",
    "hooks",
    multiple=True,
    type=click.Choice(tuple(KINDS)),
    help="Also hooks, for Claude Code. recall: what is known, at each start and prompt. turns: store what was said. "
    "gate: ask for a recall before the first tool.",
)
@click.option("--scope", metavar="NAME", help="The scope of all its memories. Without it: that of the project it works in.")
@click.option("--print", "print_only", is_flag=True, help="Only print what belongs into which file.")
@click.option("--undo", is_flag=True, help="Take it out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def connect_command(client: str, scope: str | None, hooks: tuple[str, ...], *, here: bool, print_only: bool, undo: bool, yes: bool) -> None:  # noqa: PLR0913 - one for each option
    """Give CLIENT these memories: show the change of its configuration, ask, write it with a backup, and try the server.

    CLIENT is claude-code, claude-desktop, cursor, vscode, codex, zed or windsurf. A file that cannot be read is left as it is.
    """
    chosen, known = settings(), CLIENTS[client]
    path = _path(known, here=here)
    if hooks and client != "claude-code":
        raise InputError("--hook", client, "claude-code")
    command, env = [*_launcher(), "mcp", *_options(chosen, scope), *(["--project", known.folder] if known.folder else [])], _env()
    if print_only:
        _print(known, path, command, env)
        return
    settings_path = hook_settings(here=path.parent if here else None)
    if undo:
        made = [changes.disconnected(known, path), *([changes.unhooked(settings_path)] if client == "claude-code" else [])]
    else:
        made = [changes.connected(known, path, known.entry(command, env))]
        made += [changes.hooked(settings_path, hooks, _launcher(), _options(chosen, scope))] if hooks else []
    kept = _written([change for change in made if change.changes], yes=yes)
    tools = [] if undo else _tried(command, env)
    told = {
        "client": client,
        "paths": [str(change.path) for change in made],
        "changed": [str(change.path) for change in made if change.changes],
        "backups": kept,
        "tools": tools,
    }
    show(told, as_json=chosen.json, drawn=lambda: _told(known, told, undo=undo))


def _path(client: Client, *, here: bool) -> Path:
    if not here:
        return client.path()
    if not client.here:
        raise InputError("--here", client.title, "a client that reads a project's own file")
    return (checkout(Path()) or Path.cwd()) / client.here


def _launcher() -> list[str]:
    """What starts this very `cued`, wherever it is called from."""
    script = Path(sys.executable).with_name("cued.exe" if sys.platform == "win32" else "cued")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "cued.surfaces.cli"]


def _options(chosen: Settings, scope: str | None) -> list[str]:
    """The settings that hold now, spelled out: a client has neither this folder nor this environment."""
    policy = chosen.policy
    said = {
        "--db": None if chosen.default_db else str(chosen.db.absolute()),
        "--tenant": None if chosen.tenant == "me" else chosen.tenant,
        "--embedder": None if chosen.embedder == "auto" else chosen.embedder or "none",
        "--policy": str(Path(policy).absolute()) if policy is not None and Path(policy).is_file() else policy,
        "--scope": scope,
    }
    return [word for name, value in said.items() if value is not None for word in (name, value)]


def _env() -> dict[str, str]:
    """What the command needs of this environment: where its modules are, if not in the usual place."""
    return {name: os.environ[name] for name in ("PYTHONPATH",) if os.environ.get(name)}


def _print(client: Client, path: Path, command: Sequence[str], env: dict[str, str]) -> None:
    note(f"this belongs into {path}")
    say(editing(client).put("", client.at, client.entry(list(command), env)))


def _written(made: Sequence[changes.Change], *, yes: bool) -> list[str]:
    if not made:
        return []
    for change in made:
        click.echo(change.diff(), err=True, nl=False)
    if not yes:
        ask("Write this?")
    return [str(kept) for change in made if (kept := changes.write(change)) is not None]


def _tried(command: Sequence[str], env: dict[str, str]) -> list[str]:
    try:
        from cued.surfaces.clients.proof import tools_of  # noqa: PLC0415 - the protocol's SDK, when it is needed
    except ModuleNotFoundError as error:
        raise click.ClickException(f'{error.name} is not installed; accepted: pip install "cued[mcp]"') from error
    here = [str(Path.cwd()) if "${" in word else word for word in command]
    return tools_of(here, env, folder=Path.cwd())


def _told(client: Client, told: dict[str, Any], *, undo: bool) -> str:
    if undo:
        return f"{client.title} no longer has {NAME}." if told["changed"] else f"{client.title} did not have {NAME}; nothing was changed."
    done = f"{client.title} has {NAME}" + (" now" if told["changed"] else " already; nothing was changed")
    kept = f"\nBefore: {', '.join(told['backups'])}" if told["backups"] else ""
    return f"{done}. The server was started and offers {', '.join(told['tools'])}.\n{client.next_step}{kept}"
