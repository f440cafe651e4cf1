"""`cued tune`: a policy learnt from your own traffic."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from cued.model.plain import JSON
from cued.requests.insights import TuneRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import opened, tenant_to_read, tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command(name="tune", cls=Command)
@click.argument("path", metavar="[PAIRS]", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options_of(TuneRequest, without=("pairs",))
@click.option(
    "--all-tenants", is_flag=True, help="Learn from what the users of all tenants judged, for tenants without a policy of their own."
)
def tune_command(path: Path | None, *, all_tenants: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Learn floor, weights, half-life and pools, and check them on recalls that the search never saw.

    PAIRS has a JSON object a line: {"query": …, "gold_ids": […]}; without it, labels and feedback on kept recalls are learnt from, and
    with `--from log` the floor alone is moved. It only says what it would do, unless --apply is there and it is shown to help; `cued policy
    history` has every version, `cued policy rollback` the one before.
    """
    chosen = settings()
    body = stated(options)
    if path is not None:
        from cued.insight.pairs import read_labelled  # noqa: PLC0415 - only where there is a file

        body["pairs"] = msgspec.to_builtins(read_labelled(path.read_bytes(), where=str(path)))
    with progress("tuning") as heard:
        if all_tenants:
            with opened(chosen) as memories:
                answer = call("tune_for_all", memories, body, progress=heard)
        else:
            opening = tenant_to_write if body.get("apply") else tenant_to_read
            with opening(chosen, embed=path is not None) as tenant:
                answer = call("tune", tenant, body, progress=heard)
    show(answer, as_json=chosen.json, drawn=lambda: _drawn(answer))


def _drawn(answer: JSON) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw

    from cued.surfaces.cli.tables import sheet, shown  # noqa: PLC0415

    low, high = answer["interval"]
    what = "injection rate" if answer["source"] == "log" else "share found"
    unit = "recalls" if answer["source"] == "log" else "pairs"
    parts: list[RenderableType] = [
        shown(f"{answer['told'][:1].upper()}{answer['told'][1:]}.", "bold", most=400),
        shown(f"{answer['pairs']} {unit}: {answer['searched']} searched, the newest {answer['held_out']} held out"),
        shown(f"{what} {answer['before']:.0%} → {answer['after']:.0%}, gain {answer['gain']:+.1%} (95 % {low:+.1%} to {high:+.1%})"),
    ]
    if answer["changes"]:
        parts.append(sheet(("path", "before", "after"), [(each["path"], each["before"], each["after"]) for each in answer["changes"]]))
    if answer["version"] is not None:
        parts.append(shown(f"Applied as version {answer['version']}; `cued policy rollback` undoes it."))
    elif answer["helps"]:
        parts.append(shown("Nothing was changed; --apply saves it and decides by it."))
    return Group(*parts)
