"""What is alike in every database: rows, lines of the recall log, listings and counts as the values of statements in SQL, and back.

The statements themselves, and how a database wants its texts, are in the keepers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, Self

import numpy as np
from msgspec import DecodeError, Struct, json, msgpack
from msgspec.structs import replace

from cued.errors import InputError
from cued.model import (
    KINDS,
    TIERS,
    TRUSTS,
    UNUSED,
    VECTOR_SHAPES,
    Filter,
    Head,
    Indexed,
    Judged,
    LogQuery,
    LogRules,
    Memory,
    RecallEntry,
    Row,
    Shadowed,
    Slice,
    Stats,
    Tallies,
    Use,
    VectorShape,
)
from cued.model.log import SPREAD_LINES, Tally
from cued.stores.admission import body
from cued.stores.arrays import ALWAYS, NEVER, micros, moment_of, time_or_none
from cued.stores.recall_log import spread_of
from cued.stores.standing.facts import REFLECTION
from cued.stores.standing.felling import Mark
from cued.stores.standing.shown import has_words

HANGING = ("vector", "use", "edge", "memory")
"""The tables that have rows for a memory, its own last."""
_USE = msgpack.Decoder(Use)
_MARKS = msgpack.Decoder(tuple[Mark, ...])


class Counters(NamedTuple):
    """A tenant's row: its counters, and its key, which is negative for a stranger, who has no row."""

    change: int = 0
    epoch: int = 0
    size: int = 0
    last: int = 0
    bytes: int = 0
    key: int = -1

    @property
    def known(self) -> bool:
        """Whether there is a row for it."""
        return self.key >= 0

    @property
    def head(self) -> Head:
        """What of it the store asks."""
        return Head(self.change, self.epoch, self.size, self.bytes)

    def with_more(self, rows: int, grown: int) -> Self:
        """With so many new rows of so many bytes."""
        return self._replace(size=self.size + rows, last=self.last + rows, bytes=self.bytes + grown)


def refuse_unknown_shape(wanted: VectorShape | None) -> None:
    """Refuse a wish for vectors of a shape that there is not."""
    if wanted not in (None, *VECTOR_SHAPES):
        raise InputError("vectors", wanted, f"one of {', '.join(VECTOR_SHAPES)}")


def refuse_other_shape(wanted: VectorShape | None, kept: VectorShape) -> None:
    """Refuse a wish for vectors of another shape than a store was made with."""
    refuse_unknown_shape(wanted)
    if wanted not in (None, kept):
        known = f"{kept}, which this store was made with; `cued copy` into a store that was made with {wanted} makes them smaller"
        raise InputError("vectors", wanted, known)


def columns(row: Row, *, change: int) -> dict[str, Any]:
    """The columns that may change while the content of a row stays."""
    memory, judged = row.memory, row.judged
    if judged is None:
        raise TypeError("a row is written with what the gates judge of it")
    return {
        "key": row.key,
        "change": change,
        "scope": judged.scope,
        "kind": judged.kind,
        "tier": judged.tier,
        "trust": judged.trust,
        "quarantined": None if memory.quarantined_at is None else micros(memory.quarantined_at),
        "created": judged.created,
        "valid_from": time_or_none(judged.valid_from),
        "valid_until": time_or_none(judged.valid_until),
        "expires": time_or_none(judged.expires),
        "forgotten": time_or_none(judged.forgotten),
        "superseded": time_or_none(judged.superseded),
        "locally": msgpack.encode(judged.marks) if judged.marks else None,
        "session": memory.source.session,
        "turn": memory.source.turn,
        "body": body(replace(memory, use=UNUSED)),
    }


def edges_of(rows: Sequence[Row]) -> list[tuple[int, str, str]]:
    """The edges of rows: key, relation, target."""
    return [(row.key, edge.relation, edge.target) for row in rows for edge in row.memory.edges]


def uses_of(rows: Sequence[Row]) -> list[tuple[int, Use]]:
    """The uses of those of the rows that were ever used, each with its key."""
    return [(row.key, row.memory.use) for row in rows if row.memory.use != UNUSED]


def read_use(data: bytes) -> Use:
    """How a memory was used; what cannot be read counts as never."""
    try:
        return _USE.decode(data)
    except (DecodeError, UnicodeDecodeError, TypeError):
        return UNUSED


def with_use(memory: Memory, use_body: bytes | None) -> Memory:
    """A memory with its use as that is kept."""
    return memory if use_body is None else replace(memory, use=_USE.decode(use_body))


def uses_read(found: Iterable[tuple[int, bytes]]) -> list[tuple[int, Use]]:
    """Uses by key, as they are kept."""
    return [(key, _USE.decode(data)) for key, data in found]


def marks_read(locally: bytes | None) -> tuple[Mark, ...]:
    """Where and when a memory is superseded, as it is kept."""
    return () if locally is None else _MARKS.decode(locally)


def indexed(columns_read: Sequence[Sequence[Any]], sources: Sequence[tuple[str, ...]]) -> Indexed:
    """Rows as a search needs them, from columns: what `Indexed` begins with, what is judged of them, and the marks as they are kept."""
    if not columns_read:
        return Indexed((), (), (), (), (), (), (), [()] * len(Judged._fields))
    ids, keys, contents, fingerprints, sessions, turns, forwards, *judged, locally = columns_read
    marks = [() if each is None else marks_read(each) for each in locally]
    return Indexed(ids, keys, contents, fingerprints, sessions, turns, forwards, [*judged, marks, sources])


def reflections(keys: Sequence[int], kinds: Sequence[int]) -> list[int]:
    """The keys of the rows whose sources are judged."""
    found: list[int] = np.asarray(keys)[np.asarray(kinds) == REFLECTION].tolist()
    return found


def sources_by_key(keys: Sequence[int], found: Iterable[tuple[int, str]]) -> Sequence[tuple[str, ...]]:
    """The sources of each row, from pairs of a key and a source."""
    by_key: dict[int, list[str]] = {}
    for key, target in found:
        by_key.setdefault(key, []).append(target)
    return [tuple(by_key.get(key, ())) for key in keys] if by_key else ((),) * len(keys)


NAMES: Final = RecallEntry.__struct_fields__
"""The columns of a line, in the order in which it is read."""
HEAVY: Final = ("cue", "evidence")
"""Those of them that are read only where a question asks for the content."""
LISTS: Final = {"chosen": tuple[str, ...], "found_by": tuple[str, ...], "degraded": tuple[str, ...], "cited": tuple[str, ...],
                "bad": tuple[str, ...], "stage_ms": dict[str, float], "shadow": Shadowed | None}  # fmt: skip
"""The columns that are JSON, and what of."""
_DECODERS: Final = {name: json.Decoder(kind) for name, kind in LISTS.items()}


def values_of(entry: RecallEntry) -> dict[str, Any]:
    """A line as the value of each column."""
    values = {name: getattr(entry, name) for name in NAMES}
    return values | {name: json.encode(values[name]).decode() for name in LISTS if values[name] is not None} | {"at": micros(entry.at)}


def entry_of(row: Sequence[Any]) -> RecallEntry:
    """A line from its columns."""
    values = dict(zip(NAMES, row, strict=True))
    values |= {name: decoder.decode(values[name]) for name, decoder in _DECODERS.items() if values[name] is not None}
    return RecallEntry(**values | {"at": moment_of(values["at"])})


def between(since: datetime | None, until: datetime | None) -> dict[str, int]:
    """The bounds of a stretch of the log; what is not said bounds nothing."""
    return {"since": ALWAYS if since is None else micros(since), "until": NEVER if until is None else micros(until)}


def log_values(query: LogQuery) -> dict[str, Any]:
    """What a question to the log binds."""
    return {
        **between(query.since, query.until),
        "outcome": query.outcome,
        "policy": query.policy,
        "recall_id": query.recall_id,
        "limit": query.limit,
        "naming": json.encode(query.naming).decode(),
        "kept": int(query.kept),
        "content": int(query.content),
    }


def trims(entries: Sequence[RecallEntry], rules: LogRules) -> Iterator[tuple[str, int]]:
    """The steps that leave what the rules keep with these lines: drop beyond so many rows or before a time, or strip content."""
    yield "rows", rules.rows
    if rules.age is not None:
        yield "age", max(micros(entry.at) for entry in entries) - rules.age // timedelta(microseconds=1)
    if rules.content == "last":
        yield "content", rules.last


def every_nth(lines: int) -> int:
    """Of how many lines one counts for the spread, so that no more than enough are read."""
    return 1 + lines // SPREAD_LINES


def tallies(rows: Sequence[Tally], spread: Sequence[tuple[int, int]], lines: int) -> Tallies:
    """What was counted of so many lines: by stretch, and the spread by its codes."""
    return Tallies(rows=tuple(rows), spread=tuple(spread_of(code, count) for code, count in spread), nth=every_nth(lines))


class _Text(Struct):
    """What a filter by words reads of a body."""

    text: str = ""


_TEXT = msgpack.Decoder(_Text)


def page_values(wanted: Filter, asked: Slice) -> dict[str, Any]:
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


def in_order(rows: Sequence[Row], after: str) -> Sequence[Row]:
    """The rows, the ids of whose memories rise from `after` on, as those do by which they were found; else a DecodeError.

    Whoever reads on from the last id of a page would otherwise read the same page for ever.
    """
    for row in rows:
        if row.memory.id <= after:
            raise DecodeError("a memory lies under the id of another")
        after = row.memory.id
    return rows


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
        by_kind=_by_word(KINDS, by["kind"]),
        by_tier=_by_word(TIERS, by["tier"]),
        by_trust=dict(sorted(_by_word(TRUSTS, by["trust"]).items())),
        by_scope=dict(by["scope"]),
        by_tag=dict(by["tag"]),
        by_fingerprint=dict(by["fingerprint"]),
        oldest_at=_at(oldest),
        newest_at=_at(newest),
    )


def _by_word(words: Sequence[str], counts: Mapping[int, int]) -> dict[str, int]:
    """Counts by the words that their codes stand for; a code that stands for none is a DecodeError."""
    if any(code not in range(len(words)) for code in counts):
        raise DecodeError(f"a memory's code stands for none of {', '.join(words)}")
    return {words[code]: count for code, count in counts.items()}


def _at(instant: int | None) -> datetime | None:
    return None if instant is None else moment_of(instant)
