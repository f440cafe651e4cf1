"""Answers drawn for people, from the JSON that everyone else gets. Stored text is shown as it is: no markup, no escapes."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.output import safe
from cued.surfaces.superseded import superseded

TEXT_SHOWN = 280
_BAR = 5
_NARROWEST = 60
_OMITTED_SHOWN = 3
_GATES = {
    "forgotten": "forgotten",
    "quarantine": "in quarantine",
    "scope": "in another scope",
    "as_of": "written later",
    "expiry": "expired",
    "validity": "not valid then",
    "supersession": "superseded",
    "provenance": "derived from what no longer holds",
    "trust": "of another trust",
    "kinds": "of another kind",
    "tags": "without the tags",
}
_SAID = {
    "negation": "contradicts",
    "update": "updates",
    "duplicate": "repeats",
    "related": "is close to",
}
_INDENT = (0, 0, 0, 2)


def width() -> int:
    """The width to draw in: the terminal's, else COLUMNS, else 100."""
    return max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns)


def rendered(drawing: RenderableType, *, columns: int | None = None, to: TextIO | None = None) -> str:
    """The drawing as text, coloured only for a terminal that wants colour; `to` is where it will go, stdout by default."""
    terminal = (to or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    drawn = StringIO()
    console = Console(
        file=drawn,
        width=columns or width(),
        force_terminal=terminal,
        no_color=not terminal or bool(os.environ.get("NO_COLOR")),
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    # not cropped: a command to be copied is one line, however long
    console.print(drawing, crop=False)
    return "\n".join(line.rstrip() for line in drawn.getvalue().split("\n"))


def shown(text: str, style: str = "", *, most: int = TEXT_SHOWN) -> Text:
    """A stored text as a cell: on one line, shortened if it is long, without anything that a terminal would obey."""
    cut = text if len(text) <= most else text[:most].rstrip() + "…"
    return Text(safe(cut), style=style, overflow="fold")


def command(text: str) -> Text:
    """A command to be copied: on one line, however long."""
    return Text(safe(text), style="cyan", no_wrap=True, overflow="ignore")


def grid(*headers: str | tuple[str, str]) -> Table:
    """An empty table: a header alone is a column of text, with "right" one of numbers, with "fold" one that wraps."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for header in headers:
        name, justify = (header, "left") if isinstance(header, str) else header
        table.add_column(name, justify="right" if justify == "right" else "left", no_wrap=justify != "fold", overflow="ellipsis")
    return table


def number(value: float | None, *, digits: int = 2) -> str:
    """A number without its leading zero, as tables of probabilities do; "–" for none."""
    if value is None:
        return "–"
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def bar(share: float | None) -> Text:
    """A share from 0 to 1 as a number with a small bar."""
    filled = round(_BAR * min(1.0, max(0.0, share or 0.0)))
    return Text.assemble(number(share), " ", ("▰" * filled, "green"), ("▱" * (_BAR - filled), "dim"))


def age(then: str | None, now: datetime) -> str:
    """How long ago an RFC 3339 time was, in its largest unit."""
    if then is None:
        return "–"
    seconds = (now - datetime.fromisoformat(then)).total_seconds()
    if seconds < 0:
        return "ahead"
    for unit, length in (("y", 31_557_600), ("mo", 2_629_800), ("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return "now"


def memories_table(rows: Sequence[JSON], *, now: datetime) -> Table:
    """A listing: a line for the text and a dim one with its id."""
    table = grid("kind", ("age", "right"), ("memory", "fold"))
    for row in rows:
        table.add_row(row["kind"], age(row["created_at"], now), with_facts(row))
    return table


def memory_card(memory: JSON) -> RenderableType:
    """Everything about one memory, its text in full."""
    table = _named_values()
    for name, value in memory.items():
        if name != "text" and value not in (None, [], {}, ""):
            table.add_row(name, shown(_as_text(value)))
    lines = Text("\n").join(Text(safe(line), overflow="fold") for line in memory["text"].replace("\r\n", "\n").split("\n"))
    return Group(lines, Text(""), table)


def counts(stats: JSON, *, tenant: str, place: str) -> RenderableType:
    """A tenant's counts."""
    table = _named_values()
    table.add_row("tenant", shown(tenant))
    table.add_row("database", shown(place))
    for name, value in stats.items():
        if isinstance(value, dict):
            if value:
                table.add_row(name.replace("_", " "), shown(" · ".join(f"{key} {count}" for key, count in value.items()), most=2000))
        else:
            table.add_row(name.replace("_", " "), shown("–" if value is None else str(value)))
    return table


def sheet(headers: Iterable[str], rows: Iterable[Sequence[str]]) -> Table:
    """A plain table of texts, each cell folded."""
    table = grid(*((header, "fold") for header in headers))
    for row in rows:
        table.add_row(*(shown(cell) for cell in row))
    return table


def utc_now() -> datetime:
    """The present moment, from which ages are counted."""
    return datetime.now(UTC)


def facts(row: JSON) -> str:
    """The facts beside a memory's text: its id, and scope, speaker, tags and state where they are not the usual ones."""
    scope = f"in {row['scope']}" if row["scope"] != "global" else ""
    tags = " ".join(f"#{tag}" for tag in row["tags"])
    speaker = f"said by {row['speaker']}" if row["speaker"] else ""
    copies = f"+{len(row['duplicates'])} like it" if row.get("duplicates") else ""
    return " · ".join(part for part in (row["id"], scope, speaker, tags, copies, *_hidden(row)) if part)


def with_facts(row: JSON) -> Text:
    """A memory's text as a cell, with a dim line of its facts below."""
    return Text("\n").join([shown(row["text"]), shown(facts(row), "dim")])


def _hidden(row: JSON) -> list[str]:
    marks, expires_at = row.get("superseded"), row.get("expires_at")
    gone = superseded(marks) if marks else ""
    expired = expires_at is not None and datetime.fromisoformat(expires_at) <= utc_now()
    states = {"forgotten": row.get("forgotten_at"), "quarantined": row.get("quarantined_at"), gone: True, "expired": expired}
    return [word for word, said in states.items() if word and said]


def _named_values() -> Table:
    """An empty table of names with their values."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _as_text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_as_text(item)}" for key, item in value.items() if item is not None)
    if isinstance(value, list):
        return ", ".join(_as_text(item) for item in value)
    return str(value)


def recall_view(recall: JSON, *, cue: str = "", now: datetime | None = None, brief: bool = False, aside: bool = True) -> RenderableType:
    """The memories that came back, a long one from where it speaks to the cue on, or why none did; then what was held back."""
    memories = [{**row, "text": _from_what_speaks(row["text"], cue)} for row in recall["memories"]]
    answer = _chosen(memories, now=now or utc_now(), brief=brief) if memories else empty_line(recall)
    return Group(*_core(recall), answer, *(asides(recall) if aside else ()))


def empty_line(recall: JSON) -> Text:
    """The reason for an empty recall, with the best near miss."""
    said = {
        "nothing_stored": "Nothing is stored yet for this tenant; `cued tenants` lists whose memories there are.",
        "all_gated": "Nothing to search: a gate struck every stored memory.",
        "nothing_matched": "Nothing matched: no channel found anything for this cue.",
        "below_floor": "Nothing relevant.",
        "omitted": "Nothing fits: what is relevant is over the budget, or already in the prompt.",
    }[recall["outcome"]]
    line = Text(said, style="yellow")
    if recall["near_misses"] and recall["outcome"] != "omitted":
        best = recall["near_misses"][0]
        line.append(f" The best was {best['fate']}: ", style="")
        line.append_text(shown(best["text"], "dim", most=120))
    return line


def asides(recall: JSON) -> Iterator[Text]:
    """A line each on what was omitted, what the gates held back, and what could not be done."""
    if recall["drift"]:
        yield shown(f"Drift: {recall['drift']}", "yellow", most=400)
    if recall["compacted"]:
        yield shown("Compacted: not all of it fits, so the block has it shortened", "yellow")
    yield from left_out(recall)
    if recall["suppressed"]:
        yield shown("Held back: " + ", ".join(f"{n} {_GATES[gate]}" for gate, n in recall["suppressed"].items()), "dim")
    for reason in recall["degraded"]:
        yield shown(f"Degraded: {reason}", "yellow")


def left_out(answer: JSON) -> Iterator[Text]:
    """A line for what was omitted and why, if anything was."""
    told = [f"{each['id']} ({each['reason']})" for each in answer["omitted"][:_OMITTED_SHOWN]]
    more = len(answer["omitted"]) - len(told)
    if told:
        yield shown(f"Left out: {'; '.join(told)}{f' and {more} more' if more else ''}", "dim", most=400)


def _core(recall: JSON) -> Iterator[Text]:
    """The pinned memories, a line each."""
    for row in recall["core"]:
        yield Text.assemble(("core  ", "bold"), shown(row["text"]), shown(f"  {row['id']}", "dim"))


def _from_what_speaks(text: str, cue: str) -> str:
    """The text, without what stands before the sentence that has most of the cue's words if that would not be shown."""
    if len(text) <= TEXT_SHOWN or not cue:
        return text
    from cued.text.analyse import analyse, query_terms  # noqa: PLC0415 - only for a long text
    from cued.text.passages import sentences  # noqa: PLC0415

    wanted = set(query_terms(cue))
    shared = {span: len(wanted & analyse(text[slice(*span)]).keys()) for span in sentences(text)}
    start, end = max(shared, key=lambda span: (shared[span], -span[0]), default=(0, 0))
    return text if end <= TEXT_SHOWN else f"… {text[start:]}"


def _chosen(memories: Sequence[JSON], *, now: datetime, brief: bool) -> RenderableType:
    table = grid(("#", "right"), "relevance", ("memory", "fold"), "kind", ("age", "right"))
    table.show_header = not brief
    for row in memories:
        text = shown(row["text"]) if brief else with_facts(row)
        table.add_row(str(row["rank"]), bar(row["relevance"]), text, row["kind"], age(row["created_at"], now))
    return table


def conflicts_view(conflicts: Sequence[JSON]) -> RenderableType:
    """Each conflict with its type, its similarity as a percentage, the old text, and the choices."""
    return Group(*(part for conflict in conflicts for part in _conflict(conflict)))


def _conflict(conflict: JSON) -> Iterator[RenderableType]:
    kind = conflict["type"]
    said = f"{kind}, {conflict['similarity']:.0%} similar: "
    about = shown(f"this {_SAID[kind]} {conflict['id']} ({conflict['reason']})", most=400)
    yield Text.assemble((said, "bold yellow"), about)
    yield Padding(shown(conflict["text"], "dim"), _INDENT)
    for choice in conflict["choices"]:
        calls = command(" && ".join(choice["cli"])) if choice["cli"] else Text("nothing to do", style="dim")
        line = Text(f"  {choice['action']:<12}", no_wrap=True, overflow="ignore")
        yield line.append_text(calls)
