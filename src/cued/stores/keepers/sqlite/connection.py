"""Opening the file, transactions, and SQLite's errors as ours.

A file is opened only if it is ours, and with no log but its own: one that was copied there from another database would be played into it.

Above: the keeper. Below: apsw, which nothing else in Cued imports.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, NamedTuple

import apsw
from msgspec import DecodeError, convert

from cued.errors import BusyError, CorruptError, ForeignFileError, FullError, InputError, NewerSchemaError, ReadOnlyError, StoreError
from cued.model import VectorShape
from cued.stores.keepers.sqlite import page_sums
from cued.stores.keepers.sqlite.schema import APPLICATION_ID, MIGRATIONS, VERSION, rows_fit

if TYPE_CHECKING:
    from cued.stores.keepers.sqlite.own_log import Named

SERVED_HOW = (
    "reading a database that others may write needs a file beside it (-shm), and this folder cannot be written from here. "
    "Open a copy in a folder of your own (`cued backup`), let this user write the folder, or ask a server that has it open"
)
BUSY_TIMEOUT_S = 30.0
_ASK_AGAIN_S = 0.001
"""How soon to ask again for a locked file, however often it was asked: SQLite waits up to a tenth of a second, so that who waited longest
comes last."""
CACHE_KIB = 8192
DAMAGED = "the database is damaged; `cued check` says where, and what mends it"
_DEFENSIVE = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)

_OURS: tuple[tuple[type[apsw.Error], type[StoreError], str], ...] = (
    (apsw.BusyError, BusyError, "another process held the file for too long"),
    (apsw.FullError, FullError, "the disk is full; nothing of this write was kept"),
    (apsw.NotADBError, ForeignFileError, "not a database"),
    (apsw.CorruptError, CorruptError, DAMAGED),
    (apsw.ReadOnlyError, ReadOnlyError, "the file or its folder cannot be written"),
    (apsw.CantOpenError, StoreError, "the file cannot be opened: is there such a folder, and may it be read?"),
)
_NO_ROOM = {apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE}
_CUT_SHORT = {apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_CORRUPTFS}


class Identity(NamedTuple):
    """What a database says of itself: whose it is, its schema's version, how many tables it has, and which triggers and views."""

    application: int
    version: int
    tables: int
    planted: tuple[str, ...] = ()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn whatever SQLite raises inside into an error of our tree that names the file."""
    try:
        yield
    except apsw.Error as error:
        kind, reason = _our_error(error)
        raise kind(f"{path}: {reason} ({error})") from error
    except (DecodeError, UnicodeDecodeError, OverflowError) as error:  # no number that a caller may say is too large to be kept
        raise CorruptError(f"{path}: {DAMAGED} ({error})") from error
    except UnicodeEncodeError as error:
        raise InputError("text", error.object, "text that UTF-8 can carry: no lone surrogates") from error


def _our_error(error: apsw.Error) -> tuple[type[StoreError], str]:
    extended = getattr(error, "extendedresult", 0)
    if extended in _NO_ROOM:
        return FullError, "the file could not be written; nothing of this write was kept"
    if extended in _CUT_SHORT:
        return CorruptError, "the file is shorter than it should be; `cued check` says what mends it"
    if page_sums.is_broken_page(error):
        return CorruptError, DAMAGED
    return next(((ours, reason) for theirs, ours, reason in _OURS if isinstance(error, theirs)), (StoreError, "SQLite refused"))


def connect(path: Path, *, writable: bool) -> apsw.Connection:
    """A connection to the file with our settings; a file that nothing can write is opened as never changing."""
    if writable:
        _made_private(path)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if writable else apsw.SQLITE_OPEN_READONLY
    try:
        return _configured(apsw.Connection(str(path), flags=flags, vfs=page_sums.file_system()))
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        if not path.exists():
            raise ReadOnlyError(f"{path}: there is no such file, and none can be made in its folder") from error
        if not os.access(path, os.R_OK):
            raise StoreError(f"{path}: this user may not read it") from error
        if not changes_never(path):
            # A reader that takes a file as never changing sees no write, goes on showing what was erased, and at last reads torn pages.
            raise ReadOnlyError(f"{path}: {SERVED_HOW}") from error
    still = f"{path.resolve().as_uri()}?immutable=1"
    return _configured(apsw.Connection(still, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=page_sums.file_system()))


def never_changing(connection: apsw.Connection) -> bool:
    """Whether a connection was opened to a file that never changes."""
    return connection.open_flags & apsw.SQLITE_OPEN_URI != 0


def _made_private(path: Path) -> None:
    """Make a file that is not there yet, for its owner alone; SQLite gives what it lays beside it the same permissions."""
    with suppress(OSError):
        # Only a new file: closing another handle on one that is open here would drop its locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _configured(connection: apsw.Connection) -> apsw.Connection:
    # The file may have been in other hands: nothing that its schema says is run, and no statement may write to its inner tables.
    for setting, value in _DEFENSIVE:
        connection.config(setting, value)
    connection.set_busy_handler(patience())
    # FULL: an acknowledged write survives power loss. NORMAL was seen to lose the last ones.
    connection.pragma("synchronous", "FULL")
    # What is deleted is overwritten with zeros, so that nothing of it is in a free page.
    connection.pragma("secure_delete", 1)
    connection.pragma("cache_size", -CACHE_KIB)
    identity(connection)
    return connection


def patience(most_s: float = BUSY_TIMEOUT_S) -> Callable[[int], bool]:
    """What a connection does where others hold the file: whether it asks again, which it does for so long at most."""
    until = 0.0

    def wait(asked: int) -> bool:
        nonlocal until
        now = monotonic()
        until = until if asked else now + most_s
        if now >= until:
            return False
        sleep(_ASK_AGAIN_S)
        return True

    return wait


def identity(connection: apsw.Connection) -> Identity:
    """What the database says of itself."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    planted = tuple(name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 3"))
    return Identity(int(connection.pragma("application_id")), int(connection.pragma("user_version")), int(tables), planted)


def refuse_foreign_file(path: Path, found: Identity) -> None:
    """Refuse a database that is not ours or was written by a newer Cued."""
    if found.application != APPLICATION_ID:
        raise ForeignFileError(f"{path}: not a Cued database (application id {found.application}, {found.tables} tables)")
    if found.planted:
        raise ForeignFileError(f"{path}: triggers or views that Cued never makes: {', '.join(map(repr, found.planted))}; drop them first")
    if found.version > VERSION:
        raise NewerSchemaError(f"{path}: written by a newer Cued (schema {found.version}; this one knows up to {VERSION})")


def shape_of(connection: apsw.Connection) -> VectorShape:
    """How the file keeps its vectors."""
    shape: VectorShape = convert(connection.execute("SELECT vectors FROM file").get, VectorShape)
    return shape


def prepare(path: Path, connection: apsw.Connection, *, vectors: VectorShape) -> None:
    """Bring the file to the current schema, a new one with vectors of this shape; one that is neither empty nor ours is refused."""
    found = identity(connection)
    if not _fresh(found):
        refuse_foreign_file(path, found)
    if page_sums.lacking(connection):
        raise StoreError(f"{path}: its pages carry sums that this apsw cannot keep up; install apsw from PyPI, or open it for reading")
    unsummed = not _fresh(found) and not page_sums.summed(connection)
    if unsummed and found.version < VERSION:
        _refuse_broken(path, str(connection.execute("PRAGMA integrity_check(1)").get).removeprefix("ok"))
    if found.version < VERSION:
        _migrate(connection, fresh=_fresh(found), vectors=vectors)
    if unsummed:
        refuse_damaged(path, connection)
    if unsummed and page_sums.missing(connection) and rows_fit(connection):
        # Where a row is broken, or the file is busy: not now, then. Rows are checked one by one for as long as pages carry no sums.
        page_sums.take_up(connection)


def _migrate(connection: apsw.Connection, *, fresh: bool, vectors: VectorShape) -> None:
    if fresh:
        page_sums.make_room(connection)
    _into_wal(connection)
    with writing(connection):
        found = identity(connection)
        for number, migration in enumerate(MIGRATIONS[found.version :], start=found.version + 1):
            connection.execute(migration.script)
            if migration.fill is not None:
                migration.fill(connection)
            connection.pragma("user_version", number)
        if _fresh(found):
            connection.execute("UPDATE file SET vectors = ?", (vectors,))
        connection.pragma("application_id", APPLICATION_ID)


def refuse_damaged(path: Path, connection: apsw.Connection) -> None:
    """Refuse a file whose pages carry no sums and that is damaged where no row's own sums would tell of it."""
    if not page_sums.summed(connection):
        from cued.stores.keepers.sqlite.unsummed import fault  # noqa: PLC0415 - few files need it

        _refuse_broken(path, fault(connection))


def _refuse_broken(path: Path, found: str) -> None:
    if found:
        raise CorruptError(f"{path}: {DAMAGED} ({found})")


def _fresh(found: Identity) -> bool:
    return found == Identity(0, 0, 0)


def _into_wal(connection: apsw.Connection) -> None:
    # The switch asks for the whole file and does not wait for it, so two processes that create one file
    # at the same moment can get in each other's way.
    deadline = monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if monotonic() > deadline:
                raise
            sleep(0.01)
        else:
            return


@contextmanager
def writing(connection: apsw.Connection) -> Iterator[None]:
    """Make everything inside one durable transaction, or nothing of it."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        # So that the log says whose it is.
        connection.execute(_STAMP)
        connection.execute("COMMIT")
    finally:
        # Still inside a transaction here means that something was raised.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def reading(connection: apsw.Connection) -> Iterator[None]:
    """Let everything inside see one and the same state of the file."""
    try:
        connection.execute("BEGIN")
        yield
    finally:
        # A broken page may have ended it already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def changes_never(path: Path) -> bool:
    """Whether nothing can write the file: not even its owner may, or its file system is read-only, and no log lies beside it."""
    if log_in_use(path):
        return False
    modes = path.stat().st_mode | path.parent.stat().st_mode
    if not modes & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        return True
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def log_in_use(path: Path) -> bool:
    """Whether there is anything in the log beside the file."""
    try:
        return os.stat(f"{path}-wal").st_size > 0  # noqa: PTH116 - asked before every transaction
    except FileNotFoundError:
        return False


def log_beside(path: Path) -> tuple[int, int]:
    """Which files the log beside a file and its index are; 0 for what is not there."""
    return _number(f"{path}-wal"), _number(f"{path}-shm")


def _number(name: str) -> int:
    try:
        return os.stat(name).st_ino  # noqa: PTH116 - asked before every transaction
    except FileNotFoundError:
        return 0


_STAMP = "UPDATE file SET identity = CAST(substr(identity, 1, 16) || randomblob(8) AS BLOB)"


def named_without(path: Path) -> "Named | None":
    """What the file calls itself where its log is not read; None without a log, or in a file that has no name yet."""
    with suppress(apsw.Error, OSError):
        if os.stat(f"{path}-wal").st_size:  # noqa: PTH116 - asked at every opening
            from cued.stores.keepers.sqlite.own_log import name_of  # noqa: PLC0415 - only where somebody has left a log, or has one open

            name, flags = f"{path.resolve().as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            with closing(apsw.Connection(name, flags=flags, vfs=page_sums.file_system())) as connection:
                return name_of(connection)
    return None


def refuse_strange(path: Path, connection: apsw.Connection, *, without: "Named | None") -> None:
    """Refuse a file whose log is another's."""
    if without is None:
        return
    from cued.stores.keepers.sqlite.own_log import is_another, name_of  # noqa: PLC0415 - as above

    if is_another(path.with_name(f"{path.name}-wal"), without, name_of(connection)):
        raise ForeignFileError(f"{path}: the log beside it ({path.name}-wal) is another database's; move it away, nothing of it was taken")


def rename(connection: apsw.Connection) -> None:
    """Call a copy by a name of its own."""
    connection.execute("UPDATE file SET identity = randomblob(24)")
