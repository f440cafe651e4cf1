"""Whether the log beside a file is its own: a log that was copied there from another database would be played into it."""

import os
from contextlib import closing, suppress
from pathlib import Path

import apsw

from cued.errors import ForeignFileError
from cued.stores.keepers.sqlite import page_sums

_IDENTITY = "SELECT identity FROM file"


def named_without(path: Path) -> bytes | None:
    """What the file calls itself where its log is not read; None without a log, or in a file that has no name yet."""
    with suppress(apsw.Error, OSError):
        if os.stat(f"{path}-wal").st_size:  # noqa: PTH116 - asked at every opening
            name, flags = f"{path.resolve().as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            with closing(apsw.Connection(name, flags=flags, vfs=page_sums.file_system())) as connection:
                return _named(connection)
    return None


def refuse_strange(path: Path, connection: apsw.Connection, *, without: bytes | None) -> None:
    """Refuse a file that calls itself otherwise once its log is read."""
    if without is not None and _named(connection) != without:
        raise ForeignFileError(f"{path}: the log beside it ({path.name}-wal) is another database's; move it away, nothing of it was taken")


def rename(connection: apsw.Connection) -> None:
    """A name of its own for a copy."""
    connection.execute("UPDATE file SET identity = randomblob(16)")


def _named(connection: apsw.Connection) -> bytes | None:
    with suppress(apsw.SQLError):
        return bytes(connection.execute(_IDENTITY).get or b"") or None
    return None
