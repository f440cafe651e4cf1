"""Pages and counts in SQL: constant statements, every value bound."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import apsw
from msgspec import DecodeError, Struct, field, json, msgpack

from cued.model import Filter, Order, Scalar, Slice, Stats, Use
from cued.stores.arrays import ALWAYS
from cued.stores.keepers.sql_values import codes_of, page_values, says, stats_of
from cued.stores.paging import by_chance, last_used
from cued.stores.standing.shown import has_meta

_WANTED: Final = """
    WHERE memory.tenant = :tenant
      AND (:state IS NULL OR (:state = 'forgotten' AND forgotten IS NOT NULL) OR (:state = 'superseded' AND superseded IS NOT NULL)
           OR (:state = 'expired' AND expires <= :at))
      AND (:hidden OR (forgotten IS NULL AND superseded IS NULL AND ifnull(expires > :at, 1)))
      AND (:scope IS NULL OR scope = :scope)
      AND (:session IS NULL OR session = :session)
      AND (:kinds = 0 OR :kinds & (1 << kind))
      AND (:tiers = 0 OR :tiers & (1 << tier))
      AND (:trusts = 0 OR :trusts & (1 << trust))
      AND (:quarantined IS NULL OR :quarantined = (quarantined IS NOT NULL))
      AND created >= :since AND created < :until
      AND (NOT :contains OR has_words(memory.body))
      AND (:meta = '{}' OR has_meta(memory.body, :meta))
      AND (:tags = '[]' OR NOT EXISTS (
            SELECT 1 FROM json_each(:tags) AS asked
            WHERE NOT EXISTS (SELECT 1 FROM json_each(memory.tags) AS held WHERE held.value = asked.value)))
"""
_COUNT: Final = "SELECT count(*) FROM memory" + _WANTED  # noqa: S608 - both parts are constants
_USED: Final = "LEFT JOIN use ON use.key = memory.key"
_SHOWN: Final = f"SELECT memory.body, body_sum, use.body FROM memory {_USED} {_WANTED}"  # noqa: S608 - constants
_NEWEST: Final = _SHOWN + "AND (created, id) < (:created, :id) ORDER BY created DESC, id DESC LIMIT :rows"
_OLDEST: Final = _SHOWN + "AND (created, id) > (:created, :id) ORDER BY created, id LIMIT :rows"
_PLACES: Final[Mapping[Order, str]] = {
    **{name: name for name in ("kind", "tier", "trust", "scope")},
    "session": "ifnull(session, '')",
    "importance": "importance_of(memory.body)",
    "used": f"ifnull(last_used(use.body), {ALWAYS})",
    "chance": "by_chance(id)",
}
# What is wanted is gone through once: every row of it is placed, and counted by the way.
_PLACED: Final = {
    (order, rising): f"""
        WITH placed AS MATERIALIZED (
            SELECT memory.key AS found, {place} AS place, created AS made, id AS named
            FROM memory {_USED if order == "used" else ""} {_WANTED})
        SELECT memory.body, body_sum, use.body, (SELECT count(*) FROM placed) FROM (
            SELECT * FROM placed WHERE :place IS NULL OR (place, made, named) {">" if rising else "<"} (:place, :created, :id)
            ORDER BY place {way}, made {way}, named {way} LIMIT :rows)
        JOIN memory ON memory.key = found {_USED} ORDER BY place {way}, made {way}, named {way}
    """  # noqa: S608 - constants
    for order, place in _PLACES.items()
    for rising, way in ((True, "ASC"), (False, "DESC"))
}
_SCAN: Final = """
    SELECT memory.key, memory.body, body_sum, use.body, forward, vector.data, forward_sum, data_sum
    FROM memory LEFT JOIN use ON use.key = memory.key LEFT JOIN vector ON vector.key = memory.key
    WHERE memory.tenant = ? AND memory.id > ? ORDER BY memory.id LIMIT ?
"""
_LINKING: Final = """
    SELECT memory.id, memory.body, body_sum, use.body
    FROM edge JOIN memory ON memory.key = edge.key LEFT JOIN use ON use.key = memory.key
    WHERE edge.target = ? AND edge.key BETWEEN ? AND ?
"""
_GROUPS: Final = """
    SELECT kind, tier, trust, scope, (SELECT text FROM fingerprint WHERE key = memory.fingerprint),
           count(*), sum(forgotten IS NULL AND superseded IS NULL AND ifnull(expires > :at, 1)), count(forgotten), count(superseded),
           ifnull(sum(expires <= :at), 0), count(quarantined), count(*) - count(fingerprint), min(created), max(created)
    FROM memory WHERE tenant = :tenant GROUP BY kind, tier, trust, scope, fingerprint
"""
_GROUPED: Final = ("kind", "tier", "trust", "scope", "fingerprint")
_BY_TAG: Final = """
    SELECT tag.value, count(DISTINCT memory.key) FROM memory, json_each(memory.tags) AS tag
    WHERE memory.tenant = ? AND memory.tags <> '[]' GROUP BY tag.value
"""


Found = Sequence[tuple[Any, ...]]


class _Source(Struct):
    meta: dict[str, Scalar] = field(default_factory=dict)


class _Body(Struct):
    """What a filter by `meta` reads of a body."""

    source: _Source = field(default_factory=_Source)


class _Weighed(Struct):
    """What an order by importance reads of a body, where the usual one may be left out."""

    importance: float = 0.5


def page(connection: apsw.Connection, tenant: int, wanted: Filter, asked: Slice) -> tuple[Found, int]:
    """The bodies of each memory, with the sum of the first, in a part of a listing, and how many there are in all."""
    values = page_values(wanted, asked) | {
        "tenant": tenant,
        **{name: sum(1 << code for code in set(codes)) for name, codes in codes_of(wanted).items()},
        "tags": json.encode(wanted.tags).decode(),
        "contains": bool(wanted.contains),
        "place": asked.place,
    }
    connection.create_scalar_function("has_words", _saying(wanted.contains), 1)
    for name, function, count in _FUNCTIONS:
        connection.create_scalar_function(name, function, count, deterministic=True)
    found: list[Any] = connection.execute(_statement(asked), values).fetchall()
    if found and asked.order_by != "written":
        return [row[:-1] for row in found], int(found[0][-1])
    if not asked.after[1] and len(found) < asked.limit:
        # the first page is the whole listing
        return found, len(found)
    return found, int(connection.execute(_COUNT, values).get)


def scan(connection: apsw.Connection, tenant: int, *, limit: int, after: str) -> Found:
    """A tenant's rows with their vectors, by id: key, body and its sum, use, forward index and vector, and their sums."""
    return connection.execute(_SCAN, (tenant, after, limit)).fetchall()


def linking(connection: apsw.Connection, keys: tuple[int, int], targets: Sequence[str]) -> Found:
    """The bodies of each memory, with the sum of the first, between these keys that has an edge to any of these ids."""
    found = {row[0]: row[1:] for target in targets for row in connection.execute(_LINKING, (target, *keys))}
    return list(found.values())


def stats(connection: apsw.Connection, tenant: int, *, at: int) -> Stats:
    """What a tenant holds, counted in one pass over its rows, and one over its tags."""
    groups = connection.execute(_GROUPS, {"tenant": tenant, "at": at}).fetchall()
    counts = [group[len(_GROUPED) :] for group in groups]
    *sums, oldest, newest = zip(*counts, strict=True) if counts else [()] * 9
    by = {name: _counted(groups, column) for column, name in enumerate(_GROUPED)}
    by["tag"] = dict(sorted(_texts(connection.execute(_BY_TAG, (tenant,)))))
    return stats_of((*map(sum, sums), min(oldest, default=None), max(newest, default=None)), by)


def _texts(counts: Iterable[tuple[Any, int]]) -> Iterator[tuple[str, int]]:
    """Counts of texts; of anything else it is a DecodeError."""
    for text, count in counts:
        if not isinstance(text, str):
            raise DecodeError("the tags of a memory are not what was written")
        yield text, count


def _counted(groups: Sequence[tuple[Any, ...]], column: int) -> dict[Any, int]:
    """How many memories there are of each value of a column of the groups, in their order; what has none is left out."""
    counts: Counter[Any] = Counter()
    for group in groups:
        counts[group[column]] += group[len(_GROUPED)]
    return dict(sorted((value, count) for value, count in counts.items() if value is not None))


def _has_meta(*given: Any) -> bool:  # noqa: ANN401 - values as SQLite hands them over
    body, wanted = given
    return has_meta(_BODY.decode(body).source.meta, json.decode(wanted))


def _saying(words: Sequence[str]) -> Callable[..., bool]:
    return lambda body: says(body, words)


def _statement(asked: Slice) -> str:
    if asked.order_by == "written":
        return _OLDEST if asked.oldest_first else _NEWEST
    return _PLACED[asked.order_by, asked.oldest_first]


_BODY = msgpack.Decoder(_Body)
_WEIGHED = msgpack.Decoder(_Weighed)
_USE = msgpack.Decoder(Use)
_FUNCTIONS: Final[Sequence[tuple[str, Callable[..., Any], int]]] = (
    ("has_meta", _has_meta, 2),
    ("importance_of", lambda body: _WEIGHED.decode(body).importance, 1),
    ("last_used", lambda use: None if use is None else last_used(_USE.decode(use)), 1),
    ("by_chance", by_chance, 1),
)
