"""One run's figures as a table of numbers: development sets, held-out rows, probes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from training.corpora import Row
from training.evaluate import Conversations, Model, conversations, held_out, interval, paraphrase, probes, turns_and_sessions

Figures = dict[str, tuple[float, float, float]]
WIDTHS = (384, 256, 128)
ALL_TURN_TENANTS = 36


@dataclass(frozen=True)
class Sets:
    """Everything a model is measured on: development conversations (never trained on) and held-out rows by corpus."""

    development: dict[str, Conversations]
    held_out: dict[str, tuple[Row, ...]]


def development(where: Path) -> dict[str, Conversations]:
    """The development sets that are there, each as it is embedded."""
    found = {}
    if (where / "locomo").exists():
        found["locomo"] = conversations(where / "locomo", named=True)
    if (where / "longmemeval").exists():
        found["longmemeval_user"] = conversations(where / "longmemeval", named=False, speakers=frozenset({"user"}))
        found["longmemeval_all"] = conversations(where / "longmemeval", named=False, tenants=ALL_TURN_TENANTS)
    return found


def figures(model: Model, sets: Sets, *, widths: Sequence[int] = WIDTHS) -> Figures:
    """Every figure in per cent, as (mean, low, high) of a 95 % bootstrap interval; Spearman has no interval."""
    found: Figures = {}
    for name, data in sets.development.items():
        found |= {f"{name}/{metric}": _percent(values) for metric, values in turns_and_sessions(model, data, widths).items()}
    found |= {f"held_out/{name}": _percent(held_out(model, rows)) for name, rows in sets.held_out.items() if rows}
    for width in widths:
        found |= {f"probe/{name}/{width}": _percent(values) for name, values in probes(model, width=width).items()}
        correlation = 100 * paraphrase(model, width=width)
        found[f"probe/paraphrase/{width}"] = (correlation, correlation, correlation)
    return found


def held_out_mean(found: Figures, corpora: Sequence[str]) -> float:
    """The mean over corpora of their held-out recall: the one figure by which runs are chosen."""
    present = [found[f"held_out/{name}"][0] for name in corpora if f"held_out/{name}" in found]
    return sum(present) / len(present) if present else 0.0


def refusal(before: Figures, after: Figures, corpora: Sequence[str]) -> str | None:
    """The reason not to replace an adapter: it finds more of the held-out answers than the new one; else None."""
    old, new = held_out_mean(before, corpora), held_out_mean(after, corpora)
    return f"the adapter there finds {old:.2f} of the held-out answers, the new one {new:.2f}" if new < old else None


def _percent(values: Sequence[float]) -> tuple[float, float, float]:
    mean, low, high = interval(values)
    return 100 * mean, 100 * low, 100 * high
