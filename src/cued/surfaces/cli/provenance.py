"""`cued why` and `cued timeline`: where a memory comes from, what came of it, and what stood around it."""

from typing import Any

import click

from cued.surfaces import service
from cued.surfaces.cli.cue_options import stated
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import reading
from cued.surfaces.cli.output import show
from cued.surfaces.cli.settings import settings

_SHOWN = ("db", "tenant", "json")


@click.command(name="why", cls=Verb, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=int, default=3, metavar="N", help="How many links deep, each way. Default: 3.")
def why_command(memory_id: str, *, depth: int) -> None:
    """Show what the memory ID comes from and what came of it, as a tree of its links."""
    chosen = settings()
    with reading(chosen) as tenant:
        answer = service.why(tenant, memory_id, depth=depth)

    def drawn() -> Any:  # noqa: ANN401 - something that rich draws
        from cued.surfaces.cli.provenance_view import why_view  # noqa: PLC0415 - rich is only loaded to draw

        return why_view(answer)

    show(answer, as_json=chosen.json, drawn=drawn)


@click.command(name="timeline", cls=Verb, globals_shown=_SHOWN)
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--at", metavar="TIME", help="Around this time, in place of a memory.")
@click.option("--before", type=int, metavar="N", help="So many before it. Default: 5.")
@click.option("--after", type=int, metavar="N", help="So many after it. Default: 5.")
@click.option("--scope", help="Only this project and what is global.")
@click.option("--session", help="Only what comes from this conversation.")
@click.option("--hidden", is_flag=True, default=None, help="Also what is forgotten, superseded or expired.")
def timeline_command(memory_id: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the service
    """Show what was stored right before and after the memory ID, or around a time."""
    if (memory_id is None) is (options["at"] is None):
        message = "one of the two: the ID of a memory, or a time with --at"
        raise click.UsageError(message)
    chosen = settings()
    with reading(chosen) as tenant:
        answer = service.timeline(tenant, stated({"id": memory_id, **options}))

    def drawn() -> Any:  # noqa: ANN401 - something that rich draws
        from cued.surfaces.cli.provenance_view import timeline_view  # noqa: PLC0415 - rich is only loaded to draw

        return timeline_view(answer, at=options["at"])

    show(answer, as_json=chosen.json, drawn=drawn)
