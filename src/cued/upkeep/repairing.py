"""A damaged file made whole: what can be trusted goes into a new one, what is broken is kept aside in it, and may come from a backup.

The new file is made beside the old one and takes its name in one step, so whatever fails, the old one is what it was before.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
from msgspec import DecodeError, Struct
from msgspec.structs import replace

from cued.errors import CuedError, StoreError
from cued.model import UNUSED, VECTOR_SHAPES, Memory, Record, Use, VectorShape
from cued.ports import Progress, silent
from cued.stores import Store, journalling
from cued.stores.arrays import micros
from cued.stores.encoding import fits
from cued.stores.keepers.sql_values import read_use
from cued.stores.keepers.sqlite import SqliteKeeper, salvage
from cued.stores.keepers.sqlite.connection import identity, refuse_foreign_file, translated, writing
from cued.stores.vector_bytes import as_excerpts, as_vector
from cued.text.analyse import analyse, searched_text
from cued.upkeep.backup import alone, give_name, partial_file, synced
from cued.upkeep.checking import Problem, ReadRow, check_file, raw, rows, unsuspecting
from cued.upkeep.cut_short import lengthened
from cued.upkeep.pages import batches

CHUNK = 256
_REMADE = {
    "tenant",
    "memory",
    "vector",
    "use",
    "edge",
    "fingerprint",
    "removed",
    "replaced",
    "unscrubbed",
    "file",
    "shelf",
    "sqlite_sequence",
}
"""The tables that come anew from the memories; all others are copied row by row."""
_PUT_ASIDE = "INSERT INTO damaged (tenant, id, at, fault, body, forward, vector) VALUES (?, ?, ?, ?, ?, ?, ?)"
_SAME_WORDS = """
    UPDATE memory SET forward = :forward, forward_sum = :sum
    WHERE tenant = (SELECT key FROM tenant WHERE name = :tenant) AND id = :id AND forward <> :forward
"""


class Lost(Struct, frozen=True, kw_only=True):
    """A memory that was broken: whose, which, why; and whether it came back from a backup."""

    tenant: str
    id: str | None
    what: str
    restored: bool = False


class Repaired(Struct, frozen=True, kw_only=True):
    """What a repair did: how many memories were kept, how many of them mended, and what was put aside in the table `damaged`."""

    path: str
    kept: int
    mended: int
    aside: tuple[Lost, ...]
    problems: tuple[Problem, ...]


def repair(path: Path, *, at: datetime, backup: Path | None = None, progress: Progress = silent) -> Repaired:
    """Make a damaged file whole, which nobody else may have open; broken memories come from the `backup`, by their ids."""
    found = check_file(path)
    if unreadable := next((problem.what for problem in found.problems if problem.part == "file"), ""):
        raise StoreError(f"{path}: cannot be repaired ({unreadable})")
    try:
        path.chmod(0o600)
        if {problem.part for problem in found.problems} <= {"permissions"}:
            return Repaired(path=str(path), kept=found.memories, mended=0, aside=(), problems=found.problems)
        with partial_file(path.resolve()) as fresh:
            with lengthened(path) if found.missing else nullcontext(path) as whole:
                done = _moved(whole, fresh, at=at, backup=backup, progress=progress)
            synced(fresh)
            with alone(path.resolve()):
                give_name(fresh, path.resolve(), overwrite=True)
            synced(path.resolve().parent)
    except OSError as error:
        raise StoreError(f"{path}: could not be written ({error.strerror})") from error
    return replace(done, path=str(path), problems=found.problems)


def _moved(path: Path, fresh: Path, *, at: datetime, backup: Path | None, progress: Progress) -> Repaired:
    with translated(path), closing(unsuspecting(path)) as old:
        refuse_foreign_file(path, identity(old))
        keeper = SqliteKeeper(fresh, vectors=_shape(old))
        store = Store(keeper)
        try:
            broken, kept, mended = list[ReadRow](), 0, 0
            for chunk in batches(rows(old, progress), CHUNK):
                broken += [row for row in chunk if row.memory is None]
                whole = [row for row in chunk if row.memory is not None]
                kept += len(whole)
                mended += sum(1 for row in whole if row.problems)
                _adopt(old, store, keeper, whole)
            broken = [row for row in broken if not _is_kept(store, row)]
            with keeper.connected() as connection, writing(connection):
                _copy_rest(old, connection)
                connection.executemany(_PUT_ASIDE, [_damaged_row(old, row, at) for row in broken])
            _note(keeper, broken)
            aside = tuple(_lost(row, back) for row, back in _from_backup(store, broken, backup))
        finally:
            store.close()
    return Repaired(path="", kept=kept, mended=mended, aside=aside, problems=())


def _shape(old: apsw.Connection) -> VectorShape | None:
    """How the file keeps its vectors, as far as that can be read."""
    return next((shape for (shape,) in salvage.tolerant(old, "SELECT vectors FROM file") if shape in VECTOR_SHAPES), None)


def _adopt(old: apsw.Connection, store: Store, keeper: SqliteKeeper, whole: Iterable[ReadRow]) -> None:
    """Store memories as they were; words are analysed anew only where they are broken, and a vector that is lost is left to `reembed`."""
    tenants: dict[str, list[Record]] = {}
    words: list[dict[str, Any]] = []
    for row in whole:
        if row.memory is None:
            continue
        memory, vector, held = row.memory, salvage.vector(old, row.key), raw(old, row.key) or {}
        use = _use(old, row.key)
        memory = replace(memory, use=use, fingerprint=memory.fingerprint if vector is not None else None)
        vector = None if memory.fingerprint is None else vector
        terms = analyse(searched_text(memory))
        tenants.setdefault(memory.tenant, []).append(Record(memory=memory, terms=terms, **_vectors(vector)))
        forward, checksum = held.get("forward"), held.get("forward_sum")
        if isinstance(forward, bytes) and fits(forward, checksum):
            words.append({"forward": forward, "sum": checksum, "tenant": memory.tenant.encode(), "id": memory.id})
    for tenant, records in tenants.items():
        store.adopt(tenant, records)
    with keeper.connected() as connection, writing(connection):
        connection.executemany(_SAME_WORDS, words)


def _is_kept(store: Store, row: ReadRow) -> bool:
    """Whether the memory of a broken row was found whole elsewhere: then only an index led to the wrong place."""
    (problem,) = row.problems
    if problem.id is None or not problem.tenant:
        return False
    with store.keeper.begin(problem.tenant, write=False) as held:
        return problem.id in held.read([problem.id])


def _use(old: apsw.Connection, key: int) -> Use:
    for (body,) in salvage.tolerant(old, "SELECT body FROM use WHERE key = ?", (key,)):
        return read_use(body)
    return UNUSED


def _copy_rest(old: apsw.Connection, new: apsw.Connection) -> None:
    """Copy what is no memory: the log, documents, what was put aside before; rows that cannot be read are left out."""
    names = dict(salvage.tolerant(old, "SELECT key, name FROM tenant"))
    for (table,) in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        if table in _REMADE:
            continue
        columns = [str(row[1]) for row in new.execute(f"PRAGMA table_info({table})")]
        places = ", ".join("?" * len(columns))
        for row in _both_ways(old, str(table), columns):
            values = dict(zip(columns, row, strict=True))
            if table != "damaged" and "tenant" in values:
                values["tenant"] = _tenant_key(new, names.get(values["tenant"]))
            if values.get("tenant", 0) is not None:
                new.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({places})", tuple(values.values()))  # noqa: S608 - ours


def _both_ways(old: apsw.Connection, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """A table's rows from its beginning up to the first that cannot be read, and from its end back to the last."""
    listed = ", ".join(columns)
    order = ", ".join(f"{name} DESC" for name in columns[:2])
    yield from salvage.tolerant(old, f"SELECT {listed} FROM {table}")  # noqa: S608 - one of ours
    yield from salvage.tolerant(old, f"SELECT {listed} FROM {table} ORDER BY {order}")  # noqa: S608 - one of ours


def _note(keeper: SqliteKeeper, broken: Iterable[ReadRow]) -> None:
    """Say in each tenant's journal that the file was repaired, and what was put aside; a journal that cannot be read is left as it is."""
    lost = [problem for row in broken for problem in row.problems]
    for tenant in keeper.tenants():
        with keeper.begin(tenant, write=True) as held, suppress(DecodeError):
            if journal := held.document(journalling.DOCUMENT):
                ids = [problem.id for problem in lost if problem.tenant == tenant and problem.id is not None]
                journalling.note(held, "repair", ids, journal=journal)


def _tenant_key(new: apsw.Connection, name: bytes | None) -> int | None:
    if name is None:
        return None
    new.execute("INSERT OR IGNORE INTO tenant (name, epoch) VALUES (?, random() >> 2)", (name,))
    return int(new.execute("SELECT key FROM tenant WHERE name = ?", (name,)).get)


def _damaged_row(old: apsw.Connection, row: ReadRow, at: datetime) -> tuple[Any, ...]:
    (problem,) = row.problems
    held: Mapping[str, Any] = raw(old, row.key) or {}
    body, forward = (each if isinstance(each, bytes) else None for each in (held.get("body"), held.get("forward")))
    return (problem.tenant or "").encode(), problem.id, micros(at), problem.what, body, forward, salvage.vector(old, row.key)


def _from_backup(store: Store, broken: Iterable[ReadRow], backup: Path | None) -> Iterator[tuple[ReadRow, bool]]:
    """Each broken row, and whether the memory of its id came back from the backup."""
    if backup is None:
        yield from ((row, False) for row in broken)
        return
    with closing(Store(SqliteKeeper(backup, readonly=True))) as source:
        for row in broken:
            (problem,) = row.problems
            yield row, problem.id is not None and bool(problem.tenant) and _brought_back(store, source, problem.tenant or "", problem.id)


def _brought_back(store: Store, source: Store, tenant: str, memory_id: str) -> bool:
    try:
        with source.keeper.begin(tenant, write=False) as held:
            found = held.read([memory_id], content=True)[memory_id]
    except (KeyError, CuedError):
        return False
    memory: Memory = found.memory
    record = Record(memory=memory, terms=analyse(searched_text(memory)), **_vectors(found.vector))
    return bool(store.adopt(tenant, [record]))


def _lost(row: ReadRow, restored: bool) -> Lost:  # noqa: FBT001 - the second of a pair
    (problem,) = row.problems
    return Lost(tenant=problem.tenant or "", id=problem.id, what=problem.what, restored=restored)


def _vectors(data: bytes | None) -> dict[str, Any]:
    return {"vector": as_vector(data), "excerpts": as_excerpts(data)}
