"""An explanation drawn: the candidate table as wide as the terminal allows, a legend, and the verdict on one memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cued.surfaces.cli.recall_view import asides, empty_line
from cued.surfaces.cli.tables import grid, number, shown, width

JSON = Mapping[str, Any]
Columns = list[tuple[str, list[str]]]

TOP = 15
_CHANNELS = {"lexical": "lex", "dense": "den", "entity": "ent", "temporal": "tim"}
_SIGNALS = {"cosine": "cos", "coverage": "cov", "relevance": "rel"}
_TEXT_AT_LEAST = 24
_FATE_AT_MOST = 28


def explain_view(answer: JSON, *, top: int | None = TOP, columns: int | None = None, text: bool = True) -> RenderableType:
    """Give the candidates' table with its legend, the comparison where a channel was shut, and the verdict where one was asked."""
    parts: list[RenderableType] = [] if answer["memories"] else [empty_line(answer)]
    candidates = answer["candidates"]
    if candidates:
        rows = candidates if top is None else candidates[:top]
        parts += _table(answer, rows, columns or width(), text=text)
        if len(rows) < len(candidates):
            parts.append(Text(f"{len(candidates) - len(rows)} more candidates: --all shows them", style="dim"))
    parts += asides(answer)
    if answer["ablation"]:
        parts += [Text(""), _ablation(answer["ablation"])]
    if answer["verdict"]:
        parts += [Text(""), verdict_view(answer["verdict"])]
    return Group(*parts)


def verdict_view(verdict: JSON) -> Text:
    """Give what became of one memory, which stage decided it, and what would have to change."""
    said = Text("Memory ", style="bold").append_text(shown(verdict["id"]))
    said.append_text(shown(f": {verdict['fate']} (stage {verdict['stage']})\n", most=400))
    if verdict["ranks"]:
        said.append_text(shown("found by " + ", ".join(f"{channel} at {rank}" for channel, rank in verdict["ranks"].items()) + "\n"))
    return said.append("what would change it: ", style="dim").append_text(shown(verdict["change"], most=400))


def _table(answer: JSON, rows: Sequence[JSON], columns: int, *, text: bool) -> list[RenderableType]:
    lead: Columns = [("#", [str(row["rank"] or "") for row in rows])]
    fate = [_fate(row) for row in rows]
    ranks = _ranks(rows)
    signals: Columns = [(short, [number(row["signals"].get(name)) for row in rows]) for name, short in _SIGNALS.items()]
    terms = _contributions(rows)
    score: Columns = [("score", [number(row["signals"].get("score")) for row in rows])]
    room = columns - _wide([*lead, *ranks, *signals, *score]) - max(map(len, [*fate, "fate"])) - 3 - (_TEXT_AT_LEAST + 3 if text else 0)
    kept, dropped = _fitting(terms, room)
    middle = [*ranks, *signals, *kept, *score]
    table = grid(("#", "right"), "fate", *((name, "right") for name, _ in middle), *(["memory"] if text else []))
    for i, row in enumerate(rows):
        cells = [Text(cells[i]) for _, cells in middle]
        table.add_row(
            lead[0][1][i],
            shown(fate[i]),
            *cells,
            *([shown(row["text"], most=columns)] if text else []),
            style="" if row["rank"] else "dim",
        )
    return [table, Text(_legend(answer, [name for name, _ in ranks], [name for name, _ in kept], dropped), style="dim")]


def _ranks(rows: Sequence[JSON]) -> Columns:
    """Give each channel's ranks, without the channels that found none of these rows."""
    found = [(short, [str(row["ranks"].get(name, "")) for row in rows]) for name, short in _CHANNELS.items()]
    return [(name, cells) for name, cells in found if any(cells)]


def _contributions(rows: Sequence[JSON]) -> Columns:
    return [(name, [number(row["contributions"][name]) for row in rows]) for name in rows[0]["contributions"]]


def _fate(row: JSON) -> str:
    """Give the fate in a few words: the stage that struck the row, and why."""
    said = str(row["fate"]).removeprefix("beyond the ")
    said = said if row["rank"] or not row["stage"] else f"{row['stage']}: {said}"
    said = said.replace("floor: relevance ", "floor: ").replace(", floor ", " < ")
    return said if len(said) <= _FATE_AT_MOST else said[: _FATE_AT_MOST - 1] + "…"


def _wide(columns: Columns) -> int:
    return sum(max(map(len, [name, *cells])) + 3 for name, cells in columns)


def _fitting(terms: Columns, room: int) -> tuple[Columns, list[str]]:
    """Give the terms that fit in this room, in their order, and the names of those that do not."""
    kept: Columns = []
    for term in terms:
        if _wide([*kept, term]) <= room:
            kept.append(term)
    names = {name for name, _ in kept}
    return kept, [name for name, _ in terms if name not in names]


def _legend(answer: JSON, channels: Sequence[str], terms: Sequence[str], dropped: Sequence[str]) -> str:
    sign = " + " if answer["combine"] == "sum" else " × "
    said = [f"policy {answer['policy']}", f"{'/'.join(channels)}: rank in a channel"] if channels else [f"policy {answer['policy']}"]
    said.append("cos: cosine, cov: share of the cue's words, rel: relevance")
    said.append(f"score = {sign.join([*terms, *dropped]) or '0'}")
    if dropped:
        said.append(f"too narrow for {', '.join(dropped)}")
    return " · ".join(said)


def _ablation(ablation: JSON) -> RenderableType:
    table = grid(("all channels", "right"), (f"without {', '.join(ablation['without'])}", "right"), "memory")
    for row in ablation["memories"]:
        table.add_row(str(row["rank_with"] or "–"), str(row["rank_without"] or "–"), shown(row["text"]))
    return table
