"""`cued consolidate`: near-duplicates give way to a newer memory; shown first, done when asked, and undone when asked."""

from typing import Any

import click

from cued.surfaces import service
from cued.surfaces.cli.cue_options import stated
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import reading, writing
from cued.surfaces.cli.output import show
from cued.surfaces.cli.progress import progress
from cued.surfaces.cli.settings import Settings, settings
from cued.surfaces.contract import JSON
from cued.upkeep import AT_LEAST


@click.command(name="consolidate", cls=Verb, globals_shown=("db", "tenant", "json"))
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option("--apply", is_flag=True, help="Do it; without this it is only shown.")
@click.option("--undo", is_flag=True, help="Undo merges: those into the memory ID, or that of the memory ID; they stay apart from then on.")
@click.option("--list", "listed", is_flag=True, help="List the merges that stand.")
@click.option("--at-least", type=float, metavar="COSINE", help=f"From which similarity on. Default: {AT_LEAST}.")
def consolidate_command(ids: tuple[str, ...], *, apply: bool, undo: bool, listed: bool, at_least: float | None) -> None:
    """Show which near-duplicates would give way to a newer memory, and which look alike and differ; --apply lets them."""
    if apply + undo + listed > 1 or bool(ids) is not undo or (at_least is not None and (undo or listed)):
        message = "one of --apply, --undo ID... and --list; --at-least goes with --apply or with none of them"
        raise click.UsageError(message)
    chosen = settings()
    if undo:
        with writing(chosen) as tenant:
            answer = service.unmerge(tenant, list(ids))
        show(answer, as_json=chosen.json, drawn=lambda: f"Restored: {', '.join(answer['restored'])}")
    elif listed:
        with reading(chosen) as tenant:
            answer = service.merges(tenant)
        show(answer, as_json=chosen.json, drawn=lambda: _merges(answer))
    else:
        answer = _consolidated(chosen, stated({"apply": apply, "at_least": at_least}))
        show(answer, as_json=chosen.json, drawn=lambda: _planned(answer))


def _consolidated(chosen: Settings, body: dict[str, Any]) -> JSON:
    opening = writing(chosen) if body["apply"] else reading(chosen)
    with opening as tenant, progress("consolidating") as heard:
        return service.consolidate(tenant, body, progress=heard)


def _merges(answer: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.upkeep_view import merges_view  # noqa: PLC0415 - rich is only loaded to draw

    return merges_view(answer)


def _planned(answer: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.upkeep_view import plan_view  # noqa: PLC0415 - rich is only loaded to draw

    return plan_view(answer)
