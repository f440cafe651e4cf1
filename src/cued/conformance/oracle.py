"""What a search must find, computed the slow and obvious way in plain Python.

No index, no numpy in the arithmetic, no incremental state: a list of records and the definitions.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from math import floor, fsum, log, nan, sqrt
from typing import NamedTuple

from msgspec.structs import replace

from cued.model import CHANNELS, DERIVED_FROM, GATES, GLOBAL, Gate, Lookup, Memory, Record, Supersession

Columns = dict[str, list[float]]
_FULL = 127.4
"""What a byte holds once it is rounded."""
_LESS = 0.02
"""So much less than the nearest of its excerpts a text is near."""


class Expected(NamedTuple):
    """The findings that a correct store gives: candidates by id, the columns, and the counts."""

    stored: int
    visible: int
    struck: dict[Gate, int]
    ids: list[str]
    core: list[str]
    columns: Columns
    background: tuple[int, float, float]
    terms: list[tuple[str, int, float]]
    uncomparable: int


def expected(records: Sequence[Record], lookup: Lookup) -> Expected:
    """The findings for these records, whose memories are as the store holds them now."""
    seen, struck = visible(records, lookup)
    pinned, _ = visible(records, replace(lookup, kinds=(), tags=()))
    scores = _Scores(seen, lookup)
    pools = scores.pools()
    ids = _candidates(pools, scores, lookup.context)
    cosines = list(scores.own.values())
    return Expected(
        stored=len(records),
        visible=len(seen),
        struck=struck,
        ids=ids,
        core=sorted(record.memory.id for record in pinned if _pinned(record.memory)) if lookup.core else [],
        columns=_columns(ids, pools, scores),
        background=(len(cosines), *_spread(cosines)),
        terms=scores.terms,
        uncomparable=len(seen) - len(cosines) if lookup.dense else 0,
    )


def visible(records: Sequence[Record], lookup: Lookup) -> tuple[list[Record], dict[Gate, int]]:
    """The records that pass every gate, and how many each gate struck first."""
    stale = _stale([record.memory for record in records], lookup)
    passes = _PASSES | {"provenance": lambda memory, _: memory.id not in stale}
    left, struck = list(records), dict[Gate, int]()
    for gate in GATES:
        passed = [record for record in left if passes[gate](record.memory, lookup)]
        if len(passed) < len(left):
            struck[gate] = len(left) - len(passed)
        left = passed
    return left, struck


def _pinned(memory: Memory) -> bool:
    return memory.tier == "core" and memory.trust in {"user", "agent"}


def _forgotten(memory: Memory, lookup: Lookup) -> bool:
    return memory.forgotten_at is None or (lookup.as_of and memory.forgotten_at > lookup.at)


def _validity(memory: Memory, lookup: Lookup) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= lookup.at
    return begun and (memory.valid_until is None or lookup.at < memory.valid_until)


def _supersession(memory: Memory, lookup: Lookup) -> bool:
    def holds(mark: Supersession) -> bool:
        if not lookup.as_of:
            return mark.lifted_at is None
        return mark.at <= lookup.at and (mark.lifted_at is None or lookup.at < mark.lifted_at)

    return not any(mark.scope in (None, lookup.scope) and holds(mark) for mark in memory.superseded)


def _speaks(memory: Memory, lookup: Lookup) -> bool:
    return _forgotten(memory, lookup) and memory.quarantined_at is None


def _stale(memories: Sequence[Memory], lookup: Lookup) -> set[str]:
    stored = {memory.id for memory in memories if _PASSES["as_of"](memory, lookup)}
    gone = {memory.id for memory in memories if not (_speaks(memory, lookup) and _supersession(memory, lookup))}
    stale = set[str]()
    while True:
        more = set(stale)
        for memory in memories:
            sources = {edge.target for edge in memory.edges if edge.relation == DERIVED_FROM} & stored
            if memory.kind == "reflection" and sources and sources <= gone | stale:
                more.add(memory.id)
        if more == stale:
            return stale
        stale = more


_PASSES: dict[Gate, Callable[[Memory, Lookup], bool]] = {
    "forgotten": _forgotten,
    "quarantine": lambda memory, _: memory.quarantined_at is None,
    "scope": lambda memory, lookup: memory.scope in (GLOBAL, lookup.scope),
    "as_of": lambda memory, lookup: not lookup.as_of or memory.created_at <= lookup.at,
    "expiry": lambda memory, lookup: memory.expires_at is None or memory.expires_at > lookup.at,
    "validity": _validity,
    "supersession": _supersession,
    "trust": lambda memory, lookup: not lookup.trusts or memory.trust in lookup.trusts,
    "kinds": lambda memory, lookup: not lookup.kinds or memory.kind in lookup.kinds,
    "tags": lambda memory, lookup: set(lookup.tags) <= set(memory.tags),
}


class _Scores:
    """Every visible memory's score in every channel, by id."""

    def __init__(self, seen: Sequence[Record], lookup: Lookup) -> None:
        self.seen, self.lookup = {record.memory.id: record for record in seen}, lookup
        self.bm25, self.coverage = dict.fromkeys(self.seen, 0.0), dict.fromkeys(self.seen, 0.0)
        self.share, self.window = dict.fromkeys(self.seen, 0.0), dict.fromkeys(self.seen, 0.0)
        self.cosine: dict[str, float] = {}
        self.own: dict[str, float] = {}
        self.terms: list[tuple[str, int, float]] = []
        self._words()
        self._names()
        self._meaning()
        self._times()

    def _words(self) -> None:
        asked = self.lookup.lexical
        if asked is None:
            return
        lengths = {memory_id: sum(record.terms.values()) for memory_id, record in self.seen.items()}
        for term in dict.fromkeys(asked.terms):
            documents = sum(term in record.terms for record in self.seen.values())
            self.terms.append((term, documents, _idf(documents, len(self.seen))))
        for memory_id, record in self.seen.items():
            for term, _, idf in self.terms:
                count = record.terms.get(term, 0)
                if count:
                    relative = lengths[memory_id] * len(lengths) / sum(lengths.values())
                    saturated = count * (asked.k1 + 1) / (count + asked.k1 * (1 - asked.b + asked.b * relative))
                    self.bm25[memory_id] += idf * (asked.delta + saturated)
                    self.coverage[memory_id] += idf / sum(each[2] for each in self.terms)

    def _names(self) -> None:
        names = dict.fromkeys(self.lookup.entity.names) if self.lookup.entity else {}
        weights = {name: _idf(sum(name in record.memory.entities for record in self.seen.values()), len(self.seen)) for name in names}
        for memory_id, record in self.seen.items():
            self.share[memory_id] = sum(weights[name] / sum(weights.values()) for name in names if name in record.memory.entities)

    def _meaning(self) -> None:
        asked = self.lookup.dense
        for memory_id, record in self.seen.items():
            if asked is not None and record.vector is not None and record.memory.fingerprint == asked.fingerprint:
                self.own[memory_id] = own = _product(record.vector.tolist(), asked.vector.tolist())
                excerpts = [] if record.excerpts is None or not asked.excerpts else map(_in_steps, record.excerpts.tolist())
                cue = [round(number * 2048) / 2048 for number in asked.vector.tolist()]
                self.cosine[memory_id] = max([own, *(_product(each, cue) - _LESS for each in excerpts)])

    def _times(self) -> None:
        for interval in self.lookup.temporal.intervals if self.lookup.temporal else ():
            for memory_id, record in self.seen.items():
                if interval.start <= (record.memory.valid_from or record.memory.created_at) < interval.end:
                    self.window[memory_id] = 1.0

    def pools(self) -> dict[str, list[str]]:
        """Each open channel's ids, best first."""
        lookup = self.lookup
        far = {memory_id: self.cosine.get(memory_id, -2.0) for memory_id in self.seen}
        newest = {memory_id: record.memory.created_at.timestamp() for memory_id, record in self.seen.items()}
        bm25, own = _rounded(self.bm25), _rounded(self.share)
        nearness, wording = [far] if lookup.dense else [], [bm25] if lookup.lexical else []
        found = {
            "lexical": (lookup.lexical, bm25, [bm25]),
            "dense": (lookup.dense, dict.fromkeys(self.cosine, 1.0), [far]),
            "entity": (lookup.entity, own, [own, *nearness, *wording]),
            "temporal": (lookup.temporal, self.window, nearness or wording or [newest]),
        }
        return {name: self._cut(_ranked(matches, keys), asked.pool) for name, (asked, matches, keys) in found.items() if asked is not None}

    def _cut(self, ranked: list[str], pool: int) -> list[str]:
        if not self.lookup.apart:
            return ranked[:pool]
        sure = [memory_id for memory_id in ranked if self.seen[memory_id].memory.trust in {"user", "agent"}]
        kept = {*sure[:pool], *[memory_id for memory_id in ranked if memory_id not in sure][:pool]}
        return [memory_id for memory_id in ranked if memory_id in kept]

    def neighbour(self, memory_id: str, steps: int) -> str | None:
        """The visible memory so many steps on in the same session, None when there is none."""
        session = self.seen[memory_id].memory.source.session
        if session is None:
            return None
        chain = sorted((record.memory for record in self.seen.values() if record.memory.source.session == session), key=_turn)
        place = [memory.id for memory in chain].index(memory_id) + steps
        return chain[place].id if 0 <= place < len(chain) else None


def _product(one: list[float], other: list[float]) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))


def _in_steps(excerpt: list[float]) -> list[float]:
    """An excerpt's vector in whole steps, as it is kept: the first ones are longer, and all are doubled until the largest fits a byte."""
    step = [4 / 512, *[2 / 512] * 31, *[1 / 512] * len(excerpt)][: len(excerpt)]
    doubled = 1
    while max(abs(number) / each for number, each in zip(excerpt, step, strict=True)) / doubled >= _FULL:
        doubled *= 2
    return [floor(number / each / doubled + 0.5) * each * doubled for number, each in zip(excerpt, step, strict=True)]


def _candidates(pools: dict[str, list[str]], scores: _Scores, context: int) -> list[str]:
    found = {memory_id for pool in pools.values() for memory_id in pool}
    for seed in {memory_id for pool in pools.values() for memory_id in pool[: context * 10]}:
        around = (scores.neighbour(seed, steps) for steps in range(-context, context + 1))
        found |= {memory_id for memory_id in around if memory_id is not None}
    return sorted(found)


def _columns(ids: list[str], pools: dict[str, list[str]], scores: _Scores) -> Columns:
    columns = {f"{name}_rank": [_rank(pools.get(name, []), memory_id) for memory_id in ids] for name in CHANNELS}
    for suffix, steps in (("", 0), ("_before", -1), ("_after", 1)):
        others = ids if not steps else [scores.neighbour(memory_id, steps) or "" for memory_id in ids]
        columns[f"cosine{suffix}"] = [scores.cosine.get(other, nan) for other in others]
        columns[f"bm25{suffix}"] = [scores.bm25.get(other, 0.0) for other in others]
        columns[f"coverage{suffix}"] = [scores.coverage.get(other, 0.0) for other in others]
    columns["entities"] = [scores.share[memory_id] for memory_id in ids]
    columns["length"] = [float(sum(scores.seen[memory_id].terms.values())) for memory_id in ids]
    columns["window"] = [scores.window[memory_id] for memory_id in ids]
    return columns


def _ranked(matches: dict[str, float], keys: Sequence[dict[str, float]]) -> list[str]:
    found = [memory_id for memory_id, value in matches.items() if value > 0]
    return sorted(found, key=lambda memory_id: (*(-key[memory_id] for key in keys), memory_id))


def _rounded(column: dict[str, float]) -> dict[str, float]:
    # Scores that are equal on paper may differ in the last bit: a ranking looks at nine decimals.
    return {memory_id: round(value, 9) for memory_id, value in column.items()}


def _rank(pool: list[str], memory_id: str) -> float:
    return pool.index(memory_id) + 1.0 if memory_id in pool else 0.0


def _turn(memory: Memory) -> tuple[bool, int, datetime, str]:
    return memory.source.turn is None, memory.source.turn or 0, memory.created_at, memory.id


def _idf(documents: int, among: int) -> float:
    return log(1 + (among - documents + 0.5) / (documents + 0.5))


def _spread(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 0.0
    mean = fsum(values) / len(values)
    return mean, sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
