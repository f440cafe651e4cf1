"""The report of the recall log as one HTML file: pictures in it as SVG, no script, and nothing from elsewhere."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cued.evaluation.svg import Series, bars, lines

JSON = Mapping[str, Any]
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:820px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}svg{max-width:100%;height:auto}
"""
_RATES = (("injection_rate", "injection rate"), ("blindness_rate", "blindness rate"), ("degraded_rate", "degraded"))
_COLUMNS = (
    ("recalls", "{:d}"),
    ("injection_rate", "{:.0%}"),
    ("blindness_rate", "{:.0%}"),
    ("degraded_rate", "{:.0%}"),
    ("chosen", "{:.1f}"),
    ("tokens", "{:.0f}"),
    ("suppressed", "{:.1f}"),
    ("omitted", "{:.1f}"),
    ("cited_rate", "{:.0%}"),
    ("bad_rate", "{:.0%}"),
)


def page(answer: JSON, *, title: str) -> str:
    """The report as one page."""
    whole = answer["counted"]
    parts = [f"<h1>Recall of {escape(title)}</h1>", f"<p>{escape(answer['advice']['told'])}.</p>", _table([("all", whole)])]
    if whole["recalls"]:
        parts += [_over_time(answer), _relevance(answer), _floors(answer), _stages(answer), _channels(answer)]
    if answer["groups"]:
        rows = [(group["label"], group["counted"]) for group in answer["groups"]]
        parts += ["<h2>Groups</h2>", _table(rows), *(_course(group["label"], group["series"]) for group in answer["groups"][:12])]
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recall of {escape(title)}</title><style>{_STYLE}</style></head>'
    )
    return "\n".join([head, "<body>", *parts, "</body></html>", ""])


def _over_time(answer: JSON) -> str:
    series = answer["series"]
    drawn = [Series(name=name, points=_points([each["counted"][key] for each in series])) for key, name in _RATES]
    first, last = series[0]["start"][:10], series[-1]["start"][:10]
    return f"<h2>Over time</h2>{lines('Rates over time', drawn, x=f'{first} to {last}', y='share of recalls')}"


def _course(label: str, series: Sequence[JSON]) -> str:
    drawn = [Series(name=name, points=_points([each["counted"][key] for each in series])) for key, name in _RATES[:2]]
    return lines(label, drawn, x="time", y="share of recalls")


def _relevance(answer: JSON) -> str:
    total = sum(answer["relevance"]) or 1
    steps = [f"{place / 20:.2f}" if place % 4 == 0 else "" for place in range(len(answer["relevance"]))]
    drawn = Series(name="recalls", points=tuple((place, count / total) for place, count in enumerate(answer["relevance"])))
    return f"<h2>Best relevance of each recall</h2>{bars('Best relevance', steps, [drawn], y='share of recalls')}"


def _floors(answer: JSON) -> str:
    rows = "".join(f"<tr><td>{escape(floor)}</td><td>{count}</td></tr>" for floor, count in answer["floors"].items())
    return f"<h2>Floors</h2><table><tr><th>floor</th><th>recalls</th></tr>{rows}</table>"


def _stages(answer: JSON) -> str:
    took = " · ".join(f"{name} {ms:.1f} ms" for name, ms in answer["ms"].items())
    rows = "".join(f"<tr><td>{escape(stage)}</td><td>{ms:.2f}</td></tr>" for stage, ms in answer["stages_ms"].items())
    return f"<h2>Time</h2><p>{took}</p><table><tr><th>stage</th><th>median ms</th></tr>{rows}</table>"


def _channels(answer: JSON) -> str:
    used = answer["used"] or 1
    rows = "".join(f"<tr><td>{escape(each['name'])}</td><td>{each['alone'] / used:.0%}</td></tr>" for each in answer["channels"])
    return f"<h2>Found by one channel alone</h2><table><tr><th>channel</th><th>of what was used</th></tr>{rows}</table>"


def _table(rows: Sequence[tuple[str, JSON]]) -> str:
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name, _ in _COLUMNS)
    body = "".join(
        f"<tr><td>{escape(label)}</td>{''.join(f'<td>{form.format(figures[name])}</td>' for name, form in _COLUMNS)}</tr>"
        for label, figures in rows
    )
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def _points(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    last = max(1, len(values) - 1)
    return tuple((place / last, value) for place, value in enumerate(values))
