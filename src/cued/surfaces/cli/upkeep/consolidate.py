"""`cued consolidate`: near-duplicates give way to a newer memory; shown first, done when asked, and undone when asked."""

from typing import Any

import click

from cued.model.plain import JSON
from cued.requests.upkeep import ConsolidateRequest
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import read_here, tenant_to_read, tenant_to_write, write_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call


@click.command(name="consolidate", cls=Command, globals_shown=("db", "tenant", "json"))
@click.argument("ids", metavar="[ID...]", nargs=-1)
@options_of(ConsolidateRequest)
@click.option("--undo", is_flag=True, help="Undo merges: those into the memory ID, or that of the memory ID; they stay apart from then on.")
@click.option("--list", "listed", is_flag=True, help="List the merges that stand.")
def consolidate_command(ids: tuple[str, ...], *, apply: bool | None, undo: bool, listed: bool, at_least: float | None) -> None:
    """Show which near-duplicates would give way to a newer memory, and which look alike and differ; --apply lets them."""
    if bool(apply) + undo + listed > 1 or bool(ids) is not undo or (at_least is not None and (undo or listed)):
        raise click.UsageError("one of --apply, --undo ID... and --list; --at-least goes with --apply or with none of them")
    chosen = settings()
    if undo:
        answer = write_here(chosen, "unmerge", {"ids": ids})
        show(answer, lambda: f"Restored: {', '.join(answer['restored'])}")
    elif listed:
        answer = read_here(chosen, "merges", {})
        show(answer, view("upkeep.view.merges_view", answer))
    else:
        answer = _consolidated(chosen, stated({"apply": apply, "at_least": at_least}))
        show(answer, view("upkeep.view.plan_view", answer))


def _consolidated(chosen: Settings, body: dict[str, Any]) -> JSON:
    opening = tenant_to_write(chosen) if body.get("apply") else tenant_to_read(chosen)
    with opening as tenant, progress("consolidating") as heard:
        return call("consolidate", tenant, body, progress=heard)
