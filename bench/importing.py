"""How long `import cued` takes in a process that has imported nothing yet."""

import subprocess
import sys

from bench.figures import IMPORT, Result, Spent, series

_PROGRAM = "from time import *; w, c = perf_counter(), process_time(); {}; print(perf_counter() - w, process_time() - c)"
_PARTS = {
    IMPORT: "import cued",
    # The public names are loaded when they are first asked for, so this is what a first use waits for.
    "import cued and reach cued.open": "import cued; cued.open",
}
_RUNS = 7


def importing() -> Result:
    """Import in fresh processes; the first, which may have to read from disk and compile, is left out."""
    figures = []
    for measure, part in _PARTS.items():
        spent = [_spent_on(part) for _ in range(1 + _RUNS)]
        figures.append(series("import", measure, spent[1:]))
    return Result(figures=tuple(figures))


def _spent_on(part: str) -> Spent:
    command = [sys.executable, "-c", _PROGRAM.format(part)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    wall, cpu = map(float, ran.stdout.split())
    return Spent(wall * 1000, cpu * 1000)
