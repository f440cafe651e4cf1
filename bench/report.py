"""The figures as tables: for a terminal, as Markdown, as JSON."""

from collections.abc import Iterator, Sequence

from msgspec import Struct, json
from rich.console import Console
from rich.table import Table

from bench.figures import BUDGETS, Figure, Result
from bench.measure import Machine

FIGURE_HEADS = ("case", "measure", "value", "p95", "max", "cpu", "unit", "budget", "", "as bad as before")
MUCH_WORSE = 1.2
"""From so many times as bad as before on, a figure is shown in red."""
_MANY, _FEW = 100, 10


class Report(Struct, frozen=True, kw_only=True):
    """Everything one run of the benchmark found."""

    machine: Machine
    results: tuple[Result, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, those of one case together."""
        every = [figure for result in self.results for figure in result.figures]
        cases = list(dict.fromkeys(figure.case for figure in every))
        return tuple(sorted(every, key=lambda figure: cases.index(figure.case)))

    @property
    def stages(self) -> dict[str, dict[str, float]]:
        """The median milliseconds of each stage by case."""
        return {case: stages for result in self.results for case, stages in result.stages.items()}

    @property
    def missed(self) -> tuple[Figure, ...]:
        """The figures that are over their budget."""
        return tuple(figure for figure in self.figures if _verdict(figure) == "✗")


def caption(machine: Machine) -> str:
    """Where, with what and beside how much other work the figures were measured."""
    began, ended = machine.load_average
    return (
        f"{machine.cpu}, {machine.cores} cores, {machine.system}; Python {machine.python}, SQLite {machine.sqlite}, "
        f"numpy {machine.numpy}, loops {machine.loops}; load average {began:.2f} at the start, {ended:.2f} at the end"
    )


def shown(report: Report, console: Console, before: Report | None = None) -> None:
    """Print the tables on a terminal, in red what is worse by a fifth or more than in an earlier report."""
    table = Table(*FIGURE_HEADS, title="Figures", caption=caption(report.machine))
    for column in table.columns[2:6]:
        column.justify = "right"
    for row, figure in zip(figure_rows(report.figures, before), report.figures, strict=True):
        table.add_row(*row, style="red" if (_worse(figure, before) or 0) >= MUCH_WORSE else None)
    console.print(table)
    heads, rows = stage_table(report.stages)
    stages = Table(heads[0], title="Where a warm recall spends its time (median ms)")
    for head in heads[1:]:
        stages.add_column(head, justify="right")
    for row in rows:
        stages.add_row(*row)
    console.print(stages)
    for line in closing(report):
        console.print(line)


def markdown(report: Report, before: Report | None = None) -> str:
    """The tables as Markdown, with how each figure stands to an earlier report."""
    heads, rows = stage_table(report.stages)
    parts = [
        _markdown_table(FIGURE_HEADS, list(figure_rows(report.figures, before))),
        "Where a warm recall spends its time (median ms):",
        _markdown_table(heads, rows),
        caption(report.machine) + ".",
        *closing(report),
    ]
    return "\n\n".join(parts)


def as_json(report: Report) -> bytes:
    """Everything as JSON, indented."""
    return json.format(json.encode(report))


def closing(report: Report) -> Iterator[str]:
    """What is to be said under the tables: what was left out, and which budgets were missed."""
    for result in report.results:
        yield from result.notes
    for figure in report.missed:
        budget = BUDGETS[figure.case, figure.measure]
        cpu = "" if figure.cpu is None else f" ({_number(figure.cpu)} by processor time)"
        yield f"missed: {figure.case}, {figure.measure}: {_number(figure.value)}{cpu} {figure.unit}, budget {budget.bound} {budget.value:g}"


def figure_rows(figures: Sequence[Figure], before: Report | None = None) -> Iterator[tuple[str, ...]]:
    """One row a figure; the case is named in its first."""
    named = ""
    for figure in figures:
        budget = BUDGETS.get((figure.case, figure.measure))
        yield (
            figure.case if figure.case != named else "",
            figure.measure,
            _number(figure.value),
            _number(figure.p95),
            _number(figure.most),
            _number(figure.cpu),
            figure.unit,
            f"{budget.bound} {budget.value:g}" if budget else "",
            _verdict(figure),
            _times(_worse(figure, before)),
        )
        named = figure.case


def stage_table(stages: dict[str, dict[str, float]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads and rows of the table of stages: a row a stage, a column a case."""
    every = dict.fromkeys(stage for each in stages.values() for stage in each)
    rows = [(stage, *(_number(each.get(stage), places=3) for each in stages.values())) for stage in every]
    return ("stage", *stages), rows


def _worse(figure: Figure, before: Report | None) -> float | None:
    """How many times as bad a figure is as the same one of an earlier report, None where there is none."""
    same = (each for each in before.figures if (each.case, each.measure) == (figure.case, figure.measure)) if before else iter(())
    earlier = next(same, None)
    return None if earlier is None else figure.worse_than(earlier)


def _times(worse: float | None) -> str:
    if worse is None:
        return ""
    return f"{_number(worse)} ×" + (" ✗" if worse >= MUCH_WORSE else "")


def _verdict(figure: Figure) -> str:
    budget = BUDGETS.get((figure.case, figure.measure))
    return "" if budget is None else "✓" if budget.holds(figure.value) else "✗"


def _number(value: float | None, *, places: int | None = None) -> str:
    if value is None:
        return ""
    if places is None:
        places = 0 if value >= _MANY else 1 if value >= _FEW else 2
    return f"{value:.{places}f}"


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
