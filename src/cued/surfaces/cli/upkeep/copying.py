"""`cued copy`: all that one store keeps, into another of whatever kind."""

from pathlib import Path

import click

from cued.errors import InputError, StoreError
from cued.folders import place
from cued.model.plain import JSON
from cued.surfaces import upkeep_service
from cued.surfaces.cli.commands import Command
from cued.surfaces.cli.output import counted, show
from cued.surfaces.cli.progress import progress


@click.command(name="copy", cls=Command, globals_shown=("json",))
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
def copy_command(source: str, target: str) -> None:
    """Copy all that the store SRC keeps, every tenant, into the store DST, and compare the two.

    Each is a file or an address such as postgresql://…; a file that is not there is made. Others may go on reading and writing SRC. A copy
    that was broken off goes on where it was when the command is run again, and so does one that SRC has outgrown. It is compared row by
    row, by its counts, and by 200 recalls that must be the same on both.
    """
    found, made = place(source), place(target)
    if isinstance(found, Path) and not found.exists():
        raise StoreError(f"{found}: there is no such file")
    if str(found) == str(made) or (isinstance(found, Path) and isinstance(made, Path) and found.resolve() == made.resolve()):
        raise InputError("DST", target, "another store than SRC")
    with progress("copying") as heard:
        answer = upkeep_service.copy_store(found, made, progress=heard)
    show(answer, lambda: _copied(answer))


def _copied(answer: JSON) -> str:
    parts = (
        counted(answer["tenants"], "tenant", "tenants"),
        counted(answer["memories"]),
        counted(answer["lines"], "line of the recall log", "lines of the recall log"),
        counted(answer["documents"], "document", "documents"),
    )
    compared = f"compared: every row, {counted(answer['sampled'], 'recall', 'recalls')} the same"
    return f"Copied: {answer['source']} to {answer['target']}\n  {', '.join(parts)}\n  {compared}"
