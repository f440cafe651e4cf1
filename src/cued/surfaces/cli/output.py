"""Printing an answer: as JSON when asked for, else as `tables` draws it; silent when the reader has gone."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
import msgspec

from cued.errors import InputError
from cued.requests.checks import MAX_TEXT
from cued.surfaces.cli.commands import settings

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST = 4 * MAX_TEXT + 3
"""How many bytes of stdin are read for a text: at most four a character, and a byte order mark; endless input is cut there."""


def show(answer: Mapping[str, Any], drawn: "Callable[[], RenderableType]") -> None:
    """Print the answer as JSON where that was asked for, else as it is drawn, which may be a plain text."""
    if settings().json:
        write(msgspec.json.format(msgspec.json.encode(answer), indent=2) + b"\n")
        return
    drawing = drawn()
    if isinstance(drawing, str):
        say(f"{safe_lines(drawing)}\n")
        return
    from cued.surfaces.cli.tables import rendered  # noqa: PLC0415 - rich is only loaded to draw

    say(rendered(drawing))


def view(name: str, *told: Any, **how: Any) -> "Callable[[], RenderableType]":  # noqa: ANN401 - what the function takes
    """What draws an answer, by the dotted name of a function below this package; its module, and rich with it, is only loaded to draw."""
    module, _, function = name.rpartition(".")
    return lambda: getattr(import_module(f"{__package__}.{module}"), function)(*told, **how)


def safe(text: str) -> str:
    """The text on one line, without anything that a terminal would obey; plain ASCII needs no closer look."""
    if text.isascii() and text.isprintable():
        return text
    from cued.text.harmless import plain  # noqa: PLC0415 - loads tables of Unicode

    return plain(text)


def safe_lines(text: str) -> str:
    """The text with each of its lines as `safe` gives it, for what may quote a file or a name that somebody else chose."""
    return "\n".join(safe(line.removesuffix("\r")) for line in text.split("\n"))


def say(text: str) -> None:
    """Write a text to stdout; a character that its encoding lacks becomes a question mark."""
    write(text.encode(sys.stdout.encoding or "utf-8", "replace"))


def write(data: bytes) -> None:
    """Write to stdout; when the reader has closed its end, the command ends without an error."""
    try:
        click.echo(data, nl=False)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.get_current_context().exit(0)


def note(text: str) -> None:
    """Write a note to stderr."""
    click.echo(safe_lines(f"note: {text}"), err=True)


def spoken(text: str | None, what: str) -> str:
    """The text of an argument; what stdin holds where the argument is - or left out."""
    if text is not None and text != "-":
        return text
    if sys.stdin.isatty():
        note(f"reading {what} from the terminal; Ctrl-D ends it")
    said = sys.stdin.buffer.read(_MOST + 1)
    if len(said) > _MOST:
        raise InputError("text", f"more than {_MOST} bytes on stdin", f"at most {MAX_TEXT} characters")
    try:
        return said.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        found = error.object[max(0, error.start - 20) : error.end]
        raise InputError("text", found, "text in UTF-8; `iconv -f LATIN1 -t UTF-8` makes it of older files") from error


def counted(count: int, one: str = "memory", many: str = "memories") -> str:
    """A number of things in words."""
    return f"{count} {one if count == 1 else many}"
