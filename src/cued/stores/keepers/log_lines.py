"""Lines of the recall log as the values that a statement in SQL takes, and back: what is alike in every database.

The statements themselves, and how a database wants its texts, are in the keepers.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import json

from cued.model import EPOCH, LogQuery, LogRules, RecallEntry, Shadowed, Tallies
from cued.model.log import SPREAD_LINES, Tally
from cued.stores.arrays import ALWAYS, NEVER, micros
from cued.stores.recall_log import spread_of

NAMES: Final = RecallEntry.__struct_fields__
"""The columns of a line, in the order in which it is read."""
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
    return RecallEntry(**values | {"at": EPOCH + timedelta(microseconds=values["at"])})


def between(since: datetime | None, until: datetime | None) -> dict[str, int]:
    """The bounds of a stretch of the log; what is not said bounds nothing."""
    return {"since": ALWAYS if since is None else micros(since), "until": NEVER if until is None else micros(until)}


def asked(query: LogQuery) -> dict[str, Any]:
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


def trims(rules: LogRules) -> Iterator[tuple[str, int]]:
    """The steps that leave what the rules keep: drop beyond so many rows or an age, or strip the content beyond so many."""
    yield "rows", rules.rows
    if rules.age is not None:
        yield "age", rules.age // timedelta(microseconds=1)
    if rules.content == "last":
        yield "content", rules.last


def every_nth(lines: int) -> int:
    """Of how many lines one counts for the spread, so that no more than enough are read."""
    return 1 + lines // SPREAD_LINES


def tallies(rows: Sequence[Tally], spread: Sequence[tuple[int, int]], lines: int) -> Tallies:
    """What was counted of so many lines: by stretch, and the spread by its codes."""
    return Tallies(rows=tuple(rows), spread=tuple(spread_of(code, count) for code, count in spread), nth=every_nth(lines))
