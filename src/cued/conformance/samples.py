"""Records and lookups to test with: small, plain, and the same on every machine."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from cued.model import (
    DERIVED_FROM,
    GLOBAL,
    KINDS,
    TIERS,
    TRUSTS,
    DenseLookup,
    Edge,
    EntityLookup,
    Interval,
    LexicalLookup,
    Lookup,
    Memory,
    RecallEntry,
    Record,
    Revision,
    Shadowed,
    Source,
    TemporalLookup,
    Touch,
    Vector,
)

NOW = datetime(2030, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DIMENSIONS = 8
FINGERPRINT = "sample/directions"
OTHER_FINGERPRINT = "sample/other"

WORDS = ("tea", "coffee", "rain", "train", "paris", "code", "music", "garden")
NAMES = ("Ada", "Bo", "Cleo", "Dee", "Eli")
TAGS = ("work", "home", "trip")
SCOPES = (GLOBAL, GLOBAL, "atlas", "borea")

Value = TypeVar("Value")


@cache
def direction(number: int) -> Vector:
    """One of a fixed set of unit vectors, no two of them alike."""
    drawn = np.random.default_rng(number).standard_normal(DIMENSIONS)
    vector: Vector = (drawn / np.linalg.norm(drawn)).astype(np.float32)
    vector.setflags(write=False)
    return vector


def record(tenant: str, memory_id: str, text: str = "tea in the garden", **facts: Any) -> Record:  # noqa: ANN401
    """A record of this text; `vector` is a direction's number or None, `excerpts` have numbers too, every other fact is a Memory's."""
    number, excerpts = facts.pop("vector", len(text)), facts.pop("excerpts", ())
    fingerprint = facts.pop("fingerprint", FINGERPRINT)
    created_at = facts.pop("created_at", NOW - 24 * HOUR)
    memory = Memory(
        id=memory_id,
        tenant=tenant,
        text=text,
        created_at=created_at,
        updated_at=facts.pop("updated_at", created_at),
        fingerprint=None if number is None else fingerprint,
        **facts,
    )
    return Record(
        memory=memory,
        terms=dict(Counter(text.lower().split())),
        vector=None if number is None else direction(number),
        excerpts=np.stack(list(map(direction, excerpts))) if excerpts and number is not None else None,
    )


def revision(memory_id: str, **fields: Any) -> Revision:  # noqa: ANN401
    """The revision that sets these fields."""
    return Revision(id=memory_id, set=fields)


def touch(memory_id: str, at: datetime = NOW) -> Touch:
    """One use, counted unless there was one within the hour before; counts do not fade."""
    return Touch(id=memory_id, at=at, refresh_floor=HOUR, kept_per_day=1.0)


def entry(recall_id: str) -> RecallEntry:
    """A line of the recall log."""
    return RecallEntry(
        recall_id=recall_id,
        at=NOW,
        policy="cued",
        outcome="recalled",
        candidates=9,
        chosen=("a", "b"),
        best_relevance=0.875,
        below_floor=2,
        tokens=40,
        total_ms=1.5,
        found_by=("lexical", ""),
        degraded=("dense: no embedder",),
        stage_ms={"score": 0.25},
        conversation="c0ffee00",
        cue_mark="cafe",
        shadow=Shadowed(policy="other", policy_digest="0", outcome="recalled", chosen=("b",), best_relevance=0.5, floor=0.5, tokens=20),
    )


def words(*terms: str, pool: int = 10) -> LexicalLookup:
    """A lookup by words with the usual constants."""
    return LexicalLookup(terms=terms, pool=pool, k1=1.2, b=0.75, delta=0.5)


def near(number: int, *, pool: int = 10, fingerprint: str = FINGERPRINT) -> DenseLookup:
    """A lookup by a direction."""
    return DenseLookup(vector=direction(number), fingerprint=fingerprint, pool=pool)


def lookup(**facts: Any) -> Lookup:  # noqa: ANN401
    """A lookup at NOW in the global scope, but for the facts that are named."""
    return Lookup(**{"scope": GLOBAL, "at": NOW, **facts})


def random_records(tenant: str, random: Random) -> list[Record]:
    """Up to thirty records that differ in everything a store can see, some of them linked to each other."""
    ids = [f"m{number:03}" for number in random.sample(range(999), random.randint(0, 30))]
    return [_linked(_random_record(tenant, memory_id, random), [*ids, "nowhere"], random) for memory_id in ids]


def random_lookup(random: Random) -> Lookup:
    """A lookup with any gates and any channels."""
    pool = random.choice([1, 2, 5, 50])
    return lookup(
        scope=random.choice(SCOPES),
        at=_moment(random),
        as_of=random.random() < 0.3,
        kinds=tuple(random.sample(KINDS, random.choice([0, 0, 1, 2]))),
        tags=tuple(random.sample(TAGS, random.choice([0, 0, 0, 1, 2]))),
        trusts=tuple(random.sample(TRUSTS, random.choice([0, 0, 0, 2, 3]))),
        apart=random.random() < 0.5,
        lexical=_maybe(random, words(*random.choices((*WORDS, "unheard"), k=random.randint(0, 4)), pool=pool)),
        dense=_maybe(random, _near(random, pool)),
        entity=_maybe(random, _names(random, pool)),
        temporal=_maybe(random, TemporalLookup(intervals=tuple(_interval(random) for _ in range(random.randint(0, 2))), pool=pool)),
        context=random.choice([0, 0, 1, 2]),
        core=random.random() < 0.5,
    )


def _near(random: Random, pool: int) -> DenseLookup:
    asked = near(random.randint(0, 12), pool=pool, fingerprint=random.choice([FINGERPRINT] * 4 + [OTHER_FINGERPRINT]))
    return replace(asked, excerpts=random.random() < 0.8)


def _names(random: Random, pool: int) -> EntityLookup:
    names = tuple(random.sample((*NAMES, "Zoe"), random.randint(0, 3)))
    return EntityLookup(names=names, pool=pool)


def _linked(one: Record, ids: list[str], random: Random) -> Record:
    relations = (DERIVED_FROM, DERIVED_FROM, "mentions")
    edges = tuple(Edge(random.choice(relations), target) for target in random.choices(ids, k=random.choice([0, 0, 1, 2, 3])))
    return replace(one, memory=replace(one.memory, edges=edges))


def _random_record(tenant: str, memory_id: str, random: Random) -> Record:
    scope = random.choice(SCOPES)
    tier = random.choice(TIERS)
    return record(
        tenant,
        memory_id,
        " ".join(random.choices(WORDS, k=random.randint(1, 9))),
        created_at=_moment(random),
        kind=random.choice(KINDS),
        tier=tier,
        trust=random.choice(TRUSTS[:2] if tier == "core" else TRUSTS),
        quarantined_at=_maybe(random, NOW, 0.1),
        scope=scope,
        tags=tuple(random.sample(TAGS, random.randint(0, 3))),
        entities=tuple(random.sample(NAMES, random.randint(0, 3))),
        source=Source(session=random.choice([None, "s1", "s2"]), turn=random.choice([None, 1, 2, 3, 4])),
        expires_at=_maybe(random, _moment(random), 0.2),
        valid_from=_maybe(random, _moment(random), 0.2),
        valid_until=_maybe(random, _moment(random), 0.2),
        vector=random.choice([None, *range(12)]),
        fingerprint=random.choice([FINGERPRINT, FINGERPRINT, OTHER_FINGERPRINT]),
        excerpts=random.choices(range(12), k=random.choice([0, 0, 0, 1, 2, 3])),
    )


def _maybe(random: Random, value: Value, likely: float = 0.7) -> Value | None:
    return value if random.random() < likely else None


def _moment(random: Random) -> datetime:
    return NOW - random.randint(-3, 20) * HOUR


def _interval(random: Random) -> Interval:
    start = _moment(random)
    return Interval(start, start + random.randint(0, 6) * HOUR)
