"""Data sets: memories by tenant, and queries with the memories that answer them.

Ids are opaque. What is measured never sees them: the runner stores each memory under its place in time.
"""

import gzip
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.importers.lines import Header, MemoryLine, incoming
from cued.importers.own import read_export, within
from cued.model import EPOCH, Memory
from cued.requests.checks import moment
from cued.stores.standing.felling import unlifted

UNANSWERABLE = frozenset({"adversarial", "abstention"})
"""The categories whose questions have no answer in their tenant's memories."""

FAR = "far"
"""The category of questions that have nothing to do with their tenant's memories."""

ONE_TENANT = "eval"
_MEMORIES, _QUERIES = "memories.jsonl", "queries.jsonl"
_MEMORY_ACCEPTED = (
    '{"id": …, "tenant": …, "session": …, "turn": 0, "speaker": …, "text": …, "ts": "2025-03-01T14:30"}; id and text are needed; '
    "or the file that `cued export` writes"
)
_QUERY_ACCEPTED = (
    '{"id": …, "tenant": …, "query": …, "asked_at": "2025-03-01T14:30", "category": …, "gold_ids": […], "gold_sessions": […], '
    '"goal": …, "step": …, "open_questions": […]}; query is needed'
)


class Item(Struct, frozen=True, kw_only=True):
    """A memory of a data set."""

    id: str
    text: str
    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    at: datetime = EPOCH


class Query(Struct, frozen=True, kw_only=True):
    """A question to one tenant, with the agent's state when it is asked, and with what answers it."""

    id: str
    tenant: str
    text: str
    asked_at: datetime
    category: str = "all"
    gold_ids: tuple[str, ...] = ()
    gold_sessions: tuple[str, ...] = ()
    goal: str = ""
    step: str = ""
    open_questions: tuple[str, ...] = ()


class Dataset(Struct, frozen=True, kw_only=True):
    """Each tenant's memories in the order in which they came about, and the queries; `blank` counts turns without any text."""

    name: str
    memories: dict[str, tuple[Item, ...]]
    queries: tuple[Query, ...]
    blank: int = 0


class _MemoryLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    text: str
    tenant: str = ONE_TENANT
    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    ts: str | None = None


class _QueryLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: str
    id: str = ""
    tenant: str = ""
    asked_at: str | None = None
    category: str = "all"
    gold_ids: tuple[str, ...] = ()
    gold_sessions: tuple[str, ...] = ()
    goal: str = ""
    step: str = ""
    open_questions: tuple[str, ...] = ()


Line = TypeVar("Line", _MemoryLine, _QueryLine)


def read_folder(folder: Path) -> Dataset:
    """The data set in a folder with `memories.jsonl` and `queries.jsonl`, either of them gzipped or not; memories may be an export of ours.

    A query without an id is called by its line, one without a tenant belongs to the only one there is.
    """
    memories, queries = _found(folder, _MEMORIES), _found(folder, _QUERIES)
    kept, blank = gathered(_exported(memories) if _is_export(memories) else _listed(memories))
    sessions = {tenant: {item.id: item.session for item in own} for tenant, own in kept.items()}
    only = next(iter(kept)) if len(kept) == 1 else ONE_TENANT
    read = (
        (replace(line, id=line.id or f"line-{number}", tenant=line.tenant or only), f"{queries}, line {number}")
        for number, line in _lines(queries, _QueryLine, _QUERY_ACCEPTED)
    )
    asked = tuple(_query(line, where, kept, sessions) for line, where in read)
    return Dataset(name=folder.resolve().name, memories=kept, queries=asked, blank=blank)


def _listed(path: Path) -> list[tuple[str, Item]]:
    items: list[tuple[str, Item]] = []
    known: set[tuple[str, str]] = set()
    for number, line in _lines(path, _MemoryLine, _MEMORY_ACCEPTED):
        where = f"{path}, line {number}"
        if (line.tenant, line.id) in known:
            raise InputError(f"{where}, id", line.id, f"an id that no other memory of tenant {line.tenant!r} has")
        known.add((line.tenant, line.id))
        items.append((line.tenant, _item(line, where)))
    return items


def _is_export(path: Path) -> bool:
    return next(iter(opened(path).splitlines()), b"").startswith(b'{"cued":')


def _exported(path: Path) -> list[tuple[str, Item]]:
    """The memories of an export that stand; what was forgotten, has given way or is in quarantine would not be found there either."""
    tenant, items = ONE_TENANT, list[tuple[str, Item]]()
    for number, _, line in read_export(opened(path).splitlines()):
        if isinstance(line, Header):
            tenant = line.tenant
        elif isinstance(line, MemoryLine):
            with within(f"line {number}"):
                memory = incoming(line, tenant=tenant).memory
            if not (memory.forgotten_at or memory.quarantined_at or unlifted(memory)):
                items.append((tenant, _item_of(memory)))
    return items


def _item_of(memory: Memory) -> Item:
    source = memory.source
    return Item(id=memory.id, text=memory.text, session=source.session, turn=source.turn, speaker=source.speaker, at=memory.created_at)


def gathered(items: list[tuple[str, Item]]) -> tuple[dict[str, tuple[Item, ...]], int]:
    """The items by tenant, in order of time, and how many were left out because nobody can store a blank text.

    What came at the same time stays in the order given.
    """
    whose: dict[str, list[Item]] = {}
    for tenant, item in items:
        if item.text.strip():
            whose.setdefault(tenant, []).append(item)
    kept = {tenant: tuple(sorted(own, key=lambda item: item.at)) for tenant, own in whose.items()}
    return kept, len(items) - sum(map(len, kept.values()))


def narrowed(dataset: Dataset, *, tenants: int | None = None, categories: tuple[str, ...] = ()) -> Dataset:
    """The data set with its first tenants alone, and the queries of these categories alone."""
    known = sorted({query.category for query in dataset.queries})
    for category in categories:
        if category not in known:
            raise InputError("category", category, f"one of {', '.join(known)}")
    kept = dict(list(dataset.memories.items())[:tenants])
    wanted = (query for query in dataset.queries if query.tenant in kept and (not categories or query.category in categories))
    return Dataset(name=dataset.name, memories=kept, queries=tuple(wanted), blank=dataset.blank)


def answerable(dataset: Dataset) -> tuple[Query, ...]:
    """The queries that have gold, those of unanswerable categories left out."""
    return tuple(query for query in dataset.queries if has_answer(query))


def unanswerable(dataset: Dataset) -> tuple[Query, ...]:
    """The queries that their own tenant has no answer to."""
    return tuple(query for query in dataset.queries if not has_answer(query))


def has_answer(query: Query) -> bool:
    """Whether the query's tenant has what answers it."""
    return bool(query.gold_ids or query.gold_sessions) and query.category not in UNANSWERABLE | {FAR}


def opened(path: Path) -> bytes:
    """A file's bytes, unzipped where its name ends in .gz."""
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        return gzip.decompress(path.read_bytes())
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(str(path), "a damaged file", f"a whole gzip file ({error})") from error


def _found(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    held = ", ".join(sorted(path.name for path in folder.iterdir())[:5]) or "nothing"
    raise InputError("data set", str(folder), f"a folder with {_MEMORIES}[.gz] and {_QUERIES}[.gz]; this one has {held}")


def _lines(path: Path, kind: type[Line], accepted: str) -> Iterator[tuple[int, Line]]:
    """Each line with its number; one that cannot be read is refused with the file, the line and what is accepted."""
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(opened(path).splitlines(), 1):
        if line.strip():
            try:
                yield number, decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(f"{path}, line {number}", line.decode("utf-8", "replace"), f"{accepted} ({error})") from error


def _item(line: _MemoryLine, where: str) -> Item:
    at = _time("ts", line.ts, where) or EPOCH
    return Item(id=line.id, text=line.text, session=line.session or None, turn=line.turn, speaker=line.speaker or None, at=at)


def _query(line: _QueryLine, where: str, memories: dict[str, tuple[Item, ...]], sessions: dict[str, dict[str, str | None]]) -> Query:
    if line.tenant not in memories:
        raise InputError(f"{where}, tenant", line.tenant, "a tenant that has memories")
    own = sessions[line.tenant]
    for gold in line.gold_ids:
        if gold not in own:
            raise InputError(f"{where}, gold_ids", gold, f"ids of memories of tenant {line.tenant!r} that have a text and stand")
    implied = (own[gold] for gold in line.gold_ids)
    return Query(
        id=line.id,
        tenant=line.tenant,
        text=line.query,
        asked_at=_time("asked_at", line.asked_at, where) or memories[line.tenant][-1].at,
        category=line.category,
        gold_ids=tuple(dict.fromkeys(line.gold_ids)),
        gold_sessions=tuple(dict.fromkeys(line.gold_sessions or (session for session in implied if session))),
        goal=line.goal,
        step=line.step,
        open_questions=line.open_questions,
    )


def _time(name: str, value: str | None, where: str) -> datetime | None:
    try:
        return moment(name, value)
    except InputError as error:
        raise InputError(f"{where}, {name}", value, error.accepted) from error
