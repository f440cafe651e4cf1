"""How long `import cued` takes in a process that has imported nothing yet."""

import subprocess
import sys

from bench.figures import IMPORT, Result, Spent, series

_PROGRAM = "from time import *; w, c = perf_counter(), process_time(); import cued; print(perf_counter() - w, process_time() - c)"
_RUNS = 9


def importing() -> Result:
    """Import in fresh processes; the first, which may have to read from disk and compile, is left out."""
    spent = [_import() for _ in range(1 + _RUNS)]
    return Result(figures=(series("import", IMPORT, spent[1:]),))


def _import() -> Spent:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    wall, cpu = map(float, ran.stdout.split())
    return Spent(wall * 1000, cpu * 1000)
