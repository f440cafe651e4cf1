"""How long `import cued` takes, and opening a file, in a process that has imported nothing yet."""

import subprocess
import sys
import tempfile
from pathlib import Path

import cued
from bench.figures import IMPORT, Result, Spent, series

_PROGRAM = "from time import *; w, c = perf_counter(), process_time(); {}; print(perf_counter() - w, process_time() - c)"
_PARTS = {
    IMPORT: "import cued",
    # The public names are loaded when they are first asked for, so this is what a first use waits for.
    "import cued and reach cued.open": "import cued; cued.open",
    "import cued and open a file": "import cued; cued.open({!r})",
    # With the parts of a recall, though no tenant is asked anything.
    "import cued, open a file, hold a tenant": "import cued; cued.open({!r}).tenant('t')",
}
_RUNS = 7


def importing() -> Result:
    """Import in fresh processes; the first, which may have to read from disk and compile, is left out."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="cued") as folder:
        path = Path(folder) / "memories.db"
        cued.open(path, embedder=None).close()
        for measure, part in _PARTS.items():
            spent = [_spent_on(part.format(str(path))) for _ in range(1 + _RUNS)]
            figures.append(series("import", measure, spent[1:]))
    return Result(figures=tuple(figures))


def _spent_on(part: str) -> Spent:
    command = [sys.executable, "-c", _PROGRAM.format(part)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    wall, cpu = map(float, ran.stdout.split())
    return Spent(wall * 1000, cpu * 1000)
