"""Drawings of provenance: a tree of what a memory comes from and what came of it, and what was stored around one."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from cued.model.plain import JSON
from cued.surfaces.cli.tables import grid, shown, with_facts

_MARK = "▶"
_READ = {
    "because": {"causes": "caused by", "supersedes": "replaces"},
    "led to": {"derived_from": "drawn from it", "supersedes": "replaced by", "mentions": "mentioned in", "merged": "merged into"},
}
"""How a link is worded from the memory above it, where that is not the link's own name."""


def why_view(why: JSON) -> RenderableType:
    """The tree, with a branch for each direction that leads anywhere."""
    tree = Tree(_label("", why["memory"], why["state"]), guide_style="dim")
    for branch, nodes in (("because", why["because"]), ("led to", why["led_to"])):
        if nodes:
            _grow(tree.add(Text(branch, style="bold")), nodes)
    if not why["because"] and not why["led_to"]:
        tree.add(shown("nothing is linked to it", "dim"))
    if why["left_out"]:
        tree.add(_more(why["left_out"]))
    return tree


def timeline_view(timeline: JSON, *, at: str | None) -> RenderableType:
    """What stood around a memory or a moment, oldest first, with a mark at the middle."""
    table = grid("", "when", ("memory", "fold"), "kind")
    for row in timeline["before"]:
        table.add_row("", *_row(row))
    if timeline["centre"] is not None:
        table.add_row(_MARK, *_row(timeline["centre"]), style="bold")
    elif at is not None:
        table.add_row(_MARK, shown(at), "", "", style="bold")
    for row in timeline["after"]:
        table.add_row("", *_row(row))
    return table


def _grow(branch: Tree, nodes: Sequence[JSON]) -> None:
    for node in nodes:
        grown = branch.add(_label(_read(node), node, node["state"], repeated=node["repeated"]))
        _grow(grown, node["children"])
        if node["left_out"]:
            grown.add(_more(node["left_out"]))


def _read(node: JSON) -> str:
    relation, direction = node["relation"], node["direction"]
    own = direction == "because" or relation == "causes"
    return _READ[direction].get(relation, relation if own else f"← {relation}").replace("_", " ")


def _label(relation: str, node: JSON, state: Sequence[str], *, repeated: bool = False) -> Text:
    beside = [node["id"], *state, *(["elsewhere too"] if repeated else [])]
    words = [shown(f"{relation}:", "cyan"), Text(" ")] if relation else []
    return Text.assemble(*words, shown(node["text"] or "–"), "  ", shown(" · ".join(beside), "dim", most=400))


def _more(count: int) -> Text:
    return Text(f"{count} more, not followed: --depth goes deeper", style="dim")


def _row(memory: JSON) -> tuple[Text, Text, Text]:
    when = shown(str(memory["created_at"])[:16].replace("T", " "))
    return when, with_facts(memory), shown(memory["kind"])
