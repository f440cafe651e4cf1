"""The recall log by the store's rules: what of a line is kept, which lines a question means, and whom a kept recall names."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import ERASED, LogQuery, LogRules, Outcome, RecallEntry, Tallies, TallyQuery
from cued.model.log import MOST_STRETCHES, MS_STEPS, NO_FLOOR, RELEVANCE_STEPS, Spread, Tally, ms_step
from cued.ports import Transaction
from cued.stores.arrays import micros, moment_of

COUNTED = ("recalls", "injected", "degraded", "cited", "bad", "chosen", "tokens", "below_floor", "suppressed", "omitted", "total_ms")
"""What a keeper counts of a stretch, in this order."""
_FIRST_DATE = datetime.min.replace(tzinfo=UTC)
CALENDAR_S = (datetime.max.replace(tzinfo=UTC) - _FIRST_DATE) // timedelta(seconds=1)
"""How many seconds the calendar has: no stretch of a log is longer."""
_EVERY_LINE = 2**62


class _Named(Struct, frozen=True):
    id: str


class _Findings(Struct, frozen=True):
    memories: tuple[_Named, ...] = ()
    core: tuple[_Named, ...] = ()


class _Evidence(Struct, frozen=True):
    findings: _Findings = _Findings()


class _Envelope(Struct, frozen=True):
    """What of an envelope tells whom it names."""

    evidence: _Evidence = _Evidence()


def as_kept(entry: RecallEntry, rules: LogRules) -> RecallEntry:
    """A line as the rules have it written: with its cue and its evidence, or without."""
    return entry if rules.keeps_content(entry.recall_id) else bare(entry)


def bare(entry: RecallEntry) -> RecallEntry:
    """A line without its cue and its evidence."""
    return replace(entry, cue=None, evidence=None)


def without_ids(entry: RecallEntry, erased: Collection[str]) -> RecallEntry:
    """A line that names none of the erased memories, and has neither cue nor evidence; how many it chose is still told."""

    def without(ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(ERASED if each in erased else each for each in ids)

    shadow = None if entry.shadow is None else replace(entry.shadow, chosen=without(entry.shadow.chosen))
    return replace(bare(entry), chosen=without(entry.chosen), cited=without(entry.cited), bad=without(entry.bad), shadow=shadow)


def asked_for(entry: RecallEntry, query: LogQuery) -> bool:
    """Whether a question means this line."""
    return (
        query.recall_id in (None, entry.recall_id)
        and query.outcome in (None, entry.outcome)
        and query.policy in (None, entry.policy)
        and (query.since is None or query.since <= entry.at)
        and (query.until is None or entry.at < query.until)
        and not (query.kept and entry.evidence is None)
        and (not query.naming or not set(query.naming).isdisjoint((*entry.chosen, *(entry.shadow.chosen if entry.shadow else ()))))
    )


def tallied(entries: Sequence[RecallEntry], query: TallyQuery) -> Tallies:
    """These lines counted, for a keeper that has no quicker way; `query` says in which stretches and by what beside."""
    if not entries:
        return Tallies()
    every = query.every_s * 1_000_000
    groups: dict[tuple[int, str], list[RecallEntry]] = {}
    for entry in entries:
        groups.setdefault((micros(entry.at) // every * every, _LABELS[query.by](entry)), []).append(entry)
    times = [start for start, _ in groups]
    stretches(min(times), max(times), query.every_s)
    spread = Counter(map(_spread, entries))
    rows = tuple(_tally(start, label, groups[start, label]) for start, label in sorted(groups))
    return Tallies(rows=rows, spread=tuple(Spread(*place, count) for place, count in sorted(spread.items())))


def tally_of(start: int, row: Sequence[Any]) -> Tally:
    """A row as a keeper counts it in SQL: the label, the counts in the order of `COUNTED`, and the count of each outcome."""
    label, *counts = row
    outcomes = {outcome: count for outcome, count in zip(get_args(Outcome), counts[len(COUNTED) :], strict=True) if count}
    return Tally(start=_start(start), label=label, outcomes=outcomes, **dict(zip(COUNTED, counts, strict=False)))


def spread_of(code: int, count: int) -> Spread:
    """A place of the spread as a keeper codes it in SQL: (relevance · 22 + floor) · 80 + ms."""
    rest, ms = divmod(code, MS_STEPS)
    relevance, floor = divmod(rest, NO_FLOOR + 1)
    return Spread(relevance, floor, ms, count)


def stretches(first: int, last: int, every_s: int) -> range:
    """The starts of the stretches that times from `first` to `last` fall into, in microseconds since 1970."""
    every = every_s * 1_000_000
    found = range(first // every * every, last + 1, every)
    if len(found) > MOST_STRETCHES:
        raise InputError("every", every_s, f"longer stretches: these would be {len(found)}, and {MOST_STRETCHES} are the most")
    return found


def _tally(start: int, label: str, lines: Sequence[RecallEntry]) -> Tally:
    outcomes = Counter(line.outcome for line in lines)
    sums = {name: sum(getattr(line, name) for line in lines) for name in ("tokens", "below_floor", "suppressed", "omitted", "total_ms")}
    counts = {name: sum(bool(getattr(line, name)) for line in lines) for name in ("degraded", "cited", "bad")}
    return Tally(
        start=_start(start),
        label=label,
        recalls=len(lines),
        injected=sum(bool(line.chosen) for line in lines),
        outcomes={outcome: outcomes[outcome] for outcome in get_args(Outcome) if outcomes[outcome]},
        chosen=sum(len(line.chosen) for line in lines),
        **counts,
        **sums,
    )


def _start(start: int) -> datetime:
    """When a stretch begins, for one that begins before there are dates the first of them."""
    return moment_of(max(start, micros(_FIRST_DATE)))


def _spread(line: RecallEntry) -> tuple[int, int, int]:
    relevance = max(0, min(RELEVANCE_STEPS - 1, int(line.best_relevance * RELEVANCE_STEPS)))
    floor = NO_FLOOR if line.floor is None else max(0, min(RELEVANCE_STEPS, int(line.floor * RELEVANCE_STEPS + 0.5)))
    return relevance, floor, ms_step(line.total_ms)


def ids_in(evidence: bytes) -> set[str]:
    """The ids of all memories that the envelope of a recall has the texts of; what is no envelope names nobody."""
    try:
        findings = _DECODER.decode(evidence).evidence.findings
    except (msgspec.DecodeError, UnicodeDecodeError):
        return set()
    return {memory.id for memory in (*findings.memories, *findings.core)}


_LABELS: dict[str, Callable[[RecallEntry], str]] = {
    "": lambda _line: "",
    "scope": lambda line: line.scope,
    "policy": lambda line: f"{line.policy}@{line.policy_digest}",
}
_DECODER = msgspec.json.Decoder(_Envelope)


def evidence_names(rows: Transaction, line: RecallEntry) -> set[str]:
    """The ids in the evidence of one line, read by itself: all of them at once may not fit into memory."""
    (whole,) = rows.log(LogQuery(recall_id=line.recall_id, limit=1, content=True))
    return ids_in(whole.evidence or b"")


def all_stored(rows: Transaction, evidence: bytes) -> bool:
    """Whether every memory that the envelope of a recall has the text of is stored."""
    ids = sorted(ids_in(evidence))
    return len(rows.read(ids)) == len(ids)


def naming_none(rows: Transaction, erased: Collection[str]) -> list[RecallEntry]:
    """The lines of the log that name one of the erased memories, or have its text in their evidence, without it."""
    gone = set(erased)
    found = {line.recall_id: line for line in rows.log(LogQuery(kept=True, limit=_EVERY_LINE)) if gone & evidence_names(rows, line)}
    found |= {line.recall_id: line for line in rows.log(LogQuery(naming=tuple(sorted(gone)), limit=_EVERY_LINE))}
    return [without_ids(line, erased) for line in found.values()]
