"""diversify: near-duplicates collapse into one, and variety may count against more of the same."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from cued.flow.score import minmax
from cued.flow.table import Table
from cued.model import TRUSTS, Matrix, Recall
from cued.policy.spec import Policy

_OFF = 1.0
_HEAD = 48
_UNSHARED = 1 << 18
"""So many multiplications a product of matrices may need before BLAS shares it out."""


def run(table: Table) -> None:
    """Collapse near-duplicates, then reorder by maximal marginal relevance, both on stored vectors."""
    rules = table.policy.diversify
    if table.vectors is None:
        if _blindfolded(table):
            table.degraded.append("diversify: saved without vectors, so near-duplicates could not be told apart")
        return
    if rules.collapse <= _OFF:
        _collapse(table, table.vectors, rules.collapse)
    if rules.trade < _OFF:
        _reorder(table, table.vectors, rules.trade)


def compared(recall: Recall, policy: Policy) -> bool:
    """Whether a recall was decided by vectors: without them it would have come out otherwise."""
    return policy.diversify.trade < _OFF or "diversify" in recall.trace.stages


def _blindfolded(table: Table) -> bool:
    """Whether vectors were searched and are missing now, though the policy would have compared them."""
    rules, lookup = table.policy.diversify, table.evidence.lookup
    searched = lookup is not None and lookup.dense is not None
    return searched and (rules.collapse <= _OFF or rules.trade < _OFF) and len(table.survivors()) > 1


def _collapse(table: Table, vectors: Matrix, at_least: float) -> None:
    """Strike every row that says the same as a better one, which counts it as its duplicate.

    The cosine reaches `at_least`, and nothing that a cosine does not see speaks against it: two ports are near, and not the same.
    """
    # A memory is never left out for one that is less trusted, however much better that fits.
    rows = sorted(table.survivors(), key=lambda row: TRUSTS.index(table.memories[row].trust))
    near = list(_near(vectors[rows], at_least)) if len(rows) > 1 else []
    if not near:
        return
    from cued.text.sameness import Profile, difference  # noqa: PLC0415 - few recalls find anything alike

    profiled = cache(lambda place: Profile(table.memories[rows[place]]))
    struck: set[int] = set()
    for place, before in near:
        twins = (other for other in before if other not in struck and not difference(profiled(other), profiled(place)))
        twin = next(twins, None)
        if twin is None:
            continue
        struck.add(place)
        table.duplicates.setdefault(rows[twin], []).append(table.ids[rows[place]])
        table.strike(rows[place], "diversify", f"duplicate of {table.ids[rows[twin]]}")


def _near(vectors: Matrix, at_least: float) -> Iterator[tuple[int, list[int]]]:
    """Each vector whose cosine to an earlier one reaches `at_least`, by its place, with the places of those earlier ones."""
    slack = vectors.shape[1] * float(np.finfo(np.float32).eps)
    # The first components, with the length of the rest as one more, bound a product and leave few pairs whose whole is worth the time.
    rest = vectors[:, _HEAD:]
    head = np.column_stack((vectors[:, :_HEAD], np.sqrt(np.vecdot(rest, rest))))
    # So few at a time that the product is not shared out to threads, which on a busy machine wait for each other longer than this takes.
    step = max(1, _UNSHARED // max(1, head.size))
    for first in range(0, len(vectors), step):
        possible = head[first : first + step] @ head[: first + step].T >= at_least - slack
        places, others = np.nonzero(possible)
        for place in sorted(set(places[others < places + first].tolist())):
            about = np.flatnonzero(possible[place, : first + place])
            # What is close to the bound is told by exact products, whatever the order of their sums.
            exact = np.vecdot(vectors[about].astype(np.float64), vectors[first + place].astype(np.float64)).astype(np.float32)
            if len(near := about[exact >= at_least]):
                yield first + place, near.tolist()


def _reorder(table: Table, vectors: Matrix, trade: float) -> None:
    """Order by argmax λ·rel(d) − (1−λ)·max sim(d, chosen) (Carbonell & Goldstein, SIGIR 1998); rel is the score, min-max normalised."""
    rows = table.survivors()
    if not rows:
        return
    alive = vectors[rows]
    relevance = minmax(table.columns["score"][rows])
    nearest = np.zeros(len(rows))
    left = np.ones(len(rows), dtype=bool)
    chosen: list[int] = []
    for _ in range(min(len(rows), table.policy.budget.limit)):
        marginal = np.where(left, trade * relevance - (1 - trade) * nearest, -np.inf)
        best = int(np.argmax(marginal))
        chosen.append(best)
        left[best] = False
        similar = (alive @ alive[best]).astype(float)
        nearest = similar if len(chosen) == 1 else np.maximum(nearest, similar)
    ahead = [rows[i] for i in chosen]
    taken = set(ahead)
    rest = [row for row in table.order.tolist() if row not in taken]
    table.order = np.array(ahead + rest, dtype=np.intp)
