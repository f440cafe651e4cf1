"""The recall log in SQL: constant statements, every value bound."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import apsw
from msgspec import json

from cued.model import EPOCH, LogQuery, LogRules, RecallEntry
from cued.stores.standing.instants import ALWAYS, NEVER, micros

_LISTS: Final = {"chosen": tuple[str, ...], "found_by": tuple[str, ...], "degraded": tuple[str, ...], "cited": tuple[str, ...],
                 "bad": tuple[str, ...], "stage_ms": dict[str, float]}  # fmt: skip
_DECODERS: Final = {name: json.Decoder(kind) for name, kind in _LISTS.items()}
_NAMES: Final = RecallEntry.__struct_fields__

_PUT: Final = """
    INSERT INTO recall (tenant, recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance, floor,
                        below_floor, suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad, cue, evidence)
    VALUES (:tenant, :recall_id, :at, :policy, :policy_digest, :scope, :outcome, :candidates, :chosen, :found_by, :best_relevance, :floor,
            :below_floor, :suppressed, :omitted, :tokens, :degraded, :total_ms, :stage_ms, :cited, :bad, :cue, :evidence)
    ON CONFLICT (tenant, recall_id) DO UPDATE SET
        at = excluded.at, policy = excluded.policy, policy_digest = excluded.policy_digest, scope = excluded.scope,
        outcome = excluded.outcome, candidates = excluded.candidates, chosen = excluded.chosen, found_by = excluded.found_by,
        best_relevance = excluded.best_relevance, floor = excluded.floor, below_floor = excluded.below_floor,
        suppressed = excluded.suppressed, omitted = excluded.omitted, tokens = excluded.tokens, degraded = excluded.degraded,
        total_ms = excluded.total_ms, stage_ms = excluded.stage_ms, cited = excluded.cited, bad = excluded.bad, cue = excluded.cue,
        evidence = excluded.evidence
"""
_READ: Final = """
    SELECT recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance, floor, below_floor,
           suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad, iif(:content, cue, NULL), iif(:content, evidence, NULL)
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
    return values | {name: json.encode(values[name]).decode() for name in _LISTS} | {"at": micros(entry.at)}


def _entry(row: tuple[Any, ...]) -> RecallEntry:
    values = dict(zip(_NAMES, row, strict=True))
    values |= {name: decoder.decode(values[name]) for name, decoder in _DECODERS.items()}
    return RecallEntry(**values | {"at": EPOCH + timedelta(microseconds=values["at"])})
