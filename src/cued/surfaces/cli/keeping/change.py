"""`cued update` and `cued forget`: changing what is stored."""

from typing import Any

import click

from cued.errors import InputError
from cued.model.plain import JSON
from cued.requests.draft import UpdateRequest
from cued.requests.upkeep import ForgetRequest
from cued.surfaces.cli.asking import ask, ask_for
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import tenant_to_write, write_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import counted, show, spoken, view
from cued.surfaces.verbs import call

_TIMES = ("ttl", "valid_from", "valid_until")


@click.command(name="update", cls=Command, globals_shown=("db", "tenant", "embedder", "json"))
@click.argument("memory_id", metavar="ID")
@options_of(UpdateRequest, without=("id",))
@click.option("--no-tags", is_flag=True, help="Take all tags away.")
def update_command(memory_id: str, *, no_tags: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Change the memory ID and show it; its decay starts anew."""
    fields = stated(options)
    if no_tags and "tags" in fields:
        raise click.UsageError("--tag sets new tags and --no-tags takes all away: one of them")
    fields |= {"tags": []} if no_tags else {}
    fields |= {name: None for name in _TIMES if fields.get(name) == "none"}
    if "none" in fields.get("supersedes", ()):
        if len(fields["supersedes"]) > 1:
            raise click.UsageError("--supersedes none takes all away: no ID beside it")
        fields["supersedes"] = []
    if fields.get("text") == "-":
        fields["text"] = spoken("-", "a text")
    if not fields:
        raise InputError("update", "nothing to change", "at least one option; see cued update --help")
    answer = write_here(settings(), "update", {"id": memory_id, **fields}, embed="text" in fields)
    show(answer, view("tables.memory_card", answer))


@click.command(name="forget", cls=Command, globals_shown=("db", "tenant", "json"))
@click.argument("ids", metavar="[ID...]", nargs=-1)
@options_of(ForgetRequest, without=("ids",))
@click.option("--all", "everything", is_flag=True, help="With --erase: all that is kept for the tenant, its recall log included.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@click.option("--undo", is_flag=True, help="Bring forgotten memories back.")
def forget_command(ids: tuple[str, ...], *, erase: bool | None, everything: bool, yes: bool, undo: bool) -> None:
    """Hide memories from every recall, all of them or, when one is unknown, none."""
    erase = bool(erase)
    if erase and undo:
        raise click.UsageError("--erase cannot be undone: one of --erase and --undo")
    chosen = settings()
    if everything:
        _all_or_nothing(ids, erase=erase)
        _erase_everything(chosen, yes=yes)
        return
    if not ids:
        raise click.UsageError("Missing argument 'ID...'", ctx=click.get_current_context())
    if erase and not yes:
        ask(f"Erase {counted(len(ids))} for good?")
    verb, body = ("restore", {"ids": ids}) if undo else ("forget", {"ids": ids, "erase": erase})
    answer = write_here(chosen, verb, body)
    done = "Restored" if undo else "Erased" if erase else "Forgotten"
    way_back = _bytes(answer) if erase else "" if undo else "; `cued forget --undo` brings them back"
    show(answer, lambda: f"{done}: {', '.join(ids)}{way_back}")


def _all_or_nothing(ids: tuple[str, ...], *, erase: bool) -> None:
    if ids:
        raise click.UsageError("--all is all there is: no ID beside it")
    if not erase:
        raise click.UsageError(
            "--all only goes with --erase: hiding a whole tenant would leave everything stored; `cued forget ID...` hides memories"
        )


def _erase_everything(chosen: Settings, *, yes: bool) -> None:
    with tenant_to_write(chosen) as tenant:
        if not yes:
            held = counted(call("stats", tenant)["memories"])
            ask_for(chosen.tenant, f"This erases {chosen.tenant} for good: {held} and the recall log. Type the tenant's name")
        answer = call("erase_everything", tenant)
    told = f"Erased: everything that was kept for {chosen.tenant}, {counted(answer['memories'])}{_bytes(answer)}"
    show(answer, lambda: told)


def _bytes(answer: JSON) -> str:
    return "; their bytes are gone" if answer["gone"] else "".join(f"\npending: {each}" for each in answer["pending"])
