"""Holds the quality of recall: figures on every folder of the development data, against the tables that are checked in.

`python -m tools.quality` measures and fails on a drift beyond the tolerance; with `--write` it writes the tables anew. On
conversations every preset is measured, elsewhere the default and the plain searches. The data lies in the folder that CUED_DATA
names, but for what is of our own writing; what is not there is not measured, and that is said.
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cued.embed import load_embedder
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Bench
from cued.policy.adjust import HEIGHTS
from cued.policy.presets import names, preset

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "src" / "cued" / "evaluation" / "expected"
DATA = Path(os.environ.get("CUED_DATA", ROOT.parent / "shared" / "data"))
OWN = {name: ROOT / "tests" / "evaluation" / name for name in ("everyday", "long_notes")}
"""Everyday facts, and notes of 1 to 2.6 kB, each with the questions about them."""
CONVERSATIONS = ("locomo", "longmemeval")
SETS = (
    *CONVERSATIONS,
    "locomo_obs",
    "locomo_sum",
    "lifebench_en",
    "lifebench_zh",
    "memorybank",
    "memdaily_zh",
    "prefeval",
    "swefix",
    "xquad",
)
PLAIN = ("dense", "lexical", "rrf")
PAGE = ROOT / "docs" / "quality.md"
MARK, END = "<!-- quality -->", "<!-- /quality -->"
TOLERANCE = 0.005
FLOORS = tuple(HEIGHTS.values())
FLOOR_PAGE = ROOT / "docs" / "flow" / "floor.md"
FLOOR_MARK, FLOOR_END = "<!-- floors -->", "<!-- /floors -->"
SHOWN_ON_FLOOR_PAGE = ("everyday", *CONVERSATIONS, "locomo_obs", "prefeval")
RATES = ("injection_rate", "precision", "silence", "answered", "shown", "extra")

Figures = dict[str, dict[str, float]]


def measured(name: str, cache: Path) -> Figures:
    """The policies' figures on one data set, and how the default's floor does."""
    embedder = CachedEmbedder(load_embedder("cued"), cache)
    bench = Bench(embedder=embedder, evidence=EvidenceCache(cache))
    dataset = read(_folder(name))
    policies = names() if name in CONVERSATIONS else ("cued", *PLAIN)
    answer = evaluate(dataset, Request(policies=tuple(map(preset, policies))), bench)
    floor = evaluate(dataset, Request(policies=(preset("cued"),), abstain=True, floors=FLOORS), bench)
    figures = {policy: dict(_figures(found)) for policy, found in answer["policies"].items()}
    figures["cued"] |= dict(_floor_figures(floor["policies"]["cued"]["abstain"]))
    return figures


def _folder(name: str) -> Path:
    return OWN.get(name, DATA / name)


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
    """docs/quality.md with its tables made anew from the figures."""
    before, _, rest = PAGE.read_text("utf-8").partition(MARK)
    _, _, after = rest.partition(END)
    shown = [genres(tables), *(_table(name, tables[name]) for name in CONVERSATIONS if name in tables)]
    return before + MARK + "\n" + "\n".join(shown) + END + after


def floor_page(tables: dict[str, Figures]) -> str:
    """docs/flow/floor.md with what each named floor does on some genres made anew from the figures."""
    before, _, rest = FLOOR_PAGE.read_text("utf-8").partition(FLOOR_MARK)
    return before + FLOOR_MARK + "\n" + floors(tables) + FLOOR_END + rest.partition(FLOOR_END)[2]


def floors(tables: dict[str, Figures]) -> str:
    """One line a named floor: on each of some data sets the share answered, the share of far questions met with silence, and extra."""
    shown = [name for name in SHOWN_ON_FLOOR_PAGE if name in tables]
    lines = ["", "| floor | at | " + " | ".join(shown) + " |", "| --- | ---: |" + " ---: |" * len(shown)]
    for name, at in HEIGHTS.items():
        rows = (tables[each]["cued"] for each in shown)
        cells = (f"{100 * r[f'answered at {at}']:.0f} · {100 * r[f'silence at {at}']:.0f} · {r[f'extra at {at}']:.1f}" for r in rows)
        lines.append(f"| `{name}` | {at} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def genres(tables: dict[str, Figures]) -> str:
    """One line a data set: what the default finds beside the best plain search, and what its floor does; the worst are in bold."""
    rows = {name: _genre(figures) for name, figures in tables.items()}
    heads = ("recall@10", "best plain", "ahead", "answered", "shown", "extra", "far silence", "precision", "far AUROC", "near AUROC")
    lines = ["", "| data | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(heads)]
    for name, row in rows.items():
        cells = [_cell(head, row[head], [other[head] for other in rows.values()]) for head in heads]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _genre(figures: Figures) -> dict[str, float | str | None]:
    own = figures["cued"]
    best = max(PLAIN, key=lambda policy: figures[policy]["recall@10"])
    return {
        "recall@10": own["recall@10"],
        "best plain": f"{100 * figures[best]['recall@10']:.1f} ({best})",
        "ahead": own["recall@10"] - figures[best]["recall@10"],
        **{head: own.get(f"{key} at 0.7") for head, key in (("answered", "answered"), ("shown", "shown"), ("extra", "extra"))},
        "far silence": own.get("silence at 0.7"),
        "precision": own.get("precision at 0.7"),
        "far AUROC": own.get("auroc"),
        "near AUROC": own.get("near auroc"),
    }


def _cell(head: str, value: float | str | None, column: list[float | str | None]) -> str:
    """A figure as the page shows it, in bold where it is the worst of its column."""
    if value is None or isinstance(value, str):
        return value or "–"
    numbers = [each for each in column if isinstance(each, float)]
    shown = {"extra": f"{value:.2f}", "ahead": f"{100 * value:+.1f}"}.get(head, f"{value:.3f}" if "AUROC" in head else f"{100 * value:.1f}")
    return f"**{shown}**" if value == (max(numbers) if head == "extra" else min(numbers)) else shown


def main() -> int:
    """Measure every data set that is there; 1 when something drifted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table anew")
    parser.add_argument("--cache", type=Path, default=default_folder())
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in (*OWN, *SETS):
        if not _folder(name).is_dir():
            print(f"{name}: not measured, no folder {_folder(name)}; set CUED_DATA")
            continue
        got, path = measured(name, options.cache), EXPECTED / f"{name}.toml"
        if options.write:
            path.write_text(written(got), "utf-8")
            print(f"{name}: written")
            continue
        found = list(drifts(tomllib.loads(path.read_text("utf-8")), got))
        failed |= bool(found)
        print("\n".join([f"{name}: {len(got)} policies, {len(found)} drift(s) beyond {TOLERANCE}", *found]))
    if options.write:
        PAGE.write_text(page(tables()), "utf-8")
        FLOOR_PAGE.write_text(floor_page(tables()), "utf-8")
    return int(failed)


def tables() -> dict[str, Figures]:
    """The tables that are checked in, our own first."""
    files = {name: EXPECTED / f"{name}.toml" for name in (*OWN, *SETS)}
    return {name: tomllib.loads(path.read_text("utf-8")) for name, path in files.items() if path.is_file()}


def _table(name: str, figures: Figures) -> str:
    metrics = ("recall@5", "recall@10", "ndcg@10", "sessions all@5")
    rows = sorted(figures.items(), key=lambda item: -item[1]["recall@10"])
    lines = [f"| {policy} | " + " | ".join(f"{100 * row[metric]:.1f}" for metric in metrics) + " |" for policy, row in rows]
    head = [f"\n**{name}**\n", "| policy | " + " | ".join(metrics) + " |", "| --- |" + " ---: |" * len(metrics)]
    own = figures["cued"]
    floors = [
        f"| {floor} | "
        + " | ".join(f"{100 * own[f'{metric} at {floor}']:.1f}" for metric in RATES[:-1])
        + f" | {own[f'extra at {floor}']:.2f} |"
        for floor in FLOORS
    ]
    told = [
        f"\nThe default's floor; AUROC of the best relevance {own['auroc']:.3f}:\n",
        "| floor | injection rate | precision | far silence | answered | shown | extra |",
    ]
    return "\n".join([*head, *lines, *told, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |", *floors, ""])


def _figures(found: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for metric in ("recall@5", "recall@10", "ndcg@10"):
        yield metric, round(found["overall"][metric], 4)
    if found["session"]["queries"]:
        yield "sessions all@5", round(found["session"]["all@5"], 4)


def _floor_figures(found: dict[str, Any]) -> Iterator[tuple[str, float]]:
    stated = {"auroc": found["auroc"], "near auroc": found["near"]["auroc"], "near silence": found["near"]["silence"], "ece": found["ece"]}
    stated |= {f"{metric} at {each['floor']}": each[metric] for each in found["floors"] for metric in RATES}
    for metric, value in stated.items():
        if value is not None:
            yield metric, round(value, 4)


if __name__ == "__main__":
    sys.exit(main())
