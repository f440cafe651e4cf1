"""`cued recall`: what a cue brings to mind, or nothing."""

from typing import Any

import click

from cued.model.plain import JSON
from cued.requests.cue import RecallRequest
from cued.surfaces.cli.answered import read
from cued.surfaces.cli.commands import Command
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import say, show, spoken
from cued.surfaces.cli.settings import ASKING_NAMES, settings


@click.command(name="recall", cls=Command, globals_shown=ASKING_NAMES)
@click.argument("text", required=False)
@options_of(RecallRequest, without=("text", "policy"))
@click.option("--block", is_flag=True, help="Print only the block for the prompt; empty when nothing is relevant.")
def recall_command(text: str | None, *, block: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Bring to mind what fits TEXT and the state of the work; nothing is a good answer too. - reads TEXT from stdin."""
    chosen = settings()
    body = {"text": spoken(text, "a cue") if text == "-" else text or "", **stated(options)}
    answer = read(chosen, "recall", body, embed=True, settle=body.get("settle", True))
    if block and not chosen.json:
        say(answer["block"])
        return
    show(answer, as_json=chosen.json, drawn=lambda: _drawn(answer))


def _drawn(answer: JSON) -> Any:  # noqa: ANN401 - something that rich draws
    from cued.surfaces.cli.recalling.recall_view import recall_view  # noqa: PLC0415 - rich is only loaded to draw
    from cued.surfaces.cli.tables import local_now  # noqa: PLC0415

    return recall_view(answer, now=local_now())
