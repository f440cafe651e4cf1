"""A figure, what it may cost, and how the figures of several runs become one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct


class Figure(Struct, frozen=True, kw_only=True):
    """One measured number; where it is the median of a series, with the series' 95th percentile, maximum and processor time.

    On a machine that others use too, the processor time says what the work costs and the rest what the neighbours cost.
    """

    case: str
    measure: str
    unit: str
    value: float
    p95: float | None = None
    most: float | None = None
    cpu: float | None = None

    def worse_than(self, before: "Figure") -> float:
        """How many times as bad this is as an earlier figure: rates and shares are good when high, all others when low."""
        good, bad = (self.value, before.value) if self.unit in {"/s", "%"} else (before.value, self.value)
        return bad / good if good else 1.0


class Budget(Struct, frozen=True):
    """What a figure is held to."""

    bound: Literal["≤", "≥"]
    value: float

    def holds(self, value: float) -> bool:
        """Whether the value is within the budget."""
        return value <= self.value if self.bound == "≤" else value >= self.value


class Result(Struct, frozen=True, kw_only=True):
    """What one run of one case gives: figures, and the median milliseconds of each stage of a recall."""

    figures: tuple[Figure, ...]
    stages: dict[str, dict[str, float]] = {}
    notes: tuple[str, ...] = ()


LOAD, OPEN, WARM = "bulk load, vectors given", "open", "recall, warm"
FIRST, FIRST_KEPT, MEMORY_EACH = "recall, first of a tenant", "recall, first of a kept tenant", "memory a memory"
MEMORY = "memory for recalling"
NO_FLOOR, FIFTY, TOKENS = "recall without a floor", "recall that shows fifty", "recall into 2000 tokens"
BESIDE_SCAN, IN_TURN = "recall ÷ bare scan", "recall ÷ bare scan, in turn"
REMEMBER_GIVEN = "remember one, vector given"
REMEMBER, FSYNCS, ONE_THREAD = "remember one", "fsyncs a remember", "bulk load, one thread"
IMPORT, GROWTH, BESIDE_A_FILE = "import cued", "largest ÷ smallest store", "PostgreSQL ÷ a file"
THREE_BESIDE_A_FILE = "three servers ÷ a file"
FAILED, GROWN, SHELL = "requests that failed", "memory grown under load", "cued recall in a shell"
SHELL_ALONE = "cued recall in a shell, without a server"

BUDGETS = {
    ("one-10k", LOAD): Budget("≥", 10_000),
    ("one-100k", LOAD): Budget("≥", 10_000),
    ("long-10k", LOAD): Budget("≥", 3000),
    ("one-10k", WARM): Budget("≤", 2),
    ("one-100k", WARM): Budget("≤", 6),
    ("tenants-100k", WARM): Budget("≤", 1),
    ("one-10k", IN_TURN): Budget("≤", 5),
    ("one-100k", IN_TURN): Budget("≤", 1.1),
    ("long-10k", WARM): Budget("≤", 2.5),
    ("long-10k", NO_FLOOR): Budget("≤", 4),
    ("long-10k", FIFTY): Budget("≤", 8),
    ("long-10k", TOKENS): Budget("≤", 6),
    ("one-10k", REMEMBER_GIVEN): Budget("≤", 3),
    ("long-10k", REMEMBER_GIVEN): Budget("≤", 5),
    ("one-10k", FIRST_KEPT): Budget("≤", 40),
    ("one-10k", SHELL_ALONE): Budget("≤", 300),
    ("one-100k", FIRST_KEPT): Budget("≤", 250),
    ("one-100k", MEMORY_EACH): Budget("≤", 2.5),
    ("tenants-100k", FIRST): Budget("≤", 2.5),
    ("one-1000k", WARM): Budget("≤", 60),
    ("one-1000k", MEMORY): Budget("≤", 3 * 1024),
    ("one-100k", OPEN): Budget("≤", 500),
    ("tenants-100k", OPEN): Budget("≤", 500),
    ("minilm", REMEMBER): Budget("≤", 6),
    ("minilm", FSYNCS): Budget("≤", 1),
    ("minilm", ONE_THREAD): Budget("≥", 300),
    ("import", IMPORT): Budget("≤", 150),
    # Beside a server a command asks it: what is left is Python's start and what reads the options.
    ("serving", SHELL): Budget("≤", 100),
    ("serving", FAILED): Budget("≤", 0),
    # Every tenant is in memory before; what comes on top is the new memories, and what the allocator keeps.
    ("serving", GROWN): Budget("≤", 10),
    # "Grows with the tenant, not with the store": a hundredfold store may cost half as much again, for deeper trees.
    ("growth", GROWTH): Budget("≤", 1.5),
    ("keepers", GROWTH): Budget("≤", 1.5),
    ("keepers", BESIDE_A_FILE): Budget("≤", 2),
}


class Spent(NamedTuple):
    """What some work took: milliseconds on the wall, and milliseconds of processor time in all threads of this process."""

    wall_ms: float
    cpu_ms: float


def series(case: str, measure: str, spent: Sequence[Spent]) -> Figure:
    """The median of a series, with its tail and its processor time."""
    values_ms = [each.wall_ms for each in spent]
    return Figure(
        case=case,
        measure=measure,
        unit="ms",
        value=median(values_ms),
        p95=float(np.percentile(values_ms, 95)),
        most=max(values_ms),
        cpu=median(each.cpu_ms for each in spent),
    )


def rate(case: str, measure: str, count: int, spent: Sequence[Spent]) -> Figure:
    """How many a second, on the wall and by processor time."""
    wall_ms, cpu_ms = sum(each.wall_ms for each in spent), sum(each.cpu_ms for each in spent)
    return Figure(case=case, measure=measure, unit="/s", value=count / wall_ms * 1000, cpu=count / cpu_ms * 1000)


def merged(results: Sequence[Result]) -> Result:
    """One result for several runs of a case: the median of their medians and tails, and the maximum of all."""
    groups: defaultdict[tuple[str, str], list[Figure]] = defaultdict(list)
    for result in results:
        for figure in result.figures:
            groups[figure.case, figure.measure].append(figure)
    cases = {case for result in results for case in result.stages}
    return Result(
        figures=tuple(_one(figures) for figures in groups.values()),
        stages={case: stage_medians([result.stages[case] for result in results if case in result.stages]) for case in sorted(cases)},
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )


def stage_medians(timings: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each stage over several recalls; a stage that a recall did not reach took it no time."""
    stages = dict.fromkeys(stage for each in timings for stage in each)
    return {stage: median(each.get(stage, 0.0) for each in timings) for stage in stages}


def _one(figures: Sequence[Figure]) -> Figure:
    first = figures[0]
    return Figure(
        case=first.case,
        measure=first.measure,
        unit=first.unit,
        value=median(figure.value for figure in figures),
        p95=_over(median, [figure.p95 for figure in figures]),
        most=_over(max, [figure.most for figure in figures]),
        cpu=_over(median, [figure.cpu for figure in figures]),
    )


def _over(combine: Callable[[Iterable[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return combine(known) if known else None
