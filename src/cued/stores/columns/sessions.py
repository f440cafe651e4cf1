"""Who stands before and after whom in a session, as two columns of row numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cued.stores.arrays import NOBODY, Columns, RowNumbers, Rows, distinct, twin, within

_NO_SESSION = -1
_LINKS = {"before": np.int32, "after": np.int32}
_PLACES = {"session": np.int32, "untold": np.bool_, "turn": np.int64, "made": np.int64}


class Turns(NamedTuple):
    """Where memories stand, as columns: their sessions, the turns in those, and when they were made."""

    sessions: Sequence[str | None]
    turns: Sequence[int | None]
    created: Sequence[int]


def is_chained(columns: Mapping[str, NDArray[Any]], rows: int) -> bool:
    """Whether the links of so many rows lead to each other alone, and every chain of them to an end."""
    return all(within(columns[name], NOBODY, rows) and _ends(columns[name]) for name in _LINKS)


def _ends(links: Rows) -> bool:
    ahead = links
    # Each time twice as many links ahead: whoever has not come to an end when all rows would be passed goes in a circle.
    for _ in range(len(links).bit_length()):
        if (ahead == NOBODY).all():
            return True
        ahead = np.where(ahead == NOBODY, NOBODY, ahead[ahead])
    return bool((ahead == NOBODY).all())


class Sessions:
    """The sessions of one tenant as chains of rows: turns ascending, those without a turn last, then time, then id."""

    def __init__(self, ids: Sequence[str]) -> None:
        """Start without any session; `ids` tells the id of a row at any time."""
        self._links, self._places = Columns(_LINKS), Columns(_PLACES)
        self._ids = ids
        self._codes: dict[str, int] = {}
        self._last: dict[int, int] = {}

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], names: Sequence[str], ids: Sequence[str]) -> Self:
        """The sessions that `compacted` gave, with these names by code."""
        found = cls(ids)
        found._places, found._links = (Columns.of({name: columns[name] for name in kind}) for kind in (_PLACES, _LINKS))
        found._codes = {name: code for code, name in enumerate(names)}
        ends = np.flatnonzero((columns["after"] == NOBODY) & (columns["session"] != _NO_SESSION))
        found._last = dict(zip(columns["session"][ends].tolist(), ends.tolist(), strict=True))
        return found

    def compacted(self, rows: RowNumbers, ids: Sequence[str]) -> tuple[dict[str, NDArray[Any]], list[str]]:
        """The columns of these rows alone, chained anew, whose ids are these, and the sessions' names by code."""
        alone = type(self)(ids)
        alone._places = Columns.of({name: column[rows] for name, column in self._places.items()})  # noqa: SLF001 - its own kind
        alone._links.append(len(rows), {"before": NOBODY, "after": NOBODY})  # noqa: SLF001
        alone._chain(np.flatnonzero(alone._places["session"] != _NO_SESSION))  # noqa: SLF001
        return dict([*alone._places.items(), *alone._links.items()]), list(self._codes)  # noqa: SLF001

    def branched(self) -> Self:
        """The same sessions to go on with: what is added to them does not show in these, to which nothing is to be added any more."""
        other = twin(self)
        other._links, other._places = self._links.branched(), self._places.branched()  # noqa: SLF001 - its own kind
        return other

    def add(self, many: Turns) -> None:
        """Append rows, linking those that belong to a session."""
        count, known = len(many.turns), len(self._codes)
        for name in dict.fromkeys(many.sessions):
            if name is not None:
                self._codes.setdefault(name, len(self._codes))
        codes = [_NO_SESSION if name is None else self._codes[name] for name in many.sessions]
        untold = [turn is None for turn in many.turns]
        told = [turn or 0 for turn in many.turns]
        rows = self._places.append(count, {"session": codes, "untold": untold, "turn": told, "made": many.created})
        self._links.append(count, {"before": NOBODY, "after": NOBODY})
        if count == 1:
            self._add_one(rows.start, codes[0], known)
            return
        added, session = np.arange(rows.start, rows.stop), np.array(codes, dtype=np.int32)
        self._chain(added[session >= known])
        for code in distinct(session[(session >= 0) & (session < known)]).tolist() if known else ():
            self._go_on(code, added[session == code].tolist())

    def _add_one(self, row: int, session: int, known: int) -> None:
        """Link a row that was just appended; so many sessions were known before it."""
        if session >= known:
            self._last[session] = row
        elif session != _NO_SESSION:
            self._go_on(session, [row])

    @property
    def links(self) -> tuple[Rows, Rows]:
        """The row before each in its session, or NOBODY, and the row after it."""
        return self._links["before"], self._links["after"]

    @property
    def nbytes(self) -> int:
        """About how many bytes the chains occupy."""
        return self._links.nbytes + self._places.nbytes + 150 * len(self._codes)

    def _go_on(self, session: int, rows: list[int]) -> None:
        """Link rows to the end of their session, where they belong there; else the session is chained anew."""
        rows.sort(key=self._place)
        last = self._last.get(session)
        # A kept shelf knows the names of sessions whose memories were all erased.
        if last is None or self._place(rows[0]) < self._place(last):
            self._chain(np.flatnonzero(self._places["session"] == session))
            return
        self._links.put("after", [last, *rows[:-1]], rows)
        self._links.put("before", rows, [last, *rows[:-1]])
        self._last[session] = rows[-1]

    def _place(self, row: int) -> tuple[bool, int, int, str, int]:
        untold, turn, created = (self._places[name][row].item() for name in ("untold", "turn", "made"))
        return untold, turn, created, self._ids[row], row

    def _chain(self, rows: RowNumbers) -> None:
        """Link all rows of some sessions."""
        if not len(rows):
            return
        ids, rank = self._ids, np.empty(len(rows), dtype=np.intp)
        rank[sorted(range(len(rows)), key=[ids[row] for row in rows.tolist()].__getitem__)] = np.arange(len(rows))
        session, untold, turn, created = (self._places[name][rows] for name in _PLACES)
        order = np.lexsort((rank, created, turn, untold, session))
        chain, session = rows[order], session[order]
        together = session[1:] == session[:-1]
        before, after = np.full((2, len(chain)), NOBODY, dtype=np.int32)
        before[1:][together], after[:-1][together] = chain[:-1][together], chain[1:][together]
        self._links.put("before", chain, before)
        self._links.put("after", chain, after)
        ends = np.append(~together, True)
        self._last.update(zip(session[ends].tolist(), chain[ends].tolist(), strict=True))
