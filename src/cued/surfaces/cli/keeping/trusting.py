"""`cued quarantine` and `cued promote`: what waits for a person's word, and the word."""

from typing import Any

import click

from cued.requests.upkeep import PromoteRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import write_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show

_SHOWN = ("db", "tenant", "json")


@click.command(name="quarantine", cls=Command, globals_shown=_SHOWN)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def quarantine_command(ids: tuple[str, ...]) -> None:
    """Keep memories from every recall until `cued promote` lets them out; `cued list --quarantined` shows them."""
    answer = write_here(settings(), "quarantine", {"ids": ids})
    show(answer, lambda: f"In quarantine: {', '.join(ids)}; `cued promote` lets them out")


@click.command(name="promote", cls=Command, globals_shown=_SHOWN)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options_of(PromoteRequest, without=("ids",))
def promote_command(ids: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Let memories out of quarantine; with --trust, vouch for them too."""
    answer = write_here(settings(), "promote", {"ids": ids, **stated(options)})
    told = ", ".join(f"{each['id']} (from {each['trust']})" for each in answer["promoted"])
    show(answer, lambda: f"Promoted: {told}")
