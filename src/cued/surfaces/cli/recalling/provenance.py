"""`cued why` and `cued timeline`: where a memory comes from, what came of it, and what stood around it."""

from typing import Any

import click

from cued.requests.listing import TimelineRequest
from cued.requests.upkeep import WhyRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import read_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view

_SHOWN = ("db", "tenant", "json")


@click.command(name="why", cls=Command, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="ID")
@options_of(WhyRequest, without=("id",))
def why_command(memory_id: str, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what the memory ID comes from and what came of it, as a tree of its links."""
    answer = read_here(settings(), "why", {"id": memory_id, **stated(options)})
    show(answer, view("recalling.provenance_view.why_view", answer))


@click.command(name="timeline", cls=Command, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="[ID]", required=False)
@options_of(TimelineRequest, without=("id",))
def timeline_command(memory_id: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what was stored right before and after the memory ID, or around a time."""
    if (memory_id is None) is (options["at"] is None):
        raise click.UsageError("one of the two: the ID of a memory, or a time with --at")
    answer = read_here(settings(), "timeline", stated({"id": memory_id, **options}))
    show(answer, view("recalling.provenance_view.timeline_view", answer, at=options["at"]))
