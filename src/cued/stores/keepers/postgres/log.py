"""The recall log on PostgreSQL: constant statements, every value bound."""

from collections.abc import Sequence
from typing import Any, Final

import psycopg

from cued.model import LogQuery, LogRules, RecallEntry, Tallies, TallyQuery
from cued.stores.keepers import sql_values
from cued.stores.keepers.postgres.sending import as_bytes
from cued.stores.keepers.sql_values import HEAVY, LISTS, NAMES
from cued.stores.recall_log import stretches, tally_of

_TEXTS: Final = ("recall_id", "policy", "policy_digest", "scope", "outcome", "conversation", "cue_mark", "cue")
_TYPES: Final = dict.fromkeys(_TEXTS, "bytea") | dict.fromkeys(LISTS, "text") | {
    "at": "bigint", "candidates": "bigint", "best_relevance": "float8", "floor": "float8", "below_floor": "bigint", "suppressed": "bigint",
    "omitted": "bigint", "tokens": "bigint", "total_ms": "float8", "evidence": "bytea",
}  # fmt: skip

_PUT: Final = f"""
    WITH new AS (SELECT * FROM unnest({", ".join(f"%({name})s::{_TYPES[name]}[]" for name in NAMES)}) AS new ({", ".join(NAMES)})),
         known AS (UPDATE cued.recall SET {", ".join(f"{name} = new.{name}" for name in NAMES if name != "recall_id")} FROM new
                   WHERE recall.tenant = %(tenant)s AND recall.recall_id = new.recall_id RETURNING recall.recall_id)
    INSERT INTO cued.recall (tenant, {", ".join(NAMES)})
    SELECT %(tenant)s, new.* FROM new WHERE recall_id NOT IN (SELECT recall_id FROM known)
"""  # noqa: S608 - constants
_READ: Final = f"""
    SELECT {", ".join(f"CASE WHEN %(content)s = 1 THEN {name} END" if name in HEAVY else name for name in NAMES)}
    FROM cued.recall
    WHERE tenant = %(tenant)s AND at >= %(since)s AND at < %(until)s
      AND (%(outcome)s::bytea IS NULL OR outcome = %(outcome)s)
      AND (%(policy)s::bytea IS NULL OR policy = %(policy)s)
      AND (%(kept)s = 0 OR evidence IS NOT NULL)
      AND (%(naming)s::jsonb = '[]' OR EXISTS (
          SELECT 1 FROM jsonb_array_elements(chosen::jsonb || coalesce(shadow::jsonb -> 'chosen', '[]')) AS held
          WHERE held <@ %(naming)s::jsonb))
"""  # noqa: S608 - constants
_ONE: Final = _READ + "AND recall_id = %(recall_id)s LIMIT %(limit)s"
_NEWEST: Final = _READ + "ORDER BY at DESC, key DESC LIMIT %(limit)s"
_OLDEST: Final = _READ + "ORDER BY at, key LIMIT %(limit)s"
_BEYOND: Final = """
    WHERE tenant = %(tenant)s
      AND (at, key) <= (SELECT at, key FROM cued.recall WHERE tenant = %(tenant)s ORDER BY at DESC, key DESC LIMIT 1 OFFSET %(most)s)
"""
_ROWS: Final = "DELETE FROM cued.recall" + _BEYOND  # noqa: S608 - constants
_CONTENT: Final = "UPDATE cued.recall SET cue = NULL, evidence = NULL" + _BEYOND + "AND (cue IS NOT NULL OR evidence IS NOT NULL)"  # noqa: S608 - constants
_AGE: Final = "DELETE FROM cued.recall WHERE tenant = %(tenant)s AND at < %(most)s"
_TRIMS: Final = {"rows": _ROWS, "age": _AGE, "content": _CONTENT}

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
    values: dict[str, Any] = sql_values.between(query.since, query.until) | {"tenant": tenant, "every": query.every_s * 1_000_000}
    first, last, lines = cursor.execute(_ENDS, values).fetchone() or (0, 0, 0)
    if not lines:
        return Tallies()
    stretches(first, last, query.every_s)
    rows = cursor.execute(_TALLIES[query.by], values).fetchall()
    spread = cursor.execute(_SPREAD, values | {"nth": sql_values.every_nth(lines)}).fetchall()
    return sql_values.tallies([tally_of(start, (bytes(label).decode(), *counts)) for start, label, *counts in rows], spread, lines)


def read(cursor: psycopg.Cursor[Any], tenant: bytes, query: LogQuery) -> list[RecallEntry]:
    """The lines of a tenant's log that the query asks for."""
    values = sql_values.log_values(query)
    texts = {name: as_bytes(values[name]) for name in ("outcome", "policy", "recall_id")}
    statement = _ONE if query.recall_id is not None else _OLDEST if query.oldest_first else _NEWEST
    return [_entry(row) for row in cursor.execute(statement, values | texts | {"tenant": tenant}).fetchall()]


def write(cursor: psycopg.Cursor[Any], tenant: bytes, entries: Sequence[RecallEntry]) -> None:
    """Append lines, or replace what is known already in its place; of two with one id the later one is written."""
    latest = {entry.recall_id: sql_values.values_of(entry) for entry in entries}
    columns = {name: [values[name] for values in latest.values()] for name in NAMES}
    texts = {name: [as_bytes(each) for each in columns[name]] for name in _TEXTS}
    cursor.execute(_PUT, columns | texts | {"tenant": tenant})


def trim(cursor: psycopg.Cursor[Any], tenant: bytes, entries: Sequence[RecallEntry], rules: LogRules) -> None:
    """Drop what the rules do not keep with these lines."""
    for step, most in sql_values.trims(entries, rules):
        cursor.execute(_TRIMS[step], {"tenant": tenant, "most": most})


def _entry(row: tuple[Any, ...]) -> RecallEntry:
    named = zip(NAMES, row, strict=True)
    return sql_values.entry_of([each.decode() if name in _TEXTS and each is not None else each for name, each in named])
