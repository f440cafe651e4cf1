"""Holds the quality of recall: every preset's figures on the development data, against the table that is checked in.

`python -m tools.quality` measures and fails on a drift beyond the tolerance; with `--write` it writes the table anew.
The data lies in the folder that CUED_DATA names; without it nothing is measured, and that is said.
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cued.embed import load as load_embedder
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.evidence import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Bench
from cued.policy.presets import names, preset

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "src" / "cued" / "evaluation" / "expected"
DATA = Path(os.environ.get("CUED_DATA", ROOT.parent / "shared" / "data"))
SETS = ("locomo", "longmemeval")
PAGE = ROOT / "docs" / "quality.md"
MARK, END = "<!-- quality -->", "<!-- /quality -->"
TOLERANCE = 0.005
FLOORS = (0.5, 0.7, 0.9)

Figures = dict[str, dict[str, float]]


def measured(name: str, cache: Path) -> Figures:
    """Each preset's figures on one data set, and how the default's floor does."""
    embedder = CachedEmbedder(load_embedder("cued"), cache)
    bench = Bench(embedder=embedder, evidence=EvidenceCache(cache))
    dataset = read(DATA / name)
    answer = evaluate(dataset, Request(policies=tuple(map(preset, names()))), bench)
    floor = evaluate(dataset, Request(policies=(preset("cued"),), abstain=True, floors=FLOORS), bench)
    figures = {policy: dict(_figures(found)) for policy, found in answer["policies"].items()}
    figures["cued"] |= dict(_floor_figures(floor["policies"]["cued"]["abstain"]))
    return figures


def drifts(expected: Figures, got: Figures) -> Iterator[str]:
    """A line for each figure that is missing, new, or off by more than the tolerance."""
    for policy in sorted(expected.keys() | got.keys()):
        old, new = expected.get(policy, {}), got.get(policy, {})
        for metric in sorted(old.keys() | new.keys()):
            was, now = old.get(metric), new.get(metric)
            if was is None or now is None or abs(was - now) > TOLERANCE:
                yield f"{policy} {metric}: expected {was}, got {now}"


def written(figures: Figures) -> str:
    """The figures as TOML."""
    tables = (f'["{policy}"]\n' + "".join(f'"{metric}" = {value}\n' for metric, value in row.items()) for policy, row in figures.items())
    return "# Written by python -m tools.quality --write.\n\n" + "\n".join(tables)


def page(tables: dict[str, Figures]) -> str:
    """The page docs/quality.md with its tables made anew from the figures."""
    before, _, rest = PAGE.read_text("utf-8").partition(MARK)
    _, _, after = rest.partition(END)
    return before + MARK + "\n" + "\n".join(_table(name, figures) for name, figures in tables.items()) + END + after


def main() -> int:
    """Measure every data set that is there; 1 when something drifted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table anew")
    parser.add_argument("--cache", type=Path, default=default_folder())
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in SETS:
        if not (DATA / name).is_dir():
            print(f"{name}: not measured, no folder {DATA / name}; set CUED_DATA")
            continue
        got, path = measured(name, options.cache), EXPECTED / f"{name}.toml"
        if options.write:
            path.write_text(written(got), "utf-8")
            tables = {
                each: tomllib.loads((EXPECTED / f"{each}.toml").read_text("utf-8"))
                for each in SETS
                if (EXPECTED / f"{each}.toml").is_file()
            }
            PAGE.write_text(page(tables), "utf-8")
            print(f"{name}: written")
            continue
        found = list(drifts(tomllib.loads(path.read_text("utf-8")), got))
        failed |= bool(found)
        print("\n".join([f"{name}: {len(got)} policies, {len(found)} drift(s) beyond {TOLERANCE}", *found]))
    return int(failed)


def _table(name: str, figures: Figures) -> str:
    metrics = ("recall@5", "recall@10", "ndcg@10", "sessions all@5")
    rows = sorted(figures.items(), key=lambda item: -item[1]["recall@10"])
    lines = [f"| {policy} | " + " | ".join(f"{100 * row[metric]:.1f}" for metric in metrics) + " |" for policy, row in rows]
    head = [f"\n**{name}**\n", "| policy | " + " | ".join(metrics) + " |", "| --- |" + " ---: |" * len(metrics)]
    own = figures["cued"]
    floors = [
        f"| {floor} | "
        + " | ".join(f"{100 * own[f'{metric} at {floor}']:.1f}" for metric in ("injection_rate", "precision", "answered"))
        + " |"
        for floor in FLOORS
    ]
    told = [
        f"\nThe default's floor; AUROC of the best relevance {own['auroc']:.3f}:\n",
        "| floor | injection rate | precision | answered |",
    ]
    return "\n".join([*head, *lines, *told, "| ---: | ---: | ---: | ---: |", *floors, ""])


def _figures(found: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for metric in ("recall@5", "recall@10", "ndcg@10"):
        yield metric, round(found["overall"][metric], 4)
    yield "sessions all@5", round(found["session"]["all@5"], 4)


def _floor_figures(found: dict[str, Any]) -> Iterator[tuple[str, float]]:
    yield "auroc", round(found["auroc"], 4)
    for each in found["floors"]:
        for metric in ("injection_rate", "precision", "answered"):
            yield f"{metric} at {each['floor']}", round(each[metric], 4)


if __name__ == "__main__":
    sys.exit(main())
