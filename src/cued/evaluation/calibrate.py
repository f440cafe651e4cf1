"""Fits a calibration: what a candidate's evidence is worth, for one embedder, from questions whose answers are known.

Each question is asked at home and of a stranger's store. Gold against the best that strangers' stores offer teaches what
relevance means; gold against the rest of its own store, weighed lightly because much of that rest is relevant too, teaches
the order. Then the whole is scaled so that the best relevance of a recall is the chance that its question has an answer here.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from cued.embed import load as load_embedder
from cued.evaluation.abstain import auroc, strangers
from cued.evaluation.abstain import own as at_home
from cued.evaluation.cache import default_folder, digest
from cued.evaluation.dataset import Dataset, answerable
from cued.evaluation.evidence import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.logistic import fit
from cued.evaluation.ranking import unfloored
from cued.evaluation.runner import Ask, Bench, evidence_of
from cued.evaluation.vectors import CachedEmbedder
from cued.flow import relevance
from cued.flow.table import Table
from cued.model import Evidence
from cued.policy.calibration import Calibration
from cued.policy.presets import load as load_policy
from cued.policy.spec import Policy

Floats = NDArray[np.float64]

COLUMNS = ("z", "cosine", "coverage", "passage", "passage_z", "entities", "window", "neighbour_coverage", "answers", "voice", "crowd")
AGAINST = frozenset({"voice", "crowd"})
"""The columns that may speak against a candidate."""
OWN_REST = 0.01
HARDEST = 10
FOLDS = 5
SIZES = (5, 20, 80)
"""Stores as small as these are made of each example, since the best of few strangers is weaker than the best of many."""


class Example(Struct, frozen=True, kw_only=True):
    """One question put to one store: its candidates' columns, which of them are gold, and whose question it is."""

    columns: Floats
    gold: NDArray[np.bool_]
    missing: int
    here: bool
    group: str
    thinned: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """How a calibration does on questions that it was not fitted on."""

    recall_at: dict[int, float]
    auroc: float
    ece: float
    floors: dict[float, tuple[float, float, float]]


def examples(dataset: Dataset, policy: Policy, start: Calibration, bench: Bench) -> list[Example]:
    """Give every answerable question's example at home, and as many at strangers'."""
    wide = unfloored(policy, limit=10)
    asks = (*at_home([query for query in answerable(dataset) if query.gold_ids]), *strangers(dataset))
    whole = [
        (found.findings.visible, _example(ask, found, gold, wide, start)) for ask, found, gold in evidence_of(dataset, asks, wide, bench)
    ]
    return [each for visible, example in whole for each in (example, *_thinned(example, visible))]


def calibrate(found: Sequence[Example], start: Calibration, *, columns: Sequence[str] = COLUMNS) -> Calibration:
    """Give the start's calibration with intercept and weights fitted to the examples, each data set's share alike."""
    weights = np.concatenate([_weights(each) for each in found])
    used = weights > 0
    chosen = [COLUMNS.index(name) for name in columns]
    features = np.vstack([each.columns for each in found])[used][:, chosen]
    labels = np.concatenate([each.gold for each in found]).astype(float)[used]
    intercept, slopes = fit(features, labels, weights[used], free=[name in AGAINST for name in columns])
    best = np.array([float((intercept + each.columns[:, chosen] @ slopes).max()) for each in found if len(each.gold)])
    here = np.array([each.here for each in found if len(each.gold)], dtype=float)
    shift, stretch = fit(best[:, None], here, np.ones(len(best)), ridge=1e-3)
    scaled = {name: round(float(slope * stretch[0]), 4) for name, slope in zip(columns, slopes, strict=True)}
    return replace(
        start,
        intercept=round(shift + intercept * float(stretch[0]), 4),
        weights={name: weight for name, weight in scaled.items() if weight},
    )


def cross_validated(found: Sequence[Example], start: Calibration, *, columns: Sequence[str] = COLUMNS) -> Report:
    """Give the report over whole stores, each judged by a calibration that never saw its conversation."""
    judged: list[tuple[Example, Floats]] = []
    groups = sorted({each.group for each in found}, key=digest)
    folds = {group: place % FOLDS for place, group in enumerate(groups)}
    for fold in range(FOLDS):
        inside = [each for each in found if folds[each.group] != fold]
        outside = [each for each in found if folds[each.group] == fold and not each.thinned]
        if inside and outside:
            judged += [(each, log_odds(each, calibrate(inside, start, columns=columns))) for each in outside]
    return report(judged)


def log_odds(example: Example, calibration: Calibration) -> Floats:
    """Give each candidate's log-odds under a calibration."""
    weights = np.array([calibration.weights.get(name, 0.0) for name in COLUMNS])
    return np.asarray(calibration.intercept + example.columns @ weights)


def report(judged: Sequence[tuple[Example, Floats]], *, floors: Sequence[float] = (0.5, 0.7, 0.9)) -> Report:
    """Give recall, AUROC, calibration error of the best relevance, and for each floor injection rate, precision and share answered."""
    shown = [(each, odds, np.argsort(-odds, kind="stable")) for each, odds in judged]
    own = [(each, order) for each, _, order in shown if each.here]
    best = np.array([_chance(odds).max(initial=0.0) for _, odds, _ in shown])
    here = np.array([each.here for each, _, _ in shown])
    return Report(
        recall_at={k: float(np.mean([_found(each, order[:k]) for each, order in own])) for k in (5, 10)},
        auroc=auroc(best, here) or 0.0,
        ece=_calibration_error(best, here),
        floors={floor: _spoken(shown, floor) for floor in floors},
    )


def _example(ask: Ask, found: Evidence, gold: set[str], policy: Policy, start: Calibration) -> Example:
    table = Table(found, policy)
    columns = table.columns | relevance.features(table, start) if len(table) else {}
    matrix = np.stack([np.nan_to_num(columns[name], nan=0.0) for name in COLUMNS], axis=1) if columns else np.zeros((0, len(COLUMNS)))
    marked = np.array([ask.here and each in gold for each in table.ids], dtype=bool)
    return Example(columns=matrix, gold=marked, missing=len(gold) - int(marked.sum()), here=ask.here, group=ask.tenant)


def _thinned(example: Example, visible: int) -> Iterator[Example]:
    """Give the example as it would be in smaller stores: the gold stays, and of the rest a random share."""
    random = np.random.default_rng(int(digest(example.group, example.here, visible), 16) % 2**32)
    for size in SIZES:
        if size < visible:
            kept = example.gold | (random.uniform(size=len(example.gold)) < size / visible)
            columns = example.columns[kept].copy()
            columns[:, COLUMNS.index("crowd")] = np.log1p(size)
            yield replace(example, columns=columns, gold=example.gold[kept], thinned=True)


def _weights(example: Example) -> Floats:
    if example.here:
        return np.where(example.gold, 1.0, OWN_REST)
    weights = np.zeros(len(example.gold))
    # the stranger's best matches by the two columns that every calibration has
    hard = np.argsort(-(example.columns[:, 0] + 4.0 * example.columns[:, 2]), kind="stable")[:HARDEST]
    weights[hard] = 1.0 / HARDEST
    return weights


def _found(example: Example, rows: NDArray[np.intp]) -> float:
    return float(example.gold[rows].sum() / (example.gold.sum() + example.missing))


def _chance(odds: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0))))


def _calibration_error(best: Floats, here: NDArray[np.bool_], *, bins: int = 10) -> float:
    order = np.argsort(best, kind="stable")
    return float(sum(abs(best[part].mean() - here[part].mean()) * len(part) for part in np.array_split(order, bins)) / len(order))


def _spoken(shown: Sequence[tuple[Example, Floats, NDArray[np.intp]]], floor: float) -> tuple[float, float, float]:
    said = [(each, order[:10][_chance(odds)[order[:10]] >= floor]) for each, odds, order in shown]
    injected = [each.here for each, rows in said if len(rows)]
    answered = [bool(each.gold[rows].any()) for each, rows in said if each.here]
    return len(injected) / len(said), float(np.mean(injected)) if injected else 0.0, float(np.mean(answered))


def main() -> None:
    """Fit a calibration on the data sets named on the command line; the report goes to stderr, the TOML to stdout."""
    options = _arguments()
    embedders = [CachedEmbedder(load_embedder(name), options.cache) for name in options.embedder]
    fingerprint = embedders[0].fingerprint
    start = Calibration(
        name=options.name,
        about=options.about,
        embedder=f"{fingerprint.provider}/{fingerprint.model}" if len(embedders) == 1 else "",
        background_mean=options.background[0],
        background_deviation=options.background[1],
        intercept=0.0,
        weights={},
    )
    benches = [Bench(embedder=embedder, evidence=EvidenceCache(options.cache)) for embedder in embedders]
    policy, datasets = load_policy(options.policy), [read(path) for path in options.data]
    found = [each for dataset in datasets for bench in benches for each in examples(dataset, policy, start, bench)]
    columns = tuple(options.columns)
    print(_told(cross_validated(found, start, columns=columns)), file=sys.stderr)  # noqa: T201 - a command
    sys.stdout.write(calibration_toml(calibrate(found, start, columns=columns)))


def calibration_toml(calibration: Calibration) -> str:
    """Give a calibration as the file that ships."""
    facts = {name: getattr(calibration, name) for name in calibration.__struct_fields__ if name != "weights"}
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in facts.items()]
    return "\n".join([*lines, "", "[weights]", *(f"{name} = {weight}" for name, weight in calibration.weights.items()), ""])


def _told(made: Report) -> str:
    recalled = ", ".join(f"recall@{k} {value:.1%}" for k, value in made.recall_at.items())
    floors = "\n".join(
        f"floor {floor}: injects {rate:.0%}, precision {right:.1%}, answered {answered:.0%}"
        for floor, (rate, right, answered) in made.floors.items()
    )
    return f"cross-validated by conversation: {recalled}, AUROC {made.auroc:.3f}, calibration error {made.ece:.3f}\n{floors}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cued.evaluation.calibrate", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, help="data sets as `cued eval` takes them")
    parser.add_argument("--embedder", nargs="+", default=["auto"], help="one, or several for coefficients that hold for any")
    parser.add_argument("--policy", default="cued", help="whose channels gather the candidates")
    parser.add_argument("--name", default="own")
    parser.add_argument("--about", default="fitted by python -m cued.evaluation.calibrate")
    parser.add_argument("--background", nargs=2, type=float, default=(0.05, 0.10), help="mean and deviation of an unrelated cosine")
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=COLUMNS, help="what the calibration may weigh")
    parser.add_argument("--cache", type=Path, default=default_folder())
    return parser.parse_args()


if __name__ == "__main__":
    main()
