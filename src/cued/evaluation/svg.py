"""A small chart writer: axes, bars with whiskers, lines, a legend, as a plain SVG file that any browser shows."""

from collections.abc import Sequence
from html import escape

from msgspec import Struct

WIDTH, HEIGHT = 760, 436
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 64, 88
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#8a5a2b"),
    *("#332288", "#999933", "#882255", "#44aa99", "#aa4499", "#117733", "#bbbbbb", "#000000"),
)
"""Okabe and Ito's colours, which colour-blind readers tell apart, dark enough on white; then more, for charts of many policies."""

_INNER_WIDTH, _INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_LEGEND_LINE = 20
_STYLE = "text{font:13px system-ui,sans-serif;fill:#222}.t{font-size:16px;font-weight:600}.s{font-size:12px;fill:#555}"


class Series(Struct, frozen=True, kw_only=True):
    """Named points (x, y), both from 0 to 1; bars take x as their group's number and may have whiskers (low, high)."""

    name: str
    points: tuple[tuple[float, float], ...]
    whiskers: tuple[tuple[float, float], ...] = ()


def bars(title: str, groups: Sequence[str], series: Sequence[Series], *, y: str) -> str:
    """A chart of grouped bars, one group a name and one bar a series in it."""
    group_width = _INNER_WIDTH / max(1, len(groups))
    bar_width = 0.8 * group_width / max(1, len(series))
    marks: list[str] = []
    for place, each in enumerate(series):
        for number, (group, value) in enumerate(each.points):
            left = LEFT + group_width * (group + 0.1) + bar_width * place
            hover = f"<title>{escape(each.name)}, {escape(groups[int(group)])}: {100 * value:.1f} %</title>"
            size = f'x="{left:.1f}" y="{_y(value):.1f}" width="{bar_width * 0.92:.1f}" height="{_y(0) - _y(value):.1f}"'
            marks.append(f'<rect {size} fill="{_colour(place)}">{hover}</rect>')
            if each.whiskers:
                marks.append(_whisker(left + bar_width * 0.46, each.whiskers[number]))
    labels = [_label(LEFT + group_width * (place + 0.5), name) for place, name in enumerate(groups)]
    return _page(title, [*_grid(y), *marks, *labels], series)


def lines(title: str, series: Sequence[Series], *, x: str, y: str, diagonal: bool = False) -> str:
    """A chart of lines with a dot at each point, both axes from 0 to 1."""
    marks = [f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}" stroke="#999" stroke-dasharray="5 4"/>'] if diagonal else []
    for place, each in enumerate(series):
        path = " ".join(f"{_x(a):.1f},{_y(b):.1f}" for a, b in each.points)
        marks.append(f'<polyline points="{path}" fill="none" stroke="{_colour(place)}" stroke-width="2.5"/>')
        for a, b in each.points:
            hover = f"<title>{escape(each.name)}: {a:.2f}, {b:.2f}</title>"
            marks.append(f'<circle cx="{_x(a):.1f}" cy="{_y(b):.1f}" r="3.5" fill="{_colour(place)}">{hover}</circle>')
    labels = [f'<text x="{_x(tick):.1f}" y="{_y(0) + 20:.1f}" text-anchor="middle">{tick:.1f}</text>' for tick in _TICKS]
    axis = f'<text class="s" x="{LEFT + _INNER_WIDTH / 2}" y="{_y(0) + 40}" text-anchor="middle">{escape(x)}</text>'
    return _page(title, [*_grid(y), *marks, *labels, axis], series)


def _page(title: str, marks: Sequence[str], series: Sequence[Series]) -> str:
    legend, height = _legend(series)
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">'
    ground = f'<style>{_STYLE}</style><rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join([head, ground, f'<text class="t" x="{LEFT}" y="26">{escape(title)}</text>', *marks, *legend, "</svg>", ""])


def _grid(y: str) -> list[str]:
    drawn = []
    for tick in _TICKS:
        drawn.append(f'<line x1="{LEFT}" y1="{_y(tick):.1f}" x2="{WIDTH - RIGHT}" y2="{_y(tick):.1f}" stroke="#ddd"/>')
        drawn.append(f'<text x="{LEFT - 8}" y="{_y(tick) + 4:.1f}" text-anchor="end">{100 * tick:.0f} %</text>')
    return [*drawn, f'<text class="s" x="{LEFT}" y="{TOP - 12}">{escape(y)}</text>'] if y else drawn


def _legend(series: Sequence[Series]) -> tuple[list[str], int]:
    """The names with their colours, side by side at the foot in as many lines as they need, and the chart's whole height."""
    drawn, left, foot = list[str](), float(LEFT), HEIGHT
    for place, each in enumerate(series):
        wide = 30 + 7.2 * len(each.name)
        if left > LEFT and left + wide > WIDTH - RIGHT:
            left, foot = float(LEFT), foot + _LEGEND_LINE
        drawn.append(f'<rect x="{left:.1f}" y="{foot - 22}" width="12" height="12" fill="{_colour(place)}"/>')
        drawn.append(f'<text x="{left + 17:.1f}" y="{foot - 12}">{escape(each.name)}</text>')
        left += wide
    return drawn, foot


def _whisker(x: float, ends: tuple[float, float]) -> str:
    low, high = (_y(end) for end in ends)
    path = f"M{x - 4:.1f} {high:.1f}h8M{x:.1f} {high:.1f}V{low:.1f}M{x - 4:.1f} {low:.1f}h8"
    return f'<path d="{path}" stroke="#222" fill="none"/>'


def _label(x: float, name: str) -> str:
    """A group's name under its bars, one line a word."""
    words = name.replace("-", " ").split()
    parts = "".join(f'<tspan x="{x:.1f}" dy="{14 if place else 0}">{escape(word)}</tspan>' for place, word in enumerate(words))
    return f'<text x="{x:.1f}" y="{_y(0) + 18:.1f}" text-anchor="middle">{parts}</text>'


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _x(share: float) -> float:
    return LEFT + _INNER_WIDTH * min(1.0, max(0.0, share))


def _y(share: float) -> float:
    return TOP + _INNER_HEIGHT * (1.0 - min(1.0, max(0.0, share)))
