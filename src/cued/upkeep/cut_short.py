"""A file whose end is missing, brought to its full length, so that what is left can be read as of any damaged file.

SQLite refuses such a file altogether, even if only its last page is missing. Its header says how long it was.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cued.upkeep.backup import partial_file

_HEADER = 100
_LONGEST_PAGE = 65_536


def missing(path: Path) -> int:
    """How many bytes are missing at a file's end, by its header; only for a file that SQLite has refused.

    Another file may be shorter for a moment while it is written to, and closing it here would drop this process's locks.
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
