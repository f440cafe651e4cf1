"""The state of a database file: whether it is sound, how full its pages are, who may read it, and how much room is left."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import apsw

from cued.model import Condition
from cued.stores.keepers.sqlite.schema import VERSION

_OTHERS = (("the group", stat.S_IRGRP), ("everybody", stat.S_IROTH))


def condition(path: Path, connection: apsw.Connection) -> Condition:
    """The state of this file, read from it and from its folder; its pages are gone through once."""
    beside = path.with_name(f"{path.name}-wal")
    return Condition(
        place=str(path),
        sound=_sound(connection),
        pages=int(connection.pragma("page_count")),
        free_pages=int(connection.pragma("freelist_count")),
        page_bytes=int(connection.pragma("page_size")),
        log_bytes=beside.stat().st_size if beside.exists() else 0,
        free_disk_bytes=_room(path),
        shared=_shared(path),
        schema=int(connection.pragma("user_version")),
        knows=VERSION,
        engine=f"SQLite {apsw.sqlite_lib_version()}",
    )


def _sound(connection: apsw.Connection) -> str:
    try:
        return str(connection.execute("PRAGMA quick_check(1)").get)
    except apsw.CorruptError as error:
        return str(error)


def _room(path: Path) -> int | None:
    with suppress(OSError):
        from shutil import disk_usage  # noqa: PLC0415 - with all that it can do to archives

        return disk_usage(path.parent).free
    return None


def _shared(path: Path) -> tuple[str, ...]:
    if os.name != "posix":
        return ()
    mode = path.stat().st_mode
    return tuple(name for name, bit in _OTHERS if mode & bit)
