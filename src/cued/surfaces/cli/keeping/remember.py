"""`cued remember`: one memory from the command line or stdin, or many from JSON lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from cued.model.plain import JSON
from cued.requests.draft import RememberRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_write, written
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import note, show, spoken
from cued.surfaces.cli.progress import progress


@click.command(name="remember", cls=Command, globals_shown=("db", "tenant", "embedder", "journal", "json", "direct"))
@click.argument("text", required=False)
@click.option(
    "--jsonl",
    metavar="FILE|-",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Store one memory a line; fields as the options here, `ts` for `at`; - reads stdin.",
)
@options_of(RememberRequest, without=("text", "entities", "vector", "fingerprint"))
def remember_command(text: str | None, jsonl: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Store TEXT as a memory and print its id; with - or without TEXT, read one memory from stdin.

    What it contradicts, updates or repeats is told on stderr, with the command for each way to resolve it; it is stored all the same.
    """
    chosen = settings()
    facts = stated(options)
    if jsonl is not None:
        if text is not None or facts:
            raise click.UsageError("--jsonl takes everything from the lines: no TEXT and no other option beside it")
        answer = _many(jsonl)
    else:
        body = {"text": spoken(text, "a memory"), **facts}
        answer = written(chosen, "remember", body)
    for choice in (choice for conflict in answer["conflicts"] for choice in conflict["choices"]):
        choice["cli"] = [chosen.again(command) for command in choice["cli"]]
    for reason in answer["degraded"]:
        note(reason)
    if answer.get("known"):
        note(f"{answer['known']} memories of these lines were stored already")
    show(answer, lambda: "\n".join(answer["ids"]))
    if answer["conflicts"] and not chosen.json:
        _tell(answer)


def _many(source: str) -> JSON:
    from cued.surfaces.bulk import lines_of, remember_lines  # noqa: PLC0415 - loads the engine

    total = _counted(source) if sys.stderr.isatty() else 0
    with _opened(source) as file, progress("remembering") as heard, tenant_to_write(settings(), embed=True, make=True) as tenant:
        return remember_lines(tenant, lines_of(file), total=total, progress=heard)


def _tell(answer: JSON) -> None:
    from cued.surfaces.cli.tables import conflicts_view, rendered  # noqa: PLC0415 - rich is only loaded to draw

    click.echo(rendered(conflicts_view(answer["conflicts"]), to=sys.stderr), err=True, nl=False)


def _counted(source: str) -> int:
    """How many memories a file has, 0 for what can be read only once."""
    if source == "-":
        return 0
    from cued.surfaces.bulk import lines_of  # noqa: PLC0415 - loads the engine

    with Path(source).open("rb") as file:
        return sum(1 for line in lines_of(file) if line.strip())


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    with Path(source).open("rb") as file:
        yield file
