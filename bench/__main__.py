"""Run the benchmark: python -m bench [--quick] [--peers] [--only CASE] [--json FILE] [--against FILE] [--markdown]."""

import argparse
import sys
import tempfile
from pathlib import Path

from msgspec import json
from rich.console import Console

from bench import report
from bench.cases import names, run_all
from bench.measure import load_average, machine
from bench.sizes import SIZES


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the tables; progress goes to standard error."""
    asked = _parser().parse_args(arguments)
    size_name = "quick" if asked.quick else asked.size
    known = names(SIZES[size_name], peers=asked.peers)
    chosen = [name for name in known if not asked.only or any(name.startswith(wanted) for wanted in asked.only)]
    if not chosen:
        sys.exit(f"--only: no case begins like that; the cases of this size are {', '.join(known)}")
    before = json.decode(asked.against.read_bytes(), type=report.Report) if asked.against else None
    began = load_average()
    with tempfile.TemporaryDirectory(prefix="cued-bench-", dir=asked.folder) as folder:
        results = tuple(run_all(chosen, size_name, Path(folder), lambda line: print(line, file=sys.stderr, flush=True)))
    found = report.Report(machine=machine(began, load_average()), results=results)
    if asked.json:
        asked.json.write_bytes(report.as_json(found))
    if asked.markdown:
        print(report.markdown(found, before))
    else:
        report.shown(found, Console(width=None if sys.stdout.isatty() else 120), before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure how fast Cued is, beside its budgets.")
    parser.add_argument("--quick", action="store_true", help="small stores and few repetitions: less than a minute")
    parser.add_argument("--size", choices=SIZES, default="full", help="how much to measure (default: full)")
    parser.add_argument("--peers", action="store_true", help="race other memory layers too, those of them that are installed")
    parser.add_argument("--only", action="append", metavar="CASE", help="only the cases that begin like this; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything to this file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with an earlier run's --json; what is a fifth worse is red")
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of tables for a terminal")
    parser.add_argument("--folder", type=Path, help="where to make the stores: on the disk that is to be measured (default: the system's)")
    return parser


if __name__ == "__main__":
    main()
