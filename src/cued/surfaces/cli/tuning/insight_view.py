"""A drawing of the whole recall log: a line for each figure with its course over time, and the groups below."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.output import counted
from cued.surfaces.cli.tables import grid, number, shown

BARS = "▁▂▃▄▅▆▇█"
_FIGURES = (
    ("injection rate", "injection_rate", "{:.0%}"),
    ("blindness rate", "blindness_rate", "{:.0%}"),
    ("degraded", "degraded_rate", "{:.0%}"),
    ("cited by feedback", "cited_rate", "{:.0%}"),
    ("bad by feedback", "bad_rate", "{:.0%}"),
    ("memories a recall", "chosen", "{:.1f}"),
    ("tokens a recall", "tokens", "{:.0f}"),
    ("below the floor", "below_floor", "{:.1f}"),
    ("suppressed", "suppressed", "{:.1f}"),
    ("omitted", "omitted", "{:.1f}"),
)
_LEGEND = (
    "injection rate: recalls that brought something · blindness rate: recalls that brought nothing though something is stored · below the "
    "floor: memories a recall that were found and not relevant enough · found alone: what only this channel found, of what was used"
)
_SHARES = {"injection_rate", "blindness_rate", "degraded_rate", "cited_rate", "bad_rate"}


def sparks(values: Sequence[float], *, most: float | None = None) -> str:
    """The values as bars from 0 to the greatest of them, or to `most`."""
    top = most or max(values, default=0.0) or 1.0
    return "".join(BARS[min(len(BARS) - 1, int(value / top * len(BARS)))] for value in values)


def insight_view(answer: JSON) -> RenderableType:
    """Every figure with its course, how relevance and floors are spread, stages, channels, failures, groups, and the advice."""
    whole = answer["counted"]
    if not whole["recalls"]:
        return shown("No recalls.")
    series = answer["series"]
    first, last = (stretch["start"][:19].replace("T", " ") for stretch in (series[0], series[-1]))
    head = f"{counted(whole['recalls'], 'recall', 'recalls')} from {first} to {last}, in stretches of {_length(answer['every_s'])}"
    parts: list[RenderableType] = [shown(head, "bold"), _figures(whole, series), Text("")]
    parts += [shown(line) for line in _spreads(answer)]
    if answer["groups"]:
        parts += [Text(""), _groups(answer["groups"])]
    return Group(*parts, Text(_LEGEND, style="dim"), Text(""), shown(answer["advice"]["told"], "bold"))


def compared_view(answer: JSON) -> RenderableType:
    """The policies that were shown, and those that decided beside them."""
    if not answer["recalls"]:
        return shown("No recalls.")
    arms = grid(("shown under", "fold"), *((name, "right") for name in ("recalls", "injection", "blindness", "tokens", "cited", "bad")))
    for arm in answer["arms"]:
        rates = arm["rates"]
        shares = (rates["injection_rate"], rates["blindness_rate"])
        told = (str(rates["recalls"]), *map(number, shares), f"{arm['tokens']:.0f}", number(arm["cited_rate"]), number(arm["bad_rate"]))
        arms.add_row(shown(f"{arm['policy']} {arm['policy_digest'][:8]}"), *told)
    parts: list[RenderableType] = [arms]
    for each in answer["beside"]:
        low, high = each["interval"]
        line = (
            f"On trial beside {each['shown']}: {each['trial']} would have spoken in {each['injection_trial']:.0%} of "
            f"{each['recalls']} recalls, not {each['injection_shown']:.0%} ({each['difference']:+.0%}, 95 % {low:+.0%} to {high:+.0%}); "
            f"overlap {each['overlap']:.0%}; {each['tokens_trial']:.0f} tokens, not {each['tokens_shown']:.0f}"
        )
        parts += [Text(""), shown(line, most=600)]
        if each["kept_cited"] is not None:
            parts.append(shown(f"Of what feedback cited it keeps {each['kept_cited']:.0%}"))
    if answer["missing"]:
        parts += [Text(""), shown(f"{answer['missing']} more recalls are needed under each policy before this says anything", "yellow")]
    return Group(*parts)


def _figures(whole: JSON, series: Sequence[JSON]) -> Table:
    table = grid("figure", ("all", "right"), ("over time", "fold"))
    for name, key, form in _FIGURES:
        if key in {"cited_rate", "bad_rate", "degraded_rate", "omitted", "suppressed"} and not whole[key]:
            continue
        values = [stretch["counted"][key] for stretch in series]
        table.add_row(name, form.format(whole[key]), Text(sparks(values, most=1.0 if key in _SHARES else None), style="cyan"))
    return table


def _spreads(answer: JSON) -> list[str]:
    used = answer["used"] or 1
    alone = " · ".join(f"{each['name']} {each['alone'] / used:.0%}" for each in answer["channels"] if each["alone"])
    stages = sorted(answer["stages_ms"].items(), key=lambda stage: -stage[1])[:5]
    lines = [
        f"best relevance 0 {sparks(answer['relevance'])} 1",
        f"floors         {' · '.join(f'{floor} {count}' for floor, count in answer['floors'].items())}",
        f"took           {' · '.join(f'{name} {ms:.1f} ms' for name, ms in answer['ms'].items())}",
        f"stages         {' · '.join(f'{name} {ms:.1f} ms' for name, ms in stages)}",
        f"found alone    {alone or 'by no channel: what was used, several found'}",
    ]
    if answer["failures"]:
        lines.append(f"failed         {' · '.join(f'{part} {count}' for part, count in answer['failures'].items())}")
    return lines


def _groups(groups: Sequence[JSON]) -> Table:
    table = grid(("group", "fold"), ("recalls", "right"), ("injection", "right"), ("blindness", "right"), ("injection over time", "fold"))
    for group in groups:
        whole = group["counted"]
        rates = [stretch["counted"]["injection_rate"] for stretch in group["series"]]
        table.add_row(
            shown(group["label"]),
            str(whole["recalls"]),
            number(whole["injection_rate"]),
            number(whole["blindness_rate"]),
            Text(sparks(rates, most=1.0), style="cyan"),
        )
    return table


def _length(seconds: int) -> str:
    for unit, length in (("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds % length == 0:
            return f"a {unit}" if seconds == length and unit != "hour" else f"{seconds // length} {unit}{'s' * (seconds > length)}"
    return f"{seconds} s"
