"""A drawing of the recall log: a line for each recall, and the rates of all of them."""

from rich.console import Group, RenderableType
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.output import counted
from cued.surfaces.cli.tables import grid, number, shown


def log_view(answer: JSON) -> RenderableType:
    """Each recall on a line, with its cue below where it was kept and asked for."""
    if not answer["recalls"]:
        return shown("No recalls.")
    numbers = ((name, "right") for name in ("chosen", "best", "floor", "tokens", "took"))
    table = grid("time", "outcome", *numbers, ("recall", "fold"))
    for line in answer["recalls"]:
        table.add_row(
            line["at"][:19].replace("T", " "),
            line["outcome"].replace("_", " "),
            f"{len(line['chosen'])} of {line['candidates']}",
            number(line["best_relevance"]),
            number(line["floor"]),
            str(line["tokens"]),
            f"{line['total_ms']:.1f} ms",
            _recall_cell(line),
        )
    return Group(table, *([] if answer["rates"] is None else [shown(_rates(answer["rates"]), "dim")]))


def _recall_cell(line: JSON) -> Text:
    cue = [] if line["cue"] is None else [shown(line["cue"])]
    notes = [shown(note, "yellow") for note in line["degraded"]]
    return Text("\n").join([shown(line["recall_id"], "dim"), *cue, *notes])


def _rates(rates: JSON) -> str:
    told = ((name, rates[f"{name}_rate"]) for name in ("injection", "blindness", "degraded"))
    shares = " · ".join(f"{name} {share:.2f}" for name, share in told)
    return f"{counted(rates['recalls'], 'recall', 'recalls')}: {shares} · half of them within {rates['median_ms']:.1f} ms"
