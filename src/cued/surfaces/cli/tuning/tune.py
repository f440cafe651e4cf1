"""`cued tune`: a policy learnt from your own traffic."""

from pathlib import Path
from typing import Any

import click
import msgspec

from cued.requests.insights import TuneRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import opened, tenant_to_read, tenant_to_write
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import show, view
from cued.surfaces.cli.progress import progress
from cued.surfaces.verbs import call


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
    show(answer, view("tuning.view.tuned_view", answer))
