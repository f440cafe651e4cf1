"""How long `import cued` takes in a process that has imported nothing yet."""

import subprocess
import sys

from bench.figures import IMPORT, Result, series

_PROGRAM = "import time; t = time.perf_counter(); import cued; print((time.perf_counter() - t) * 1000)"
_RUNS = 9


def importing() -> Result:
    """Import in fresh processes; the first, which may have to read from disk and compile, is left out."""
    times = [_import_ms() for _ in range(1 + _RUNS)]
    return Result(figures=(series("import", IMPORT, times[1:]),))


def _import_ms() -> float:
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    return float(ran.stdout)
