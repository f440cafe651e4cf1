"""Whether the file under its name is still the one that was opened."""

import os
import stat
from pathlib import Path

from cued.errors import ReadOnlyError, StoreError

SERVED_HOW = (
    "reading a database that others may write needs a file beside it (-shm), and this folder cannot be written from here. "
    "Open a copy in a folder of your own (`cued backup`), let this user write the folder, or ask a server that has it open"
)


class Watched:
    """A file that is open under its name; one that was taken as never changing is not to change."""

    def __init__(self, path: Path, *, never_changing: bool) -> None:
        """Note which file it is."""
        self._path, self.never_changing = path, never_changing
        found = path.stat()
        self._file, self._state = (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """Refuse to go on with a file that was moved, deleted, replaced, or changed though it never should."""
        try:
            found = os.stat(self._path)  # noqa: PTH116 - asked before every transaction
        except FileNotFoundError as error:
            raise StoreError(f"{self._path}: deleted or moved away while it was open, so nothing more is written; open it again") from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StoreError(f"{self._path}: another file lies there than the one that was opened; open it again")
        if self.never_changing and ((found.st_size, found.st_mtime_ns) != self._state or _log_in_use(self._path)):
            raise ReadOnlyError(f"{self._path}: it is written by others now; {SERVED_HOW}")


def changes_never(path: Path) -> bool:
    """Whether nothing can write the file: not even its owner may, or its file system is read-only, and no log lies beside it."""
    if _log_in_use(path):
        return False
    modes = path.stat().st_mode | path.parent.stat().st_mode
    if not modes & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        return True
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _log_in_use(path: Path) -> bool:
    try:
        return os.stat(f"{path}-wal").st_size > 0  # noqa: PTH116 - asked before every transaction
    except FileNotFoundError:
        return False
