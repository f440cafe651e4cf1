"""`cued update` and `cued forget`: changing what is stored."""

from typing import Any

import click

from cued.errors import InputError
from cued.model import KINDS, TIERS, TRUSTS
from cued.surfaces import service
from cued.surfaces.cli.asking import ask, ask_for
from cued.surfaces.cli.cue_options import stated
from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.opening import writing
from cued.surfaces.cli.output import counted, show
from cued.surfaces.cli.remember import spoken
from cued.surfaces.cli.settings import Settings, settings
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
@click.option("--supersedes", multiple=True, metavar="ID", help="What gives way to it too; may be repeated; none lets all of it go.")
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
    if "none" in fields.get("supersedes", ()):
        if len(fields["supersedes"]) > 1:
            message = "--supersedes none takes all away: no ID beside it"
            raise click.UsageError(message)
        fields["supersedes"] = []
    if fields.get("text") == "-":
        fields["text"] = spoken("-", "a text")
    if not fields:
        raise InputError("update", "nothing to change", "at least one option; see cued update --help")
    with writing(chosen, embed="text" in fields) as tenant:
        answer = service.update(tenant, memory_id, fields)
    show(answer, as_json=chosen.json, drawn=lambda: _card(answer))


@click.command(name="forget", cls=Verb, globals_shown=("db", "tenant", "json"))
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option("--erase", is_flag=True, help="Remove them for good; there is no way back.")
@click.option("--all", "everything", is_flag=True, help="With --erase: all that is kept for the tenant, its recall log included.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@click.option("--undo", is_flag=True, help="Bring forgotten memories back.")
def forget_command(ids: tuple[str, ...], *, erase: bool, everything: bool, yes: bool, undo: bool) -> None:
    """Hide memories from every recall, all of them or, when one is unknown, none."""
    if erase and undo:
        message = "--erase cannot be undone: one of --erase and --undo"
        raise click.UsageError(message)
    chosen = settings()
    if everything:
        _all_or_nothing(ids, erase=erase)
        _erase_everything(chosen, yes=yes)
        return
    if not ids:
        message = "Missing argument 'ID...'"
        raise click.UsageError(message, ctx=click.get_current_context())
    if erase and not yes:
        ask(f"Erase {counted(len(ids))} for good?")
    with writing(chosen) as tenant:
        answer = service.restore(tenant, list(ids)) if undo else service.forget(tenant, list(ids), erase=erase)
    verb = "Restored" if undo else "Erased" if erase else "Forgotten"
    way_back = "" if undo or erase else "; `cued forget --undo` brings them back"
    show(answer, as_json=chosen.json, drawn=lambda: f"{verb}: {', '.join(ids)}{way_back}")


def _all_or_nothing(ids: tuple[str, ...], *, erase: bool) -> None:
    if ids:
        message = "--all is all there is: no ID beside it"
        raise click.UsageError(message)
    if not erase:
        message = "--all only goes with --erase: hiding a whole tenant would leave everything stored; `cued forget ID...` hides memories"
        raise click.UsageError(message)


def _erase_everything(chosen: Settings, *, yes: bool) -> None:
    with writing(chosen) as tenant:
        if not yes:
            held = counted(service.stats(tenant)["memories"])
            ask_for(chosen.tenant, f"This erases {chosen.tenant} for good: {held} and the recall log. Type the tenant's name")
        answer = service.erase_everything(tenant)
    told = f"Erased: everything that was kept for {chosen.tenant}, {counted(answer['memories'])}"
    show(answer, as_json=chosen.json, drawn=lambda: told)


def _card(answer: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.tables import memory_card  # noqa: PLC0415 - rich is only loaded to draw

    return memory_card(answer)
