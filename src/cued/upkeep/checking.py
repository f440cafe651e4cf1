"""Checks that a store is as it was written: the file, its pages, its rows, their indexes, and its journal."""

import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, NamedTuple

import apsw
from msgspec import Struct, convert
from msgspec.structs import replace

from cued.errors import NewerSchemaError, StoreError
from cued.model import Memory
from cued.ports import Checkable, Keeper, Progress, Store, silent
from cued.stores import journalling
from cued.stores.encoding import decoded, fault, fits, row_faults
from cued.stores.keepers.sqlite import SqliteKeeper, page_sums, salvage
from cued.stores.keepers.sqlite.connection import identity, reading, refuse_foreign_file, translated
from cued.stores.keepers.sqlite.schema import MIGRATIONS, VERSION
from cued.stores.keepers.sqlite.unsummed import TOLD_BY_BODY, differing
from cued.upkeep.copying import left_at
from cued.upkeep.cut_short import lengthened, missing

Part = Literal["file", "permissions", "schema", "pages", "memory", "index", "vector", "edges", "counts", "journal"]
"""Where a problem lies; of a `memory` that has one, the text cannot be trusted, of the others it can."""

_SHOWN = 50
_EVERYTHING = "SELECT * FROM memory WHERE key = ?"
_ORPHANS = "SELECT count(*) FROM {} WHERE key NOT IN (SELECT key FROM memory)"
_NEEDED = frozenset((*TOLD_BY_BODY, "id", "body", "body_sum", "forward", "forward_sum", "fingerprint"))


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is not as it was written: where, of which memory, and what it is."""

    part: Part
    what: str
    tenant: str | None = None
    id: str | None = None


class Journalled(Struct, frozen=True, kw_only=True):
    """A journal that is as it was written: whose it is, how many entries it has, and the last one's digest, to be noted elsewhere."""

    tenant: str
    entries: int
    last: str


class Checked(Struct, frozen=True, kw_only=True):
    """What a check found; `ok` when nothing.

    `damaged` counts what earlier repairs took out and kept, and `missing` the bytes that are cut off at the end.
    """

    path: str
    ok: bool
    memories: int
    page_sums: bool
    damaged: int
    problems: tuple[Problem, ...]
    more: int = 0
    journals: tuple[Journalled, ...] = ()
    missing: int = 0


class ReadRow(NamedTuple):
    """A row as it was read: its memory where that can be trusted, and what is wrong with the rest."""

    key: int
    memory: Memory | None
    problems: tuple[Problem, ...]


def check(store: Store, *, progress: Progress = silent) -> Checked:
    """What is wrong with a store; `progress` hears of memories."""
    keeper = getattr(store, "keeper", store)
    if isinstance(keeper, SqliteKeeper):
        return check_file(Path(keeper.path), progress=progress)
    problems, journals = _journals(keeper) if isinstance(keeper, Keeper) else ((), ())
    memories = sum(map(store.size, store.tenants()))
    problems = (*(_row_faults(keeper, memories, progress) if isinstance(keeper, Checkable) else ()), *problems)
    return Checked(
        path=getattr(keeper, "place", ""),
        ok=not problems,
        memories=memories,
        page_sums=False,
        damaged=0,
        problems=problems[:_SHOWN],
        more=max(0, len(problems) - _SHOWN),
        journals=journals,
    )


def _row_faults(keeper: Checkable, total: int, progress: Progress) -> Iterator[Problem]:
    """What is wrong with the rows of all tenants."""
    done = 0
    for tenant in keeper.tenants():
        for found in keeper.faults(tenant):
            done += 1
            progress(min(done, total), total)
            if found is not None:
                yield Problem(part=convert(found.part, Part), what=found.what, tenant=tenant, id=found.id)


def check_file(path: Path, *, progress: Progress = silent) -> Checked:
    """What is wrong with a file, whether a store can be opened in it or not."""
    if not path.is_file():
        raise StoreError(f"{path}: this is a folder; a store is one file" if path.is_dir() else f"{path}: there is no such file to check")
    problems = list(_permissions(path))
    try:
        with closing(unsuspecting(path)) as connection, reading(connection):
            refuse_foreign_file(path, identity(connection))
            problems += [*_schema(connection), *_pages(path)]
            count = 0
            for row in rows(connection, progress):
                count += 1
                problems += row.problems
            problems += _counts(connection)
            summed = page_sums.summed(connection)
            damaged = sum(aside for (aside,) in salvage.tolerant(connection, "SELECT count(*) FROM damaged"))
    except (apsw.BusyError, apsw.CantOpenError):  # somebody holds it, or it may not be opened: that says nothing of the file
        with translated(path):
            raise
    except (apsw.Error, StoreError) as error:
        left = _what_is_left(path, progress) if isinstance(error, salvage.FOREIGN) else None
        return left or _unreadable(path, error, problems)
    faults, journals = _file_journals(path)
    problems += faults
    shown = tuple(problems[:_SHOWN])
    return Checked(
        path=str(path),
        ok=not problems,
        memories=count,
        page_sums=summed,
        damaged=damaged,
        problems=shown,
        more=len(problems) - len(shown),
        journals=journals,
    )


def _what_is_left(path: Path, progress: Progress) -> Checked | None:
    """What a check finds in a file whose end is missing; None if no bytes are missing, or nothing can be read."""
    try:
        gone = missing(path)
        if not gone:
            return None
        with lengthened(path) as whole:
            found = check_file(whole, progress=progress)
    except OSError:  # no room for a copy, or none may be made
        return None
    if any(problem.part == "file" for problem in found.problems):
        return None
    cut = Problem(part="pages", what=f"the last {gone} bytes of the file are missing")
    inside = (replace(each, what=each.what.replace(str(whole), str(path))) for each in found.problems if each.part != "permissions")
    return replace(found, path=str(path), problems=(*_permissions(path), cut, *inside), missing=gone)


def _unreadable(path: Path, error: apsw.Error | StoreError, problems: Sequence[Problem]) -> Checked:
    """Why nothing of a file can be read, and what mends that."""
    what = str(error) if isinstance(error, NewerSchemaError) else f"{error}; `cued restore BACKUP --overwrite` makes it anew"
    told = *problems, Problem(part="file", what=what)
    return Checked(path=str(path), ok=False, memories=0, page_sums=False, damaged=0, problems=told)


def _file_journals(path: Path) -> tuple[tuple[Problem, ...], tuple[Journalled, ...]]:
    try:
        with closing(SqliteKeeper(path, readonly=True)) as keeper:
            return _journals(keeper)
    except StoreError as error:
        return (Problem(part="journal", what=f"it cannot be read: {error}"),), ()


def _journals(keeper: Keeper) -> tuple[tuple[Problem, ...], tuple[Journalled, ...]]:
    """What is wrong with the journals, and those that are as they were written."""
    problems, sound = list[Problem](), list[Journalled]()
    for tenant in keeper.tenants():
        with keeper.begin(tenant, write=False) as held:
            head, faults = journalling.head_of(held), journalling.faults(held, copied_at=left_at(held))
        problems += [Problem(part="journal", what=each, tenant=tenant) for each in faults]
        if head is not None and not faults:
            sound.append(Journalled(tenant=tenant, entries=head.entries, last=head.last))
    return tuple(problems), tuple(sound)


def unsuspecting(path: Path) -> apsw.Connection:
    """A connection that reads pages even if their checksums are wrong."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=page_sums.file_system())
    connection.pragma("checksum_verification", 0)
    connection.set_busy_timeout(30_000)
    return connection


def rows(connection: apsw.Connection, progress: Progress = silent) -> Iterator[ReadRow]:
    """Every memory of a file, each read separately, with what is wrong with it."""
    tenants = {key: bytes(name) for key, name in salvage.tolerant(connection, "SELECT key, name FROM tenant")}
    everywhere = (-(2**63), 2**63 - 1)
    keys = set(salvage.keys_of(connection, -1, everywhere))
    for key in tenants:
        keys.update(salvage.keys_of(connection, key, (key << 32, (key << 32) + 2**32 - 1)))
    texts: dict[int | None, str | None] = {None: None}
    texts.update(salvage.tolerant(connection, "SELECT key, text FROM fingerprint"))
    for number, key in enumerate(sorted(keys), 1):
        yield _row(connection, key, tenants.get(key >> 32), texts)
        progress(number, len(keys))


def raw(connection: apsw.Connection, key: int) -> dict[str, Any] | None:
    """A row's columns as they are; None when it cannot be read at all."""
    try:
        cursor = connection.execute(_EVERYTHING, (key,))
        names = [each[0] for each in cursor.get_description()]
        found = cursor.fetchone()
    except (*salvage.FOREIGN, apsw.ExecutionCompleteError):
        return None
    # A damaged schema may have lost a column.
    return dict(zip(names, found, strict=True)) if found is not None and set(names) >= _NEEDED else None


def _row(connection: apsw.Connection, key: int, name: bytes | None, texts: dict[int | None, str | None]) -> ReadRow:
    tenant, held = (name or b"").decode("utf-8", "replace"), raw(connection, key)
    if held is None or not isinstance(held["body"], bytes):
        return ReadRow(key, None, (Problem(part="memory", what="the row cannot be read", tenant=tenant, id=id_by_index(connection, key)),))
    known = held["id"] if isinstance(held["id"], str) else None
    broken = fault(held["body"], held["body_sum"], memory_id=known)
    if broken:
        return ReadRow(key, None, (Problem(part="memory", what=broken, tenant=tenant, id=known),))
    memory = decoded(held["body"], held["body_sum"])
    if name is not None and memory.tenant != tenant:
        return ReadRow(key, None, (Problem(part="memory", what="it lies among another tenant's", tenant=tenant, id=memory.id),))
    found = _faults(connection, key, held, memory, texts)
    problems = tuple(Problem(part=convert(part, Part), what=what, tenant=memory.tenant, id=memory.id) for part, what in found)
    return ReadRow(key, memory, problems)


def _faults(
    connection: apsw.Connection, key: int, held: dict[str, Any], memory: Memory, texts: dict[int | None, str | None]
) -> Iterator[tuple[str, str]]:
    edges = set(salvage.tolerant(connection, "SELECT relation, target FROM edge WHERE key = ?", (key,)))
    return row_faults(
        memory,
        words=fits(held["forward"], held["forward_sum"]),
        columns=differing(held, memory, key) or ["fingerprint"] * (texts.get(held["fingerprint"]) != memory.fingerprint),
        vector=salvage.vector(connection, key) is not None,
        edges=edges == {(edge.relation, edge.target) for edge in memory.edges},
    )


def id_by_index(connection: apsw.Connection, key: int) -> str | None:
    """The id of a row that cannot be read, as far as an index tells it."""
    for sql in ("SELECT id FROM memory INDEXED BY memory_id WHERE tenant = ? AND key = ?",
                "SELECT id FROM memory INDEXED BY memory_created WHERE tenant = ? AND key = ?"):  # fmt: skip
        for (memory_id,) in salvage.tolerant(connection, sql, (key >> 32, key)):
            return memory_id if isinstance(memory_id, str) else None
    return None


def _permissions(path: Path) -> Iterator[Problem]:
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        if each.exists() and (mode := stat.S_IMODE(each.stat().st_mode)) & 0o077:
            yield Problem(part="permissions", what=f"{each.name}: others than its owner may use it ({mode:o}); `chmod 600` is enough")


def _schema(connection: apsw.Connection) -> Iterator[Problem]:
    version = int(connection.pragma("user_version"))
    with closing(apsw.Connection(":memory:")) as fresh:
        for migration in MIGRATIONS:
            fresh.execute(migration.script)
            if migration.fill is not None:
                migration.fill(fresh)
        wanted = dict(fresh.execute("SELECT name, sql FROM sqlite_schema"))
    held = dict(salvage.tolerant(connection, "SELECT name, sql FROM sqlite_schema"))
    if version == VERSION and held != wanted:
        names = sorted(name for name in held.keys() | wanted.keys() if held.get(name) != wanted.get(name))
        yield Problem(part="schema", what=f"tables or indexes that Cued did not make so: {', '.join(names)}")
    if version != VERSION:
        yield Problem(part="schema", what=f"schema {version}, not {VERSION}: open it once for writing")


def _pages(path: Path) -> Iterator[Problem]:
    """What SQLite's own check finds, with the checksums of pages where there are any."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=page_sums.file_system())) as connection:
        try:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
        except salvage.FOREIGN as error:
            found = ["a page is not what was written" if page_sums.is_broken_page(error) else str(error)]
    yield from (Problem(part="pages", what=each) for each in found if each != "ok")


def _counts(connection: apsw.Connection) -> Iterator[Problem]:
    for table in ("vector", "use", "edge"):
        for (count,) in salvage.tolerant(connection, _ORPHANS.format(table)):
            if count:
                yield Problem(part="counts", what=f"{count} rows of {table} belong to no memory")
    sizes = "SELECT name, size, (SELECT count(*) FROM memory WHERE memory.tenant = tenant.key) FROM tenant"
    for name, size, count in salvage.tolerant(connection, sizes):
        if size != count:
            yield Problem(part="counts", what=f"{size} memories were stored, and {count} are there", tenant=name.decode("utf-8", "replace"))
