"""`cued list`, `cued get` and `cued stats`: looking at what is stored, without an embedder."""

from typing import Any

import click

from cued.model import KINDS, TIERS
from cued.surfaces import service
from cued.surfaces.cli.cue_options import stated
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import reading
from cued.surfaces.cli.output import show
from cued.surfaces.cli.settings import settings
from cued.surfaces.contract import JSON

_SHOWN = ("db", "tenant", "json")


@click.command(name="list", cls=Verb, globals_shown=_SHOWN)
@click.option("--scope", help="Only this scope; `global` is one.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@click.option("--tier", "tiers", multiple=True, type=click.Choice(TIERS), help="Only this tier; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="Only memories with this tag; may be repeated.")
@click.option("--session", help="Only what comes from this conversation.")
@click.option("--since", metavar="TIME", help="Written at this time or later.")
@click.option("--until", metavar="TIME", help="Written before this time.")
@click.option("--hidden", is_flag=True, default=None, help="Also what is forgotten, superseded or expired.")
@click.option("--limit", type=int, help="So many a page, at most 1000. Default: 50.")
@click.option("--after", metavar="CURSOR", help="Continue after the page that gave this cursor as `next`.")
def list_command(**options: Any) -> None:  # noqa: ANN401 - options, checked by the service
    """List memories, newest first."""
    chosen = settings()
    with reading(chosen) as tenant:
        page = service.list_memories(tenant, stated(options))
    show(page, as_json=chosen.json, drawn=lambda: _listing(page))


@click.command(name="get", cls=Verb, globals_shown=_SHOWN)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def get_command(ids: tuple[str, ...]) -> None:
    """Show memories by id, in full. The JSON of one id is the memory, of several `{"memories": [...]}`."""
    chosen = settings()
    with reading(chosen) as tenant:
        found = [service.get(tenant, each) for each in ids]
    answer = found[0] if len(found) == 1 else {"memories": found}
    show(answer, as_json=chosen.json, drawn=lambda: _cards(found))


@click.command(name="stats", cls=Verb, globals_shown=_SHOWN)
def stats_command() -> None:
    """Count what is stored."""
    chosen = settings()
    with reading(chosen) as tenant:
        answer = service.stats(tenant)
    show(answer, as_json=chosen.json, drawn=lambda: _counts(answer, chosen.tenant, str(chosen.db)))


def _listing(page: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw

    from cued.surfaces.cli.tables import local_now, memories_table, shown  # noqa: PLC0415

    if not page["memories"]:
        return shown("No memories.")
    more = f"; the next page: --after {page['next']}" if page["next"] else ""
    foot = shown(f"{len(page['memories'])} of {page['total']}{more}", "dim")
    return Group(memories_table(page["memories"], now=local_now()), foot)


def _cards(found: list[JSON]) -> Any:  # noqa: ANN401 - something that rich draws
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw
    from rich.text import Text  # noqa: PLC0415

    from cued.surfaces.cli.tables import memory_card  # noqa: PLC0415

    return Group(*(part for each in found for part in (memory_card(each), Text(""))))


def _counts(answer: JSON, tenant: str, place: str) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.tables import counts  # noqa: PLC0415 - rich is only loaded to draw

    return counts(answer, tenant=tenant, place=place)
