"""Other processes that write to one file: one beside a recall, or several at once, as agents' clients are.

python -m bench.writers DATABASE TENANT MEMORIES_EACH COUNT     each line on its input is one memory, and the answer is its id
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

from bench import corpus
from bench.figures import Figure, Result, Spent, series
from bench.loading import known, opened, tenant_name
from bench.measure import spent_on
from bench.sizes import Size
from bench.vectors import GivenVectors

FIRST_OF_OTHERS = 2_000_000
"""The number of their first memory: none of them is there already."""
CASE = "crowding"
_PROCESSES = (1, 2, 4)
_EACH = 10
"""How many times as many memories as are written alone are written in a crowd: who has to wait does so seldom, and then for long."""

Write = Callable[[], str]


@contextmanager
def writer(path: Path, tenant: int, each: int, count: int) -> Iterator[Write]:
    """Another process that has the file open: each call has it remember one memory, and gives its id."""
    command = [sys.executable, "-m", "bench.writers", str(path), str(tenant), str(each), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:  # noqa: S603 - our own module

        def write() -> str:
            if other.stdin is None or other.stdout is None:
                raise BrokenPipeError
            other.stdin.write("\n")
            other.stdin.flush()
            return other.stdout.readline().strip()

        yield write


def crowding(folder: Path, size: Size) -> Result:
    """How many memories a second some processes write to one file, and how long each is waited for."""
    figures = [figure for count in _PROCESSES for figure in _crowd(folder / f"{count}.db", count, _EACH * size.writes)]
    return Result(figures=tuple(figures))


def _crowd(path: Path, count: int, writes: int) -> tuple[Figure, Figure]:
    named, waits = f"{count} process{'es' * (count > 1)}", list[Spent]()
    with ExitStack() as stack:
        others = [stack.enter_context(writer(path, tenant, writes, writes + 1)) for tenant in range(count)]
        for write in others:
            write()  # by then it has the file open
        threads = [Thread(target=lambda write=write: waits.extend(spent_on(write) for _ in range(writes))) for write in others]

        def all_of_them() -> None:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        whole = spent_on(all_of_them)
    each_second = len(waits) / whole.wall_ms * 1000
    return Figure(case=CASE, measure=f"remembered, {named}", unit="/s", value=each_second), series(CASE, f"remember one, {named}", waits)


def main(path: str, tenant: str, each: str, count: str) -> None:
    """Remember one memory of the tenant a line, until the lines end."""
    late = corpus.block(int(tenant), FIRST_OF_OTHERS, int(count), among=int(each), words=corpus.vocabulary())
    with opened(Path(path), GivenVectors(known(late))) as memories:
        handle = memories.tenant(tenant_name(int(tenant)))
        for _, draft in zip(sys.stdin, late.drafts, strict=False):
            print(handle.remember(draft).id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
