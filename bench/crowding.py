"""Several processes that remember in one file at once, as agents' clients do: how many memories a second, and how long the slowest waits.

python -m bench.crowding DATABASE NUMBER COUNT     one of them: it says that it is ready, and begins when it is told to
"""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from msgspec import json

from bench import corpus
from bench.figures import Figure, Result, Spent, series
from bench.loading import known, opened, tenant_name
from bench.measure import spent_on
from bench.sizes import Size
from bench.vectors import GivenVectors

CASE = "crowding"
PROCESSES = (1, 2, 4)


def crowding(folder: Path, size: Size) -> Result:
    """What each number of processes comes to, on a file of its own."""
    figures = [figure for count in PROCESSES for figure in _crowd(folder / f"{count}.db", count, size.writes * 10)]
    return Result(figures=tuple(figures))


def _crowd(path: Path, count: int, writes: int) -> tuple[Figure, Figure]:
    named = f"{count} process{'es' * (count > 1)}"
    with ExitStack() as stack:
        others = [stack.enter_context(_begun(path, number, writes)) for number in range(count)]
        for other in others:
            _line_of(other)
        waits = list[Spent]()

        def all_of_them() -> None:
            for other in others:
                _tell(other)
            for other in others:
                waits.extend(json.decode(_line_of(other), type=list[Spent]))

        whole = spent_on(all_of_them)
    # How much processor time that is, the processes have told of each memory.
    each_second = len(waits) / whole.wall_ms * 1000
    return Figure(case=CASE, measure=f"remembered, {named}", unit="/s", value=each_second), series(CASE, f"remember one, {named}", waits)


def _begun(path: Path, number: int, writes: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "bench.crowding", str(path), str(number), str(writes)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own module


def _tell(other: "subprocess.Popen[str]") -> None:
    if other.stdin is None:
        raise BrokenPipeError
    other.stdin.write("\n")
    other.stdin.flush()


def _line_of(other: "subprocess.Popen[str]") -> str:
    if other.stdout is None:
        raise BrokenPipeError
    return other.stdout.readline()


def main(path: str, number: str, count: str) -> None:
    """Remember so many memories of one tenant, each acknowledged before the next."""
    made = corpus.block(int(number), 0, int(count), among=int(count), words=corpus.vocabulary())
    with opened(Path(path), GivenVectors(known(made))) as memories:
        handle = memories.tenant(tenant_name(int(number)))
        print("ready", flush=True)
        sys.stdin.readline()
        waits = [spent_on(lambda draft=draft: handle.remember(draft)) for draft in made.drafts]  # type: ignore[misc]
        print(json.encode(waits).decode(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
