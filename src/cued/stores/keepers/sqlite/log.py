"""The recall log in SQL: constant statements, every value bound."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import apsw
from msgspec import json

from cued.model import EPOCH, LogQuery, LogRules, RecallEntry, Shadowed, Tallies, TallyQuery
from cued.model.log import SPREAD_LINES, Tally
from cued.stores.recall_log import spread_of, stretches, tally_of
from cued.stores.standing.instants import ALWAYS, NEVER, micros

_LISTS: Final = {"chosen": tuple[str, ...], "found_by": tuple[str, ...], "degraded": tuple[str, ...], "cited": tuple[str, ...],
                 "bad": tuple[str, ...], "stage_ms": dict[str, float], "shadow": Shadowed | None}  # fmt: skip
_DECODERS: Final = {name: json.Decoder(kind) for name, kind in _LISTS.items()}
_NAMES: Final = RecallEntry.__struct_fields__

_PUT: Final = """
    INSERT INTO recall (tenant, recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance, floor,
                        below_floor, suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad, conversation, cue_mark,
                        shadow, cue, evidence)
    VALUES (:tenant, :recall_id, :at, :policy, :policy_digest, :scope, :outcome, :candidates, :chosen, :found_by, :best_relevance, :floor,
            :below_floor, :suppressed, :omitted, :tokens, :degraded, :total_ms, :stage_ms, :cited, :bad, :conversation, :cue_mark,
            :shadow, :cue, :evidence)
    ON CONFLICT (tenant, recall_id) DO UPDATE SET
        at = excluded.at, policy = excluded.policy, policy_digest = excluded.policy_digest, scope = excluded.scope,
        outcome = excluded.outcome, candidates = excluded.candidates, chosen = excluded.chosen, found_by = excluded.found_by,
        best_relevance = excluded.best_relevance, floor = excluded.floor, below_floor = excluded.below_floor,
        suppressed = excluded.suppressed, omitted = excluded.omitted, tokens = excluded.tokens, degraded = excluded.degraded,
        total_ms = excluded.total_ms, stage_ms = excluded.stage_ms, cited = excluded.cited, bad = excluded.bad,
        conversation = excluded.conversation, cue_mark = excluded.cue_mark, shadow = excluded.shadow, cue = excluded.cue,
        evidence = excluded.evidence
"""
_READ: Final = """
    SELECT recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance, floor, below_floor,
           suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad, conversation, cue_mark, shadow, iif(:content, cue, NULL),
           iif(:content, evidence, NULL)
    FROM recall
    WHERE tenant = :tenant AND at >= :since AND at < :until
      AND (:outcome IS NULL OR outcome = :outcome)
      AND (:policy IS NULL OR policy = :policy)
      AND (NOT :kept OR evidence IS NOT NULL)
      AND (:naming = '[]' OR EXISTS (SELECT 1 FROM json_each(chosen) AS held JOIN json_each(:naming) AS asked ON held.value = asked.value))
"""
_ONE: Final = _READ + "AND recall_id = :recall_id LIMIT :limit"
_NEWEST: Final = _READ + "ORDER BY at DESC, key DESC LIMIT :limit"
_OLDEST: Final = _READ + "ORDER BY at, key LIMIT :limit"
_BEYOND: Final = """
    WHERE tenant = :tenant
      AND (at, key) <= (SELECT at, key FROM recall WHERE tenant = :tenant ORDER BY at DESC, key DESC LIMIT 1 OFFSET :kept)
"""
_TRIM: Final = "DELETE FROM recall" + _BEYOND  # noqa: S608 - both parts are constants
_BARE: Final = "UPDATE recall SET cue = NULL, evidence = NULL" + _BEYOND + "AND (cue IS NOT NULL OR evidence IS NOT NULL)"  # noqa: S608 - constants
_AGED: Final = "DELETE FROM recall WHERE tenant = :tenant AND at < (SELECT max(at) FROM recall WHERE tenant = :tenant) - :age"

# One statement a stretch: it needs no sorting, which is what would cost most.
_TALLY: Final = """
    SELECT {label}, count(*), sum(chosen <> '[]'), sum(degraded <> '[]'), sum(cited <> '[]'), sum(bad <> '[]'),
           sum(json_array_length(chosen)), sum(tokens), sum(below_floor), sum(suppressed), sum(omitted), sum(total_ms),
           sum(outcome = 'recalled'), sum(outcome = 'nothing_stored'), sum(outcome = 'all_gated'), sum(outcome = 'nothing_matched'),
           sum(outcome = 'below_floor'), sum(outcome = 'omitted')
    FROM recall WHERE tenant = :tenant AND at >= :start AND at < :end
{grouped}"""
_TALLIES: Final = {
    "": _TALLY.format(label="''", grouped=""),
    "scope": _TALLY.format(label="scope", grouped="GROUP BY scope ORDER BY scope"),
    "policy": _TALLY.format(label="policy || '@' || policy_digest", grouped="GROUP BY policy, policy_digest ORDER BY 1"),
}
_ENDS: Final = "SELECT min(at), max(at), count(*) FROM recall WHERE tenant = :tenant AND at >= :since AND at < :until"
# A floor of none is 21, as the model has it.
_SPREAD: Final = """
    SELECT (max(0, min(19, cast(best_relevance * 20 AS INT))) * 22 + ifnull(max(0, min(20, cast(round(floor * 20) AS INT))), 21)) * 80
           + max(0, min(79, cast(4 * log2(max(total_ms, 0.015625)) + 24 AS INT))) AS code, count(*)
    FROM recall WHERE tenant = :tenant AND at >= :since AND at < :until AND key % :nth = 0
    GROUP BY code ORDER BY code
"""


def read(connection: apsw.Connection, tenant: int, query: LogQuery) -> list[RecallEntry]:
    """The lines of a tenant's log that the query asks for."""
    values: dict[str, Any] = {
        "tenant": tenant,
        "since": ALWAYS if query.since is None else micros(query.since),
        "until": NEVER if query.until is None else micros(query.until),
        "outcome": query.outcome,
        "policy": query.policy,
        "recall_id": query.recall_id,
        "limit": query.limit,
        "naming": json.encode(query.naming).decode(),
        "kept": int(query.kept),
        "content": int(query.content),
    }
    sql = _ONE if query.recall_id is not None else _OLDEST if query.oldest_first else _NEWEST
    return [_entry(row) for row in connection.execute(sql, values)]


def tally(connection: apsw.Connection, tenant: int, query: TallyQuery) -> Tallies:
    """The lines of a tenant's log, counted."""
    values = {
        "tenant": tenant,
        "since": ALWAYS if query.since is None else micros(query.since),
        "until": NEVER if query.until is None else micros(query.until),
    }
    first, last, lines = connection.execute(_ENDS, values).get
    if not lines:
        return Tallies()
    rows = list[Tally]()
    for start in stretches(first, last, query.every_s):
        ends = {"tenant": tenant, "start": max(start, values["since"]), "end": min(start + query.every_s * 1_000_000, values["until"])}
        rows += [tally_of(start, row) for row in connection.execute(_TALLIES[query.by], ends) if row[1]]
    nth = 1 + lines // SPREAD_LINES
    spread = connection.execute(_SPREAD, values | {"nth": nth})
    return Tallies(rows=tuple(rows), spread=tuple(spread_of(code, count) for code, count in spread), nth=nth)


def write(connection: apsw.Connection, tenant: int, entries: Sequence[RecallEntry]) -> None:
    """Append lines, or replace what is known already in its place."""
    connection.executemany(_PUT, [_values(entry) | {"tenant": tenant} for entry in entries])


def trim(connection: apsw.Connection, tenant: int, rules: LogRules) -> None:
    """Drop what the rules do not keep."""
    connection.execute(_TRIM, {"tenant": tenant, "kept": rules.rows})
    if rules.age is not None:
        connection.execute(_AGED, {"tenant": tenant, "age": rules.age // timedelta(microseconds=1)})
    if rules.content == "last":
        connection.execute(_BARE, {"tenant": tenant, "kept": rules.last})


def _values(entry: RecallEntry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in _NAMES}
    return values | {name: json.encode(values[name]).decode() for name in _LISTS if values[name] is not None} | {"at": micros(entry.at)}


def _entry(row: tuple[Any, ...]) -> RecallEntry:
    values = dict(zip(_NAMES, row, strict=True))
    values |= {name: decoder.decode(values[name]) for name, decoder in _DECODERS.items() if values[name] is not None}
    return RecallEntry(**values | {"at": EPOCH + timedelta(microseconds=values["at"])})
