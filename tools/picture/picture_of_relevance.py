"""Draws what relevance is made of, from one real recall: `python -m tools.picture` writes docs/images/relevance.svg with it."""

from collections.abc import Iterator
from html import escape
from math import log
from typing import NamedTuple

from cued import Tenant
from cued.policy.calibration import calibrated

CUE = "when do we ship to staging?"
_COLOURS = ("#3553b8", "#d39b2a", "#3d9684", "#b5527a", "#8c8c84", "#7a5ab0", "#c96f4a")
_GREY, _RED = "#77776f", "#be3232"
_SMALL = 0.25
"""What moves no candidate by more is drawn as one part, `rest`."""
_LEFT, _RIGHT, _TOP, _ROW, _BAR = 24, 640, 100, 62, 20
_WIDTH = 780


class Weighed(NamedTuple):
    """A candidate: its text, what each column adds to its log-odds, and its relevance."""

    text: str
    parts: dict[str, float]
    relevance: float


def weighed(tenant: Tenant) -> list[Weighed]:
    """The candidates of the recall, the most relevant first, with what each column weighs."""
    told = tenant.explain(CUE)
    calibration, _ = calibrated(told.policy.relevance, told.evidence.fingerprint)
    trace, texts = told.recall.trace, {memory.id: memory.text for memory in told.evidence.findings.memories}
    found = []
    for row, name in enumerate(trace.ids):
        parts = {column: weight * float(trace.columns[column][row]) for column, weight in calibration.weights.items()}
        found.append(Weighed(texts[name], {"intercept": calibration.intercept, **parts}, float(trace.columns["relevance"][row])))
    return sorted(found, key=lambda each: -each.relevance)


def picture_of_relevance(tenant: Tenant, *, floor: float) -> str:
    """The picture as SVG: to the right of zero what speaks for a candidate, to the left what speaks against it."""
    rows = weighed(tenant)
    shown = _largest(rows)
    pooled = [_pooled(each.parts, shown) for each in rows]
    against, speaking_for = (max(sum(abs(value) for value in parts.values() if value * sign > 0) for parts in pooled) for sign in (-1, 1))
    unit = (_RIGHT - _LEFT) / (against + speaking_for)
    zero, high = _LEFT + against * unit, _TOP + len(rows) * _ROW
    colours = dict(zip([*shown, "rest"], [*_COLOURS[: len(shown)], "#cfcdc4"], strict=True))
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {high + 30}" font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{high + 30}" rx="8" fill="#fafaf7"/>',
        f'<text x="{_LEFT}" y="30" font-size="15" font-weight="600">“{escape(CUE)}”</text>',
        *_legend(colours),
        f'<text x="{zero - 8:.1f}" y="{_TOP - 12}" fill="{_GREY}" font-size="11" text-anchor="end">← against</text>',
        f'<text x="{zero + 8:.1f}" y="{_TOP - 12}" fill="{_GREY}" font-size="11">for →</text>',
        _line(zero, high, _GREY),
        _line(at := zero + log(floor / (1 - floor)) * unit, high, _RED),
        f'<text x="{at:.1f}" y="{high + 16}" fill="{_RED}" font-size="11" text-anchor="middle">floor {floor:.2f}</text>',
    ]
    for row, (each, parts) in enumerate(zip(rows, pooled, strict=True)):
        drawn += _row(each, parts, colours, (zero, _TOP + row * _ROW, unit))
    return "\n".join([*drawn, "</svg>\n"])


def _largest(rows: list[Weighed]) -> list[str]:
    """The columns that move some candidate most, the largest first."""
    moved = {name: max(abs(each.parts[name]) for each in rows) for name in rows[0].parts}
    return sorted((name for name in moved if moved[name] > _SMALL), key=lambda name: -moved[name])[: len(_COLOURS)]


def _pooled(parts: dict[str, float], shown: list[str]) -> dict[str, float]:
    return {**{name: parts[name] for name in shown}, "rest": sum(value for name, value in parts.items() if name not in shown)}


def _legend(colours: dict[str, str]) -> Iterator[str]:
    x = _LEFT
    for name, colour in colours.items():
        yield f'<rect x="{x}" y="46" width="11" height="11" rx="2" fill="{colour}"/><text x="{x + 16}" y="56">{name}</text>'
        x += 34 + 7 * len(name)


def _line(x: float, high: int, colour: str) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{high}" stroke="{colour}" stroke-dasharray="3 3"/>'


def _row(each: Weighed, parts: dict[str, float], colours: dict[str, str], place: tuple[float, float, float]) -> Iterator[str]:
    zero, y, unit = place
    yield f'<text x="{_LEFT}" y="{y + 14}">{escape(each.text)}</text>'
    yield f'<text x="{_WIDTH - _LEFT}" y="{y + 36}" text-anchor="end" font-weight="600">relevance {each.relevance:.2f}</text>'
    ends = {1: zero, -1: zero}
    for name, value in parts.items():
        sign, wide = (1 if value > 0 else -1), abs(value) * unit
        left = ends[1] if sign > 0 else ends[-1] - wide
        ends[sign] += sign * wide
        yield f'<rect x="{left:.1f}" y="{y + 21}" width="{wide:.1f}" height="{_BAR}" fill="{colours[name]}"/>'
    total = zero + sum(parts.values()) * unit
    yield f'<line x1="{total:.1f}" x2="{total:.1f}" y1="{y + 17}" y2="{y + 25 + _BAR}" stroke="#262626" stroke-width="3"/>'
