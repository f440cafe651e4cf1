"""The candidate table for drawing: bars of contributions, matched words, ranks by channel, and what moves between two policies."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from cued.model import CHANNELS, Memory
from cued.model.plain import JSON
from cued.surfaces.inspector.wording import clipped
from cued.text.analyse import analyse

WIDE = 200.0
TEXT = 260
COLOURS = 8
"""How many colours the style sheet has: one for each part of the default policy's score, renewal included."""
SMALL = 0.2
_CHUNK = re.compile(r"\S+|\s+")


class Scale(Struct, frozen=True, kw_only=True):
    """How contributions become widths: where zero stands, how wide one point is, and each part's colour, the strongest first.

    `digits` is how many digits after the point tell scores apart: fused ranks differ by hundredths.
    """

    zero: float
    unit: float
    parts: tuple[tuple[str, int], ...]
    digits: int = 2

    @property
    def wide(self) -> float:
        """The whole width."""
        return WIDE


def scale(candidates: Sequence[JSON]) -> Scale:
    """The scale on which every candidate's bar fits, negative parts to the left of zero."""
    names = list(candidates[0]["contributions"]) if candidates else []
    right = max((sum(v for v in each["contributions"].values() if v > 0) for each in candidates), default=0.0)
    left = max((-sum(v for v in each["contributions"].values() if v < 0) for each in candidates), default=0.0)
    unit = WIDE / ((right + left) or 1.0)
    parts = tuple((name, at % COLOURS) for at, name in enumerate(names))
    return Scale(zero=left * unit, unit=unit, parts=parts, digits=2 if right + left > SMALL else 4)


def bar(contributions: Mapping[str, float], on: Scale) -> list[JSON]:
    """The rectangles of one candidate's bar, each part next to the one before, going away from zero."""
    right = left = on.zero
    drawn = []
    for name, colour in on.parts:
        value = contributions.get(name, 0.0)
        wide = abs(value) * on.unit
        left -= wide if value < 0 else 0.0
        if wide:
            drawn.append(
                {"x": round(left if value < 0 else right, 2), "wide": round(wide, 2), "colour": colour, "name": name, "value": value}
            )
        right += wide if value > 0 else 0.0
    return drawn


def rows(answer: JSON, memories: Mapping[str, Memory], on: Scale) -> list[JSON]:
    """Every candidate as a row, the chosen first; a struck one says which stage struck it."""
    terms = frozenset(term["term"] for term in answer["read"]["terms"])
    return [_row(each, memories[each["id"]], terms, on) for each in answer["candidates"]]


def marked(text: str, terms: frozenset[str]) -> list[JSON]:
    """A text in pieces, where those that match the cue's words are marked."""
    pieces: list[JSON] = []
    for match in _CHUNK.finditer(text):
        hit = not match[0].isspace() and not terms.isdisjoint(analyse(match[0]))
        if pieces and pieces[-1]["hit"] is hit:
            pieces[-1]["text"] += match[0]
        else:
            pieces.append({"text": match[0], "hit": hit})
    return pieces


def compared(first: JSON, second: JSON, memories: Mapping[str, Memory]) -> JSON:
    """Two answers side by side: each one's ranking, the lines between them, and what comes in and goes."""
    ranks = [{each["id"]: each["rank"] for each in answer["memories"]} for answer in (first, second)]
    sides = [
        [_compared_row(each, memories, other) for each in answer["memories"]]
        for answer, other in zip((first, second), ranks[::-1], strict=True)
    ]
    lines = [{"left": rank, "right": ranks[1][each]} for each, rank in ranks[0].items() if each in ranks[1]]
    come = [each for each in ranks[1] if each not in ranks[0]]
    return {
        "sides": sides,
        "lines": lines,
        "rows": max(map(len, ranks), default=0),
        "come": len(come),
        "gone": sum(each not in ranks[1] for each in ranks[0]),
        "moved": sum(line["left"] != line["right"] for line in lines),
        "tokens": (first["tokens"], second["tokens"]),
    }


def _compared_row(each: JSON, memories: Mapping[str, Memory], other: Mapping[str, int]) -> JSON:
    there = other.get(each["id"])
    text = memories[each["id"]].text if each["id"] in memories else each["text"]
    return {"id": each["id"], "rank": each["rank"], "text": clipped(text, 110), "there": there}


def _row(each: JSON, memory: Memory, terms: frozenset[str], on: Scale) -> JSON:
    signals = each["signals"]
    return {
        "id": each["id"],
        "rank": each["rank"],
        "pieces": marked(clipped(memory.text, TEXT), terms),
        "cut": len(memory.text) > TEXT,
        "kind": memory.kind,
        "scope": memory.scope,
        "speaker": memory.source.speaker,
        "created_at": memory.created_at,
        "ranks": [{"channel": channel, "rank": each["ranks"].get(channel)} for channel in CHANNELS],
        "relevance": signals.get("relevance"),
        "score": signals.get("score", 0.0),
        "bar": bar(each["contributions"], on),
        "fate": each["fate"],
        "stage": each["stage"],
        "chosen": each["rank"] is not None,
    }
