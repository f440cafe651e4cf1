"""How often memory speaks, how often it stays silent though it holds something, how often a part of it fails, and how long it takes."""

from collections.abc import Sequence
from statistics import median

from msgspec import Struct

from cued.model import RecallEntry


class Rates(Struct, frozen=True, kw_only=True):
    """What some lines of the recall log say together; all are 0 where there are none."""

    recalls: int
    injection_rate: float
    blindness_rate: float
    degraded_rate: float
    median_ms: float


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
