"""An evaluation as pictures: recall by category, what each floor does, and whether relevance means what it says."""

import re
from pathlib import Path

from cued.evaluation.svg import Series, bars, lines
from cued.model.plain import JSON

FLOORS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""The floors at which the curves are drawn."""

_CURVES = (("injection_rate", "injection rate"), ("precision", "precision"), ("answered", "answered with gold"))


def write(answer: JSON, folder: Path) -> list[Path]:
    """Write the pictures into the folder and give their files; the floor's and the calibration's only where they were measured."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"recall-by-category": recall_by_category(answer)}
    for name, figures in answer["policies"].items():
        if "abstain" in figures and figures["abstain"].get("floors"):
            pictures[f"floor-{_filename(name)}"] = floor_curves(answer["dataset"], name, figures["abstain"])
    if any("abstain" in figures for figures in answer["policies"].values()):
        pictures["calibration"] = calibration(answer)
    files = []
    for name, picture in pictures.items():
        files.append(folder / f"{name}.svg")
        files[-1].write_text(picture, "utf-8")
    return files


def recall_by_category(answer: JSON) -> str:
    """Bars of recall at the greatest k, with 95 % intervals, over all questions and for each category."""
    metric = f"recall@{max(answer['k'])}"
    first = next(iter(answer["policies"].values()))
    categories = list(first["by_category"]) if len(first["by_category"]) > 1 else []
    counted = {"all": first["overall"], **{category: first["by_category"][category] for category in categories}}
    groups = [f"{name} ({figures['queries']})" for name, figures in counted.items()]
    series = []
    for name, figures in answer["policies"].items():
        rows = [figures["overall"], *(figures["by_category"][category] for category in categories)]
        whiskers = tuple((row[f"{metric}_ci"][0], row[f"{metric}_ci"][1]) for row in rows)
        series.append(Series(name=name, points=tuple((place, row[metric]) for place, row in enumerate(rows)), whiskers=whiskers))
    return bars(f"{answer['dataset']}: {metric} by category", groups, series, y="share of gold turns found, 95 % intervals")


def floor_curves(dataset: str, policy: str, measured: JSON) -> str:
    """Injection rate, precision and answered questions against the floor."""
    series = [
        Series(name=label, points=tuple((row["floor"], row[key]) for row in measured["floors"] if row[key] is not None))
        for key, label in _CURVES
    ]
    counted = measured["queries"]
    told = f"{counted['answerable']} own questions and {counted['far']} far ones"
    own = "it has none" if measured["floor"] is None else f"its own is {measured['floor']:g}"
    return lines(f"{dataset}: {policy} at each floor; {own}", series, x="floor", y=told)


def calibration(answer: JSON) -> str:
    """How often candidates of a relevance were gold, against that relevance; on the diagonal it means what it says."""
    series = [
        Series(name=name, points=tuple((row["predicted"], row["gold"]) for row in figures["abstain"]["reliability"]))
        for name, figures in answer["policies"].items()
        if "abstain" in figures
    ]
    return lines(f"{answer['dataset']}: calibration of relevance", series, x="relevance", y="share that was gold", diagonal=True)


def _filename(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "policy"
