"""Runs several recipes, some at once on one device, and lays their figures side by side."""

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COLUMNS = {
    "locomo": "locomo/turns@10/384",
    "256": "locomo/turns@10/256",
    "128": "locomo/turns@10/128",
    "lme turns": "longmemeval_user/turns@10/384",
    "sessions": "longmemeval_user/sessions_all@5/384",
    "lme all": "longmemeval_all/turns@10/384",
    "prefs": "probe/preferences/384",
    "errors": "probe/errors/384",
    "idents": "probe/identifiers/384",
    "instr": "probe/instructions/384",
    "numbers": "probe/numbers_dates/384",
    "sts": "probe/paraphrase/384",
    "held out": "held_out",
    "seconds": "seconds",
}


def table(results: dict[str, dict[str, list[float]]]) -> str:
    """The trials' figures as a Markdown table."""
    lines = ["| trial | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for name, found in results.items():
        cells = [f"{found[key][0]:.1f}" if key in found else "–" for key in COLUMNS.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run the trials of a TOML file (`[name]` tables of changes to the recipe) and write results.json and table.md.

    Options that it does not know are given on to `python -m training`.
    """
    parser = argparse.ArgumentParser(prog="python -m training.trials")
    parser.add_argument("trials", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--at-once", type=int, default=4)
    options, rest = parser.parse_known_args()
    trials = tomllib.loads(options.trials.read_text(encoding="utf-8"))
    options.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, list[float]]] = {}

    def run(name: str) -> None:
        started = time.perf_counter()
        command = [sys.executable, "-m", "training", "--out", str(options.out / name), "--changes", json.dumps(trials[name]), *rest]
        with (options.out / f"{name}.log").open("w") as log:
            subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False, env=os.environ)  # noqa: S603 our own command
        for report in sorted((options.out / name).glob("figures-*.json")):
            label = f"{name} × {report.stem.removeprefix('figures-')}"
            results[label] = json.loads(report.read_text()) | {"seconds": [time.perf_counter() - started]}
            print(table({label: results[label]}).splitlines()[-1], flush=True)
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
        (options.out / "table.md").write_text(table(results) + "\n")

    with ThreadPoolExecutor(options.at_once) as pool:
        list(pool.map(run, trials))


if __name__ == "__main__":
    main()
