"""The report of the recall log as one HTML file: pictures in it as SVG, no script, and nothing from elsewhere."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Final

from cued.model.plain import JSON

WIDE, HIGH = 1000, 180
"""The room of a picture; a page stretches it to its own width."""
_RATES: Final = (("injection_rate", "injection rate", 0), ("blindness_rate", "blindness rate", 1), ("degraded_rate", "degraded", 2))
_FIGURES: Final = (
    ("recalls", "recalls", "{:,d}"),
    ("injection_rate", "injection rate", "{:.0%}"),
    ("blindness_rate", "blindness rate", "{:.0%}"),
    ("degraded_rate", "degraded", "{:.0%}"),
    ("chosen", "memories a recall", "{:.1f}"),
    ("tokens", "tokens a recall", "{:.0f}"),
    ("below_floor", "below the floor", "{:.1f}"),
    ("suppressed", "suppressed", "{:.1f}"),
    ("omitted", "omitted", "{:.1f}"),
    ("cited_rate", "cited", "{:.0%}"),
    ("bad_rate", "bad", "{:.0%}"),
)


def page(answer: JSON, *, title: str) -> str:
    """The report as one page."""
    whole = answer["counted"]
    parts = [f"<h1>Recall of {escape(title)}</h1>", f"<p>{escape(_span(answer))}{escape(answer['advice']['told'])}.</p>", _figures(whole)]
    if whole["recalls"]:
        parts += [
            _panel("Rates over time", _course(answer["series"], _RATES)),
            _beside(_panel("Best relevance of each recall", _relevance(answer)), _panel("Where the time goes", _stages(answer))),
            _beside(_panel("Floors", _floors(answer)), _panel("Found by one channel alone", _channels(answer))),
        ]
    if answer["groups"]:
        parts.append(_panel("Groups", _table(answer["groups"])))
        courses = (_panel(escape(each["label"]), _course(each["series"], _RATES[:2])) for each in answer["groups"][:12])
        parts.append(_beside(*courses))
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Recall of {escape(title)}</title><style>{_style()}</style></head>"
    )
    return "\n".join([head, "<body>", *parts, "</body></html>", ""])


def _style() -> str:
    return resources.files(__package__).joinpath("insight_page.css").read_text("utf-8")


def _span(answer: JSON) -> str:
    series = answer["series"]
    return f"{series[0]['start'][:10]} to {series[-1]['start'][:10]}: " if series else ""


def _panel(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>"


def _beside(*panels: str) -> str:
    return f'<div class="two">{"".join(panels)}</div>'


def _picture(label: str, drawn: str) -> str:
    box = f'viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none"'
    return f'<svg class="course" {box} role="img" aria-label="{label}">{drawn}</svg>'


def _figures(counted: JSON) -> str:
    labels = (label for _, label, _ in _FIGURES)
    told = "".join(f"<div><dt>{label}</dt><dd>{figure}</dd></div>" for label, figure in zip(labels, _formatted(counted), strict=True))
    return f'<dl class="figures">{told}</dl>'


def _formatted(counted: JSON) -> list[str]:
    return [form.format(counted[name]) for name, _, form in _FIGURES]


def _course(series: Sequence[JSON], rates: Sequence[tuple[str, str, int]]) -> str:
    """Rates from the first stretch to the last, 1 at the top."""
    last = max(1, len(series) - 1)
    grid = "".join(f'<line class="grid" x1="0" x2="{WIDE}" y1="{HIGH * each / 4:.0f}" y2="{HIGH * each / 4:.0f}"/>' for each in range(4))
    drawn = []
    for name, label, colour in rates:
        values = [each["counted"][name] for each in series] * (2 if len(series) == 1 else 1)
        points = " ".join(f"{place / last * WIDE:.1f},{HIGH - value * (HIGH - 4):.1f}" for place, value in enumerate(values))
        drawn.append(f'<polyline class="s{colour}" points="{points}"><title>{label}</title></polyline>')
    keys = "".join(f'<span><i class="c{colour}"></i>{label}</span>' for _, label, colour in rates)
    ends = f'<div class="ends"><span>{series[0]["start"][:10]}</span><span>{series[-1]["start"][:10]}</span></div>'
    picture = _picture("Rates over time, from 0 to 1", grid + "".join(drawn))
    return f'{picture}{ends}<div class="key">{keys}<span>lines at 25, 50 and 75 %</span></div>'


def _relevance(answer: JSON) -> str:
    counts = answer["relevance"]
    most, wide = max(counts) or 1, WIDE / len(counts)
    drawn = "".join(
        f'<rect class="c0" x="{place * wide + 2:.1f}" width="{wide - 4:.1f}" y="{HIGH - HIGH * count / most:.1f}" '
        f'height="{HIGH * count / most:.1f}"><title>{place / len(counts):.2f}: {count:,}</title></rect>'
        for place, count in enumerate(counts)
    )
    return f'{_picture("Recalls by their best relevance", drawn)}<div class="ends"><span>0</span><span>0.5</span><span>1</span></div>'


def _floors(answer: JSON) -> str:
    return _meters((floor, count, f"{count:,}") for floor, count in answer["floors"].items())


def _stages(answer: JSON) -> str:
    took = " · ".join(f"{name} {ms:.1f} ms" for name, ms in answer["ms"].items())
    longest = sorted(answer["stages_ms"].items(), key=lambda stage: -stage[1])
    return f"{_meters((stage, ms, f'{ms:.2f} ms') for stage, ms in longest)}<p>whole recalls: {took}</p>"


def _channels(answer: JSON) -> str:
    used = answer["used"] or 1
    return _meters(((each["name"], each["alone"], f"{each['alone'] / used:.0%}") for each in answer["channels"]), whole=used)


def _meters(rows: Iterable[tuple[str, float, str]], *, whole: float = 0.0) -> str:
    """A bar a row, the longest as wide as there is room, or as wide as its share of the whole."""
    told = list(rows)
    most = whole or max((value for _, value, _ in told), default=0) or 1
    drawn = (
        f'<li><span>{escape(name)}</span><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="c0" width="{100 * value / most:.1f}" height="8"/></svg><b>{figure}</b></li>'
        for name, value, figure in told
    )
    return f'<ol class="meters">{"".join(drawn)}</ol>'


def _table(groups: Sequence[JSON]) -> str:
    head = "".join(f"<th>{label}</th>" for _, label, _ in _FIGURES)
    body = "".join(
        f"<tr><td>{escape(group['label'])}</td>{''.join(f'<td>{each}</td>' for each in _formatted(group['counted']))}</tr>"
        for group in groups
    )
    return f'<div class="scroll" tabindex="0"><table><tr><th>group</th>{head}</tr>{body}</table></div>'
