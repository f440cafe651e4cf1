"""map: memories laid out by meaning, on the two axes along which their vectors differ most."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued.model import Memory, Stored, Vector

AXES = 2
_DIRECTIONS, _ROUNDS = 8, 24


class Point(Struct, frozen=True, kw_only=True):
    """A memory and its place: `x` and `y` from -1 to 1, near where vectors are near."""

    memory: Memory
    x: float
    y: float


class MeaningMap(Struct, frozen=True, kw_only=True):
    """Memories laid out by meaning.

    `told` is the share of the vectors' spread that each of the two axes shows, `left_out` counts memories whose vector is missing or of
    another model, `total` all that were asked for, and `cue` is the place of a text laid out among them.
    """

    points: tuple[Point, ...] = ()
    told: tuple[float, ...] = ()
    left_out: int = 0
    total: int = 0
    cue: tuple[float, float] | None = None


def mapped(stored: Sequence[Stored], *, total: int, cue: Vector | None = None) -> MeaningMap:
    """The map of these memories by principal components (Pearson 1901): the directions along which they are spread most.

    An axis points where its largest part is positive, so the same memories give the same map. Vectors of the most frequent model count.
    """
    rows = _comparable(stored)
    if not rows:
        return MeaningMap(left_out=len(stored), total=total)
    vectors = np.stack([row.vector for row in rows if row.vector is not None]).astype(np.float64)
    centre = vectors.mean(axis=0)
    axes, told = _axes(vectors - centre)
    places = (vectors - centre) @ axes
    reach = float(np.abs(places).max()) or 1.0
    placed = None if cue is None or cue.shape != centre.shape else np.clip((cue - centre) @ axes / reach, -1, 1)
    return MeaningMap(
        points=tuple(Point(memory=row.memory, x=float(x), y=float(y)) for row, (x, y) in zip(rows, places / reach, strict=True)),
        told=told,
        left_out=len(stored) - len(rows),
        total=total,
        cue=None if placed is None else (float(placed[0]), float(placed[1])),
    )


def _comparable(stored: Sequence[Stored]) -> list[Stored]:
    having = [row for row in stored if row.vector is not None]
    models = Counter((row.memory.fingerprint, len(row.vector)) for row in having if row.vector is not None)
    if not models:
        return []
    usual = max(models, key=lambda each: (models[each], str(each)))
    return [row for row in having if row.vector is not None and (row.memory.fingerprint, len(row.vector)) == usual]


def _axes(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    """The two directions of the greatest spread, by iterating a few from a fixed start, and the share of the spread along each."""
    spreads = centred.T @ centred
    found = np.random.default_rng(AXES).standard_normal((centred.shape[1], min(_DIRECTIONS, *centred.shape)))
    for _ in range(_ROUNDS):
        found, _ = np.linalg.qr(spreads @ found)
    spread, turned = np.linalg.eigh(found.T @ spreads @ found)
    chosen = (found @ turned)[:, ::-1][:, :AXES]
    chosen = np.pad(chosen, ((0, 0), (0, AXES - chosen.shape[1])))
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), range(AXES)])
    whole = float(np.trace(spreads)) or 1.0
    told = [max(0.0, float(each)) / whole for each in spread[::-1][:AXES]]
    return chosen * np.where(signs == 0, 1.0, signs), (*told, *[0.0] * (AXES - len(told)))
