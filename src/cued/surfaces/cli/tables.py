"""Answers drawn for people, from the JSON that everyone else gets. Stored text is shown as it is spelled: no markup, no escapes."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Any, TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cued.text.harmless import plain

JSON = Mapping[str, Any]
TEXT_SHOWN = 280
_BAR = 5
_NARROWEST = 60


def width() -> int:
    """The width to draw in: the terminal's, else COLUMNS, else 100."""
    return max(_NARROWEST, shutil.get_terminal_size((100, 24)).columns)


def rendered(drawing: RenderableType, *, columns: int | None = None, to: TextIO | None = None) -> str:
    """The drawing as text, coloured only for a terminal that wants colour; it goes to stdout where nothing else is said."""
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
    """A stored text as a cell: on one line, cut where it is long, with nothing in it that a terminal would obey."""
    safe = plain(text if len(text) <= most else text[:most].rstrip() + "…")
    return Text(safe, style=style, overflow="fold")


def command(text: str) -> Text:
    """A command to be copied: on one line, however long."""
    return Text(plain(text), style="cyan", no_wrap=True, overflow="ignore")


def grid(*headers: str | tuple[str, str]) -> Table:
    """An empty table; a header alone is a column of text, with "right" a column of numbers."""
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
        table.add_row(row["kind"], age(row["created_at"], now), _with_facts(row))
    return table


def memory_card(memory: JSON) -> RenderableType:
    """Everything about one memory, its text in full."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in memory.items():
        if name != "text" and value not in (None, [], {}, ""):
            table.add_row(name, shown(_told(value)))
    lines = Text("\n").join(Text(plain(line), overflow="fold") for line in memory["text"].replace("\r\n", "\n").split("\n"))
    return Group(lines, Text(""), table)


def counts(stats: JSON, *, tenant: str, place: str) -> RenderableType:
    """A tenant's counts."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
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


def local_now() -> datetime:
    """The present, from which ages are told."""
    return datetime.now(UTC)


def facts(row: JSON) -> str:
    """What stands beside a memory's text: its scope, tags, speaker and id, without what is usual."""
    scope = f"in {row['scope']}" if row["scope"] != "global" else ""
    tags = " ".join(f"#{tag}" for tag in row["tags"])
    speaker = f"said by {row['speaker']}" if row["speaker"] else ""
    copies = f"+{len(row['duplicates'])} like it" if row.get("duplicates") else ""
    return " · ".join(part for part in (row["id"], scope, speaker, tags, copies, *_hidden(row)) if part)


def _hidden(row: JSON) -> list[str]:
    superseded = any(mark["lifted_at"] is None for mark in row.get("superseded", ()))
    states = (("forgotten", row.get("forgotten_at")), ("quarantined", row.get("quarantined_at")), ("superseded", superseded))
    return [word for word, said in states if said]


def _with_facts(row: JSON) -> Text:
    return Text("\n").join([shown(row["text"]), shown(facts(row), "dim")])


def _told(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(item)}" for key, item in value.items() if item is not None)
    if isinstance(value, list):
        return ", ".join(_told(item) for item in value)
    return str(value)
