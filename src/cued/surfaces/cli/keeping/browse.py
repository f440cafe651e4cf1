"""`cued list`, `cued get`, `cued stats` and `cued tenants`: looking at what is stored, without an embedder."""

from typing import TYPE_CHECKING, Any

import click

from cued.model.plain import JSON
from cued.requests.listing import ListRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import memories_to_read, tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = ("db", "tenant", "json")


@click.command(name="list", cls=Command, globals_shown=_SHOWN)
@options_of(ListRequest)
def list_command(**options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """List memories, newest first."""
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        page = call("list", tenant, stated(options))
    show(page, as_json=chosen.json, drawn=lambda: _listing(page))


@click.command(name="get", cls=Command, globals_shown=_SHOWN)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def get_command(ids: tuple[str, ...]) -> None:
    """Show memories by id, in full. The JSON of one id is the memory, of several `{"memories": [...]}`."""
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        found = [call("get", tenant, {"id": each}) for each in ids]
    answer = found[0] if len(found) == 1 else {"memories": found}
    show(answer, as_json=chosen.json, drawn=lambda: _cards(found))


@click.command(name="stats", cls=Command, globals_shown=_SHOWN)
def stats_command() -> None:
    """Count what is stored."""
    chosen = settings()
    with tenant_to_read(chosen) as tenant:
        answer = call("stats", tenant)
    show(answer, as_json=chosen.json, drawn=lambda: _counts(answer, chosen.tenant, str(chosen.db)))


@click.command(name="tenants", cls=Command, globals_shown=("db", "json"))
def tenants_command() -> None:
    """List the tenants of the database, with how many memories each has."""
    chosen = settings()
    with memories_to_read(chosen) as memories:
        answer = call("tenants", memories)
    show(answer, as_json=chosen.json, drawn=lambda: _tenants(answer))


def _tenants(answer: JSON) -> "RenderableType":
    from cued.surfaces.cli.tables import sheet, shown  # noqa: PLC0415 - rich is only loaded to draw

    rows = [(tenant["name"], str(tenant["memories"])) for tenant in answer["tenants"]]
    return sheet(("tenant", "memories"), rows) if rows else shown("No tenants.")


def _listing(page: JSON) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw
    from rich.text import Text  # noqa: PLC0415

    from cued.surfaces.cli.tables import memories_table, shown, utc_now  # noqa: PLC0415

    if not page["memories"]:
        return shown("No memories.")
    foot = [shown(f"{len(page['memories'])} of {page['total']}" + ("; the next page:" if page["next"] else ""), "dim")]
    if page["next"]:
        # on one line, however long: it is to be copied
        foot.append(Text(f"  --after {page['next']}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(memories_table(page["memories"], now=utc_now()), *foot)


def _cards(found: list[JSON]) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw
    from rich.text import Text  # noqa: PLC0415

    from cued.surfaces.cli.tables import memory_card  # noqa: PLC0415

    return Group(*(part for each in found for part in (memory_card(each), Text(""))))


def _counts(answer: JSON, tenant: str, place: str) -> "RenderableType":
    from cued.surfaces.cli.tables import counts  # noqa: PLC0415 - rich is only loaded to draw

    return counts(answer, tenant=tenant, place=place)
