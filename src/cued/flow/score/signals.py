"""Signals: each gives one column over the candidates, from the evidence alone.

Ages are in days and never negative, so a clock set back cannot make a memory younger than new.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from math import nan

import numpy as np

from cued.flow.table import Table, filled
from cued.model import KINDS, TIERS, TRUSTS, Column, Memory, Use
from cued.policy.spec import Term

DAY_S = 86_400.0


def stored(name: str) -> Callable[[Table, Term], Column]:
    """A signal that is a column which the store or an earlier stage has left in the table."""

    def signal(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
        return filled(table.columns[name])

    return signal


def recency(table: Table, term: Term) -> Column:
    """e^(−age/τ) in (0, 1], age since the term's `since`; τ is stretched by 1 + count where asked.

    0.5^(age/half_life), e^(−rate·days) and p^hours are the same curve by other names.
    """
    days = np.full(len(table), _tau_days(term))
    if term.stretch == "count":
        days = days * (1.0 + counts(table))
    return np.asarray(np.exp(-ages_days(table, term.since or "created") / days))


def decay(table: Table, term: Term) -> Column:
    """A decay that use makes up for, in (0, 1]: raw + (1 − raw)·min(1, ln(1+n)/ln(1+full_at)), raw = e^(−rate·days)."""
    raw = np.exp(-(term.rate_per_day or 0.02) * ages_days(table, term.since or "last_used"))
    reinforced = np.minimum(1.0, np.log1p(counts(table)) / math.log1p(term.full_at or 10.0))
    return np.asarray(raw + (1.0 - raw) * reinforced)


def activation(table: Table, term: Term) -> Column:
    """Base-level activation ln Σ t^−d over the times of storing and use (Anderson & Schooler 1991), in units of `unit`.

    Uses beyond the last two are spread evenly over the memory's life, Petrov's approximation. A use of this very moment
    counts as one unit old, so a memory just used has activation near 0 and older ones fall below it.
    """
    d = term.exponent or 0.5
    unit_s = term.unit.total_seconds() if term.unit else DAY_S

    used = [(row, use) for row, use in table.used if use.last_at or use.count]
    again = seconds([at for _, use in used for at in (use.last_at, use.previous_at)])
    faded = filled(np.maximum(1.0, (table.now_s - np.concatenate((table.traits.created_s, again))) / unit_s) ** -d)
    created, last, previous = faded[: len(table)], faded[len(table) :: 2], faded[len(table) + 1 :: 2]
    late, older, rows = np.zeros(len(table)), np.zeros(len(table)), [row for row, _ in used]
    late[rows], older[rows] = last + previous, np.maximum(0.0, np.array([use.count for _, use in used]) - 2.0)
    return np.asarray(np.log(created + late + older * created / (1.0 - d if d < 1 else 1.0)))


def note_words(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
    """BM25 as a share of the best candidate's, times the share of the candidates that are no turns of a session, 0 to 1.

    Notes, reports and commits are found by their words more than what is said in passing; the less so the more of those words are a time.
    """
    if table.notes is table.nothing:
        return table.nothing
    bm25 = filled(table.columns["bm25"])
    notes = np.count_nonzero(table.notes) / len(table)
    untimed = 1.0 - table.columns["time_share"] if "time_share" in table.columns else 1.0
    return np.asarray(untimed * notes * bm25 / max(float(bm25.max(initial=0.0)), 1e-9))


def frequency(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
    """ln(1 + count), at least 0."""
    return np.log1p(counts(table))


def strength(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
    """ln(1 + count)/ln(1 + greatest count among the candidates), in [0, 1]; 0 when none was ever recalled."""
    logs = np.log1p(counts(table))
    most = float(logs.max(initial=0.0))
    return logs / most if most > 0 else logs


def importance(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
    """The importance written, times the factor that feedback has earned, in [0, 1]."""
    written = table.traits.importance.copy()
    for row, use in table.used:
        written[row] *= use.boost
    return np.asarray(np.minimum(written, 1.0))


def confidence(table: Table, term: Term) -> Column:  # noqa: ARG001 - every signal takes its term
    """The memory's weight, in [0.1, 1]."""
    return table.traits.weight


def scope(table: Table, term: Term) -> Column:
    """The value for `global` or for `project`."""
    values = term.values or {}
    return _valued(table.traits.everywhere, [values.get("project", 1.0), values.get("global", 1.0)])


def tier(table: Table, term: Term) -> Column:
    """The value for the memory's tier; 0 for a tier without one."""
    return _valued(table.traits.tier, [(term.values or {}).get(tier, 0.0) for tier in TIERS])


def kind(table: Table, term: Term) -> Column:
    """The value for the memory's kind; 0 for a kind without one."""
    return _valued(table.traits.kind, [(term.values or {}).get(kind, 0.0) for kind in KINDS])


def trust(table: Table, term: Term) -> Column:
    """The value for where a memory comes from, less that of the most trusted candidate: 0 where all come from one."""
    column = _valued(table.traits.trust, [(term.values or {}).get(trust, 0.0) for trust in TRUSTS])
    return column - column.max(initial=-np.inf) if len(column) else column


def _valued(places: Column, worth: Sequence[float]) -> Column:
    """The column of what each candidate's word is worth, by the word's place."""
    return np.array(worth, dtype=float)[places.astype(np.intp)]


def ages_days(table: Table, since: str) -> Column:
    """The days since a memory was created, updated or last used, at least 0."""
    return np.maximum(0.0, (table.now_s - _TIMES[since](table)) / DAY_S)


def counts(table: Table) -> Column:
    """How often each memory has been recalled, faded by the policy's `count_kept_per_day` since it was counted."""
    kept, counted = table.policy.settle.count_kept_per_day, np.zeros(len(table))
    for row, use in table.used:
        counted[row] = _faded(use, kept, table.now_s)
    return counted


def _faded(use: Use, kept: float, now: float) -> float:
    if kept == 1.0 or use.counted_at is None:
        return use.count
    days = max(0.0, now - use.counted_at.timestamp()) / DAY_S
    return float(use.count * kept**days)


def _last_used(memory: Memory, table: Table) -> datetime:
    """When recency starts: the last use, or under LRU-2 only one that a second use confirmed."""
    use, within = memory.use, table.policy.settle.second_within
    if use.last_at is None:
        return memory.created_at
    if within is None:
        return use.last_at
    if use.previous_at is None:
        return memory.created_at
    return use.last_at if use.last_at - use.previous_at <= within else use.previous_at


def _tau_days(term: Term) -> float:
    if term.half_life is not None:
        return term.half_life.total_seconds() / DAY_S / math.log(2)
    if term.rate_per_day is not None:
        return 1.0 / term.rate_per_day
    if term.per_hour is not None:
        return -1.0 / (24.0 * math.log(term.per_hour))
    return term.tau.total_seconds() / DAY_S if term.tau is not None else 1.0


def seconds(times: Iterable[datetime | None]) -> Column:
    """Times as seconds since 1970, nan where there is none."""
    return np.array([nan if at is None else at.timestamp() for at in times], dtype=float)


_TIMES: dict[str, Callable[[Table], Column]] = {
    "created": lambda table: table.traits.created_s,
    "updated": lambda table: seconds([memory.updated_at for memory in table.memories]),
    "last_used": lambda table: seconds([_last_used(memory, table) for memory in table.memories]),
}

SIGNALS: dict[str, Callable[[Table, Term], Column]] = {
    "similarity": stored("cosine"),
    "bm25": stored("bm25"),
    "coverage": stored("coverage"),
    "entities": stored("entities"),
    "window": stored("window"),
    "fused": stored("fused"),
    "relevance": stored("relevance"),
    "log_odds": stored("log_odds"),
    "note_words": note_words,
    "recency": recency,
    "decay": decay,
    "activation": activation,
    "frequency": frequency,
    "strength": strength,
    "importance": importance,
    "confidence": confidence,
    "scope": scope,
    "tier": tier,
    "kind": kind,
    "trust": trust,
}
