"""The loops of `_kernels.c` in numpy, for where it was not compiled: the same arguments, the same bits.

Answers are written into arrays of the caller's. Nothing is checked here that numpy does not check.
"""

from math import nan, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cued.model import Column, Matrix, Vector
from cued.stores.arrays import NOBODY, Mask, RowNumbers, Rows, distinct, rounded

Bytes = NDArray[np.int8]
Rests = NDArray[np.int16]
Numbers = NDArray[np.int64]

_FULL: Final = np.float32(127.4 * 2.0**16)
"""What a byte and a rest hold once they are rounded."""
_DIVIDED: Final = 2.0**16
_STEP_PRODUCT: Final = np.float32(2.0**-20)
"""A shortest step of a row's times one of the cue's."""
_FINE_PRODUCT: Final = 2.0**-35
"""A shortest step of a row's times a fine one of the cue's."""
_FINE_STEP: Final = 2.0**-25
_DOUBLED_MOST: Final = 8.0
"""No vector of length 1 needs longer steps; one that does is damaged."""
_AT_LEAST: Final = 1.05
"""|a·b - a'·b'| ≤ |a-a'||b| + |a'||b-b'|: this covers the lengths, and what is rounded on the way."""
_CUE_COARSE, _CUE_FINE = 2.0**11, 2.0**26
_GRID: Final = np.float32(2.0**15)
_BEYOND: Final = 2.0
"""No cosine is so large; a damaged row's counts as this, so that sums of squares hold."""
_AT_ONCE: Final = 512
"""So few rows that all steps over them stay in the processor's cache."""
_BLOCK: Final = 32


def take_apart(vectors: Matrix, scale: Vector, longer: Rests, high: Bytes, low: Rests, doubled: Vector, off: Vector) -> None:  # noqa: PLR0913, PLR0917 - one for one the compiled loop's
    """Write vectors as bytes and rests, how often each one's steps had to be doubled, and how far it is from its bytes alone."""
    for first in range(0, len(vectors), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        # Powers of two scale exactly. A damaged file can hold anything; what is not a vector of about length 1 is never near to any cue.
        with np.errstate(invalid="ignore", over="ignore"):
            parts = vectors[some] * scale
            longest = np.abs(parts).max(axis=1, initial=0.0) / _FULL
            sound = longest < _DOUBLED_MOST
            doubled[some] = np.where(sound, np.ldexp(np.float32(1.0), np.maximum(np.frexp(longest)[1], 0)), nan)
            parts = np.where(sound[:, None], parts / doubled[some, None], 0.0)
        whole = np.rint(parts).astype(np.int32)
        rest = whole.astype(np.int16)
        low[some], high[some] = rest, (whole - rest) >> 16
        lost = rest * longer.astype(np.float64)
        off[some] = np.where(sound, _AT_LEAST * np.sqrt(np.vecdot(lost, lost)) * _FINE_STEP * doubled[some].astype(np.float64), 0.0)


def put_together(high: Bytes, low: Rests, step: Vector, doubled: Vector, slots: Rows, vectors: Matrix) -> None:  # noqa: PLR0913, PLR0917
    """Write the vectors of these slots."""
    np.multiply(high.take(slots, axis=0), np.float32(_DIVIDED), out=vectors)
    vectors += low.take(slots, axis=0)
    vectors *= step
    vectors *= doubled.take(slots)[:, None]


def scan(high: Bytes, steps: Rests, doubled: Vector, near: Vector) -> None:
    """Write each row's product with the nearest of the cues, of its bytes alone."""
    unit = doubled * _STEP_PRODUCT
    for number, cue in enumerate(steps.astype(np.float32)):
        for first in range(0, len(high), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            # Float32 holds such sums exactly: at most 2^9 · 2^11, for both vectors are of about length 1.
            found = np.vecdot(high[some].astype(np.float32), cue) * unit[some]
            near[some] = np.maximum(near[some], found) if number else found


def most(numbers: Vector, places: Rows, found: Vector) -> None:
    """Raise for each number what is found at its place to it, where it is more; what is no number is not."""
    np.fmax.at(found, places, numbers)


def tell(  # noqa: PLR0913, PLR0917
    high: Bytes,
    low: Rests,
    doubled: Vector,
    fine: Rows,
    slots: Rows,
    near: Vector,
    rows: RowNumbers,
    exact: Column,
    told: Mask,
    found: Column,
) -> None:
    """Write the exact cosines of rows, nan for nobody and for what cannot be compared; each is worked out once and told from then on."""
    somebody = (rows >= 0) & np.isfinite(near[rows])
    untold = distinct(rows[somebody & ~told[rows]])
    places = slots[untold]
    upper, lower = high.take(places, axis=0).astype(np.float64), low.take(places, axis=0).astype(np.float64)
    for number, cue in enumerate(fine.astype(np.float64)):
        # Float64 holds such sums exactly, in any order.
        sums = np.vecdot(upper, cue) * _FINE_PRODUCT + np.vecdot(lower, cue) * _FINE_PRODUCT / _DIVIDED
        one = np.clip(sums * doubled.take(places), -1.0, 1.0)
        exact[untold] = np.maximum(exact[untold], one) if number else one
    told[untold] = True
    found[:] = np.where(somebody, exact[rows], nan)


def background(near: Vector) -> tuple[int, int, int]:
    """How many numbers are finite, and the sums of them and of their squares in whole steps of 2^-15, which are exact in any order."""
    steps = np.rint(near[np.isfinite(near)].clip(-_BEYOND, _BEYOND) * _GRID).astype(np.float64)
    # Not a dot product: from 10,000 rows on it waits for threads of its own, for milliseconds where all cores are busy.
    return len(steps), int(steps.sum()), int(np.square(steps).sum())


def in_steps(vector: Vector, longer: Rests, steps: Rests, fine: Rows) -> float:
    """Write a cue's vector in coarse and in fine steps, shorter where a row's are longer; the answer is how far the coarse ones are off."""
    exact = vector.astype(np.float64)
    coarse, rest = np.rint(exact * _CUE_COARSE), np.rint(exact * _CUE_FINE)
    steps[:], fine[:] = coarse * longer, rest * longer
    off = rest - coarse * (_CUE_FINE / _CUE_COARSE)
    return sqrt(np.vecdot(off, off)) / _CUE_FINE


def nearest(near: Vector, off: Vector, places: RowNumbers, pool: int, margin: float) -> int:
    """Write which rows can be among the `pool` nearest where each may be off by so much, but for a margin; and how many those are."""
    return _within(near - off, near + off, places, pool, margin)


def highest(values: Column, places: RowNumbers, pool: int, margin: float) -> int:
    """Write which values can be among the `pool` highest, but for a margin; and how many those are."""
    return _within(values, values, places, pool, margin)


def _within(lowest: NDArray[Any], highest: NDArray[Any], places: RowNumbers, pool: int, margin: float) -> int:
    """Write which values reach, at their highest, what the best reach at their lowest.

    The lowest of those is told by the best of each block where there are more blocks than are wanted: it may be somewhat too low then.
    """
    whole = len(lowest) // _BLOCK * _BLOCK
    blocks = np.append(lowest[:whole].reshape(-1, _BLOCK).max(axis=1), [lowest[whole:].max()] if whole < len(lowest) else [])
    seen = blocks if len(blocks) > pool else lowest
    least = float(np.partition(seen, len(seen) - pool)[len(seen) - pool]) - margin
    found = np.flatnonzero(highest.astype(np.float64) >= least)
    places[: len(found)] = found
    return len(found)


def rank(values: Column, rows: RowNumbers, best: RowNumbers) -> None:
    """Write the rows of the highest values, the highest first, ties by row."""
    best[:] = rows[np.lexsort((rows, -values))[: len(best)]]


def beside(rows: RowNumbers, before: Rows, after: Rows, visible: Mask | None, everywhere: RowNumbers) -> None:
    """Write rows, then the nearest visible row before each in its session, or NOBODY, then the nearest after each."""
    everywhere[:] = rows, _followed(before, rows, visible), _followed(after, rows, visible)


def _followed(links: Rows, rows: RowNumbers, visible: Mask | None) -> RowNumbers:
    found = links[rows].astype(np.intp)
    while visible is not None:
        hidden = np.flatnonzero((found != NOBODY) & ~visible[found])
        if not len(hidden):
            break
        found[hidden] = links[found[hidden]]
    return found


def merge(rows: RowNumbers, all_rows: int) -> int:  # noqa: ARG001 - the compiled loop needs to know
    """Put rows in order in place, each once and nobody left out, of so many that there are; the answer is how many those are."""
    kept = distinct(rows[rows != NOBODY])
    rows[: len(kept)] = kept
    return len(kept)


def number(rows: RowNumbers, pool: RowNumbers, ranks: Column) -> None:
    """Write the place of each of a pool's rows among rows in order, as a rank from 1."""
    ranks[rows.searchsorted(pool)] = np.arange(1, len(pool) + 1)


def lay_out(  # noqa: PLR0913, PLR0917
    everywhere: RowNumbers,
    scores: Column | None,
    covered: Column | None,
    names: Column | None,
    window: Mask | None,
    lengths: Numbers,
    totals: Column,
    columns: NDArray[np.float64],
) -> None:
    """Write scores and shares of rows and of their neighbours, then of each row its share of the names, its window and its length.

    Behind the scores of the rows stands that of nobody.
    """
    rows = everywhere[0]
    columns[:3] = 0.0 if scores is None else rounded(scores[everywhere])
    columns[3:6] = 0.0 if covered is None else _share(covered[everywhere], totals[0])
    columns[6] = 0.0 if names is None else _share(names[rows], totals[1])
    columns[7] = 0.0 if window is None else window[rows]
    columns[8] = lengths[rows]


def _share(covered: Column, total: float) -> Column:
    return rounded(covered / total) if total > 0 else covered


def find(  # noqa: PLR0913, PLR0917
    hashes: NDArray[np.uint64],
    starts: Numbers,
    rows: Rows,
    visible: Mask | None,
    keys: NDArray[np.uint64],
    begins: Numbers,
    ends: Numbers,
    documents: Numbers,
) -> None:
    """Write where the entries of each key lie in a segment, and add how many visible rows have it."""
    places = hashes.searchsorted(keys)
    there = places < len(hashes)
    there[there] = hashes[places[there]] == keys[there]
    begins[:] = ends[:] = 0
    begins[there], ends[there] = starts[places[there]], starts[places[there] + 1]
    if visible is None:
        documents += ends - begins
    else:
        seen = [np.count_nonzero(visible[rows[begin:end]]) for begin, end in zip(begins, ends, strict=True)]
        documents += np.array(seen, dtype=np.int64)


def weigh(  # noqa: PLR0913, PLR0917
    rows: Rows,
    counts: NDArray[np.uint16],
    begins: Numbers,
    ends: Numbers,
    visible: Mask | None,
    lengths: Numbers,
    weights: Column,
    parameters: Column,
    scores: Column,
    covered: Column,
    found: RowNumbers,
) -> int:
    """Add what each key is worth in each visible row that has it, in the order of the keys; and write which rows had none, and how many."""
    shorter, b, k1, delta = parameters.tolist()
    held = 0
    for begin, end, weight in zip(begins.tolist(), ends.tolist(), weights.tolist(), strict=True):
        if weight <= 0.0:
            continue
        having, often = rows[begin:end], counts[begin:end].astype(np.float64)
        if visible is not None:
            seen = visible[having]
            having, often = having[seen], often[seen]
        fresh = having[covered[having] == 0.0]
        found[held : held + len(fresh)] = fresh
        held += len(fresh)
        damped = lengths[having] * shorter * b + (1 - b)
        scores[having] += (often * (k1 + 1) / (damped * k1 + often) + delta) * weight
        covered[having] += weight
    return held
