"""`cued connect`: a client's configuration, written, shown, undone and tried."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from cued.errors import InputError
from cued.surfaces.cli.agents.launching import launcher, module_paths, options, startable
from cued.surfaces.cli.asking import ask
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.output import note, safe_lines, show
from cued.surfaces.clients import file_changes, jsonc, proof
from cued.surfaces.clients.hooking import KINDS, hooked
from cued.surfaces.clients.known import CLIENTS, NAME, Client, editing, hook_settings
from cued.surfaces.project import checkout


@click.command(name="connect", cls=Command, globals_shown=("db", "tenant", "embedder", "policy", "json"))
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
@click.option("--start-server", "start", is_flag=True, help="With --hook: let the hooks start a server for each other where none runs.")
@click.option("--scope", metavar="NAME", help="The scope of all its memories. Without it: that of the project it works in.")
@click.option("--print", "print_only", is_flag=True, help="Only print what belongs into which file.")
@click.option("--undo", is_flag=True, help="Take it out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def connect_command(  # noqa: PLR0913 - one for each option
    client: str, scope: str | None, hooks: tuple[str, ...], *, start: bool, here: bool, print_only: bool, undo: bool, yes: bool
) -> None:
    """Connect CLIENT to these memories: show the change of its configuration, ask, try the server, and write it with a backup.

    The server is started as the client would start it; if it does not answer, or if the file cannot be read, nothing is written.
    """
    chosen, known = settings(), CLIENTS[client]
    _refuse(client, hooks, start=start)
    for_hooks = [*options(chosen, scope), *(["--start-server"] if start else [])]
    path, server = _path(known, here=here), _server(known, chosen, scope)
    settings_path = hook_settings(here=path.parent if here else None)
    if print_only:
        _print({path: _alone(known, server), **({settings_path: _hooks_alone(hooks, for_hooks)} if hooks else {})})
        return
    if undo:
        made = [file_changes.disconnected(known, path), *([file_changes.unhooked(settings_path)] if client == "claude-code" else [])]
    else:
        made = [file_changes.connected(known, path, known.entry(*server))]
        made += [file_changes.hooked(settings_path, hooks, launcher(), for_hooks)] if hooks else []
    due = [change for change in made if change.changes]
    _agreed(due, yes=yes)
    tools = [] if undo else _tried(*server)
    kept = [str(backup) for change in due if (backup := file_changes.write(change)) is not None]
    told = {"client": client, "changed": [str(change.path) for change in due], "backups": kept, "tools": tools}
    show(told, lambda: _summary(known, told, undo=undo))


def _refuse(client: str, hooks: Sequence[str], *, start: bool) -> None:
    """Refuse options that do not go together, or that cannot be carried out on this system."""
    if hooks and client != "claude-code":
        raise InputError("--hook", client, "claude-code")
    if start and not hooks:
        raise InputError("--start-server", "no --hook", "together with --hook: it is the hooks that start it")
    if start and not startable():
        raise InputError("--start-server", "no server here", "the server's packages, and not Windows: pip install 'cued[server]'")


def _path(client: Client, *, here: bool) -> Path:
    if not here:
        return client.path()
    if not client.here:
        raise InputError("--here", client.title, "a client that reads a project's own file")
    return (checkout(Path()) or Path.cwd()) / client.here


def _server(client: Client, chosen: Settings, scope: str | None) -> tuple[list[str], dict[str, str]]:
    """The command that starts the server, and the environment variables it needs: where its modules are, if not in the usual place."""
    project = ["--project", client.folder] if client.folder else []
    return [*launcher(), "mcp", *options(chosen, scope), *project], module_paths()


def _alone(client: Client, server: tuple[list[str], dict[str, str]]) -> str:
    content: str = editing(client).put("", client.at, client.entry(*server))
    return content


def _hooks_alone(hooks: Sequence[str], options: Sequence[str]) -> str:
    return jsonc.put("", ("hooks",), hooked({}, hooks, launcher(), options)["hooks"])


def _print(files: Mapping[Path, str]) -> None:
    for path in files:
        note(f"this belongs into {path}")
    told = {"files": [{"path": str(path), "content": content} for path, content in files.items()]}
    show(told, lambda: "\n".join(files.values()).rstrip())


def _agreed(due: Sequence[file_changes.FileChange], *, yes: bool) -> None:
    for change in due:
        click.echo(safe_lines(change.diff()), err=True, nl=False)
    if due and not yes:
        ask("Write this?")


def _tried(command: Sequence[str], env: dict[str, str]) -> list[str]:
    here = [str(Path.cwd()) if "${" in word else word for word in command]
    try:
        return proof.tools_of(here, env, folder=Path.cwd())
    except ModuleNotFoundError as error:
        raise click.ClickException(f'{error.name} is not installed; accepted: pip install "cued[mcp]"') from error


def _summary(client: Client, told: dict[str, Any], *, undo: bool) -> str:
    if undo:
        return f"{client.title} no longer has {NAME}." if told["changed"] else f"{client.title} did not have {NAME}; nothing was changed."
    done = f"{client.title} has {NAME}" + (" now" if told["changed"] else " already; nothing was changed")
    kept = f"\nBefore: {', '.join(told['backups'])}" if told["backups"] else ""
    return f"{done}. The server was started and offers {', '.join(told['tools'])}.\n{client.next_step}{kept}"
