"""Which memories a lookup may see at all: one column for each fact that a gate judges, and how many each gate struck."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cued.arrays import Columns, Mask, RowNumbers, Rows
from cued.model import DERIVED_FROM, GATES, GLOBAL, KINDS, TIERS, Gate, Lookup, Memory
from cued.standing.instants import ALWAYS, NEVER, micros
from cued.standing.marks import EVERYWHERE, Spell, Spells
from cued.standing.sources import Provenance

Tagged = Callable[[str], Rows]

CORE = TIERS.index("core")
REFLECTION = KINDS.index("reflection")

_FIRST_OF_CANDIDATES: Gate = "kinds"
_TIMES = ("created", "time", "expires", "valid_from", "valid_until", "forgotten", "superseded")


class Facts(NamedTuple):
    """What the gates judge of one memory: times in microseconds, NEVER or ALWAYS where there is none."""

    scope: str
    kind: int
    tier: int
    created: int
    valid_from: int
    valid_until: int
    expires: int
    forgotten: int
    superseded: int
    spells: tuple[Spell, ...]
    sources: tuple[str, ...]


class FactColumns(NamedTuple):
    """The facts of many memories, a column for each of the fields of Facts."""

    scope: Sequence[str]
    kind: Sequence[int]
    tier: Sequence[int]
    created: Sequence[int]
    valid_from: Sequence[int]
    valid_until: Sequence[int]
    expires: Sequence[int]
    forgotten: Sequence[int]
    superseded: Sequence[int]
    spells: Sequence[tuple[Spell, ...]]
    sources: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, many: Iterable[Facts]) -> "FactColumns":
        """Give the facts of at least one memory as columns."""
        return cls._make(zip(*many, strict=True))


class Sight(NamedTuple):
    """Which rows passed every gate, how many those are, how many each gate struck first, and the core rows where asked for.

    Kinds and tags choose among the candidates, and what is pinned is none: those two gates do not strike it from `core`.
    """

    visible: Mask
    seen: int
    struck: dict[Gate, int]
    core: RowNumbers

    @property
    def everything(self) -> bool:
        """Tell whether there is no row but the visible ones."""
        return self.seen == len(self.visible)


def facts(memory: Memory) -> Facts:
    """Give a memory's facts for the gates; of several supersessions that hold everywhere the earliest counts."""
    since, spells = _spells(memory) if memory.superseded else (NEVER, ())
    return Facts(
        scope=memory.scope,
        kind=KINDS.index(memory.kind),
        tier=TIERS.index(memory.tier),
        created=micros(memory.created_at),
        valid_from=ALWAYS if memory.valid_from is None else micros(memory.valid_from),
        valid_until=NEVER if memory.valid_until is None else micros(memory.valid_until),
        expires=NEVER if memory.expires_at is None else micros(memory.expires_at),
        forgotten=NEVER if memory.forgotten_at is None else micros(memory.forgotten_at),
        superseded=since,
        spells=spells,
        sources=sources(memory) if memory.edges else (),
    )


def _spells(memory: Memory) -> tuple[int, tuple[Spell, ...]]:
    marks = [
        Spell(each.scope or EVERYWHERE, micros(each.at), NEVER if each.lifted_at is None else micros(each.lifted_at))
        for each in memory.superseded
    ]
    holding = [mark.since for mark in marks if mark.scope == EVERYWHERE and mark.until == NEVER]
    others = {mark for mark in marks if mark.since < mark.until and (mark.scope != EVERYWHERE or mark.until != NEVER)}
    return min(holding, default=NEVER), tuple(sorted(others))


def sources(memory: Memory) -> tuple[str, ...]:
    """Give what a reflection was derived from; what other memories were makes no difference to any gate."""
    found = {edge.target for edge in memory.edges if edge.relation == DERIVED_FROM}
    return tuple(sorted(found)) if memory.kind == "reflection" else ()


class Gates:
    """The gate columns of one tenant's rows."""

    def __init__(self, tagged: Tagged, provenance: Provenance) -> None:
        """Start empty; `tagged` tells which rows carry a tag, and `provenance` where rows come from."""
        self.tagged, self.provenance = tagged, provenance
        codes = {"alive": np.bool_, "scope": np.int32, "kind": np.int8, "tier": np.int8}
        self._columns = Columns(codes | dict.fromkeys(_TIMES, np.int64))
        self.scopes: dict[str, int] = {}
        self.spells = Spells()
        self.stored = 0
        self._earliest = dict.fromkeys(_TIMES, NEVER)
        self._latest = dict.fromkeys(_TIMES, ALWAYS)

    def __getitem__(self, name: str) -> NDArray[np.int64]:
        """Give one of the columns of times."""
        return self._columns[name]

    def codes(self, name: str) -> NDArray[Any]:
        """Give the column of scope, kind or tier codes."""
        return self._columns[name]

    @property
    def count(self) -> int:
        """Give the number of rows, with the dead ones."""
        return self._columns.count

    @property
    def nbytes(self) -> int:
        """Give the bytes the columns occupy."""
        return self._columns.nbytes + self.provenance.nbytes

    def after(self, name: str, at: int) -> Mask | None:
        """Give which rows' time in a column comes after this one, None when every row's does."""
        return None if self._earliest[name] > at else self[name] > at

    def until(self, name: str, at: int) -> Mask | None:
        """Give which rows' time in a column comes at this one or before, None when every row's does."""
        return None if self._latest[name] <= at else self[name] <= at

    def add(self, many: FactColumns) -> range:
        """Append a row for each memory's facts and give the row numbers."""
        rows = self._columns.append(len(many.scope), self._values(many))
        for row, spells, from_where in zip(rows, many.spells, many.sources, strict=True):
            if spells:
                self.spells.put(row, spells)
            if from_where:
                self.provenance.derive(row, from_where)
        self.stored += len(rows)
        return rows

    def patch(self, row: int, fact: Facts) -> None:
        """Replace the facts of one row."""
        for name, values in self._values(FactColumns.of([fact])).items():
            self._columns[name][row] = values[0]
        self.spells.put(row, fact.spells)
        self.provenance.derive(row, fact.sources)

    def kill(self, row: int) -> None:
        """Take a row out for good; its number is not used again."""
        self._columns["alive"][row] = False
        self.provenance.derive(row, ())
        self.stored -= 1

    def judge(self, lookup: Lookup) -> Sight:
        """Let every gate strike in the order of GATES; each counts what no earlier one had struck."""
        at = micros(lookup.at)
        visible = self._columns["alive"].copy()
        left, struck, core = self.stored, dict[Gate, int](), np.empty(0, dtype=np.intp)
        for gate in GATES:
            if lookup.core and gate == _FIRST_OF_CANDIDATES:
                core = np.flatnonzero(visible & (self._columns["tier"] == CORE))
            passed = _PASSES[gate](self, lookup, at)
            if passed is None:
                continue
            visible &= passed
            still = int(np.count_nonzero(visible))
            if still < left:
                struck[gate] = left - still
            left = still
        return Sight(visible, left, struck, core)

    def _values(self, many: FactColumns) -> dict[str, NDArray[np.int64]]:
        times = {name: np.array(getattr(many, name), dtype=np.int64) for name in _TIMES if name != "time"}
        times["time"] = np.where(times["valid_from"] == ALWAYS, times["created"], times["valid_from"])
        for name, column in times.items():
            self._earliest[name] = min(self._earliest[name], int(column.min()))
            self._latest[name] = max(self._latest[name], int(column.max()))
        codes = [self.scopes.setdefault(scope, len(self.scopes)) for scope in many.scope]
        named = {"scope": np.array(codes), "kind": np.array(many.kind), "tier": np.array(many.tier)}
        return times | named | {"alive": np.ones(len(codes), dtype=np.int64)}


def _forgotten(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    return gates.after("forgotten", at if lookup.as_of else NEVER - 1)


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
    passed, struck = gates.after("superseded", at), gates.spells.struck(lookup.scope, at, as_of=lookup.as_of)
    if struck is not None:
        passed = np.ones(gates.count, dtype=np.bool_) if passed is None else passed
        passed[struck] = False
    return passed


def _provenance(gates: Gates, lookup: Lookup, at: int) -> Mask | None:
    if not gates.provenance:
        return None
    masks = [mask for mask in (_forgotten(gates, lookup, at), _supersession(gates, lookup, at)) if mask is not None]
    return gates.provenance.standing(~np.logical_and.reduce(masks), _as_of(gates, lookup, at)) if masks else None


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
    "scope": _scope,
    "as_of": _as_of,
    "expiry": _expiry,
    "validity": _validity,
    "supersession": _supersession,
    "provenance": _provenance,
    "kinds": _kinds,
    "tags": _tags,
}
