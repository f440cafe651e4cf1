"""`cued why` and `cued timeline`: where a memory comes from, what came of it, and what stood around it."""

from typing import TYPE_CHECKING, Any

import click

from cued.requests.listing import TimelineRequest
from cued.requests.upkeep import WhyRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = ("db", "tenant", "json")


@click.command(name="why", cls=Command, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="ID")
@options_of(WhyRequest, without=("id",))
def why_command(memory_id: str, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what the memory ID comes from and what came of it, as a tree of its links."""
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        answer = call("why", tenant, {"id": memory_id, **stated(options)})

    def drawn() -> "RenderableType":
        from cued.surfaces.cli.recalling.provenance_view import why_view  # noqa: PLC0415 - rich is only loaded to draw

        return why_view(answer)

    show(answer, as_json=chosen.json, drawn=drawn)


@click.command(name="timeline", cls=Command, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="[ID]", required=False)
@options_of(TimelineRequest, without=("id",))
def timeline_command(memory_id: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what was stored right before and after the memory ID, or around a time."""
    if (memory_id is None) is (options["at"] is None):
        raise click.UsageError("one of the two: the ID of a memory, or a time with --at")
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        answer = call("timeline", tenant, stated({"id": memory_id, **options}))

    def drawn() -> "RenderableType":
        from cued.surfaces.cli.recalling.provenance_view import timeline_view  # noqa: PLC0415 - rich is only loaded to draw

        return timeline_view(answer, at=options["at"])

    show(answer, as_json=chosen.json, drawn=drawn)
