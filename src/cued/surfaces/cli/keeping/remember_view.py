"""Conflicts drawn: what the new memory is at odds with, how so, and the exact command for each way to resolve it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from cued.surfaces.cli.tables import command, shown

JSON = Mapping[str, Any]
_SAID = {
    "negation": "contradicts",
    "update": "updates",
    "duplicate": "repeats",
    "related": "is close to",
}
_INDENT = (0, 0, 0, 2)


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
