"""How often memory speaks, how often it stays silent though it holds something, how often a part of it fails, and how long it takes."""

from collections.abc import Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from cued.model import RecallEntry
from cued.model.plain import Plain

ENOUGH = 200
"""How many recalls it takes before a rate says anything."""
STEP = 0.05
"""By how much a floor is moved."""
START = 0.7
"""The floor to begin with."""
TARGET = (0.40, 0.55)
"""The injection rate of a healthy mixed stream, half of whose cues have an answer in the store."""
OVER, HIGH, LOW = 0.80, 0.70, 0.20

Verdict = Literal["pass", "warn", "fail", "unknown"]


class Rates(Struct, frozen=True, kw_only=True):
    """What some lines of the recall log say together; all are 0 where there are none."""

    recalls: int
    injection_rate: float
    blindness_rate: float
    degraded_rate: float
    median_ms: float


class Advice(Plain, frozen=True, kw_only=True):
    """What an injection rate says of the floor: the verdict, in words, the floor to try next, and how many recalls are missing."""

    verdict: Verdict
    told: str
    floor: float | None = None
    missing: int = 0


def rates(log: Sequence[RecallEntry]) -> Rates:
    """The rates of these recalls; a stretch of time is what the log is asked for."""
    return Rates(
        recalls=len(log),
        injection_rate=injection_rate(log),
        blindness_rate=blindness_rate(log),
        degraded_rate=sum(bool(entry.degraded) for entry in log) / len(log) if log else 0.0,
        median_ms=median(entry.total_ms for entry in log) if log else 0.0,
    )


def injection_rate(log: Sequence[RecallEntry]) -> float:
    """The share of recalls that returned at least one memory, in [0, 1]; 0.0 on an empty log."""
    return sum(bool(entry.chosen) for entry in log) / len(log) if log else 0.0


def blindness_rate(log: Sequence[RecallEntry]) -> float:
    """The share of recalls that returned nothing, among those of a tenant that had memories, in [0, 1]; 0.0 without any."""
    holding = [entry for entry in log if entry.outcome != "nothing_stored"]
    return sum(not entry.chosen for entry in holding) / len(holding) if holding else 0.0


def advice(rate: float, recalls: int, *, floor: float | None) -> Advice:
    """What an injection rate of so many recalls says of the floor; on fewer than 200 it says only how many are missing."""
    if recalls < ENOUGH:
        missing = ENOUGH - recalls
        return Advice(verdict="unknown", told=f"{recalls} recalls say too little: {missing} more are needed", missing=missing)
    at = START if floor is None else floor
    up, down = round(min(0.95, at + STEP), 2), round(max(0.05, at - STEP), 2)
    if rate > OVER:
        return Advice(verdict="fail", told="over-injection: the floor is too low", floor=up)
    if rate > HIGH:
        return Advice(verdict="warn", told="memory speaks too often: raise the floor", floor=up)
    if rate < LOW:
        return Advice(verdict="warn", told="memory hardly speaks: lower the floor, or check the channels", floor=down)
    healthy = TARGET[0] <= rate <= TARGET[1]
    return Advice(verdict="pass", told="healthy for a mixed stream" if healthy else "within bounds")
