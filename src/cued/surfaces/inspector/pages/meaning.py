"""Map: memories laid out by meaning, coloured by what they are, with a cue and its candidates among them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from cued.model import KINDS
from cued.model.plain import JSON
from cued.surfaces.inspector.candidates import COLOURS
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.inspector.wording import clipped, read_time

WIDE, HIGH, EDGE = 1400.0, 860.0, 30.0
SHOWN = 800
AGES = ((7, "a week"), (31, "a month"), (92, "a quarter"), (366, "a year"))
BY = ("kind", "scope", "age")


def page(visit: Visit) -> JSON:
    """Memories of the scope and kind in the address as points; of many, a sample."""
    text, by = visit.said("text"), visit.said("by") if visit.said("by") in BY else "kind"
    recalled = visit.ask("explain", {"text": text, **visit.chosen("scope")}) if text else None
    found = {each["id"]: each["rank"] for each in recalled["candidates"][:30]} if recalled else {}
    body = {**visit.chosen("scope"), "limit": SHOWN, "text": text, "also": list(found)}
    if visit.said("kind"):
        body["kinds"] = [visit.said("kind")]
    laid_out = visit.ask("map", body)
    paper = Paper.of([*((each["x"], each["y"]) for each in laid_out["points"]), *([laid_out["cue"]] if laid_out["cue"] else [])])
    colours = colours_of(laid_out["points"], by, visit.memories.clock())
    return {
        "laid_out": laid_out,
        "points": points(laid_out["points"], colours, found, paper),
        "cue": laid_out["cue"] and paper.placed(*laid_out["cue"]),
        "legend": legend(colours.values()),
        "by": by,
        "ways": BY,
        "kinds": KINDS,
        "scopes": list(visit.stats()["by_scope"]),
        "asked": {"text": text, "scope": visit.said("scope"), "kind": visit.said("kind")},
        "recalled": recalled and {"outcome": recalled["outcome"], "chosen": len(recalled["memories"])},
        "size": {"wide": WIDE, "high": HIGH},
    }


def points(laid_out: Sequence[JSON], colours: Mapping[str, tuple[str, int]], found: Mapping[str, int | None], paper: "Paper") -> list[JSON]:
    """Each memory as a point; candidates come last, so that they lie on top."""
    drawn = [
        {
            "id": each["id"],
            **paper.placed(each["x"], each["y"]),
            "text": clipped(each["text"], 140),
            "group": colours[each["id"]][0],
            "colour": colours[each["id"]][1],
            "day": each["created_at"][:10],
            "candidate": each["id"] in found,
            "rank": found.get(each["id"]),
            "order": found.get(each["id"]) or 0,
        }
        for each in laid_out
    ]
    return sorted(drawn, key=lambda point: (point["candidate"], bool(point["rank"])))


def colours_of(laid_out: Sequence[JSON], by: str, now: datetime) -> dict[str, tuple[str, int]]:
    """Each memory's group and the colour of the group."""
    groups = {each["id"]: _age(each, now) if by == "age" else each[by] for each in laid_out}
    if by == "age":
        order = [name for _, name in AGES] + ["longer ago"]
    elif by == "kind":
        order = list(KINDS)
    else:
        order = sorted(set(groups.values()), key=lambda group: -list(groups.values()).count(group))
    places = {name: min(at, COLOURS - 1) for at, name in enumerate(order)}
    return {each: (group, places[group]) for each, group in groups.items()}


def legend(colours: Iterable[tuple[str, int]]) -> list[JSON]:
    """Each group with its colour and how many are in it."""
    counts = sorted(Counter(colours).items(), key=lambda item: item[0][1])
    return [{"name": name, "colour": colour, "count": count} for (name, colour), count in counts]


class Paper(NamedTuple):
    """What the map is drawn on: the places fill it from the least to the greatest on each axis."""

    left: float
    top: float
    wide: float
    high: float

    @classmethod
    def of(cls, places: Sequence[Sequence[float]]) -> "Paper":
        """The paper on which all these places fit."""
        xs, ys = [x for x, _ in places] or [0.0], [y for _, y in places] or [0.0]
        return cls(min(xs), min(ys), (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1.0)

    def placed(self, x: float, y: float) -> JSON:
        """Where a place of the map is on the paper."""
        across, down = (x - self.left) / self.wide, (y - self.top) / self.high
        return {"x": round(EDGE + across * (WIDE - 2 * EDGE), 1), "y": round(EDGE + down * (HIGH - 2 * EDGE), 1)}


def _age(each: JSON, now: datetime) -> str:
    days = (now - read_time(each["created_at"])).days
    return next((name for most, name in AGES if days <= most), "longer ago")
