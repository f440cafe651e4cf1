"""`cued replay`: what another policy would have made of kept recalls."""

from typing import TYPE_CHECKING, Any

import click

from cued.model.plain import JSON
from cued.policy.presets import load_policy
from cued.requests.insights import ReplayRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import counted, show
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType


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
    show(answer, as_json=chosen.json, drawn=lambda: _drawn(answer, one=recall_id is not None))


def _drawn(answer: JSON, *, one: bool) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw

    from cued.surfaces.cli.tables import grid, number, shown  # noqa: PLC0415

    parts: list[RenderableType] = []
    if one:
        (change,) = answer["changed"]
        table = grid(("then", "right"), (answer["policy"], "right"), ("rel", "right"), ("memory", "fold"))
        for place in change["places"]:
            table.add_row(
                _rank(place["before"]), _rank(place["after"]), number(place["relevance"]), shown(f"{place['text']} ({place['fate']})")
            )
        parts += [shown(change["cue"], "bold"), table]
    else:
        before, after = answer["injection_before"], answer["injection_after"]
        parts += [
            shown(f"{counted(answer['recalls'], 'recall', 'recalls')} under {answer['policy']}: {answer['unchanged']} unchanged", "bold"),
            shown(f"injection rate {before:.0%} → {after:.0%} · overlap {answer['overlap']:.0%}"),
            shown(f"tokens a recall {answer['tokens_before']:.0f} → {answer['tokens_after']:.0f}"),
        ]
        for title, moved in (("comes in", answer["came"]), ("goes", answer["went"])):
            parts += [shown(f"{title} in {each['recalls']}: {each['text']}") for each in moved[:5]]
    return Group(*parts, *(shown(f"note: {note}", "yellow") for note in answer["notes"]))


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
