"""What a listing binds, and what counts become: alike in every database, whose own words for it are in its keeper."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, json, msgpack

from cued.model import EPOCH, KINDS, TIERS, TRUSTS, Filter, Slice, Stats
from cued.stores.arrays import NEVER, micros
from cued.stores.standing.shown import has_words


class _Text(Struct):
    """What a filter by words reads of a body."""

    text: str = ""


_TEXT = msgpack.Decoder(_Text)


def asked_of(wanted: Filter, asked: Slice) -> dict[str, Any]:
    """What a page binds, but for codes and for texts that a database wants in its own way."""
    created, memory_id = asked.after
    return {
        "at": asked.at,
        "hidden": wanted.hidden or wanted.state is not None,
        "state": wanted.state,
        "scope": wanted.scope,
        "session": wanted.session,
        "quarantined": wanted.quarantined,
        "since": -NEVER if wanted.since is None else micros(wanted.since),
        "until": NEVER if wanted.until is None else micros(wanted.until),
        "meta": json.encode(wanted.meta).decode(),
        "created": created,
        "id": memory_id,
        "rows": asked.limit,
    }


def codes_of(wanted: Filter) -> dict[str, list[int]]:
    """The codes of the kinds, tiers and trusts that a filter names."""
    return {
        "kinds": [KINDS.index(kind) for kind in wanted.kinds],
        "tiers": [TIERS.index(tier) for tier in wanted.tiers],
        "trusts": [TRUSTS.index(trust) for trust in wanted.trusts],
    }


def says(body: bytes, words: Sequence[str]) -> bool:
    """Whether the text of a memory's body has these words."""
    return has_words(_TEXT.decode(body).text, words)


def stats_of(totals: Sequence[Any], by: Mapping[str, Mapping[Any, int]]) -> Stats:
    """Counts as they are answered: the totals in the order of the statement, and the counts by code or name in the order of those."""
    memories, visible, forgotten, superseded, expired, quarantined, pending, oldest, newest = totals
    return Stats(
        memories=memories,
        visible=visible,
        forgotten=forgotten,
        superseded=superseded,
        expired=expired,
        quarantined=quarantined,
        pending_vectors=pending,
        by_kind={KINDS[code]: count for code, count in by["kind"].items()},
        by_tier={TIERS[code]: count for code, count in by["tier"].items()},
        by_trust=dict(sorted((TRUSTS[code], count) for code, count in by["trust"].items())),
        by_scope=dict(by["scope"]),
        by_tag=dict(by["tag"]),
        by_fingerprint=dict(by["fingerprint"]),
        oldest_at=_at(oldest),
        newest_at=_at(newest),
    )


def _at(instant: int | None) -> datetime | None:
    return None if instant is None else EPOCH + timedelta(microseconds=instant)
