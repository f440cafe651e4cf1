"""`cued update` and `cued forget`: changing what is stored."""

import sys
from typing import Any

import click

from cued.errors import InputError
from cued.model import KINDS, TIERS, TRUSTS
from cued.surfaces import service
from cued.surfaces.cli.cue_options import stated
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import writing
from cued.surfaces.cli.output import show
from cued.surfaces.cli.remember import spoken
from cued.surfaces.cli.settings import settings
from cued.surfaces.contract import JSON

_TIMES = ("ttl", "valid_from", "valid_until")


@click.command(name="update", cls=Verb, globals_shown=("db", "tenant", "embedder", "json"))
@click.argument("memory_id", metavar="ID")
@click.option("--text", help="The new text; - reads stdin.")
@click.option("--kind", type=click.Choice(KINDS), help="What sort of memory it is.")
@click.option("--tier", type=click.Choice(TIERS), help="How it is kept; core is pinned.")
@click.option("--scope", help="The project that it belongs to; `global` for none.")
@click.option("--tag", "tags", multiple=True, help="The new tags, instead of the old ones; may be repeated.")
@click.option("--no-tags", is_flag=True, help="Take all tags away.")
@click.option("--importance", type=float, help="From 0 to 1.")
@click.option("--weight", type=float, help="Confidence, from 0.1 to 1.")
@click.option("--trust", type=click.Choice(TRUSTS), help="Where it comes from.")
@click.option("--ttl", help='How long it lives from now: "30d", "12h", seconds, or none.')
@click.option("--valid-from", metavar="TIME", help="From when on it holds, or none.")
@click.option("--valid-until", metavar="TIME", help="Until when it holds, or none.")
def update_command(memory_id: str, *, no_tags: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the change
    """Change the memory ID and show it; its decay starts anew."""
    chosen = settings()
    fields = stated(options)
    if no_tags and "tags" in fields:
        message = "--tag sets new tags and --no-tags takes all away: one of them"
        raise click.UsageError(message)
    fields |= {"tags": []} if no_tags else {}
    fields |= {name: None for name in _TIMES if fields.get(name) == "none"}
    if fields.get("text") == "-":
        fields["text"] = spoken("-", "a text")
    if not fields:
        raise InputError("update", "nothing to change", "at least one option; see cued update --help")
    with writing(chosen, embed="text" in fields) as tenant:
        answer = service.update(tenant, memory_id, fields)
    show(answer, as_json=chosen.json, drawn=lambda: _card(answer))


@click.command(name="forget", cls=Verb, globals_shown=("db", "tenant", "json"))
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--erase", is_flag=True, help="Remove them for good; there is no way back.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@click.option("--undo", is_flag=True, help="Bring forgotten memories back.")
def forget_command(ids: tuple[str, ...], *, erase: bool, yes: bool, undo: bool) -> None:
    """Hide memories from every recall, all of them or, when one is unknown, none."""
    if erase and undo:
        message = "--erase cannot be undone: one of --erase and --undo"
        raise click.UsageError(message)
    if erase and not yes:
        _ask(len(ids))
    chosen = settings()
    with writing(chosen) as tenant:
        answer = service.restore(tenant, list(ids)) if undo else service.forget(tenant, list(ids), erase=erase)
    verb = "Restored" if undo else "Erased" if erase else "Forgotten"
    way_back = "" if undo or erase else "; `cued forget --undo` brings them back"
    show(answer, as_json=chosen.json, drawn=lambda: f"{verb}: {', '.join(ids)}{way_back}")


def _ask(count: int) -> None:
    if not sys.stdin.isatty():
        message = "--erase asks before it erases, and nobody is there to answer: add --yes"
        raise click.UsageError(message)
    if not click.confirm(f"Erase {count} memories for good?", err=True):
        raise click.Abort


def _card(answer: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.tables import memory_card  # noqa: PLC0415 - rich is only loaded to draw

    return memory_card(answer)
