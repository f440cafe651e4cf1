"""`cued backup` and `cued restore`: the whole database as one file, and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cued.errors import InputError, StoreError
from cued.requests.upkeep import BackupRequest
from cued.surfaces import upkeep_service
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import make_folder, opened
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call

_SHOWN = ("db", "json")


@click.command(name="backup", cls=Command, globals_shown=_SHOWN)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@options_of(BackupRequest, without=("path",))
def backup_command(file: Path, *, overwrite: bool | None) -> None:
    """Copy the whole database, all tenants, into FILE as it is now, while others go on writing; the copy is checked."""
    chosen = settings()
    with _saying(overwrite=bool(overwrite)), opened(chosen, readonly=True) as memories, progress("copying") as heard:
        answer = call("backup", memories, stated({"path": str(file), "overwrite": overwrite}), progress=heard)
    show(answer, lambda: f"Copied: {chosen.db} to {file} ({answer['bytes']:,} bytes), checked")


@click.command(name="restore", cls=Command, globals_shown=_SHOWN)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace the database that is there; what it holds is lost.")
def restore_command(file: Path, *, overwrite: bool) -> None:
    """Make the database at --db from FILE, a copy that `cued backup` made; it is checked first."""
    chosen = settings()
    if not isinstance(chosen.db, Path):
        raise InputError("--db", str(chosen.db), "the path of a file: a database server has backups of its own (pg_dump, pg_basebackup)")
    make_folder(chosen)
    with _saying(overwrite=overwrite), progress("copying") as heard:
        answer = upkeep_service.restore_backup(file, chosen.db, overwrite=overwrite, progress=heard)
    show(answer, lambda: f"Copied: {file} to {chosen.db} ({answer['bytes']:,} bytes), checked")


@contextmanager
def _saying(*, overwrite: bool) -> Iterator[None]:
    """A block in which an error about a file that already exists names the option that replaces it."""
    try:
        yield
    except StoreError as error:
        if not overwrite and "overwritten" in str(error):
            error.add_note("--overwrite replaces it")
        raise
