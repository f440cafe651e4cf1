"""`cued replay`: what another policy would have made of kept recalls."""

from typing import Any

import click

from cued.policy.presets import load_policy
from cued.requests.insights import ReplayRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call


@click.command(name="replay", cls=Command, globals_shown=("db", "tenant", "policy", "json"))
@click.argument("recall_id", metavar="[RECALL_ID]", required=False)
@options_of(ReplayRequest, without=("policy", "recall_id"))
def replay_command(recall_id: str | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show what the policy that --policy names would have changed of the last kept recalls; nothing is written.

    With RECALL_ID, that recall side by side. Recalls are kept under `--keep last`, or as the store was opened.
    """
    chosen = settings()
    policy = load_policy(chosen.policy) if chosen.policy is not None else None
    with tenant_to_read(chosen) as tenant, progress("replaying") as heard:
        answer = call("replay", tenant, stated({"recall_id": recall_id, **options}), policy=policy, progress=heard)
    show(answer, view("tuning.view.replay_view", answer, one=recall_id is not None))
