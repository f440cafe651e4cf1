"""What is wrong with one tenant's rows on PostgreSQL: each held against its sums, and what its columns say against its body."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg

from cued.model import Fault, Memory, Row
from cued.stores.encoding import decoded, fault, fits, row_faults
from cued.stores.keepers.postgres.sending import as_bytes
from cued.stores.keepers.sql_values import columns
from cued.stores.standing.facts import judged

_PAGE: Final = 500
_TOLD: Final = ("scope", "kind", "tier", "trust", "quarantined", "created", "valid_from", "valid_until", "expires", "forgotten",
                "superseded", "locally", "session", "turn")  # fmt: skip
_ROWS: Final = f"""
    SELECT m.key, m.id, m.body, m.body_sum, m.forward, m.forward_sum, m.fingerprint, v.data, v.data_sum,
           ARRAY(SELECT e.relation || '\\x00'::bytea || e.target FROM cued.edge e WHERE e.tenant = m.tenant AND e.key = m.key),
           m.tags, {", ".join(f"m.{name}" for name in _TOLD)}
    FROM cued.memory m LEFT JOIN cued.vector v ON v.tenant = m.tenant AND v.key = m.key
    WHERE m.tenant = %s AND m.key > %s ORDER BY m.key LIMIT {_PAGE}
"""  # noqa: S608 - constants
_LOST: Final = {
    table: f"""
        SELECT count(*) FROM cued.{table} h
        WHERE h.tenant = %s AND NOT EXISTS (SELECT FROM cued.memory m WHERE m.tenant = h.tenant AND m.key = h.key)
    """  # noqa: S608 - constants
    for table in ("vector", "use", "edge")
}


def faults(cursor: psycopg.Cursor[Any], name: bytes, *, stored: int) -> Iterator[Fault | None]:
    """What is wrong with each row, None for one that is whole; then with what belongs to none, and with the number of them."""
    found = after = 0
    while page := cursor.execute(_ROWS, (name, after)).fetchall():
        for row in page:
            yield from _of_row(name, row) or (None,)
        found, after = found + len(page), page[-1][0]
    for table, statement in _LOST.items():
        (count,) = cursor.execute(statement, (name,)).fetchone() or (0,)
        if count:
            yield Fault("counts", f"{count} rows of {table} belong to no memory")
    if found != stored:
        yield Fault("counts", f"{stored} memories were stored, and {found} are there")


def _of_row(name: bytes, row: Sequence[Any]) -> list[Fault]:
    _, memory_id, body, body_sum, *_ = row
    known = bytes(memory_id).decode("utf-8", "replace")
    if broken := fault(body, body_sum, memory_id=known):
        return [Fault("memory", broken, known)]
    memory = decoded(body, body_sum)
    if memory.tenant != name.decode():
        return [Fault("memory", "it lies among another tenant's", known)]
    return [Fault(part, what, known) for part, what in _of_rest(memory, row)]


def _of_rest(memory: Memory, row: Sequence[Any]) -> Iterator[tuple[str, str]]:
    key, _, _, _, forward, forward_sum, fingerprint, vector, vector_sum, edges, tags, *told = row
    said = columns(Row(memory, key, judged(memory)), change=0)
    differing = [each for each, value in zip(_TOLD, told, strict=True) if value != _as_bytes(said[each])]
    differing += ["tags"] * (list(tags) != [tag.encode() for tag in memory.tags])
    differing += ["fingerprint"] * (fingerprint != as_bytes(memory.fingerprint))
    return row_faults(
        memory,
        words=fits(forward, forward_sum),
        columns=differing,
        vector=vector is not None and (fits(vector, vector_sum) or None),
        edges=set(edges) == {b"\x00".join((edge.relation.encode(), edge.target.encode())) for edge in memory.edges},
    )


def _as_bytes(value: object) -> object:
    return value.encode() if isinstance(value, str) else value
