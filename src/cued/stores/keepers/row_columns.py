"""Rows as the columns of a table in SQL and back: what is alike in every database."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from msgspec import msgpack
from msgspec.structs import replace

from cued.model import KINDS, Head, Indexed, Judged, Memory, Row, Use
from cued.stores.admission import body
from cued.stores.arrays import micros, time_or_none
from cued.stores.standing.felling import Mark

UNUSED = Use()
HANGING = ("vector", "use", "edge", "memory")
"""The tables that have rows for a memory, its own last."""
_USE = msgpack.Decoder(Use)
_MARKS = msgpack.Decoder(tuple[Mark, ...])
_REFLECTION = KINDS.index("reflection")
_TIMES = ("valid_from", "valid_until", "expires", "forgotten", "superseded")


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
        **{name: time_or_none(getattr(judged, name)) for name in _TIMES},
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


def with_use(memory: Memory, use_body: bytes | None) -> Memory:
    """A memory with its use as that is kept."""
    return memory if use_body is None else replace(memory, use=_USE.decode(use_body))


def uses_read(found: Iterable[tuple[int, bytes]]) -> list[tuple[int, Use]]:
    """Uses by key, as they are kept."""
    return [(key, _USE.decode(data)) for key, data in found]


def indexed(columns_read: Sequence[Sequence[Any]], sources: Sequence[tuple[str, ...]]) -> Indexed:
    """Rows as a search needs them, from columns: what `Indexed` begins with, what is judged of them, and the marks as they are kept."""
    if not columns_read:
        return Indexed((), (), (), (), (), (), (), [()] * len(Judged._fields))
    ids, keys, contents, fingerprints, sessions, turns, forwards, *judged, locally = columns_read
    marks = [() if each is None else _MARKS.decode(each) for each in locally]
    return Indexed(ids, keys, contents, fingerprints, sessions, turns, forwards, [*judged, marks, sources])


def reflections(keys: Sequence[int], kinds: Sequence[int]) -> list[int]:
    """The keys of the rows whose sources are judged."""
    return [key for key, kind in zip(keys, kinds, strict=True) if kind == _REFLECTION]


def sources_by_key(keys: Sequence[int], found: Iterable[tuple[int, str]]) -> Sequence[tuple[str, ...]]:
    """The sources of each row, from pairs of a key and a source."""
    by_key: dict[int, list[str]] = {}
    for key, target in found:
        by_key.setdefault(key, []).append(target)
    return [tuple(by_key.get(key, ())) for key in keys] if by_key else ((),) * len(keys)
