"""`cued explain`: every candidate with its ranks, signals, contributions and fate; of a live recall or of a saved one."""

from typing import Any

import click

from cued.engine.envelope import Envelope
from cued.model.plain import JSON
from cued.policy.presets import load_policy
from cued.requests.checks import read
from cued.requests.cue import DecideRequest, ExplainRequest
from cued.surfaces import service
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import read_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import note, show, spoken, view


@click.command(name="explain", cls=Command)
@click.argument("text", required=False)
@options_of(ExplainRequest, without=("text", "policy", "envelope"))
@click.option("--save", metavar="FILE", help="Save everything that the recall read, to decide it again later.")
@click.option("--from", "saved", metavar="FILE", help="Decide a saved recall again, without a store; with --policy, under another policy.")
@click.option("--all", "every", is_flag=True, help="Show every candidate, not only the first 15.")
def explain_command(text: str | None, *, save: str | None, saved: str | None, every: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show why each memory came back or did not, for TEXT as `recall` takes it. Nothing is written back."""
    body = stated(options)
    if saved is not None:
        answer = _again(saved, text, save, body)
    else:
        body["text"] = spoken(text, "a cue") if text == "-" else text or ""
        answer = read_here(settings(), "explain", body, embed=True, keep=lambda recalled: _keep(recalled, save))
    show(answer, view("recalling.explain_view.explain_view", answer, every=every))


def _again(saved: str, text: str | None, save: str | None, body: dict[str, Any]) -> JSON:
    """Decide a saved recall again; whatever would need the store is refused."""
    foreign = [name for name in body if name not in DecideRequest.__struct_fields__]
    if text is not None or save is not None or foreign:
        beside = (
            "--policy, --limit, --floor, --budget, --window, --compact, --recency-weight, --no-decay, --without, --memory, --all and --json"
        )
        raise click.UsageError(f"--from decides what was read then: beside it only {beside}")
    kept, chosen = Envelope.load(saved), settings()
    # what the environment says of policies is not said of a recall that knows its own
    policy = chosen.typed("policy")
    return service.explain_saved(kept, read(body, DecideRequest), policy=None if policy is None else load_policy(policy))


def _keep(recalled: Envelope, save: str | None) -> None:
    if save is not None:
        recalled.save(save)
        note(f"saved to {save}; `cued explain --from {save}` decides it again")
