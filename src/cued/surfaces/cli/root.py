"""The root of the command line, where errors become messages on stderr and exit codes."""

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click
import msgspec

from cued.errors import CuedError
from cued.surfaces.cli.grammar import LazyGroup
from cued.surfaces.failures import error_json, exit_code

INTERRUPTED = 130
FAILS_OPEN = "hook"
"""The command whose failure must stop nobody: an agent's client takes its exit code for a verdict."""
_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})


class Root(LazyGroup):
    """The command `cued`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        """Make the group whose global options also read the environment."""
        super().__init__(*args, root=True, **kwargs)

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # noqa: ANN401 - click's other modes are not ours
        """Run the command line and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        options = given[: given.index("--")] if "--" in given else given
        as_json = "--json" in options or os.environ.get("CUED_JSON", "").lower() in _TRUE
        extra |= {"standalone_mode": False, "prog_name": "cued"}
        try:
            code = super().main(args, **extra)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except (click.ClickException, CuedError, OSError) as error:
            _report(error, as_json=as_json)
            sys.exit(0 if given[:1] == [FAILS_OPEN] else exit_code(error))
        sys.exit(code if isinstance(code, int) else 0)


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
    click.echo("\n".join(lines), err=True)
