"""`cued export` and `cued import`: a tenant's memories as JSON lines, and memories from elsewhere."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import click

from cued.folders import replacing
from cued.importers import NAMES
from cued.model.plain import JSON
from cued.requests.upkeep import ExportRequest, ImportRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read, tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import counted, note, show, write
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call

_LOG = ("line of the recall log", "lines of the recall log")


@click.command(name="export", cls=Command, globals_shown=("db", "tenant", "json"))
@click.argument("file", metavar="[FILE|-]", default="-")
@options_of(ExportRequest)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
def export_command(file: str, *, overwrite: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Write everything that is kept for the tenant as JSON lines, to FILE or to stdout; `cued import` reads them."""
    chosen = settings()
    if file == "-":
        with tenant_to_read(chosen, settle=True) as tenant, progress("exporting") as heard:
            call("export", tenant, stated(options), write=write, progress=heard)
        return
    with tenant_to_read(chosen, settle=True) as tenant, _whole(Path(file), overwrite=overwrite) as made, progress("exporting") as heard:
        answer = {"path": file, **call("export", tenant, stated(options), write=made.write, progress=heard)}
    told = f"Exported: {counted(answer['memories'])} and {counted(answer['recalls'], *_LOG)} to {file}"
    show(answer, lambda: told)


@click.command(name="import", cls=Command, globals_shown=("db", "tenant", "embedder", "json"))
@click.argument("path", metavar="PATH", type=click.Path(exists=True, path_type=Path))
@options_of(ImportRequest, without=("path",), types={"format": click.Choice(NAMES)})
def import_command(path: Path, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Store what a file or folder holds: an export of Cued or of another, or notes in Markdown.

    Known are the exports of ChatGPT and Claude, the database of claude-mem, rows of mem0 and the file of the MCP memory server. What is
    stored already stays as it is, so an import can be run again.
    """
    chosen = settings()
    with tenant_to_write(chosen, embed=True, make=True) as tenant, progress("importing") as heard:
        answer = call("import", tenant, {"path": str(path), **stated(options)}, progress=heard)
    for reason in answer["degraded"]:
        note(reason)
    show(answer, lambda: _summary(answer))


def _summary(answer: JSON) -> str:
    log = f", {counted(answer['recalls'], *_LOG)}" if answer["recalls"] else ""
    lines = [f"Imported ({answer['format']}): {counted(answer['stored'])}, {answer['known']} known already{log}"]
    lines += [f"Left out: {count} × {reason}" for reason, count in answer["skipped"].items()]
    return "\n".join(lines)


@contextmanager
def _whole(target: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """A file to write to that gets its name only once it is whole."""
    if target.exists() and not overwrite:
        raise click.UsageError(f"{target}: exists already; --overwrite replaces it")
    with ExitStack() as stack:
        try:
            file = stack.enter_context(replacing(target))
        except OSError as error:
            raise click.UsageError(f"{target}: could not be written ({error.strerror})") from error
        yield file
