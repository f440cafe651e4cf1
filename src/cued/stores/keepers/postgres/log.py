"""The recall log on PostgreSQL: constant statements, every value bound."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import psycopg
from msgspec import json

from cued.model import EPOCH, LogQuery, LogRules, RecallEntry, Shadowed, Tallies, TallyQuery
from cued.model.log import SPREAD_LINES
from cued.stores.recall_log import spread_of, stretches, tally_of
from cued.stores.standing.instants import ALWAYS, NEVER, micros

_LISTS: Final = {"chosen": tuple[str, ...], "found_by": tuple[str, ...], "degraded": tuple[str, ...], "cited": tuple[str, ...],
                 "bad": tuple[str, ...], "stage_ms": dict[str, float], "shadow": Shadowed | None}  # fmt: skip
_DECODERS: Final = {name: json.Decoder(kind) for name, kind in _LISTS.items()}
_NAMES: Final = RecallEntry.__struct_fields__
_TEXTS: Final = ("recall_id", "policy", "policy_digest", "scope", "outcome", "conversation", "cue_mark", "cue")
_TYPES: Final = dict.fromkeys(_TEXTS, "bytea") | dict.fromkeys(_LISTS, "text") | {
    "at": "bigint", "candidates": "bigint", "best_relevance": "float8", "floor": "float8", "below_floor": "bigint", "suppressed": "bigint",
    "omitted": "bigint", "tokens": "bigint", "total_ms": "float8", "evidence": "bytea",
}  # fmt: skip

_PUT: Final = f"""
    INSERT INTO cued.recall (tenant, {", ".join(_NAMES)})
    SELECT %(tenant)s, * FROM unnest({", ".join(f"%({name})s::{_TYPES[name]}[]" for name in _NAMES)})
    ON CONFLICT (tenant, recall_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES if name != "recall_id")}
"""  # noqa: S608 - constants
_CONTENT: Final = ("cue", "evidence")
_READ: Final = f"""
    SELECT {", ".join(f"CASE WHEN %(content)s THEN {name} END" if name in _CONTENT else name for name in _NAMES)}
    FROM cued.recall
    WHERE tenant = %(tenant)s AND at >= %(since)s AND at < %(until)s
      AND (%(outcome)s::bytea IS NULL OR outcome = %(outcome)s)
      AND (%(policy)s::bytea IS NULL OR policy = %(policy)s)
      AND (NOT %(kept)s OR evidence IS NOT NULL)
      AND (%(naming)s::jsonb = '[]' OR EXISTS (SELECT 1 FROM jsonb_array_elements(chosen::jsonb) AS held WHERE held <@ %(naming)s::jsonb))
"""  # noqa: S608 - constants
_ONE: Final = _READ + "AND recall_id = %(recall_id)s LIMIT %(limit)s"
_NEWEST: Final = _READ + "ORDER BY at DESC, key DESC LIMIT %(limit)s"
_OLDEST: Final = _READ + "ORDER BY at, key LIMIT %(limit)s"
_BEYOND: Final = """
    WHERE tenant = %(tenant)s
      AND (at, key) <= (SELECT at, key FROM cued.recall WHERE tenant = %(tenant)s ORDER BY at DESC, key DESC LIMIT 1 OFFSET %(kept)s)
"""
_TRIM: Final = "DELETE FROM cued.recall" + _BEYOND  # noqa: S608 - constants
_BARE: Final = "UPDATE cued.recall SET cue = NULL, evidence = NULL" + _BEYOND + "AND (cue IS NOT NULL OR evidence IS NOT NULL)"  # noqa: S608 - constants
_AGED: Final = """
    DELETE FROM cued.recall WHERE tenant = %(tenant)s AND at < (SELECT max(at) FROM cued.recall WHERE tenant = %(tenant)s) - %(age)s
"""

_TALLY: Final = """
    SELECT at - ((at %% %(every)s) + %(every)s) %% %(every)s AS start, {label} AS label, count(*), count(*) FILTER (WHERE chosen <> '[]'),
           count(*) FILTER (WHERE degraded <> '[]'), count(*) FILTER (WHERE cited <> '[]'), count(*) FILTER (WHERE bad <> '[]'),
           sum(json_array_length(chosen::json))::bigint, sum(tokens)::bigint, sum(below_floor)::bigint, sum(suppressed)::bigint,
           sum(omitted)::bigint, sum(total_ms),
           count(*) FILTER (WHERE outcome = 'recalled'::bytea), count(*) FILTER (WHERE outcome = 'nothing_stored'::bytea),
           count(*) FILTER (WHERE outcome = 'all_gated'::bytea), count(*) FILTER (WHERE outcome = 'nothing_matched'::bytea),
           count(*) FILTER (WHERE outcome = 'below_floor'::bytea), count(*) FILTER (WHERE outcome = 'omitted'::bytea)
    FROM cued.recall WHERE tenant = %(tenant)s AND at >= %(since)s AND at < %(until)s
    GROUP BY 1, 2 ORDER BY 1, 2
"""
_TALLIES: Final = {
    "": _TALLY.format(label="''::bytea"),
    "scope": _TALLY.format(label="scope"),
    "policy": _TALLY.format(label="policy || '@'::bytea || policy_digest"),
}
_ENDS: Final = "SELECT min(at), max(at), count(*) FROM cued.recall WHERE tenant = %(tenant)s AND at >= %(since)s AND at < %(until)s"
# A floor of none is 21, as the model has it.
_SPREAD: Final = """
    SELECT (greatest(0, least(19, trunc(best_relevance * 20)::int)) * 22
            + CASE WHEN floor IS NULL THEN 21 ELSE greatest(0, least(20, floor(floor * 20 + 0.5)::int)) END) * 80
           + greatest(0, least(79, trunc(4 * ln(greatest(total_ms, 0.015625)) / ln(2::float8) + 24)::int)) AS code, count(*)
    FROM cued.recall WHERE tenant = %(tenant)s AND at >= %(since)s AND at < %(until)s AND key %% %(nth)s = 0
    GROUP BY code ORDER BY code
"""


def tally(cursor: psycopg.Cursor[Any], tenant: bytes, query: TallyQuery) -> Tallies:
    """The lines of a tenant's log, counted."""
    values: dict[str, Any] = {
        "tenant": tenant,
        "since": ALWAYS if query.since is None else micros(query.since),
        "until": NEVER if query.until is None else micros(query.until),
        "every": query.every_s * 1_000_000,
    }
    first, last, lines = cursor.execute(_ENDS, values).fetchone() or (0, 0, 0)
    if not lines:
        return Tallies()
    stretches(first, last, query.every_s)
    rows = cursor.execute(_TALLIES[query.by], values).fetchall()
    nth = 1 + lines // SPREAD_LINES
    spread = cursor.execute(_SPREAD, values | {"nth": nth}).fetchall()
    counted = tuple(tally_of(start, (bytes(label).decode(), *counts)) for start, label, *counts in rows)
    return Tallies(rows=counted, spread=tuple(spread_of(code, count) for code, count in spread), nth=nth)


def read(cursor: psycopg.Cursor[Any], tenant: bytes, query: LogQuery) -> list[RecallEntry]:
    """The lines of a tenant's log that the query asks for."""
    values: dict[str, Any] = {
        "tenant": tenant,
        "since": ALWAYS if query.since is None else micros(query.since),
        "until": NEVER if query.until is None else micros(query.until),
        "outcome": _bytes(query.outcome),
        "policy": _bytes(query.policy),
        "recall_id": _bytes(query.recall_id),
        "limit": query.limit,
        "naming": json.encode(query.naming).decode(),
        "kept": query.kept,
        "content": query.content,
    }
    statement = _ONE if query.recall_id is not None else _OLDEST if query.oldest_first else _NEWEST
    return [_entry(row) for row in cursor.execute(statement, values).fetchall()]


def write(cursor: psycopg.Cursor[Any], tenant: bytes, entries: Sequence[RecallEntry]) -> None:
    """Append lines, or replace what is known already in its place; of two with one id the later one is written."""
    latest = {entry.recall_id: _values(entry) for entry in entries}
    columns = {name: [values[name] for values in latest.values()] for name in _NAMES}
    cursor.execute(_PUT, columns | {"tenant": tenant})


def trim(cursor: psycopg.Cursor[Any], tenant: bytes, rules: LogRules) -> None:
    """Drop what the rules do not keep."""
    cursor.execute(_TRIM, {"tenant": tenant, "kept": rules.rows})
    if rules.age is not None:
        cursor.execute(_AGED, {"tenant": tenant, "age": rules.age // timedelta(microseconds=1)})
    if rules.content == "last":
        cursor.execute(_BARE, {"tenant": tenant, "kept": rules.last})


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _values(entry: RecallEntry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in _NAMES}
    values |= {name: json.encode(values[name]).decode() for name in _LISTS if values[name] is not None}
    return values | {name: _bytes(values[name]) for name in _TEXTS} | {"at": micros(entry.at)}


def _entry(row: tuple[Any, ...]) -> RecallEntry:
    values = dict(zip(_NAMES, row, strict=True))
    values |= {name: decoder.decode(values[name]) for name, decoder in _DECODERS.items() if values[name] is not None}
    values |= {name: None if values[name] is None else values[name].decode() for name in _TEXTS}
    return RecallEntry(**values | {"at": EPOCH + timedelta(microseconds=values["at"])})
