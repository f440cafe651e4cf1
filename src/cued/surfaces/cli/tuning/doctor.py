"""`cued doctor`: what is wrong, line by line."""

from typing import TYPE_CHECKING

import click

from cued.model.plain import JSON
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read
from cued.surfaces.cli.output import show
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType

FAILS, WARNS = 1, 6
_MARKS = {"pass": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red"), "unknown": ("?", "dim")}


@click.command(name="doctor", cls=Command)
@click.pass_context
def doctor_command(ctx: click.Context) -> None:
    """Say what is wrong with a tenant's memory: the production checklist, then everything else, each with its figure and what mends it.

    Exit code 0 when every line passes, 6 when something is to be looked at, 1 when something fails. What traffic says is not concluded
    from fewer than 200 recalls.
    """
    chosen = settings()
    with tenant_to_read(chosen, embed=True) as tenant:
        answer = call("doctor", tenant)
    show(answer, as_json=chosen.json, drawn=lambda: _drawn(answer))
    ctx.exit({"fail": FAILS, "warn": WARNS}.get(answer["verdict"], 0))


def _drawn(answer: JSON) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw
    from rich.text import Text  # noqa: PLC0415

    from cued.surfaces.cli.tables import command, shown  # noqa: PLC0415 - rich is only loaded to draw

    parts: list[RenderableType] = []
    for title, lines in (("The production checklist", answer["checklist"]), ("Beside it", answer["beside"])):
        parts.append(shown(title, "bold"))
        for line in lines:
            mark, style = _MARKS[line["verdict"]]
            parts.append(Text.assemble((f"{mark} ", style), f"{line['name']:<12}", shown(f"{line['figure']}: {line['told']}", most=400)))
            if line["mend"]:
                parts.append(Text.assemble(" " * 14, command(line["mend"])))
        parts.append(Text(""))
    if answer["missing"]:
        parts.append(shown(f"{answer['missing']} more recalls are needed before traffic says anything.", "dim"))
    return Group(*parts)
