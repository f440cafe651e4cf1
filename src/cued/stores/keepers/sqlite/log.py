"""The recall log in SQL: constant statements, every value bound."""

from collections.abc import Sequence
from typing import Any, Final

import apsw

from cued.model import LogQuery, LogRules, RecallEntry, Tallies, TallyQuery
from cued.model.log import Tally
from cued.stores.keepers import sql_values
from cued.stores.keepers.sql_values import HEAVY, NAMES
from cued.stores.recall_log import stretches, tally_of

_PUT: Final = f"""
    INSERT INTO recall (tenant, {", ".join(NAMES)}) VALUES (:tenant, {", ".join(f":{name}" for name in NAMES)})
    ON CONFLICT (tenant, recall_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in NAMES if name != "recall_id")}
"""  # noqa: S608 - constants
_READ: Final = f"""
    SELECT {", ".join(f"iif(:content, {name}, NULL)" if name in HEAVY else name for name in NAMES)}
    FROM recall
    WHERE tenant = :tenant AND at >= :since AND at < :until
      AND (:outcome IS NULL OR outcome = :outcome)
      AND (:policy IS NULL OR policy = :policy)
      AND (NOT :kept OR evidence IS NOT NULL)
      AND (:naming = '[]' OR EXISTS (SELECT value FROM json_each(:naming) INTERSECT
                                     SELECT value FROM (SELECT value FROM json_each(chosen)
                                                        UNION ALL SELECT value FROM json_each(shadow, '$.chosen'))))
"""  # noqa: S608 - constants
_ONE: Final = _READ + "AND recall_id = :recall_id LIMIT :limit"
_NEWEST: Final = _READ + "ORDER BY at DESC, key DESC LIMIT :limit"
_OLDEST: Final = _READ + "ORDER BY at, key LIMIT :limit"
_BEYOND: Final = """
    WHERE tenant = :tenant
      AND (at, key) <= (SELECT at, key FROM recall WHERE tenant = :tenant ORDER BY at DESC, key DESC LIMIT 1 OFFSET :most)
"""
_ROWS: Final = "DELETE FROM recall" + _BEYOND  # noqa: S608 - both parts are constants
_CONTENT: Final = "UPDATE recall SET cue = NULL, evidence = NULL" + _BEYOND + "AND (cue IS NOT NULL OR evidence IS NOT NULL)"  # noqa: S608 - constants
_AGE: Final = "DELETE FROM recall WHERE tenant = :tenant AND at < :most"
_TRIMS: Final = {"rows": _ROWS, "age": _AGE, "content": _CONTENT}

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
    sql = _ONE if query.recall_id is not None else _OLDEST if query.oldest_first else _NEWEST
    return [sql_values.entry_of(row) for row in connection.execute(sql, sql_values.log_values(query) | {"tenant": tenant})]


def tally(connection: apsw.Connection, tenant: int, query: TallyQuery) -> Tallies:
    """The lines of a tenant's log, counted."""
    values = sql_values.between(query.since, query.until) | {"tenant": tenant}
    first, last, lines = connection.execute(_ENDS, values).get
    if not lines:
        return Tallies()
    rows = list[Tally]()
    for start in stretches(first, last, query.every_s):
        ends = {"tenant": tenant, "start": max(start, values["since"]), "end": min(start + query.every_s * 1_000_000, values["until"])}
        rows += [tally_of(start, row) for row in connection.execute(_TALLIES[query.by], ends) if row[1]]
    spread: list[Any] = connection.execute(_SPREAD, values | {"nth": sql_values.every_nth(lines)}).fetchall()
    return sql_values.tallies(rows, spread, lines)


def write(connection: apsw.Connection, tenant: int, entries: Sequence[RecallEntry]) -> None:
    """Append lines, or replace what is known already in its place."""
    connection.executemany(_PUT, [sql_values.values_of(entry) | {"tenant": tenant} for entry in entries])


def trim(connection: apsw.Connection, tenant: int, entries: Sequence[RecallEntry], rules: LogRules) -> None:
    """Drop what the rules do not keep with these lines."""
    for step, most in sql_values.trims(entries, rules):
        connection.execute(_TRIMS[step], {"tenant": tenant, "most": most})
