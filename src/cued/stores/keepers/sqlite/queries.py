"""Pages and counts in SQL: constant statements, every value bound."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import apsw
from msgspec import Struct, field, json, msgpack

from cued.model import EPOCH, KINDS, TIERS, TRUSTS, Filter, Order, Scalar, Slice, Stats, Use
from cued.stores.paging import by_chance, last_used
from cued.stores.standing.instants import ALWAYS, NEVER, micros
from cued.stores.standing.shown import has_meta, has_words

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
_PLACED: Final = {
    (order, rising): f"""
        SELECT memory.body, body_sum, use.body FROM (
            SELECT memory.key AS found, {place} AS place FROM memory {_USED if order == "used" else ""} {_WANTED}
              AND (:place IS NULL OR ({place}, created, id) {">" if rising else "<"} (:place, :created, :id))
            ORDER BY place {way}, created {way}, id {way} LIMIT :rows)
        JOIN memory ON memory.key = found {_USED} ORDER BY place {way}, created {way}, id {way}
    """  # noqa: S608 - constants
    for order, place in _PLACES.items()
    for rising, way in ((True, "ASC"), (False, "DESC"))
}
_SCAN: Final = """
    SELECT memory.key, memory.body, body_sum, use.body, vector.data, data_sum
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
           ifnull(sum(expires <= :at), 0), count(quarantined), min(created), max(created)
    FROM memory WHERE tenant = :tenant GROUP BY kind, tier, trust, scope, fingerprint
"""
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


class _Text(Struct):
    """What a filter by words reads of a body."""

    text: str = ""


class _Weighed(Struct):
    """What an order by importance reads of a body, where the usual one may be left out."""

    importance: float = 0.5


def page(connection: apsw.Connection, tenant: int, wanted: Filter, asked: Slice) -> tuple[Found, int]:
    """The bodies of each memory, with the sum of the first, in a part of a listing, and how many there are in all."""
    values: dict[str, Any] = {
        "tenant": tenant,
        "at": asked.at,
        "hidden": int(wanted.hidden or wanted.state is not None),
        "state": wanted.state,
        "scope": wanted.scope,
        "session": wanted.session,
        "kinds": sum(1 << KINDS.index(kind) for kind in set(wanted.kinds)),
        "tiers": sum(1 << TIERS.index(tier) for tier in set(wanted.tiers)),
        "trusts": sum(1 << TRUSTS.index(trust) for trust in set(wanted.trusts)),
        "quarantined": None if wanted.quarantined is None else int(wanted.quarantined),
        "since": -NEVER if wanted.since is None else micros(wanted.since),
        "until": NEVER if wanted.until is None else micros(wanted.until),
        "tags": json.encode(wanted.tags).decode(),
        "meta": json.encode(wanted.meta).decode(),
        "contains": bool(wanted.contains),
    }
    connection.create_scalar_function("has_words", _having(wanted.contains), 1)
    for name, function, count in _FUNCTIONS:
        connection.create_scalar_function(name, function, count, deterministic=True)
    created, memory_id = asked.after
    place = {"created": created, "id": memory_id, "rows": asked.limit, "place": asked.place}
    found = connection.execute(_statement(asked), values | place).fetchall()
    if not memory_id and len(found) < asked.limit:
        # the first page is the whole listing
        return found, len(found)
    return found, int(connection.execute(_COUNT, values).get)


def scan(connection: apsw.Connection, tenant: int, *, limit: int, after: str) -> Found:
    """A tenant's rows with their vectors, by id: key, body and its sum, use, vector and its sum."""
    return connection.execute(_SCAN, (tenant, after, limit)).fetchall()


def linking(connection: apsw.Connection, keys: tuple[int, int], targets: Sequence[str]) -> Found:
    """The bodies of each memory, with the sum of the first, between these keys that has an edge to any of these ids."""
    found = {row[0]: row[1:] for target in targets for row in connection.execute(_LINKING, (target, *keys))}
    return list(found.values())


def stats(connection: apsw.Connection, tenant: int, *, at: int) -> Stats:
    """What a tenant holds, counted in one pass over its rows, and one over its tags."""
    groups: list[tuple[Any, ...]] = connection.execute(_GROUPS, {"tenant": tenant, "at": at}).fetchall()
    kinds, tiers, trusts, scopes, fingerprints = (_counted(groups, column) for column in range(5))
    memories, visible, forgotten, superseded, expired, quarantined = (sum(group[place] for group in groups) for place in range(5, 11))
    return Stats(
        memories=memories,
        visible=visible,
        forgotten=forgotten,
        superseded=superseded,
        expired=expired,
        quarantined=quarantined,
        pending_vectors=fingerprints.pop(None, 0),
        by_kind={KINDS[code]: kinds[code] for code in sorted(kinds)},
        by_tier={TIERS[code]: tiers[code] for code in sorted(tiers)},
        by_trust=dict(sorted((TRUSTS[code], count) for code, count in trusts.items())),
        by_scope=dict(sorted(scopes.items())),
        by_tag=dict(sorted(connection.execute(_BY_TAG, (tenant,)))),
        by_fingerprint=dict(sorted(fingerprints.items())),
        oldest_at=min((EPOCH + timedelta(microseconds=group[11]) for group in groups), default=None),
        newest_at=max((EPOCH + timedelta(microseconds=group[12]) for group in groups), default=None),
    )


def _counted(groups: Sequence[tuple[Any, ...]], column: int) -> dict[Any, int]:
    """How many memories there are of each value of a column of the groups."""
    counts: Counter[Any] = Counter()
    for group in groups:
        counts[group[column]] += group[5]
    return dict(counts)


def _has_meta(*given: Any) -> bool:  # noqa: ANN401 - values as SQLite hands them over
    body, wanted = given
    return has_meta(_BODY.decode(body).source.meta, json.decode(wanted))


def _having(words: Sequence[str]) -> Callable[..., bool]:
    return lambda body: has_words(_TEXT.decode(body).text, words)


def _statement(asked: Slice) -> str:
    if asked.order_by == "written":
        return _OLDEST if asked.oldest_first else _NEWEST
    return _PLACED[asked.order_by, asked.oldest_first]


_TEXT = msgpack.Decoder(_Text)
_BODY = msgpack.Decoder(_Body)
_WEIGHED = msgpack.Decoder(_Weighed)
_USE = msgpack.Decoder(Use)
_FUNCTIONS: Final[Sequence[tuple[str, Callable[..., Any], int]]] = (
    ("has_meta", _has_meta, 2),
    ("importance_of", lambda body: _WEIGHED.decode(body).importance, 1),
    ("last_used", lambda use: None if use is None else last_used(_USE.decode(use)), 1),
    ("by_chance", by_chance, 1),
)
