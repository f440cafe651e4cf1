"""`cued policy`: the numbers of a recall, as data to look at, compare and check."""

from pathlib import Path
from typing import Any

import click

from cued.errors import InputError
from cued.policy import presets
from cued.policy.parse import dump
from cued.requests.insights import PolicyRequest, RollbackRequest
from cued.surfaces import service
from cued.surfaces.cli.commands import CommandGroup, settings
from cued.surfaces.cli.opening import read_here, write_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import say, show, view
from cued.surfaces.failures import REFUSED

_SHOWN = ("json",)
_STORED = ("db", "tenant", "json")


@click.group(name="policy", cls=CommandGroup, globals_shown=_SHOWN)
def policy_command() -> None:
    """List, show, compare and check policies, and what was learnt. A policy is a preset's name or the path of a TOML file."""


@policy_command.command(name="list", globals_shown=_SHOWN)
def policy_list() -> None:
    """List the presets."""
    answer = service.policy_list()
    show(answer, view("tuning.view.presets_view", answer))


@policy_command.command(name="show", globals_shown=_SHOWN)
@click.argument("name", metavar="NAME|FILE")
def policy_show(name: str) -> None:
    """Print a policy as it is written."""
    policy = presets.load_policy(name)
    text = presets.text_of(name) if name in presets.names() else Path(name).read_text("utf-8")
    if settings().json:
        show(service.policy_show(policy, text=text), lambda: "")
    else:
        say(text)


@policy_command.command(name="diff", globals_shown=_SHOWN)
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
def policy_diff(left: str, right: str) -> None:
    """Show two policies side by side where they differ."""
    answer = service.policy_diff(presets.load_policy(left), presets.load_policy(right))
    show(answer, view("tuning.view.differences_view", answer))


@policy_command.command(name="check", globals_shown=_SHOWN)
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def policy_check(ctx: click.Context, file: Path) -> None:
    """Check a policy file and list all its problems, each at its path; exit code 2 when there are any."""
    if not file.is_file():
        raise InputError("file", str(file), "a plain file")
    answer = service.policy_check(file.read_text("utf-8", "replace"), name=file.stem)
    show(answer, view("tuning.view.problems_view", answer))
    if not answer["ok"]:
        ctx.exit(REFUSED)


@policy_command.command(name="save", globals_shown=_STORED)
@click.argument("name", metavar="NAME|FILE")
@options_of(PolicyRequest, without=("toml",))
def policy_save(name: str, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Decide by this policy from now on; `cued policy rollback` goes back."""
    answer = write_here(settings(), "policy_save", {"toml": dump(presets.load_policy(name)), **stated(options)})
    show(answer, view("tuning.view.history_view", answer))


@policy_command.command(name="history", globals_shown=_STORED)
def policy_history() -> None:
    """Show every policy that was learnt or saved for a tenant, and which of them is applied."""
    answer = read_here(settings(), "policy_history", {})
    show(answer, view("tuning.view.history_view", answer))


@policy_command.command(name="rollback", globals_shown=_STORED)
@options_of(RollbackRequest)
def policy_rollback(**options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Decide by an earlier policy again: the one before, or that of --to."""
    answer = write_here(settings(), "policy_rollback", stated(options))
    show(answer, view("tuning.view.history_view", answer))
