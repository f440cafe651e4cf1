"""`cued bootstrap`: what an agent should know when a conversation starts."""

from typing import TYPE_CHECKING, Any

import click

from cued.model.plain import JSON
from cued.requests.upkeep import BootstrapRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import say, show

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command(name="bootstrap", cls=Command, globals_shown=("db", "tenant", "embedder", "policy", "json", "direct"))
@options_of(BootstrapRequest)
@click.option("--block", is_flag=True, help="Print only the block for the prompt; empty when there is nothing.")
def bootstrap_command(*, block: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what a conversation should start with, before there is any cue: the pinned memories, then those needed most."""
    chosen = settings()
    answer = read(chosen, "bootstrap", stated(options))
    if block and not chosen.json:
        say(answer["block"])
        return
    show(answer, lambda: _drawn(answer))


def _drawn(answer: JSON) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw

    from cued.surfaces.cli.tables import age, grid, left_out, number, shown, utc_now, with_facts  # noqa: PLC0415 - rich is only loaded to draw

    table = grid(("need", "right"), ("memory", "fold"), "kind", ("age", "right"))
    for row in (*answer["core"], *answer["memories"]):
        need = number(row["need"]) if "need" in row else "core"
        table.add_row(need, with_facts(row), row["kind"], age(row["created_at"], utc_now()))
    if not table.row_count:
        return Group(shown("Nothing to start with."), *left_out(answer))
    return Group(table, *left_out(answer), shown(f"{answer['tokens']} tokens; --block prints the text for the prompt", "dim"))
