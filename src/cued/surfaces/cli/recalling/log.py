"""`cued log`: what recalls came to."""

from typing import Any

import click

from cued.requests.listing import LogRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import read_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view


@click.command(name="log", cls=Command, globals_shown=("db", "tenant", "json"))
@click.argument("recall_id", metavar="[RECALL_ID]", required=False)
@options_of(LogRequest, without=("recall_id", "policy"))
@click.option("--under", metavar="NAME", help="Only recalls under the policy of this name.")
def log_command(recall_id: str | None, under: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what recalls came to, newest first: how many candidates were chosen, how the best stood to the floor, tokens and time.

    With RECALL_ID, that recall alone. Below are the rates of the recalls shown.
    """
    answer = read_here(settings(), "log", stated({"recall_id": recall_id, "policy": under, **options}))
    show(answer, view("recalling.log_view.log_view", answer))
