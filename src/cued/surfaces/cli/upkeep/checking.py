"""`cued check` and `cued erasures`: whether the database is what was written, and what was erased from it."""

import sys
from pathlib import Path

import click

from cued.errors import StoreError
from cued.folders import Address
from cued.model.plain import JSON
from cued.ports import Progress
from cued.surfaces import upkeep_service
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import opened
from cued.surfaces.cli.output import counted, show
from cued.surfaces.cli.progress import progress
from cued.surfaces.failures import STORE
from cued.surfaces.verbs import call

_SHOWN = ("db", "json")


@click.command(name="check", cls=Command, globals_shown=_SHOWN)
@click.option("--repair", is_flag=True, help="Keep what is whole, put aside what is broken; nobody else may have the database open.")
@click.option("--backup", metavar="FILE", type=click.Path(path_type=Path), help="With --repair: take broken memories from here, by id.")
def check_command(*, repair: bool, backup: Path | None) -> None:
    """Look for damage: the file, its pages, every memory, what is searched of it, and the journal.

    The exit code is 4 when something is wrong and was not repaired.
    """
    chosen = settings()
    if backup is not None and not repair:
        raise click.UsageError("--backup only goes with --repair")
    if repair and isinstance(chosen.db, Address):
        raise click.UsageError("--repair is for a file; PostgreSQL mends itself from its own backups")
    with progress("checking") as heard:
        answer = _looked_at(chosen, heard, repair=repair, backup=backup)
    show(answer, lambda: _repaired(answer) if repair else _checked(answer))
    if not answer["ok"]:
        sys.exit(STORE)


def _looked_at(chosen: Settings, heard: Progress, *, repair: bool, backup: Path | None) -> JSON:
    if isinstance(chosen.db, Address):
        with opened(chosen, readonly=True) as memories:
            return call("check", memories, progress=heard)
    if repair:
        return upkeep_service.repair_file(chosen.db, backup=backup, progress=heard)
    return upkeep_service.check_file(chosen.db, progress=heard)


@click.command(name="erasures", cls=Command, globals_shown=_SHOWN)
def erasures_command() -> None:
    """List what was erased and when, and whether its bytes are gone; a tenant's name is told as a digest."""
    chosen = settings()
    if isinstance(chosen.db, Path) and not chosen.db.exists():
        raise StoreError(f"{chosen.db}: there is no such file")
    with opened(chosen) as memories:
        answer = call("erasures", memories)
    show(answer, lambda: _erasures(answer))


def _checked(answer: JSON) -> str:
    sums = "pages carry sums" if answer["page_sums"] else "pages carry no sums, rows do"
    lines = [f"{answer['path']}: {counted(answer['memories'])}, {sums}" + (", nothing wrong" if answer["ok"] else "")]
    lines += map(_problem, answer["problems"])
    if answer["more"]:
        lines.append(f"… and {answer['more']} more")
    if answer["damaged"]:
        lines.append(f"{counted(answer['damaged'])} put aside by earlier repairs, in the table `damaged`")
    lines += [f"journal of {each['tenant']}: {each['entries']} entries, last {each['last']}" for each in answer["journals"]]
    return "\n".join([*lines, *_remedy(answer)])


def _remedy(answer: JSON) -> list[str]:
    """What mends a store, unless nothing is wrong or the problem itself says it."""
    if answer["ok"] or any(problem["part"] == "file" for problem in answer["problems"]):
        return []
    return ["the server's own backups have what was written" if "://" in answer["path"] else "`cued check --repair` keeps what is whole"]


def _repaired(answer: JSON) -> str:
    lines = [f"{answer['path']}: {counted(answer['kept'])} kept, {answer['mended']} of them mended"]
    for each in answer["aside"]:
        became = "came back from the backup" if each["restored"] else "is put aside"
        lines.append(f"  {each['tenant']} {each['id'] or 'unknown'}: {each['what']}; it {became}")
    return "\n".join(lines)


def _problem(problem: JSON) -> str:
    whose = " ".join(each for each in (problem["tenant"], problem["id"]) if each)
    return f"  {problem['part']}{f' of {whose}' if whose else ''}: {problem['what']}"


def _erasures(answer: JSON) -> str:
    lines = []
    for each in answer["erasures"]:
        what = "everything of a tenant, " if each["everything"] else ""
        gone = f"gone {each['gone_at']}" if each["gone_at"] else "pending"
        lines.append(f"{each['at']}  {what}{counted(each['memories'])}  tenant {each['tenant']}  {gone}")
    lines += [f"pending: {each}" for each in answer["pending"]]
    return "\n".join(lines) or "Nothing was erased."
