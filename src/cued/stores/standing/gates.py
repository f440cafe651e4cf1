"""Which memories a lookup may see at all: one column for each fact that a gate judges, and how many each gate struck."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cued.model import GATES, GLOBAL, KINDS, TRUSTS, Gate, Judged, Lookup
from cued.stores.arrays import ALWAYS, NEVER, Columns, Mask, RowNumbers, Rows, distinct, micros, twin
from cued.stores.standing.facts import CORE, FIRST_UNVERIFIED, FactColumns
from cued.stores.standing.felling import Marks, Sources

Tagged = Callable[[str], Rows]

_FIRST_OF_CANDIDATES: Gate = "kinds"
_TIMES = ("created", "time", "expires", "valid_from", "valid_until", "forgotten", "superseded")


class Visible(NamedTuple):
    """Which rows passed every gate, how many those are, how many each gate struck first, and the core rows where asked for.

    Kinds and tags choose among the candidates, and what is pinned is none: those two gates do not strike it from `core`. What nobody
    has vouched for is never pinned. `unverified` tells such rows apart where there are both, and is None where there are not.
    """

    rows: Mask
    total: int
    struck: dict[Gate, int]
    core: RowNumbers
    unverified: Mask | None = None

    @property
    def everything(self) -> bool:
        """Whether there is no row but the visible ones."""
        return self.total == len(self.rows)

    @property
    def some(self) -> Mask | None:
        """Which rows are visible where there are others, None where every row is."""
        return None if self.everything else self.rows


class Gates:
    """The gate columns of one tenant's rows."""

    def __init__(self, row_of: Mapping[str, int], tagged: Tagged) -> None:
        """Start empty; `row_of` tells the row of a stored memory at any time, and `tagged` which rows carry a tag."""
        self.tagged, self.sources, self.marks = tagged, Sources(row_of), Marks()
        codes = {"alive": np.bool_, "scope": np.int32, "kind": np.int8, "tier": np.int8, "trust": np.int8, "quarantined": np.bool_}
        self._columns = Columns(codes | dict.fromkeys(_TIMES, np.int64))
        self.scopes: dict[str, int] = {}
        self.stored = 0
        self._earliest = dict.fromkeys(_TIMES, NEVER)
        self._latest = dict.fromkeys(_TIMES, ALWAYS)
        self._trusts: set[int] = set()
        self._quarantined = self._pinned = False

    def __getitem__(self, name: str) -> NDArray[np.int64]:
        """One of the columns of times."""
        return self._columns[name]

    def codes(self, name: str) -> NDArray[Any]:
        """The column of scope, kind, tier or trust codes, or of who is quarantined."""
        return self._columns[name]

    @property
    def count(self) -> int:
        """The number of rows, with the dead ones."""
        return self._columns.count

    @property
    def nbytes(self) -> int:
        """The bytes the columns occupy."""
        return self._columns.nbytes + self.sources.nbytes

    @property
    def quarantined(self) -> bool:
        """Whether any row is quarantined or ever was."""
        return self._quarantined

    def unverified(self) -> Mask | None:
        """Which rows nobody has vouched for, None where that is so of all or of none."""
        if not self._trusts or (min(self._trusts) >= FIRST_UNVERIFIED) is (max(self._trusts) >= FIRST_UNVERIFIED):
            return None
        unverified: Mask = self._columns["trust"] >= FIRST_UNVERIFIED
        return unverified

    def after(self, name: str, at: int) -> Mask | None:
        """Which rows' time in a column comes after this one, None when every row's does."""
        return None if self._earliest[name] > at else self[name] > at

    def until(self, name: str, at: int) -> Mask | None:
        """Which rows' time in a column comes at this one or before, None when every row's does."""
        return None if self._latest[name] <= at else self[name] <= at

    def compacted(self, rows: RowNumbers) -> dict[str, NDArray[Any]]:
        """The columns of these rows alone."""
        return {name: column[rows] for name, column in self._columns.items()}

    def restore(self, columns: Mapping[str, NDArray[Any]], scopes: Iterable[str]) -> None:
        """Take the columns that `compacted` gave, with the scopes by code."""
        self._columns = Columns.of({name: columns[name] for name, _ in self._columns.items()})
        self.scopes = {scope: code for code, scope in enumerate(scopes)}
        self.stored = self.count
        for name in _TIMES:
            self._earliest[name], self._latest[name] = int(self[name].min()), int(self[name].max())
        self._trusts = set(distinct(self._columns["trust"]).tolist())
        self._quarantined = bool(self._columns["quarantined"].any())
        self._pinned = bool((self._columns["tier"] == CORE).any())

    def branched(self, tagged: Tagged) -> Self:
        """The same rows to go on with: whatever is done to them does not show in these; `tagged` tells which of them carry a tag."""
        other = twin(self)
        other.tagged, other.sources, other.marks = tagged, self.sources.branched(), self.marks.branched()
        other._columns, other.scopes = self._columns.branched(), dict(self.scopes)  # noqa: SLF001 - its own kind
        other._earliest, other._latest = dict(self._earliest), dict(self._latest)  # noqa: SLF001
        other._trusts = set(self._trusts)  # noqa: SLF001
        return other

    def add(self, many: FactColumns) -> range:
        """The numbers of the rows that are appended, one for each memory's facts."""
        rows = self._columns.append(len(many.scope), self._values(many))
        self._note(rows, many)
        self.stored += len(rows)
        return rows

    def moved(self, memory_ids: Iterable[str]) -> None:
        """Take notice that these memories have other rows now, or none."""
        self.sources.moved(memory_ids)

    def patch(self, rows: Sequence[int], many: FactColumns) -> None:
        """Replace the facts of these rows."""
        for name, values in self._values(many).items():
            if (self._columns[name][rows] != values).any():
                self._columns.put(name, rows, values)
        for row in rows:
            self.marks.put(row, ())
            self.sources.derive(row, ())
        self._note(rows, many)

    def kill(self, rows: Sequence[int]) -> None:
        """Take rows out for good; their numbers are not used again."""
        if rows:
            self._columns.put("alive", rows, False)  # noqa: FBT003 - a value of the column
        for row in rows:
            self.sources.derive(row, ())
        self.stored -= len(rows)

    def _note(self, rows: Iterable[int], many: FactColumns) -> None:
        if any(many.marks) or any(many.sources):
            for row, marks, sources in zip(rows, many.marks, many.sources, strict=True):
                if marks:
                    self.marks.put(row, marks)
                if sources:
                    self.sources.derive(row, sources)

    def passed(self, lookup: Lookup, gates: Iterable[Gate] = GATES) -> Iterator[tuple[Gate, Mask | None]]:
        """Each gate with the rows that it lets pass, None where it lets all pass; no gate knows what another strikes."""
        at = micros(lookup.at)
        return ((gate, _PASSES[gate](self, lookup, at)) for gate in gates)

    def struck(self, lookup: Lookup, *gates: Gate) -> Mask:
        """Which rows any of these gates strikes."""
        stand = np.ones(self.count, dtype=np.bool_)
        for _, passed in self.passed(lookup, gates):
            if passed is not None:
                stand &= passed
        return ~stand

    def judge(self, lookup: Lookup) -> Visible:
        """What is left when every gate has struck in turn; each counts what no earlier one had struck."""
        visible = self._columns["alive"].copy()
        left, struck, core = self.stored, dict[Gate, int](), np.empty(0, dtype=np.intp)
        for gate, passed in self.passed(lookup):
            if lookup.core and self._pinned and gate == _FIRST_OF_CANDIDATES:
                core = np.flatnonzero(visible & (self._columns["tier"] == CORE) & (self._columns["trust"] < FIRST_UNVERIFIED))
            if passed is None:
                continue
            visible &= passed
            still = int(np.count_nonzero(visible))
            if still < left:
                struck[gate] = left - still
            left = still
        return Visible(visible, left, struck, core, self.unverified())

    def _values(self, many: FactColumns) -> Mapping[str, ArrayLike]:
        if len(many.scope) == 1:
            return self._values_of_one(Judged._make(column[0] for column in many))
        created, valid_from = (np.asarray(column, dtype=np.int64) for column in (many.created, many.valid_from))
        given = {"created": created, "time": np.where(valid_from == ALWAYS, created, valid_from), "valid_from": valid_from}
        table = np.array([given[name] if name in given else getattr(many, name) for name in _TIMES], dtype=np.int64)
        times = dict(zip(_TIMES, table, strict=True))
        for name, earliest, latest in zip(_TIMES, table.min(axis=1).tolist(), table.max(axis=1).tolist(), strict=True):
            self._earliest[name] = min(self._earliest[name], earliest)
            self._latest[name] = max(self._latest[name], latest)
        for scope in dict.fromkeys(many.scope):
            self.scopes.setdefault(scope, len(self.scopes))
        named = {name: np.asarray(getattr(many, name)) for name in ("kind", "tier", "trust", "quarantined")}
        self._trusts.update(distinct(named["trust"]).tolist())
        self._quarantined = self._quarantined or bool(named["quarantined"].any())
        self._pinned = self._pinned or bool((named["tier"] == CORE).any())
        codes = np.fromiter(map(self.scopes.__getitem__, many.scope), dtype=np.int64, count=len(many.scope))
        return times | named | {"scope": codes, "alive": np.ones(len(codes), dtype=np.int64)}

    def _values_of_one(self, facts: Judged) -> Mapping[str, int]:
        """The same of a single memory, as most are written, without an array for each step."""
        given = {"time": facts.created if facts.valid_from == ALWAYS else facts.valid_from}
        times = {name: given[name] if name in given else getattr(facts, name) for name in _TIMES}
        for name, time in times.items():
            self._earliest[name] = min(self._earliest[name], int(time))
            self._latest[name] = max(self._latest[name], int(time))
        self._trusts.add(int(facts.trust))
        self._quarantined = self._quarantined or bool(facts.quarantined)
        self._pinned = self._pinned or facts.tier == CORE
        named = {name: getattr(facts, name) for name in ("kind", "tier", "trust", "quarantined")}
        return times | named | {"scope": self.scopes.setdefault(facts.scope, len(self.scopes)), "alive": 1}


def _forgotten(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    return gates.after("forgotten", at if lookup.as_of else NEVER - 1)


def _quarantine(gates: Gates, _lookup: Lookup, _at: int) -> Mask | None:
    return ~gates.codes("quarantined") if gates.quarantined else None


def _scope(gates: Gates, lookup: Lookup, _at: int) -> Mask | None:
    if gates.scopes.keys() <= {lookup.scope, GLOBAL}:
        return None
    # A scope that no row has gets a code that no row has.
    own, everywhere = (gates.scopes.get(scope, -1) for scope in (lookup.scope, GLOBAL))
    codes = gates.codes("scope")
    passed: Mask = (codes == own) | (codes == everywhere)
    return passed


def _as_of(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    return gates.until("created", at) if lookup.as_of else None


def _expiry(gates: Gates, _lookup: Lookup, at: int) -> Mask | None:
    return gates.after("expires", at)


def _validity(gates: Gates, _lookup: Lookup, at: int) -> Mask | None:
    begun, lasting = gates.until("valid_from", at), gates.after("valid_until", at)
    if begun is None or lasting is None:
        return begun if lasting is None else lasting
    return begun & lasting


def _supersession(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    passed, struck = gates.after("superseded", at if lookup.as_of else NEVER - 1), gates.marks.struck(lookup.scope, at, as_of=lookup.as_of)
    if struck is not None:
        passed = np.ones(gates.count, dtype=np.bool_) if passed is None else passed
        passed[struck] = False
    return passed


def _provenance(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    if not gates.sources:
        return None
    felling = _forgotten(gates, lookup, at), _quarantine(gates, lookup, at), _supersession(gates, lookup, at)
    masks = [mask for mask in felling if mask is not None]
    return gates.sources.standing(~np.logical_and.reduce(masks), _as_of(gates, lookup, at)) if masks else None


def _trust(gates: Gates, lookup: Lookup, _at: int) -> Mask | None:
    if not lookup.trusts:
        return None
    passed: Mask = np.isin(gates.codes("trust"), [TRUSTS.index(trust) for trust in lookup.trusts])
    return passed


def _kinds(gates: Gates, lookup: Lookup, _at: int) -> Mask | None:
    if not lookup.kinds:
        return None
    passed: Mask = np.isin(gates.codes("kind"), [KINDS.index(kind) for kind in lookup.kinds])
    return passed


def _tags(gates: Gates, lookup: Lookup, _at: int) -> Mask | None:
    if not lookup.tags:
        return None
    passed = np.ones(gates.count, dtype=np.bool_)
    for tag in lookup.tags:
        carries = np.zeros(gates.count, dtype=np.bool_)
        carries[gates.tagged(tag)] = True
        passed &= carries
    return passed


_PASSES: dict[Gate, Callable[[Gates, Lookup, int], Mask | None]] = {
    "forgotten": _forgotten,
    "quarantine": _quarantine,
    "scope": _scope,
    "as_of": _as_of,
    "expiry": _expiry,
    "validity": _validity,
    "supersession": _supersession,
    "provenance": _provenance,
    "trust": _trust,
    "kinds": _kinds,
    "tags": _tags,
}
