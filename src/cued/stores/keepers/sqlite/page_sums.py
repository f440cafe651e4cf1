"""Sums over the pages of the file: SQLite's own checksum file system, where the installed apsw brings it.

Each page ends in 8 bytes that tell what the rest of it was when it was written. So damage is found wherever it lies, in an index or in
the tree as well as in a row, and is an error at once. Where apsw has no such file system, only the sums of rows tell of damage.
"""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

import apsw

RESERVED = 8
"""The bytes at the end of a page that hold its sum: what tells a file that has sums from one that has none."""
BROKEN_PAGE = apsw.SQLITE_IOERR_DATA
_NAME = "cksmvfs"
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


@cache
def file_system() -> str | None:
    """The name of the file system that keeps and checks sums; None where there is none."""
    library = Path(apsw.__file__).with_name("sqlite_extra_binaries") / f"cksumvfs{_SUFFIX}"
    with suppress(apsw.Error, OSError):
        connection = apsw.Connection(":memory:")
        connection.enable_load_extension(True)  # noqa: FBT003 - apsw's signature
        connection.load_extension(str(library))
        connection.close()
    return _NAME if _NAME in apsw.vfs_names() else None


def summed(connection: apsw.Connection) -> bool:
    """Whether the pages of the file carry sums that are checked when they are read."""
    return file_system() is not None and connection.reserve_bytes("main") == RESERVED


def missing(connection: apsw.Connection) -> bool:
    """Whether the pages of the file carry no sums, though they could."""
    return file_system() is not None and connection.reserve_bytes("main") != RESERVED


def lacking(connection: apsw.Connection) -> bool:
    """Whether the pages of the file carry sums which could not be kept up here."""
    return file_system() is None and connection.reserve_bytes("main") == RESERVED


def make_room(connection: apsw.Connection) -> None:
    """Have the pages of a file that has none yet carry sums."""
    if file_system() is not None:
        connection.reserve_bytes("main", RESERVED)


def begin_copy(copy: apsw.Connection, source: apsw.Connection) -> None:
    """Have the pages of an empty file carry sums, if those of its source do, from the first one that is written on.

    The file system knows it by the first page of a file. A copy of some megabytes writes others before that, and pages that the source
    has in its log bring no sum along.
    """
    if summed(source):
        make_room(copy)
        copy.pragma("user_version", 1)


def take_up(connection: apsw.Connection) -> None:
    """Write every page of a file anew, with its sum; one that is busy, or has no room on its disk, stays as it is."""
    # By a connection of its own: where it fails, nobody takes the pages for summed.
    with closing(apsw.Connection(connection.filename, vfs=file_system())) as own, suppress(apsw.BusyError, apsw.FullError):
        own.reserve_bytes("main", RESERVED)
        own.execute("VACUUM")


def is_broken_page(error: apsw.Error) -> bool:
    """Whether an error says that a page is not what was written."""
    return getattr(error, "extendedresult", 0) == BROKEN_PAGE


@contextmanager
def unchecked(connection: apsw.Connection) -> Iterator[None]:
    """Let pages be read inside whatever their sums say; what was read so is forgotten afterwards."""
    connection.pragma("checksum_verification", 0)
    try:
        if not connection.in_transaction:
            # The broken page has ended the transaction in which it was met: what follows is again as of one moment.
            connection.execute("BEGIN")
        yield
    finally:
        connection.pragma("checksum_verification", 1)
        connection.release_memory()
