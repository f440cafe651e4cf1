"""Pages and counts on PostgreSQL: constant statements, every value bound."""

from collections.abc import Iterator, Sequence
from heapq import nlargest, nsmallest
from operator import itemgetter
from typing import Any, Final

import psycopg
from msgspec import msgpack

from cued.model import Filter, Memory, Slice, Stats
from cued.stores.keepers.sql_values import codes_of, page_values, says, stats_of, with_use
from cued.stores.paging import Standing, beyond, standing

Found = Sequence[tuple[Any, ...]]

_STANDS: Final = "forgotten IS NULL AND superseded IS NULL AND coalesce(expires > %(at)s, true)"
_WANTED: Final = f"""
    WHERE m.tenant = %(tenant)s
      AND (%(hidden)s OR ({_STANDS}))
      AND (%(state)s::text IS NULL OR (%(state)s = 'forgotten' AND forgotten IS NOT NULL)
           OR (%(state)s = 'superseded' AND superseded IS NOT NULL) OR (%(state)s = 'expired' AND expires <= %(at)s))
      AND (%(scope)s::bytea IS NULL OR scope = %(scope)s)
      AND (%(session)s::bytea IS NULL OR session = %(session)s)
      AND (%(kinds)s::int[] IS NULL OR kind = ANY(%(kinds)s))
      AND (%(tiers)s::int[] IS NULL OR tier = ANY(%(tiers)s))
      AND (%(trusts)s::int[] IS NULL OR trust = ANY(%(trusts)s))
      AND (%(quarantined)s::boolean IS NULL OR %(quarantined)s = (quarantined IS NOT NULL))
      AND created >= %(since)s AND created < %(until)s
      AND meta @> %(meta)s::jsonb
      AND tags @> %(tags)s::bytea[]
"""
_USED: Final = "LEFT JOIN cued.use u ON u.tenant = m.tenant AND u.key = m.key"
_COUNT: Final = f"SELECT count(*) FROM cued.memory m {_WANTED}"  # noqa: S608 - constants
_SHOWN: Final = f"SELECT m.body, m.body_sum, u.body FROM cued.memory m {_USED} {_WANTED}"  # noqa: S608 - constants
_NEWEST: Final = _SHOWN + "AND (created, id) < (%(created)s, %(id)s::bytea) ORDER BY created DESC, id DESC LIMIT %(rows)s"
_OLDEST: Final = _SHOWN + "AND (created, id) > (%(created)s, %(id)s::bytea) ORDER BY created, id LIMIT %(rows)s"
_EACH: Final = f"SELECT m.body, m.body_sum, u.body, created, id FROM cued.memory m {_USED} {_WANTED}"  # noqa: S608 - constants
_SCAN: Final = f"""
    SELECT m.key, m.body, m.body_sum, u.body, m.forward, v.data, m.forward_sum, v.data_sum
    FROM cued.memory m {_USED} LEFT JOIN cued.vector v ON v.tenant = m.tenant AND v.key = m.key
    WHERE m.tenant = %s AND m.id > %s ORDER BY m.id LIMIT %s
"""  # noqa: S608 - constants
_LINKING: Final = f"""
    SELECT m.body, m.body_sum, u.body FROM cued.memory m {_USED}
    WHERE m.tenant = %s AND m.key IN (SELECT key FROM cued.edge WHERE tenant = %s AND target = ANY(%s)) ORDER BY m.key
"""  # noqa: S608 - constants
_TOTALS: Final = f"""
    SELECT count(*), count(*) FILTER (WHERE {_STANDS}), count(forgotten), count(superseded), count(*) FILTER (WHERE expires <= %(at)s),
           count(quarantined), count(*) - count(fingerprint), min(created), max(created)
    FROM cued.memory WHERE tenant = %(tenant)s
"""  # noqa: S608 - constants
_BY: Final = {
    name: f"SELECT {name}, count(*) FROM cued.memory WHERE tenant = %s AND {name} IS NOT NULL GROUP BY {name}"  # noqa: S608 - constants
    for name in ("kind", "tier", "trust", "scope", "fingerprint")
} | {"tag": "SELECT tag, count(DISTINCT key) FROM cued.memory, unnest(tags) AS tag WHERE tenant = %s GROUP BY tag"}


def page(cursor: psycopg.Cursor[Any], tenant: bytes, wanted: Filter, asked: Slice) -> tuple[Found, int]:
    """The body, its sum and the use of each memory in a part of a listing, and how many there are in all."""
    values = page_values(wanted, asked)
    values |= {name: None if values[name] is None else values[name].encode() for name in ("scope", "session", "id")}
    values |= {name: codes or None for name, codes in codes_of(wanted).items()}
    values |= {"tenant": tenant, "tags": [tag.encode() for tag in wanted.tags]}
    if wanted.contains or asked.order_by != "written":
        return _looked_through(cursor, wanted, asked, values)
    found = cursor.execute(_OLDEST if asked.oldest_first else _NEWEST, values).fetchall()
    return found, int(_one(cursor, _COUNT, values)[0])


def _looked_through(cursor: psycopg.Cursor[Any], wanted: Filter, asked: Slice, values: dict[str, Any]) -> tuple[Found, int]:
    """The same where only a body says which are wanted, or in which order: each is read once, and none is kept but the page's."""
    total = 0

    def further() -> Iterator[tuple[Standing, tuple[bytes, int | None, bytes | None]]]:
        nonlocal total
        for body, body_sum, use, created, memory_id in cursor.stream(_EACH, values):
            if not wanted.contains or says(body, wanted.contains):
                total += 1
                place = (created, created, memory_id.decode()) if asked.order_by == "written" else _standing(body, use, asked)
                if beyond(place, asked):
                    yield place, (body, body_sum, use)

    pick = nsmallest if asked.oldest_first else nlargest
    found = pick(asked.limit, further(), key=itemgetter(0))
    return [row for _, row in found], total


def _standing(body: bytes, use: bytes | None, asked: Slice) -> Standing:
    return standing(with_use(_MEMORY.decode(body), use), asked.order_by)


_MEMORY = msgpack.Decoder(Memory)


def scan(cursor: psycopg.Cursor[Any], tenant: bytes, *, limit: int, after: str) -> Found:
    """A tenant's rows with their vectors, by id: key, body with its sum, use, forward index and vector, and the sums of these two."""
    return cursor.execute(_SCAN, (tenant, after.encode(), limit)).fetchall()


def linking(cursor: psycopg.Cursor[Any], tenant: bytes, targets: Sequence[str]) -> Found:
    """The body, its sum and the use of each memory that has an edge to any of these ids."""
    return cursor.execute(_LINKING, (tenant, tenant, [each.encode() for each in targets])).fetchall()


def stats(cursor: psycopg.Cursor[Any], tenant: bytes, *, at: int) -> Stats:
    """What a tenant holds, counted."""
    by = {name: _counted(cursor, tenant, statement) for name, statement in _BY.items()}
    return stats_of(_one(cursor, _TOTALS, {"tenant": tenant, "at": at}), by)


def _counted(cursor: psycopg.Cursor[Any], tenant: bytes, statement: str) -> dict[Any, int]:
    found = sorted(cursor.execute(statement, (tenant,)).fetchall())
    return {each.decode() if isinstance(each, bytes) else each: count for each, count in found}


def _one(cursor: psycopg.Cursor[Any], statement: str, values: dict[str, Any]) -> tuple[Any, ...]:
    found = cursor.execute(statement, values).fetchone()
    return () if found is None else tuple(found)
