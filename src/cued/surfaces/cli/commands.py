"""How commands are built, the global options that each takes, and how errors become messages and exit codes.

The global options say where the memories are, whose they are, and how the answer is shown. They may stand before a command and after it;
a command is imported when it is needed.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from cued.errors import CuedError
from cued.folders import Address, place, user_folder
from cued.surfaces.failures import error_json, exit_code

_META = "cued.settings."
_TYPED = "cued.settings typed"
GLOBAL_NAMES = ("db", "tenant", "embedder", "policy", "keep", "journal", "json")
ASKING_NAMES = (*GLOBAL_NAMES, "direct")
"""The global options of commands that ask a running server, where there is one."""


class Settings:
    """The global options of the command that is running: those after its name win over those before it."""

    def __init__(self, ctx: click.Context) -> None:
        """Read what the options have left in the context."""
        said = {name: ctx.meta.get(_META + name) for name in ASKING_NAMES}
        self.default_db = said["db"] is None
        self._said_db = said["db"]
        self.tenant: str = said["tenant"] or "me"
        self.embedder: str | None = None if said["embedder"] == "none" else said["embedder"] or "auto"
        self.policy: str | None = said["policy"]
        self.journal = bool(said["journal"])
        self.json = bool(said["json"])
        self.direct = bool(said["direct"])
        self.keep: str | None = said["keep"]
        self._typed: dict[str, str] = ctx.meta.get(_TYPED, {})

    @cached_property
    def db(self) -> Path | Address:
        """Where the memories are; a file that this user may not look at is a StoreError."""
        # an address is no path
        return place(default_db() if self._said_db is None else os.path.expanduser(self._said_db))  # noqa: PTH111

    def typed(self, name: str) -> str | None:
        """What was typed for a global option; None where it was left out, whatever the environment says."""
        return self._typed.get(name)

    def again(self, command: str) -> str:
        """A command with the database and the tenant that were typed here, so that it works on the same memories; without a password."""
        typed = {**self._typed, "db": str(self.db)} if isinstance(self.db, Address) and "db" in self._typed else self._typed
        kept = [word for name in ("db", "tenant") if name in typed for word in (f"--{name}", typed[name])]
        return " ".join([command, shlex.join(kept)]) if kept else command


def settings() -> Settings:
    """The settings of the command that is running."""
    return Settings(click.get_current_context())


def default_db() -> Path:
    """The database's usual place: in the platform's folder for a user's data."""
    return user_folder("data") / "memories.db"


def global_options(*, shown: tuple[str, ...], root: bool) -> list[click.Option]:
    """New global options; only the root reads the environment, so that what is typed before the command wins over it."""
    made = []
    for name, flags, metavar, text in _OPTIONS:
        made.append(
            click.Option(
                [*flags, name],
                metavar=metavar,
                is_flag=metavar is None,
                default=None,
                help=text() if callable(text) else text,
                envvar=f"CUED_{name.upper()}" if root else None,
                expose_value=False,
                hidden=name not in shown,
                callback=_note,
            )
        )
    return made


def _note(ctx: click.Context, param: click.Parameter, value: str | bool | None) -> None:  # noqa: FBT001 - click's callback
    if value is not None and value is not False:
        if value == "":
            raise click.BadParameter("got an empty text; leave the option out for its default", ctx=ctx, param=param)
        ctx.meta[_META + str(param.name)] = value
        if ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            ctx.meta.setdefault(_TYPED, {})[str(param.name)] = value


def _db_help() -> str:
    place, home = str(default_db()), str(Path.home())
    shown = "~" + place.removeprefix(home) if place.startswith(home + os.sep) else place
    return f"The database file, or the postgresql:// address of a database. Default: {shown}, or CUED_DB."


_OPTIONS = (
    ("db", ("--db",), "FILE|URL", _db_help),
    ("tenant", ("--tenant",), "NAME", 'Whose memories. Default for this local command: "me", or CUED_TENANT.'),
    (
        "embedder",
        ("--embedder",),
        "NAME",
        "auto, cued, minilm, hashing, hashing:DIM, openai:MODEL, sentence-transformers:NAME, or none. Default: auto, or CUED_EMBEDDER.",
    ),
    ("policy", ("--policy",), "NAME|FILE", "A preset, as `cued policy list` shows them, or a TOML file. Default: cued, or CUED_POLICY."),
    (
        "keep",
        ("--keep",),
        "off|last|sampled",
        "Keep cues and evidence of the last 500 recalls, or of one in a hundred, to replay, label and tune. Default: off, or CUED_KEEP.",
    ),
    ("journal", ("--journal",), None, "Begin a journal of the tenant's writes and erasures, which `cued check` verifies; CUED_JOURNAL=1."),
    ("json", ("--json",), None, "Print the result as JSON; CUED_JSON=1 does so always."),
    ("direct", ("--direct",), None, "Ask the database itself, though `cued serve` runs on it; CUED_DIRECT=1 does so always."),
)


Listing = dict[str, tuple[str, str]]

INTERRUPTED = 130
FAILS_OPEN = "hook"
"""The command that always exits with 0: an agent's client takes another exit code for a refusal."""
_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})


class TakesGlobals(click.Command):
    """A command that also takes the global options; its help shows those that matter to it, in a section of their own."""

    def __init__(self, *args: Any, globals_shown: tuple[str, ...] = GLOBAL_NAMES, root: bool = False, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        """Add the global options to the command's own."""
        super().__init__(*args, **kwargs)
        self.own = list(self.params)
        self.params += global_options(shown=globals_shown, root=root)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, then the global ones."""
        own = [*self.own, *(param for param in self.get_params(ctx) if param not in self.params)]
        shared = [param for param in self.params if param not in self.own]
        for title, params in (("Options", own), ("Global options, before or after the command", shared)):
            options = [param for param in params if isinstance(param, click.Option)]
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Command(TakesGlobals):
    """A command that does something."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; where a text came as several, the error says that it needs quotes."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if type(error) is click.UsageError and any(param.name == "text" for param in self.own):  # of another kind are those of options
                error.add_note("a text of several words stands in quotes")
            raise


class CommandGroup(TakesGlobals, click.Group):
    """A group of commands, which by itself shows its help."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        """Make the group one that can stand alone."""
        super().__init__(*args, invoke_without_command=True, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever the command gives
        """Run the command that was named, or show the help."""
        answer = super().invoke(ctx)
        if ctx.invoked_subcommand is None:
            click.echo(ctx.get_help())
        return answer

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which they were added."""
        del ctx
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is refused with the nearest and all the known names."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - few commands are misspelled

            close = get_close_matches(args[0], known, n=1)
            meant = f" (did you mean {close[0]!r}?)" if close else ""
            ctx.fail(f"no such command {args[0]!r}{meant}; commands: {', '.join(known)}")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        TakesGlobals.format_options(self, ctx, formatter)


class LazyGroup(CommandGroup):
    """A group that knows its commands by name and one line each, so that showing help imports none of them."""

    def __init__(self, *args: Any, lazy: Listing, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        """Take the listing: name → (module, one line)."""
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the listing."""
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module, which is imported now."""
        del ctx
        if cmd_name not in self.lazy:
            return None
        module = import_module(f"{__package__}.{self.lazy[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name from the listing, importing none of them."""
        names = [CompletionItem(name, help=line) for name, (_, line) in self.lazy.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the listing."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.lazy.items()])


class Root(LazyGroup):
    """The command `cued`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        """Make the group whose global options also read the environment."""
        super().__init__(*args, root=True, **kwargs)

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # noqa: ANN401 - click's other modes are not ours
        """Run the command line and leave with its exit code."""
        _open_what_is_closed()
        given = list(sys.argv[1:] if args is None else args)
        options = given[: given.index("--")] if "--" in given else given
        as_json = "--json" in options or os.environ.get("CUED_JSON", "").lower() in _TRUE
        extra |= {"standalone_mode": False, "prog_name": "cued"}
        try:
            code = super().main(args, **extra)
        except click.Abort as stopped:
            for each in getattr(stopped.__cause__, "__notes__", ()):
                click.echo(each, err=True)
            sys.exit(INTERRUPTED)
        except (click.ClickException, CuedError, OSError) as error:
            _report(error, as_json=as_json)
            sys.exit(0 if given[:1] == [FAILS_OPEN] else exit_code(error))
        sys.exit(code if isinstance(code, int) else 0)


def _open_what_is_closed() -> None:
    """Open the null device in place of a standard stream that is closed, so that no file opened later gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for as long as this runs


def _report(error: BaseException, *, as_json: bool) -> None:
    told = error_json(error, message=error.format_message() if isinstance(error, click.ClickException) else None)
    if as_json:
        click.echo(msgspec.json.encode(told), err=True)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
    lines = [f"error: {told['error']['message']}", *(f"  {note}" for note in told["error"]["notes"])]
    if isinstance(error, click.UsageError) and error.ctx is not None:
        lines.append(f"  see: {error.ctx.command_path} --help")
    from cued.surfaces.cli.output import safe_lines  # noqa: PLC0415 - it knows the settings, which are made here

    click.echo(safe_lines("\n".join(lines)), err=True)
