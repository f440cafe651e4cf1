"""An explanation as a drawing: the candidates with as many numbers as the terminal has room for, a legend, and the verdict."""

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from cued.flow.budget import PINNED
from cued.model.plain import JSON
from cued.surfaces.cli.tables import asides, empty_line, grid, number, shown, width

Columns = list[tuple[str, list[str]]]

TOP = 15
_CHANNELS = {"lexical": "lex", "dense": "den", "entity": "ent", "temporal": "tim"}
_SIGNALS = {"cosine": "cos", "coverage": "cov", "relevance": "rel"}
_TEXT_AT_LEAST = 26
_FATE_AT_MOST = 28
_TERM_SHOWN = 5
_GAP = 2
_SINGLE = 3
_INDENT = "   "


def explain_view(answer: JSON, *, every: bool = False, top: int = TOP, columns: int | None = None) -> RenderableType:
    """The candidates' table with its legend, the comparison where a channel was shut, and the verdict where one was asked."""
    parts: list[RenderableType] = [] if answer["memories"] else [empty_line(answer)]
    candidates = answer["candidates"]
    if candidates:
        rows = candidates if every else candidates[:top]
        parts += _table(answer, rows, columns or width())
        if len(rows) < len(candidates):
            parts.append(Text(f"{len(candidates) - len(rows)} more candidates: --all shows them", style="dim"))
    parts += asides(answer)
    if answer["ablation"]:
        parts += [Text(""), _ablation(answer["ablation"])]
    if answer["verdict"]:
        parts += [Text(""), verdict_view(answer["verdict"])]
    return Group(*parts)


def verdict_view(verdict: JSON) -> RenderableType:
    """What became of one memory, which stage decided it, and what would have to change."""
    lines = [Text.assemble(("Memory ", "bold"), shown(verdict["id"]), shown(f": {verdict['fate']} (stage {verdict['stage']})", most=400))]
    if verdict["ranks"]:
        lines.append(shown("Found by " + ", ".join(f"{channel} at {rank}" for channel, rank in verdict["ranks"].items())))
    lines.append(Text.assemble(("What would change it: ", "dim"), shown(verdict["change"], most=400)))
    if verdict["single"]:
        each = " · ".join(f"{change['setting']} {change['before']} → {change['after']}" for change in verdict["single"][:_SINGLE])
        lines.append(Text.assemble(("Any one of these would bring it, the smallest first: ", "dim"), shown(each, most=400)))
    return Group(*lines)


def _table(answer: JSON, rows: Sequence[JSON], columns: int) -> list[RenderableType]:
    """The candidates with their texts beside the numbers or, where those leave too little room, below them; and the legend."""
    ranks = _ranks(rows)
    signals: Columns = [(short, [number(row["signals"].get(name)) for row in rows]) for name, short in _SIGNALS.items()]
    left: Columns = [("#", [str(row["rank"] or "") for row in rows])]
    fates: Columns = [("fate", [_fate(row) for row in rows])]
    score: Columns = [("score", [number(row["signals"].get("score")) for row in rows])]
    product, free = answer["combine"] == "product", columns - _wide([*left, *ranks, *signals, *score])
    # Ids are copied into other commands: where one would be cut, texts stand below.
    beside = free - _wide(fates) - max(_TEXT_AT_LEAST, *(len(row["id"]) for row in rows))
    terms = _terms(rows, beside, product=product)
    if _wide(terms) <= beside:
        table = _beside([*left, *fates, *ranks, *signals, *terms, *score], rows, columns)
    else:
        terms = _terms(rows, free, product=product)
        table = _below([*left, *ranks, *signals, *terms, *score], rows, columns)
    return [table, Text(_legend(answer, [name for name, _ in ranks], terms), style="dim")]


def _beside(numbers: Columns, rows: Sequence[JSON], columns: int) -> RenderableType:
    table = grid(*(name if name == "fate" else (name, "right") for name, _ in numbers), ("memory", "fold"))
    for i, row in enumerate(rows):
        memory = Text("\n").join([_line(row, columns - _wide(numbers)), shown(row["id"], "dim")])
        table.add_row(*(Text(cells[i]) for _, cells in numbers), memory, style="" if row["rank"] else "dim")
    return table


def _below(numbers: Columns, rows: Sequence[JSON], columns: int) -> RenderableType:
    wide = [_wide([each]) - _GAP for each in numbers]
    head = _aligned([name for name, _ in numbers], wide)
    lines = [Text(head, style="bold"), Text("─" * columns)]
    for i, row in enumerate(rows):
        style = "" if row["rank"] else "dim"
        lines.append(Text(_aligned([cells[i] for _, cells in numbers], wide), style=style))
        lines.append(Text.assemble(_INDENT, _line(row, columns - len(_INDENT)), style=style))
        lines.append(shown(f"{_INDENT}{_fate(row)} · {row['id']}", "dim"))
    return Group(*lines)


def _aligned(cells: Sequence[str], wide: Sequence[int]) -> str:
    return (" " * _GAP).join(cell.rjust(each) for cell, each in zip(cells, wide, strict=True))


def _line(row: JSON, columns: int) -> Text:
    """The memory's text, cut to one line of this many columns."""
    text = shown(row["text"], most=columns)
    text.truncate(columns, overflow="ellipsis")
    return text


def _terms(rows: Sequence[JSON], width: int, *, product: bool) -> Columns:
    """The contributions that change something, as many as there is room for, and the others together as `rest`."""
    neutral, combine = (1.0, math.prod) if product else (0.0, math.fsum)
    names = [name for name in rows[0]["contributions"] if any(row["contributions"][name] != neutral for row in rows)]

    def drawn(kept: Sequence[str]) -> Columns:
        columns = [(name[:_TERM_SHOWN], [number(row["contributions"][name]) for row in rows]) for name in kept]
        rest = [[row["contributions"][name] or 0.0 for name in names if name not in kept] for row in rows]
        # Alone, the rest would be the score once more.
        return [*columns, ("rest", [number(combine(parts)) for parts in rest])] if 0 < len(kept) < len(names) else columns

    return next(columns for count in range(len(names), -1, -1) if _wide(columns := drawn(names[:count])) <= width or not count)


def _ranks(rows: Sequence[JSON]) -> Columns:
    """Each channel's ranks, without the channels that found none of these rows."""
    found = [(short, [str(row["ranks"].get(name, "")) for row in rows]) for name, short in _CHANNELS.items()]
    return [(name, cells) for name, cells in found if any(cells)]


def _fate(row: JSON) -> str:
    """The fate in a few words: the stage that struck the row, and why; or that it is pinned and stands in the block."""
    if row["fate"] == PINNED:
        return "core, in the block"
    said = str(row["fate"]).removeprefix("beyond the ")
    said = said if row["rank"] or not row["stage"] else f"{row['stage']}: {said}"
    said = said.replace("floor: relevance ", "floor: ").replace(", floor ", " < ")
    return said if len(said) <= _FATE_AT_MOST else said[: _FATE_AT_MOST - 1] + "…"


def _wide(columns: Columns) -> int:
    return sum(max(map(len, [name, *cells])) + _GAP for name, cells in columns)


def _legend(answer: JSON, channels: Sequence[str], terms: Columns) -> str:
    sign = " + " if answer["combine"] == "sum" else " × "
    said = [f"policy {answer['policy']}", f"score = {sign.join(answer['candidates'][0]['contributions']) or '0'}"]
    if channels:
        said.append(f"{'/'.join(channels)}: rank in a channel")
    said.append("cos: cosine, cov: share of the cue's words, rel: relevance")
    if any(name == "rest" for name, _ in terms):
        said.append("rest: the other terms")
    return " · ".join(said)


def _ablation(ablation: JSON) -> RenderableType:
    table = grid(("all channels", "right"), (f"without {', '.join(ablation['without'])}", "right"), "memory")
    for row in ablation["memories"]:
        table.add_row(str(row["rank_with"] or "–"), str(row["rank_without"] or "–"), shown(row["text"]))
    return table
