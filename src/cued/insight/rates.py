"""How often memory speaks, and how often it stays silent though it holds something."""

from collections.abc import Sequence

from cued.model import RecallEntry


def injection_rate(log: Sequence[RecallEntry]) -> float:
    """The share of recalls that returned at least one memory, in [0, 1]; 0.0 on an empty log."""
    return sum(bool(entry.chosen) for entry in log) / len(log) if log else 0.0


def blindness_rate(log: Sequence[RecallEntry]) -> float:
    """The share of recalls that returned nothing, among those of a tenant that had memories, in [0, 1]; 0.0 without any."""
    holding = [entry for entry in log if entry.outcome != "nothing_stored"]
    return sum(not entry.chosen for entry in holding) / len(holding) if holding else 0.0
