"""`cued recall`: what a cue brings to mind, or nothing."""

from typing import Any, BinaryIO

import click
import msgspec

from cued.errors import InputError
from cued.requests.cue import RecallRequest
from cued.surfaces.cli.commands import ASKING_NAMES, Command, settings
from cued.surfaces.cli.opening import read, tenant_to_read
from cued.surfaces.cli.options import options_of, stated
from cued.surfaces.cli.output import say, show, spoken, view, write

_STATE = frozenset({"goal", "step", "open_questions"})


@click.command(name="recall", cls=Command, globals_shown=ASKING_NAMES)
@click.argument("text", required=False)
@options_of(RecallRequest, without=("text", "policy"))
@click.option(
    "--jsonl", type=click.File("rb"), help="Recall for each line of FILE, a JSON object with `text` and other fields; - is stdin."
)
@click.option("--block", is_flag=True, help="Print only the block for the prompt; empty when nothing is relevant.")
def recall_command(text: str | None, *, jsonl: BinaryIO | None, block: bool, **options: Any) -> None:  # noqa: ANN401 - options, checked by the request
    """Bring to mind what fits TEXT and the state of the work; nothing is a good answer too.

    With - for TEXT, or neither TEXT nor any state, read it from stdin.
    """
    chosen = settings()
    if jsonl is not None:
        if text is not None:
            raise click.UsageError("TEXT or --jsonl, not both")
        _each(jsonl, stated(options))
        return
    state = stated(options)
    heard = text if text is not None or not state.keys() & _STATE else ""
    body = {"text": spoken(heard, "a cue"), **state}
    answer = read(chosen, "recall", body, embed=True, settle=body.get("settle", True))
    if block and not chosen.json:
        say(answer["block"])
        return
    show(answer, view("tables.recall_view", answer, cue=body["text"]))


def _each(lines: BinaryIO, said: dict[str, Any]) -> None:
    """Print the answer to each line, a JSON object a line; what is said beside holds for all of them."""
    from cued.surfaces.bulk import lines_of  # noqa: PLC0415 - loads the engine
    from cued.surfaces.cli.progress import progress  # noqa: PLC0415
    from cued.surfaces.verbs import call  # noqa: PLC0415

    chosen = settings()
    with tenant_to_read(chosen, embed=True, settle=said.get("settle", True)) as tenant, progress("recalling") as heard:
        for number, line in enumerate(lines_of(lines), 1):
            if line.strip():
                write(msgspec.json.encode(call("recall", tenant, {**said, **_fields_in(line, number)})) + b"\n")
                heard(number, 0)


def _fields_in(line: bytes, number: int) -> dict[str, Any]:
    from cued.surfaces.bulk import refuse_long  # noqa: PLC0415 - loads the engine

    refuse_long(line)
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        accepted = 'a JSON object such as {"text": "When is the deploy?"}'
        raise InputError(f"line {number}", line.decode("utf-8", "replace"), f"{accepted} ({error})") from error
