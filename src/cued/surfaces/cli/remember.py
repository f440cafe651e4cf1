"""`cued remember`: one memory from the command line or stdin, or many from JSON lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from cued.model import KINDS, TIERS, TRUSTS
from cued.surfaces import service
from cued.surfaces.bulk import MAX_LINE, remember_lines
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import writing
from cued.surfaces.cli.output import note, show
from cued.surfaces.cli.progress import progress
from cued.surfaces.cli.settings import settings
from cued.surfaces.contract import JSON


def _edge(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    for value in values:
        if not all(part.strip() for part in value.partition("=")):
            message = f"got {value!r}; accepted: RELATION=ID, such as causes=01J…"
            raise click.BadParameter(message)
    return tuple((relation, target) for relation, _, target in (value.partition("=") for value in values))


@click.command(name="remember", cls=Verb, globals_shown=("db", "tenant", "embedder", "json"))
@click.argument("text", required=False)
@click.option("--jsonl", metavar="FILE|-", help="Store one memory a line; fields as the options here, `ts` for `at`; - reads stdin.")
@click.option("--scope", help="A project; without it the memory is global.")
@click.option("--kind", type=click.Choice(KINDS), help="What sort of memory it is. Default: semantic.")
@click.option("--tier", type=click.Choice(TIERS), help="How it is kept; core is pinned. Default: by its kind.")
@click.option("--importance", type=float, help="From 0 to 1. Default: 0.5.")
@click.option("--weight", type=float, help="Confidence, from 0.1 to 1. Default: 1.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--ttl", help='How long it lives: "30d", "12h", or seconds.')
@click.option("--supersedes", multiple=True, metavar="ID", help="The memory that this one replaces; may be repeated.")
@click.option("--derived-from", multiple=True, metavar="ID", help="A memory that this one was concluded from; may be repeated.")
@click.option(
    "--edge", "edges", multiple=True, metavar="RELATION=ID", callback=_edge, help="A link: causes=ID, mentions=ID, or a word of your own."
)
@click.option("--at", metavar="TIME", help="When it was said, such as 2025-03-01T14:30. Default: now.")
@click.option("--valid-from", metavar="TIME", help="From when on it holds.")
@click.option("--valid-until", metavar="TIME", help="Until when it holds.")
@click.option("--session", help="The conversation that it comes from.")
@click.option("--turn", type=int, help="Its place in that conversation.")
@click.option("--speaker", help="Who said it.")
@click.option("--trust", type=click.Choice(TRUSTS), help="Where it comes from. Default: user.")
@click.option("--no-conflicts", is_flag=True, help="Do not look for what it contradicts, updates or repeats.")
def remember_command(text: str | None, jsonl: str | None, *, no_conflicts: bool, **facts: Any) -> None:  # noqa: ANN401 - options, checked by the draft
    """Store TEXT as a memory and print its id; with - or without TEXT, read one memory from stdin.

    What it contradicts, updates or repeats is told on stderr, with the command for each way to resolve it; it is stored all the same.
    """
    chosen = settings()
    stated = {name: value for name, value in facts.items() if value not in (None, ())}
    if jsonl is not None:
        if text is not None or stated:
            message = "--jsonl takes everything from the lines: no TEXT and no other option beside it"
            raise click.UsageError(message)
        answer = _many(jsonl)
    else:
        body = {"text": spoken(text, "a memory"), **stated, "conflicts": not no_conflicts}
        with writing(chosen, embed=True, make=True) as tenant:
            answer = service.remember(tenant, body)
    for choice in (choice for conflict in answer["conflicts"] for choice in conflict["choices"]):
        choice["cli"] = [chosen.again(command) for command in choice["cli"]]
    for reason in answer["degraded"]:
        note(reason)
    show(answer, as_json=chosen.json, drawn=lambda: "\n".join(answer["ids"]))
    if answer["conflicts"] and not chosen.json:
        _tell(answer)


def spoken(text: str | None, what: str) -> str:
    """Give the text of an argument, or what stdin says where it is - or left out."""
    if text is not None and text != "-":
        return text
    if sys.stdin.isatty():
        note(f"reading {what} from the terminal; Ctrl-D ends it")
    return sys.stdin.buffer.read().decode("utf-8", "replace").rstrip("\r\n")


def _many(source: str) -> JSON:
    total = _counted(source) if sys.stderr.isatty() else 0
    with _opened(source) as file, progress("remembering") as heard, writing(settings(), embed=True, make=True) as tenant:
        return remember_lines(tenant, _lines(file), progress=lambda done: heard(done, total))


def _tell(answer: JSON) -> None:
    from cued.surfaces.cli.conflicts_view import conflicts_view  # noqa: PLC0415 - rich is only loaded to draw
    from cued.surfaces.cli.tables import rendered  # noqa: PLC0415

    click.echo(rendered(conflicts_view(answer["conflicts"]), to=sys.stderr), err=True, nl=False)


def _counted(source: str) -> int:
    """Give how many memories a file has, 0 for what can be read only once."""
    if source == "-":
        return 0
    with Path(source).open("rb") as file:
        return sum(1 for line in _lines(file) if line.strip())


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as file:
        yield file


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    # bounded, so that a file without line ends is refused and not read whole
    while line := file.readline(MAX_LINE + 2):
        yield line
