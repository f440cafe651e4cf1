"""`cued list`, `cued get`, `cued stats` and `cued tenants`: looking at what is stored, without an embedder."""

from typing import Any

import click

from cued.requests.listing import ListRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import memories_to_read, read_here, tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view
from cued.surfaces.verbs import call

_SHOWN = ("db", "tenant", "json")


@click.command(name="list", cls=Command, globals_shown=_SHOWN)
@options_of(ListRequest)
def list_command(**options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """List memories, newest first."""
    page = read_here(settings(), "list", stated(options))
    show(page, view("keeping.view.listing_view", page))


@click.command(name="get", cls=Command, globals_shown=_SHOWN)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def get_command(ids: tuple[str, ...]) -> None:
    """Show memories by id, in full. The JSON of one id is the memory, of several `{"memories": [...]}`."""
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        found = [call("get", tenant, {"id": each}) for each in ids]
    answer = found[0] if len(found) == 1 else {"memories": found}
    show(answer, view("keeping.view.cards_view", found))


@click.command(name="stats", cls=Command, globals_shown=_SHOWN)
def stats_command() -> None:
    """Count what is stored."""
    chosen = settings()
    answer = read_here(chosen, "stats", {})
    show(answer, view("tables.counts", answer, tenant=chosen.tenant, place=str(chosen.db)))


@click.command(name="tenants", cls=Command, globals_shown=("db", "json"))
def tenants_command() -> None:
    """List the tenants of the database, with how many memories each has."""
    chosen = settings()
    with memories_to_read(chosen) as memories:
        answer = call("tenants", memories)
    show(answer, view("keeping.view.tenants_view", answer))
