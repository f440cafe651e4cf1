"""Which memories of one scope, kind, tier and embedder are near-duplicates of which: pure, and the same in every run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from cued.errors import InputError
from cued.model import DISTINCT, TRUSTS, Matrix, Memory, Stored, Vector
from cued.ports import Progress
from cued.text.sameness import Profile, Sameness, difference
from cued.upkeep.nearness import Mask, May, Rows, neighboured, take, unit

Held = Callable[[Sequence[str]], frozenset[str]]
Claims = Mapping[str, tuple[str, ...]]


class Merge(Struct, frozen=True, kw_only=True):
    """That a memory gives way to a newer one, as they were when it was planned."""

    newer: str
    older: str
    similarity: float
    text_newer: str
    text_older: str
    version_newer: int
    version_older: int


class Spared(Struct, frozen=True, kw_only=True):
    """A memory that is near enough to a newer one and stays all the same, and why."""

    newer: str
    older: str
    similarity: float
    text_newer: str
    text_older: str
    reason: str


class NearDuplicates:
    """The near-duplicates among memories of one scope, kind, tier and embedder, newest first, and which gives way to which."""

    def __init__(self, members: Sequence[Stored], at_least: float, *, held: Held, claims: Claims, progress: Progress) -> None:
        """Find who has a near one, and let the newest take what says the same.

        `held` tells which ids must not give way, and `claims` what each memory of the tenant supersedes.
        """
        newest_first = sorted(members, key=lambda stored: (stored.memory.created_at, stored.memory.id), reverse=True)
        matrix = unit(np.stack([_vector(stored) for stored in newest_first]))
        near = neighboured(matrix, at_least, progress=progress)
        self._memories = [newest_first[row].memory for row in near]
        self._matrix: Matrix = matrix[near]
        self._profiles = [Profile(memory) for memory in self._memories]
        self._ends = np.array([_end(memory) for memory in self._memories], dtype=np.float64)
        self._trusts = np.array([TRUSTS.index(memory.trust) for memory in self._memories], dtype=np.int8)
        holds = held([memory.id for memory in self._memories])
        self._held = np.array([memory.id in holds for memory in self._memories], dtype=np.bool_)
        self._circular = _circular(self._memories, claims)
        self._taken = take(self._matrix, at_least, self._judge())

    def merges(self) -> list[Merge]:
        """The merges, newest first."""
        return [
            Merge(
                **self._pair(newer, older),
                version_newer=self._memories[newer].version,
                version_older=self._memories[older].version,
            )
            for newer, older in self._pairs(self._taken.by, self._taken.by >= 0)
        ]

    def spared(self) -> list[Spared]:
        """The memories that stay although a newer one is near, and why."""
        pairs = self._pairs(self._taken.spared_by, (self._taken.by < 0) & (self._taken.spared_by >= 0))
        return [Spared(**self._pair(newer, older), reason=self._reason(newer, older)) for newer, older in pairs]

    def _judge(self) -> May:
        same, parted = Sameness(self._profiles), _parted(self._memories)

        def may(newer: Rows, older: Rows) -> Mask:
            lasting: Mask = np.greater_equal.outer(self._ends[newer], self._ends[older])
            trusted: Mask = np.less_equal.outer(self._trusts[newer], self._trusts[older])
            allowed: Mask = same(newer, older) & lasting & trusted & ~self._held[older]
            for one, other in (*parted, *self._circular):
                allowed[np.ix_(newer == one, older == other)] = False
            return allowed

        return may

    def _pairs(self, by: Rows, which: Mask) -> list[tuple[int, int]]:
        return sorted((int(by[older]), int(older)) for older in np.flatnonzero(which))

    def _pair(self, newer: int, older: int) -> dict[str, Any]:
        one, other = self._memories[newer], self._memories[older]
        cosine = round(min(1.0, float(self._matrix[newer] @ self._matrix[older])), 4)
        return {"newer": one.id, "older": other.id, "similarity": cosine, "text_newer": one.text, "text_older": other.text}

    def _reason(self, newer: int, older: int) -> str:
        if differing := difference(self._profiles[newer], self._profiles[older]):
            return differing
        if self._ends[newer] < self._ends[older]:
            return "the newer one ends sooner"
        if self._trusts[newer] > self._trusts[older]:
            return "the newer one is less trusted"
        if self._held[older]:
            return "a reflection was derived from it"
        return "the newer one gives way to it" if (newer, older) in self._circular else "marked as distinct"


def _vector(stored: Stored) -> Vector:
    if stored.vector is None:
        raise InputError("vector", None, "a memory with a vector")
    return stored.vector


def _end(memory: Memory) -> float:
    """When a memory ceases to speak, in seconds since 1970; never is infinite."""
    ends = [moment.timestamp() for moment in (memory.expires_at, memory.valid_until) if moment is not None]
    return min(ends, default=float("inf"))


def _parted(memories: Sequence[Memory]) -> list[tuple[int, int]]:
    """The pairs of row numbers that an `undo` has marked as distinct, either way round."""
    rows = {memory.id: row for row, memory in enumerate(memories)}
    edges = ((row, edge) for row, memory in enumerate(memories) for edge in memory.edges if edge.relation == DISTINCT)
    marked = [(row, rows[edge.target]) for row, edge in edges if edge.target in rows]
    return [pair for one, other in marked for pair in ((one, other), (other, one))]


def _circular(memories: Sequence[Memory], claims: Claims) -> set[tuple[int, int]]:
    """The pairs of row numbers, newer and older, where the older one supersedes the newer, directly or through a chain."""
    rows = {memory.id: row for row, memory in enumerate(memories)}
    found: set[tuple[int, int]] = set()
    for row, memory in enumerate(memories):
        open_ids, seen = list(memory.supersedes), set[str]()
        while open_ids:
            claimed = open_ids.pop()
            if claimed not in seen:
                seen.add(claimed)
                open_ids += claims.get(claimed, ())
        found |= {(rows[claimed], row) for claimed in seen if claimed in rows}
    return found
