"""When rows were superseded, so far as one column of times cannot tell it: inside one project, or everywhere but no longer."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.arrays import RowNumbers
from cued.model import Supersession
from cued.standing.instants import NEVER

EVERYWHERE = ""
"""What stands for every scope; no scope is called that."""


class Spell(NamedTuple):
    """That a memory is superseded in a scope, since ≤ t < until, in microseconds."""

    scope: str
    since: int
    until: int = NEVER


def everywhere(mark: Supersession) -> bool:
    """Tell whether a mark holds now and in every scope."""
    return mark.scope is None and mark.lifted_at is None


class Spells:
    """The spells of one tenant's rows, by scope; nothing where there are none."""

    def __init__(self) -> None:
        """Start with none."""
        self._held: defaultdict[str, dict[int, list[Spell]]] = defaultdict(dict)
        self._tables: dict[str, NDArray[np.int64]] = {}

    def put(self, row: int, spells: Iterable[Spell]) -> None:
        """Note the spells of a row, in place of those noted before."""
        for scope, rows in self._held.items():
            if rows.pop(row, None) is not None:
                self._tables.pop(scope, None)
        for spell in spells:
            self._held[spell.scope].setdefault(row, []).append(spell)
            self._tables.pop(spell.scope, None)

    def struck(self, scope: str, at: int, *, as_of: bool) -> RowNumbers | None:
        """Give the rows that are superseded for this scope at a time, None when no row ever was.

        What no longer holds counts only as of a time: a lookup of now that comes with a clock behind the writer's shows what is known.
        """
        tables = [self._table(place) for place in ((EVERYWHERE, scope) if as_of else (scope,)) if self._held.get(place)]
        if not tables:
            return None
        rows, since, until = np.concatenate(tables).T
        struck: RowNumbers = rows[(since <= at) & ((at < until) if as_of else (until == NEVER))]
        return struck

    def _table(self, scope: str) -> NDArray[np.int64]:
        if scope not in self._tables:
            entries = [(row, spell.since, spell.until) for row, spells in self._held[scope].items() for spell in spells]
            self._tables[scope] = np.array(entries, dtype=np.int64)
        return self._tables[scope]
