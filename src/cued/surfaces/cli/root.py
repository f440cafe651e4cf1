"""The root of the command line, and the one place where errors become messages and exit codes."""

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click
import msgspec

from cued.errors import CuedError, EmbedderError, NotFoundError, StoreError
from cued.surfaces.cli.grammar import LazyGroup

REFUSED, NOT_FOUND, STORE, EMBEDDER, INTERRUPTED = 2, 3, 4, 5, 130
_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})
_CODES: tuple[tuple[type[CuedError], int], ...] = ((NotFoundError, NOT_FOUND), (StoreError, STORE), (EmbedderError, EMBEDDER))


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
            sys.exit(exit_code(error))
        sys.exit(code if isinstance(code, int) else 0)


def exit_code(error: BaseException) -> int:
    """Give the exit code of an error; whatever is not the store's, the embedder's or a missing memory is refused input."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), REFUSED)


def error_json(error: BaseException) -> dict[str, Any]:
    """Give an error as JSON: its type, its message, what would be accepted, and where it happened."""
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    told = {"type": type(error).__name__, "message": message, "exit_code": exit_code(error)}
    for name in ("field", "accepted", "problems", "memory_id"):
        if getattr(error, name, None) is not None:
            told[name] = getattr(error, name)
    return {"error": {**told, "notes": list(getattr(error, "__notes__", ()))}}


def _report(error: BaseException, *, as_json: bool) -> None:
    told = error_json(error)
    if as_json:
        click.echo(msgspec.json.encode(told), err=True)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
    lines = [f"error: {told['error']['message']}", *(f"  {note}" for note in told["error"]["notes"])]
    if isinstance(error, click.UsageError) and error.ctx is not None:
        lines.append(f"  see: {error.ctx.command_path} --help")
    click.echo("\n".join(lines), err=True)
