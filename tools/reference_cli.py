"""The command line, from its own commands and options."""

from collections.abc import Iterator

import click

from cued.surfaces.cli.commands import default_db
from cued.surfaces.cli.root import cued_command
from tools.reference_policy import rows


def cli_page() -> str:
    """Every command with its arguments and options, and the exit codes."""
    parts = [_HEAD, f"```text\n{_place(cued_command.epilog or '').replace(chr(8), '').strip()}\n```"]
    for path, command in _commands(cued_command, ("cued",)):
        parts.append(f"## `{' '.join(path)}`\n\n{_usage(path, command)}\n\n{_help(command)}")
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option) and not parameter.hidden]
        if options:
            parts.append(rows(("option", "meaning"), (_option(option) for option in options)))
    return "\n\n".join(parts) + "\n"


def commands_table(reference: str = "reference/cli.md") -> str:
    """Every command with its one line."""
    lines = []
    for path, command in _commands(cued_command, ("cued",)):
        if len(path) > 1:
            anchor = "-".join(path)
            lines.append(
                (f"[`{' '.join(path)}`]({reference}#{anchor})", _help(command).split("\n\n")[0].partition(". ")[0].rstrip(".") + ".")
            )
    return rows(("command", "what it does"), lines)


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _commands(found, (*path, name))


def _usage(path: tuple[str, ...], command: click.Command) -> str:
    arguments = [_argument(parameter) for parameter in command.params if isinstance(parameter, click.Argument)]
    group = ["COMMAND"] if isinstance(command, click.Group) else []
    return f"```text\n{' '.join([*path, '[OPTIONS]', *arguments, *group])}\n```"


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _help(command: click.Command) -> str:
    said = (command.help or "").partition("\b")[0]
    return " ".join(said.split())


def _option(option: click.Option) -> tuple[str, str]:
    flags = ", ".join(f"`{flag}`" for flag in option.opts)
    if not option.is_flag:
        flags = f"{flags} {_value(option)}"
    return flags, _place(option.help or "")


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    return option.metavar or option.type.name.upper()


def _place(text: str) -> str:
    """The text with this machine's usual place of the database told for every machine."""
    for spelled in _own_places():
        text = text.replace(spelled, "`cued/memories.db` in the folder for a user's data")
    return text


def _own_places() -> tuple[str, ...]:
    place, home = str(default_db()), str(default_db().home())
    return place, "~" + place.removeprefix(home)


_HEAD = """# Command reference

<!-- This page is written by tools/reference.py from the commands themselves. -->

The global options `--db`, `--tenant`, `--embedder`, `--policy` and `--json` may stand before or after the command.
[The command line](../cli.md) shows the commands at work."""
