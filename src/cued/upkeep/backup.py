"""A copy of a whole SQLite store while others write to it, and a store from such a copy; both are checked before they count.

A copy is made beside its target under another name, checked, made durable and then given its name in one step, so that whatever
fails, the target is what it was before. Nothing here opens a database file but through SQLite: closing any other handle on it would
drop the locks that this process holds.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
from msgspec import Struct

from cued.errors import BusyError, CorruptError, ForeignFileError, FullError, InputError, StoreError
from cued.folders import looked_at, nameable
from cued.ports import Progress, Store, silent
from cued.stores.keepers.sqlite import SqliteKeeper
from cued.stores.keepers.sqlite.connection import identity, reading, refuse_foreign_file, rename, translated
from cued.stores.keepers.sqlite.page_sums import begin_copy, file_system, is_broken_page
from cued.stores.keepers.sqlite.schema import APPLICATION_ID, VERSION

PAGES = 256

_BESIDE = ("-wal", "-shm", "-journal")


class Copied(Struct, frozen=True, kw_only=True):
    """A finished copy: where it is, how long it is, and the version of its schema."""

    path: str
    bytes: int
    schema: int


def backup(store: Store, path: str | Path, *, overwrite: bool = False, progress: Progress = silent) -> Copied:
    """Copy the store as it is now into one file; what was acknowledged before is in it, and `progress` hears of pages."""
    keeper = getattr(store, "keeper", store)
    if not isinstance(keeper, SqliteKeeper):
        told = "only a SQLite file can be backed up; `cued copy` copies any store into one, and a server has backups of its own"
        raise StoreError(f"{getattr(keeper, 'place', 'memory')}: {told}")
    with keeper.connected() as connection:
        return _copy(connection, Path(connection.filename), Path(path), overwrite=overwrite, progress=progress)


def restore(backup_path: str | Path, target_path: str | Path, *, overwrite: bool = False, progress: Progress = silent) -> Copied:
    """Make a store from a backup; an existing one is replaced only when told, and only when nobody has it open."""
    source = looked_at(nameable("backup", backup_path))
    if not source.is_file():
        raise InputError("backup", str(source), "a file that `cued backup` wrote")
    with translated(source), closing(still(source)) as connection:
        return _copy(connection, source, Path(target_path), overwrite=overwrite, progress=progress)


def _copy(connection: apsw.Connection, source: Path, target: Path, *, overwrite: bool, progress: Progress) -> Copied:
    with translated(source):
        refuse_foreign_file(source, identity(connection))
    try:
        place = _place(source, target, overwrite=overwrite)
        with partial_file(place) as partial:
            _fill(partial, connection, source, progress)
            schema = _examined(partial, target)
            partial.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o600)
            synced(partial)
            with alone(place):
                give_name(partial, place, overwrite=overwrite)
            synced(place.parent)
        return Copied(path=str(target), bytes=place.stat().st_size, schema=schema)
    except FullError as error:
        # The source is only read, though it is what SQLite's error is told of.
        raise FullError(f"{target}: the disk is full, or its files may be no larger; nothing of the copy was kept") from error
    except OSError as error:
        raise StoreError(f"{target}: could not be written ({error.strerror})") from error


def _place(source: Path, target: Path, *, overwrite: bool) -> Path:
    """Where the copy goes, links followed; a place that is taken is refused."""
    place = looked_at(nameable("target", target)).resolve()
    if place.is_dir() or not place.parent.is_dir():
        raise StoreError(f"{target}: the name of a file in a folder that exists is needed")
    if place.exists():
        if place.samefile(source):
            raise InputError("target", str(target), "another file than the one that is copied")
        if not overwrite:
            raise StoreError(f"{target}: exists already; say so if it is to be overwritten")
    return place


def _fill(partial: Path, source: apsw.Connection, name: Path, progress: Progress) -> None:
    with translated(name), closing(apsw.Connection(str(partial), vfs=file_system())) as copy, reading(source):
        # Inside one read transaction the source cannot change, so a busy writer never makes the copy begin again.
        source.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        begin_copy(copy, source)
        with copy.backup("main", source, "main") as pages:
            while not pages.done:
                pages.step(PAGES)
                progress(pages.page_count - pages.remaining, pages.page_count)
        if identity(copy).version == VERSION:
            rename(copy)


def _examined(partial: Path, target: Path) -> int:
    """The copy's schema version; a copy that is not whole is a CorruptError."""
    with translated(target), closing(opened_as(str(partial))) as copy:
        found = identity(copy)
        refuse_foreign_file(target, found)
        problems = [str(row[0]) for row in copy.execute("PRAGMA integrity_check(3)")]
    if problems != ["ok"]:
        raise CorruptError(f"{target}: not written, for the copy is damaged and so is its source: {'; '.join(problems)}")
    return found.version


def still(path: Path) -> apsw.Connection:
    """A connection to a file that nobody writes; a write-ahead log beside it is read too."""
    log = path.with_name(path.name + "-wal")
    unchanging = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return opened_as(f"{path.resolve().as_uri()}?mode=ro{unchanging}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def opened_as(name: str, flags: int = apsw.SQLITE_OPEN_READWRITE) -> apsw.Connection:
    """A connection that maintains the checksums of pages, where there are any."""
    return apsw.Connection(name, flags=flags, vfs=file_system())


@contextmanager
def partial_file(place: Path) -> Iterator[Path]:
    """An empty file beside the target, which is deleted at the end unless it was renamed."""
    handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".partial", dir=place.parent)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
    finally:
        for suffix in ("", *_BESIDE):
            partial.with_name(partial.name + suffix).unlink(missing_ok=True)


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """Lock an existing target so that nobody else has it open, and no log beside it could be replayed into the new file."""
    if not place.exists():
        _without_leftovers(place)
        yield
        return
    with translated(place), closing(opened_as(str(place))) as old:
        held = _hold(place, old)
        if not held:
            _without_leftovers(place)
        try:
            yield
        except BaseException:  # also where somebody interrupts: the old file is left as it was
            if held:
                old.execute("ROLLBACK")
                old.pragma("journal_mode", "wal")
            raise


def _hold(place: Path, old: apsw.Connection) -> bool:
    """Lock the old database and end its write-ahead log; False if it is too damaged for that.

    Ending the log needs every other connection closed; one that is opened later finds its file moved, and is refused.
    """
    try:
        if old.pragma("application_id") != APPLICATION_ID and old.execute("SELECT count(*) FROM sqlite_schema").get:
            raise ForeignFileError(f"{place}: not a Cued database, so it is not overwritten; move it away first")
        old.pragma("journal_mode", "delete")
        old.execute("BEGIN EXCLUSIVE")
    except apsw.BusyError as error:
        raise BusyError(f"{place}: open elsewhere; close whatever uses it first ({error})") from error
    except (apsw.CorruptError, apsw.IOError) as error:
        if not isinstance(error, apsw.CorruptError) and not is_broken_page(error):
            raise
        return False
    return True


def _without_leftovers(place: Path) -> None:
    for suffix in _BESIDE:
        place.with_name(place.name + suffix).unlink(missing_ok=True)


def give_name(partial: Path, place: Path, *, overwrite: bool) -> None:
    """Rename the copy to its place; without `overwrite` a file that has appeared there meanwhile is left alone."""
    if overwrite:
        partial.replace(place)
        return
    try:
        place.hardlink_to(partial)
    except FileExistsError as error:
        raise StoreError(f"{place}: exists by now; say so if it is to be overwritten") from error
    except OSError:
        # Not every file system has hard links.
        partial.replace(place)


def synced(path: Path) -> None:
    """Wait until what was written to a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
