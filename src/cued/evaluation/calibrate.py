"""Fits a calibration: what a candidate's evidence is worth, for one embedder, from questions whose answers are known.

Each data set is asked its own questions, near ones that it has no answer to, and far ones. Data sets count alike unless `--weigh` says
otherwise, and within each one stores of every size do. The report is of data sets that the fit has not seen.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued.embed import load_embedder
from cued.evaluation.abstain import auroc
from cued.evaluation.cache import default_folder, digest
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.fitting import FAR, FLOOR, NEAR, OWN, Sample, fit, growth, shift, stretched
from cued.evaluation.runner import Bench
from cued.evaluation.sampling import COLUMNS, Floats, cached_sample, narrowed_to
from cued.policy.presets import load_policy
from cued.policy.spec import Calibration

AGAINST = frozenset((
    "voice", "voice_length", "crowd", "turn", "foreign", "cue_length", "note_length", "unknown", "strangers", "unnamed", "script",
    "behind", "shared", "astray", "another", "echo", "lacking", "wordless",
))  # fmt: skip
"""The columns that may speak against a candidate."""
WEIGHED = tuple(name for name in COLUMNS if name != "blind")
FOLDS = 5
SILENCE, GROWTH = 0.96, 0.5


class Report(Struct, frozen=True, kw_only=True):
    """How a calibration does on one data set: share of gold in the first ten, answered, far silence, AUROC against far and near."""

    name: str
    recall: float | None
    answered: float | None
    silence: float | None
    far: float | None
    near: float | None


class FittingGoal(Struct, frozen=True, kw_only=True):
    """What a calibration is to weigh, to how many far questions its floor is to be silent, and how much of `growth` is undone.

    `stated` weights are taken as they are; the floor is set with them in place.
    """

    start: Calibration
    columns: tuple[str, ...] = WEIGHED
    stated: dict[str, float] = {}
    silence: float = SILENCE
    growth: float = GROWTH


def calibrate(samples: Sequence[Sample], wanted: FittingGoal) -> Calibration:
    """The start's calibration with intercept and weights fitted to the samples."""
    chosen = [_narrowed(each, wanted) for each in samples]
    intercept, slopes = fit(chosen, free=[name in AGAINST for name in wanted.columns])
    factor = stretched(chosen, [intercept + each.columns @ slopes for each in chosen])
    slopes = slopes * factor
    for name, weight in wanted.stated.items():
        slopes[wanted.columns.index(name)] = weight
    foreign = [each for each in chosen if (each.kind == FAR).any()]
    if foreign and "crowd" in wanted.columns:
        slopes[wanted.columns.index("crowd")] -= wanted.growth * growth(foreign, [each.columns @ slopes for each in foreign])
    middle = shift(foreign, [each.columns @ slopes for each in foreign], silence=wanted.silence) if foreign else intercept * factor
    weights = {name: round(float(slope), 4) for name, slope in zip(wanted.columns, slopes, strict=True)}
    return replace(wanted.start, intercept=round(middle, 4), weights={name: weight for name, weight in weights.items() if weight})


def cross_validated(samples: Sequence[Sample], wanted: FittingGoal) -> list[Report]:
    """A report on each data set by a calibration that has not seen it; of a single data set, on groups of its tenants.

    There is none where it has a single tenant, for then nothing is left to fit to.
    """
    apart = _by_tenants(samples[0]) if len(samples) == 1 else list(samples)
    if len(apart) == 1:
        return []
    order = sorted(range(len(apart)), key=lambda place: digest(apart[place].name, place))
    reports = []
    for fold in range(min(FOLDS, len(apart))):
        outside = set(order[fold::FOLDS])
        made = calibrate([each for place, each in enumerate(apart) if place not in outside], wanted)
        reports += [report(apart[place], made) for place in sorted(outside)]
    return reports


def report(of: Sample, calibration: Calibration) -> Report:
    """How a calibration does on a data set."""
    odds = log_odds(of, calibration)
    best, middle = of.best(odds), np.log(FLOOR / (1.0 - FLOOR))
    own, near, far = (of.kind == kind for kind in (OWN, NEAR, FAR))
    recalled, answered = [], []
    ends = np.append(of.starts[1:], len(odds))
    for place in np.flatnonzero(own):
        inside = slice(of.starts[place], ends[place])
        first = np.argsort(-odds[inside], kind="stable")[:10]
        gold = of.gold[inside]
        recalled.append(gold[first].sum() / (gold.sum() + of.missing[place]))
        answered.append(bool((gold[first] & (odds[inside][first] >= middle)).any()))
    return Report(
        name=of.name,
        recall=float(np.mean(recalled)),
        answered=float(np.mean(answered)),
        silence=float((best[far] < middle).mean()) if far.any() else None,
        far=auroc(best[own | far], own[own | far]),
        near=auroc(best[own | near], own[own | near]),
    )


def log_odds(of: Sample, calibration: Calibration) -> Floats:
    """Each candidate's log-odds under a calibration."""
    weights = np.array([calibration.weights.get(name, 0.0) for name in COLUMNS])
    return np.asarray(calibration.intercept + of.columns @ weights)


def _narrowed(of: Sample, wanted: FittingGoal) -> Sample:
    return replace(of, columns=of.columns[:, [COLUMNS.index(name) for name in wanted.columns]])


def _by_tenants(of: Sample) -> list[Sample]:
    tenants = sorted(set(of.group.tolist()), key=digest)
    return [narrowed_to(of, np.isin(of.group, tenants[fold::FOLDS])) for fold in range(min(FOLDS, len(tenants)))]


class FittingData(Struct, frozen=True, kw_only=True):
    """What a calibration is fitted on: data sets with the embedders that read them, the weights of some, and where samples are kept."""

    data: tuple[Path, ...]
    embedders: tuple[str, ...]
    policy: str = "cued"
    weights: dict[str, float] = {}
    cache: Path


def fitted(source: FittingData, wanted: FittingGoal) -> tuple[Calibration, list[Report]]:
    """The calibration, and a report on each data set by one that has not seen it."""
    embedders = [None if name == "none" else CachedEmbedder(load_embedder(name), source.cache) for name in source.embedders]
    only = embedders[0].fingerprint if embedders[0] is not None and len(embedders) == 1 else None
    wanted = replace(wanted, start=replace(wanted.start, embedder=f"{only.provider}/{only.model}" if only else ""))
    benches = [Bench(embedder=embedder, evidence=EvidenceCache(None)) for embedder in embedders]
    policy = load_policy(source.policy)
    samples = [
        replace(cached_sample(path, policy, wanted.start, bench, source.cache), weight=source.weights.get(path.name, 1.0))
        for path in source.data
        for bench in benches
    ]
    usable = [each for each in (_read_so(each, wanted) for each in samples) if (each.kind == OWN).any()]
    return calibrate(usable, wanted), cross_validated(usable, wanted)


def main() -> None:
    """Fit a calibration on the data sets named on the command line; the report goes to stderr, the TOML to stdout."""
    options = _arguments()
    start = Calibration(
        name=options.name,
        about=options.about,
        latin_only=options.latin_only,
        background_mean=options.background[0],
        background_deviation=options.background[1],
        intercept=0.0,
        weights={},
    )
    source = FittingData(
        data=tuple(options.data),
        embedders=tuple(options.embedder),
        policy=options.policy,
        weights=_numbers(options.weigh),
        cache=options.cache,
    )
    stated = _numbers(options.set)
    wanted = FittingGoal(start=start, columns=tuple(options.columns), stated=stated, silence=options.silence, growth=options.growth)
    calibration, reports = fitted(source, wanted)
    print(as_lines(reports), file=sys.stderr)  # noqa: T201 - a command
    sys.stdout.write(calibration_toml(calibration))


def _numbers(stated: Sequence[str]) -> dict[str, float]:
    return {name: float(number) for name, _, number in (each.partition("=") for each in stated)}


def _read_so(of: Sample, wanted: FittingGoal) -> Sample:
    """The sample without the questions that this calibration is not asked: those of stores that are read by words are the other's."""
    blind = np.add.reduceat(of.columns[:, COLUMNS.index("blind")], of.starts)
    return of if wanted.start.name == "lexical" else narrowed_to(of, 2 * blind <= of.lengths)


def calibration_toml(calibration: Calibration) -> str:
    """A calibration as the file that ships."""
    facts = {name: getattr(calibration, name) for name in calibration.__struct_fields__ if name != "weights"}
    lines = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in facts.items()]
    return "\n".join([*lines, "", "[weights]", *(f"{name} = {weight}" for name, weight in calibration.weights.items()), ""])


def as_lines(reports: Sequence[Report]) -> str:
    """The reports as lines, the least answered first, with their mean and the worst of each figure."""
    lines = [f"{_line(each)}  {each.name}" for each in sorted(reports, key=lambda each: each.answered or 0.0)]
    figures = {name: [value for each in reports if (value := getattr(each, name)) is not None] for name in Report.__struct_fields__[1:]}
    means = Report(name="mean", **{name: float(np.mean(values)) if values else None for name, values in figures.items()})
    worst = Report(name="worst", **{name: min(values) if values else None for name, values in figures.items()})
    head = f"left out of the fit, at a floor of {FLOOR}: recall@10, answered, far silence, AUROC far, AUROC near"
    return "\n".join([head, *lines, f"{_line(means)}  mean", f"{_line(worst)}  worst"])


def _line(of: Report) -> str:
    shares = (of.recall, of.answered, of.silence)
    return "  ".join(["    –" if value is None else f"{value:5.3f}" for value in (*shares, of.far, of.near)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cued.evaluation.calibrate", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, help="data sets as `cued eval` takes them")
    parser.add_argument(
        "--embedder", nargs="+", default=["auto"], help="one, or several for coefficients that hold for any; none for words"
    )
    parser.add_argument("--policy", default="cued", help="whose channels gather the candidates")
    parser.add_argument("--name", default="own")
    parser.add_argument("--about", default="fitted by python -m cued.evaluation.calibrate")
    parser.add_argument("--background", nargs=2, type=float, default=(0.05, 0.10), help="mean and deviation of an unrelated cosine")
    parser.add_argument("--latin-only", action="store_true", help="the embedder knows Latin script alone")
    parser.add_argument("--columns", nargs="+", choices=WEIGHED, default=WEIGHED, help="what the calibration may weigh")
    parser.add_argument("--weigh", nargs="*", default=(), metavar="NAME=WEIGHT", help="data sets that count more or less than 1")
    parser.add_argument("--set", nargs="*", default=(), metavar="COLUMN=WEIGHT", help="weights that are stated, not fitted")
    parser.add_argument("--silence", type=float, default=SILENCE, help="the share of far questions that the floor is silent to")
    parser.add_argument("--growth", type=float, default=GROWTH, help="how much of what far questions gain in larger stores is taken away")
    parser.add_argument("--cache", type=Path, default=default_folder())
    return parser.parse_args()


if __name__ == "__main__":
    main()
