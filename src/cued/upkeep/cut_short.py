"""A file whose end is missing, in its full length again: what is left of it can be read then as of any damaged file.

SQLite refuses such a file whole, if only the last page is gone. How long it was stands in its header.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cued.upkeep.backup import partial_file

_HEADER = 100
_LONGEST_PAGE = 65_536


def missing(path: Path) -> int:
    """How many bytes of a file are missing at its end, by its own header; to be asked of one that SQLite has refused.

    Of any other it is not to be asked: a file that is written to may be shorter for a moment, and closing it drops this process's locks.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER)
    page_size, changed, pages, told_at = (int.from_bytes(header[at:end]) for at, end in ((16, 18), (24, 28), (28, 32), (92, 96)))
    if len(header) < _HEADER or changed != told_at:
        return 0
    return max(0, pages * (_LONGEST_PAGE if page_size == 1 else page_size) - path.stat().st_size)


@contextmanager
def lengthened(path: Path) -> Iterator[Path]:
    """A copy beside the file for as long as this lasts, with zeros for what is missing, and with the write-ahead log if there is one."""
    with partial_file(path.resolve()) as copy:
        shutil.copyfile(path, copy)
        with copy.open("r+b") as file:
            file.truncate(path.stat().st_size + missing(path))
        log = path.with_name(path.name + "-wal")
        if log.exists():
            shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
        yield copy
