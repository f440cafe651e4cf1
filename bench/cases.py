"""The cases by name, each run in processes of its own.

python -m bench.cases SIZE FOLDER CASE     runs one case here and prints its result as JSON
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import rmtree

from msgspec import json

from bench.figures import Result, merged
from bench.growth import CASE as GROWTH_CASE
from bench.growth import grow
from bench.importing import importing
from bench.keepers import CASE as KEEPERS_CASE
from bench.keepers import beside
from bench.loading import database, fill
from bench.minilm import CASE as MINILM_CASE
from bench.minilm import end_to_end
from bench.racing import BARE, race
from bench.racing import CASE as RACE_CASE
from bench.racing.peers import CASE as PEERS_CASE
from bench.racing.peers import PEERS
from bench.recalling import read
from bench.serving import CASE as SERVING_CASE
from bench.serving import serving
from bench.sizes import SIZES, Shape, Size
from bench.writers import CASE as CROWDING_CASE
from bench.writers import crowding

_LOAD = "load:"
Say = Callable[[str], None]


def names(size: Size, *, peers: bool = False) -> tuple[str, ...]:
    """The cases of this size in the order they run, those with other memory layers only where they are asked for."""
    racing = (PEERS_CASE,) if peers else (RACE_CASE,)
    return ("import", *(shape.name for shape in size.shapes), GROWTH_CASE, KEEPERS_CASE, CROWDING_CASE, MINILM_CASE, SERVING_CASE, *racing)


def run_here(case: str, size: Size, folder: Path) -> Result:
    """Run one case in this process."""
    shapes = {shape.name: shape for shape in (*size.growth, *size.shapes)}
    if case.startswith(_LOAD):
        return fill(shapes[case.removeprefix(_LOAD)], folder)
    if case in shapes:
        return read(shapes[case], folder, size)
    others: dict[str, Callable[[], Result]] = {
        "import": importing,
        GROWTH_CASE: lambda: grow(size.growth, folder, size),
        KEEPERS_CASE: lambda: beside(size.growth, folder, size),
        CROWDING_CASE: lambda: crowding(_emptied(folder / CROWDING_CASE), size),
        MINILM_CASE: lambda: end_to_end(_emptied(folder / MINILM_CASE), size),
        SERVING_CASE: lambda: serving(size.load),
        RACE_CASE: lambda: race(BARE, size.raced, _emptied(folder / RACE_CASE), size.recalls),
        PEERS_CASE: lambda: race({**BARE, **PEERS}, size.raced, _emptied(folder / PEERS_CASE), size.recalls),
    }
    return others[case]()


def run_all(chosen: Sequence[str], size_name: str, folder: Path, say: Say) -> Iterator[Result]:
    """Run the chosen cases, each in fresh processes and after the stores that it needs, and give their merged results."""
    size = SIZES[size_name]
    for case in chosen:
        for shape in _needed(case, size):
            if not database(folder, shape).exists():
                say(f"filling {shape.name}")
                yield _run_apart(_LOAD + shape.name, size_name, folder)
        results = []
        for number in range(size.repeats):
            say(f"measuring {case} ({number + 1} of {size.repeats})")
            results.append(_run_apart(case, size_name, folder))
        yield merged(results)


def _needed(case: str, size: Size) -> Sequence[Shape]:
    return size.growth if case in (GROWTH_CASE, KEEPERS_CASE) else [shape for shape in size.shapes if shape.name == case]


def _run_apart(case: str, size_name: str, folder: Path) -> Result:
    command = [sys.executable, "-m", "bench.cases", size_name, str(folder), case]
    # What pip installs is compiled; without a place for that, every command and every import would compile the package anew.
    compiling = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = compiling | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)  # noqa: S603 - our own module
    return json.decode(ran.stdout, type=Result)


def _emptied(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        rmtree(left) if left.is_dir() else left.unlink()
    return folder


def main(size_name: str, folder: str, case: str) -> None:
    """Run one case and print its result."""
    print(json.encode(run_here(case, SIZES[size_name], Path(folder))).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
