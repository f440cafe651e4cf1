"""One memory: what it says, what it comes from and led to as a graph that can be walked, and what was stored around it."""

from collections.abc import Iterator, Sequence

from cued.model import KINDS, TIERS
from cued.model.plain import JSON
from cued.surfaces.inspector.pages.memories import state_of
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import clipped

WIDE, HIGH, GAP_X, GAP_Y = 216, 54, 92, 14
DEPTH = 4
LINES = 2
LETTERS = 30


def page(visit: Visit) -> JSON:
    """The memory that the address names."""
    memory_id = visit.said("id")
    why = visit.ask("why", {"id": memory_id, "depth": DEPTH})
    memory = why["memory"]
    return {
        "memory": memory,
        "state": state_of(memory, visit.memories.clock()),
        "states": why["state"],
        "graph": graph(why),
        "around": visit.ask("timeline", {"id": memory_id, "before": 4, "after": 4, "hidden": True}),
        "choices": {"kinds": KINDS, "tiers": TIERS},
    }


def graph(why: JSON) -> JSON:
    """A memory's provenance as boxes in columns and lines between them: what it comes from on the left, what came of it on the right."""
    back, on = list(_walk(why["because"])), list(_walk(why["led_to"]))
    columns: dict[int, list[JSON]] = {0: [{"id": why["memory"]["id"], "text": why["memory"]["text"], "node": None}]}
    for side, found in ((-1, back), (1, on)):
        for depth, parent, node in found:
            columns.setdefault(side * depth, []).append(
                {"id": node["id"], "text": node["text"], "node": node, "parent": parent, "side": side}
            )
    first, most = min(columns), max(map(len, columns.values()))
    high = most * (HIGH + GAP_Y) - GAP_Y
    boxes: dict[tuple[int, str], JSON] = {}
    for column, items in columns.items():
        top = (high - (len(items) * (HIGH + GAP_Y) - GAP_Y)) / 2
        for at, item in enumerate(items):
            boxes[_side(column), item["id"]] = _box(item, (column - first) * (WIDE + GAP_X), top + at * (HIGH + GAP_Y))
    links = [_link(boxes, item) for items in columns.values() for item in items if item["node"] is not None]
    return {
        "boxes": list(boxes.values()),
        "links": links,
        "wide": len(columns) * (WIDE + GAP_X) - GAP_X,
        "high": high,
        "alone": len(columns) == 1,
    }


def _walk(nodes: Sequence[JSON]) -> Iterator[tuple[int, str | None, JSON]]:
    """Every node of a tree once, level by level: its depth, the id above it, and itself."""
    level: list[tuple[str | None, JSON]] = [(None, node) for node in nodes]
    depth, seen = 1, set[str]()
    while level:
        below: list[tuple[str | None, JSON]] = []
        for parent, node in level:
            if node["id"] in seen:
                continue
            seen.add(node["id"])
            yield depth, parent, node
            below += [(node["id"], child) for child in node["children"]]
        level, depth = below, depth + 1


def _side(column: int) -> int:
    return (column > 0) - (column < 0)


def _box(item: JSON, x: float, y: float) -> JSON:
    node = item["node"]
    return {
        "id": item["id"],
        "x": x,
        "y": y,
        "lines": lines_of(item["text"] or "(erased)"),
        "here": node is None,
        "state": ", ".join(node["state"]) if node else "",
        "stored": item["text"] is not None,
        "kind": node["kind"] if node else "",
    }


def _link(boxes: dict[tuple[int, str], JSON], item: JSON) -> JSON:
    side, node = item["side"], item["node"]
    near = boxes[side, item["parent"]] if item["parent"] is not None else next(box for box in boxes.values() if box["here"])
    far = boxes[side, item["id"]]
    left, right = (far, near) if side < 0 else (near, far)
    return {
        "x1": left["x"] + WIDE,
        "y1": left["y"] + HIGH / 2,
        "x2": right["x"],
        "y2": right["y"] + HIGH / 2,
        "middle": (left["x"] + WIDE + right["x"]) / 2,
        "relation": node["relation"].replace("_", " "),
    }


def lines_of(text: str) -> list[str]:
    """The beginning of a text in two short lines."""
    words, lines = clipped(" ".join(text.split()), LINES * LETTERS).split(" "), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) >= LETTERS and len(lines) < LINES:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [clipped(line, LETTERS + 2) for line in lines]
