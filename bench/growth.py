"""The same tenant of the same memories in stores of several sizes: a recall's cost should not know the store."""

from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.figures import GROWTH, Figure, Result, series
from bench.loading import database, opened, tenant_name
from bench.recalling import Asked, questions, recalled
from bench.sizes import Shape, Size
from bench.vectors import GivenVectors

CASE = "growth"
# The first tenant is the one that other cases write to.
TENANT = 1


def grow(shapes: tuple[Shape, ...], folder: Path, size: Size) -> Result:
    """Ask every store the same questions in turn, so that whatever disturbs the machine disturbs them alike."""
    embedder = GivenVectors({})
    asked = [Asked(tenant_name(TENANT), each.text) for each in questions(shapes[0], size.recalls, embedder)]
    with ExitStack() as stack:
        stores = [stack.enter_context(opened(database(folder, shape), embedder)) for shape in shapes]
        for memories in stores:
            recalled(memories, asked[0])
        spent = [[recalled(memories, each).spent for memories in stores] for each in asked]
    columns = list(zip(*spent, strict=True))
    figures = [
        series(CASE, f"recall among {shape.each} of {shape.memories}", column) for shape, column in zip(shapes, columns, strict=True)
    ]
    ratio = median(row[-1].wall_ms / row[0].wall_ms for row in spent)
    return Result(figures=(*figures, Figure(case=CASE, measure=GROWTH, unit="×", value=ratio)))
