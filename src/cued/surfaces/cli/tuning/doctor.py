"""`cued doctor`: what is wrong, line by line."""

import click

from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import read_here
from cued.surfaces.cli.output import show, view

FAILS, WARNS = 1, 6


@click.command(name="doctor", cls=Command)
@click.pass_context
def doctor_command(ctx: click.Context) -> None:
    """Say what is wrong with a tenant's memory: the production checklist, then everything else, each with its figure and what mends it.

    Exit code 0 when every line passes, 6 when something is to be looked at, 1 when something fails. What traffic says is not concluded
    from fewer than 200 recalls.
    """
    answer = read_here(settings(), "doctor", {}, embed=True)
    show(answer, view("tuning.view.diagnosis_view", answer))
    ctx.exit({"fail": FAILS, "warn": WARNS}.get(answer["verdict"], 0))
