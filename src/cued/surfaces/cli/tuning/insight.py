"""`cued insight`: what the recall log says as a whole."""

from pathlib import Path
from typing import Any

import click

from cued.requests.insights import InsightRequest
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import opened, read_here
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import note, show, view
from cued.surfaces.verbs import call


@click.command(name="insight", cls=Command, globals_shown=("db", "tenant", "json"))
@options_of(InsightRequest)
@click.option("--all-tenants", is_flag=True, help="Of every tenant of the database, each in a group of its own.")
@click.option("--compare", is_flag=True, help="Compare the policies that were shown, and those on trial, side by side.")
@click.option("--html", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Also write a report that a browser opens.")
def insight_command(*, all_tenants: bool, compare: bool, html: Path | None, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Show how often memory spoke and stayed silent, over time; how relevance, floors and times are spread; what each channel adds."""
    chosen = settings()
    if compare and (all_tenants or html is not None):
        raise click.UsageError("--compare stands alone: it is about one tenant, and drawn as a table")
    if all_tenants and not chosen.db.exists():
        all_tenants = False
    if all_tenants:
        with opened(chosen, readonly=True) as memories:
            answer = call("insight_of_all", memories, stated(options))
    else:
        answer = read_here(chosen, "compare", {}) if compare else read_here(chosen, "insight", stated(options))
    if html is not None:
        from cued.surfaces.cli.tuning.insight_page import page  # noqa: PLC0415 - only where a report is asked for

        html.write_text(page(answer, title="all tenants" if all_tenants else chosen.tenant), "utf-8")
        note(f"wrote {html}")
    show(answer, view(f"tuning.insight_view.{'compared' if compare else 'insight'}_view", answer))
