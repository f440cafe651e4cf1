"""`cued sweep`, `cued cool` and `cued reembed`: what has expired, what could go, and vectors of another model."""

from typing import Any

import click

from cued.model.plain import JSON
from cued.requests.upkeep import CoolRequest, SweepRequest
from cued.surfaces.cli.asking import ask
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import opened, read_here, tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import counted, note, show, view
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call

_SHOWN = ("db", "tenant", "json")


@click.command(name="sweep", cls=Command, globals_shown=_SHOWN)
@options_of(SweepRequest)
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
def sweep_command(*, grace: str | None, apply: bool | None, yes: bool) -> None:
    """Show what has expired; no recall brings it any more. --apply erases it for good."""
    chosen = settings()
    body = stated({"grace": grace})
    if not apply:
        answer = read_here(chosen, "sweep", body)
        show(answer, view("upkeep.view.expired_view", answer))
        return
    with tenant_to_write(chosen) as tenant:
        due = len(call("sweep", tenant, body)["expired"])
        if due and not yes:
            ask(f"Erase {counted(due, 'expired memory', 'expired memories')} for good?")
        with progress("sweeping") as heard:
            answer = call("sweep", tenant, {**body, "apply": True}, progress=heard)
    show(answer, lambda: f"Erased: {counted(len(answer['erased']), 'expired memory', 'expired memories')}")


@click.command(name="cool", cls=Command, globals_shown=_SHOWN)
@options_of(CoolRequest)
def cool_command(**options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """List the memories that could go, coolest first: old, not recalled for as long, unimportant. Nothing is changed."""
    chosen = settings()
    answer = read_here(chosen, "cool", stated(options))
    answer["cli"] = answer["cli"] and chosen.again(answer["cli"])
    show(answer, view("upkeep.view.cool_view", answer))


@click.command(name="reembed", cls=Command, globals_shown=("db", "tenant", "embedder", "json"))
def reembed_command() -> None:
    """Embed anew every memory that has no vector of the embedder in use; interrupted, it goes on where it was."""
    chosen = settings()
    answer = _reembedded(chosen)
    for each in answer["failed"]:
        note(f"the embedder cannot take {each}")
    told = f"Embedded: {counted(answer['done'])} with {answer['fingerprint']}; {answer['left']} left"
    show(answer, lambda: told)


def _reembedded(chosen: Settings) -> JSON:
    # opened to be read first, so that a path mistyped makes no file
    opened(chosen, readonly=True).close()
    with tenant_to_write(chosen, embed=True) as tenant, progress("embedding") as heard:
        return call("reembed", tenant, progress=heard)
