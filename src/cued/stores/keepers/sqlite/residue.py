"""Whether anything of what was erased is left in the unused parts of the file's pages.

SQLite overwrites what it deletes, but where it once moved rows from one page to another their bytes stay behind in the unused part of
the first, and nothing overwrites those. So after an erasure the unused part of every page is looked through, which reads the file once
and writes nothing; only where something is found must the file be rewritten.
"""

from collections.abc import Iterable, Iterator, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from cued.model import Memory

RUN = 16
"""The shortest run of an erased text, name or id that is looked for."""
LONG_RUN = 48
"""The same of what is searched: hashed words and numbers, of which memories that have little to do with each other share shorter runs."""
_WINDOW = 8
_AT_ONCE = 4 * 2**20
_TREES = (2, 5, 10, 13)
_INNER = 6
_BITS = 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)

Windows = NDArray[np.uint64]


class Traces:
    """What was erased, as the set of its windows of 8 bytes."""

    def __init__(self) -> None:
        """Start with nothing erased."""
        self._said: list[Windows] = []
        self._searched: list[Windows] = []

    def add(self, said: Iterable[bytes], searched: Iterable[bytes]) -> None:
        """Take notice of what was erased: what memories said, and what was searched of them."""
        self._said += [_windows(piece) for piece in said if len(piece) >= RUN]
        self._searched += [_windows(piece) for piece in searched if len(piece) >= LONG_RUN]

    def found_in(self, data: bytes) -> bool:
        """Whether a run of what was erased stands anywhere in these bytes."""
        if len(data) < RUN or not (self._said or self._searched):
            return False
        windows = _windows(data)
        return _stands(windows, self._said, RUN) or _stands(windows, self._searched, LONG_RUN)


def spoken(memory: Memory, body: bytes) -> Iterator[bytes]:
    """What a memory says, and what it calls itself and others, each long enough to be looked for: a short one with what stood around it."""
    source = memory.source
    told = [memory.text, memory.id, *memory.tags, *memory.entities, *(each for each in source.meta.values() if isinstance(each, str))]
    for piece in (*told, source.session, source.speaker, source.url):
        written = (piece or "").encode("utf-8", "replace")
        place, more = body.find(written), RUN - len(written)
        yield written if more <= 0 else body[max(0, place - more) : place + len(written) + more] if written else b""


def _stands(windows: Windows, pieces: Sequence[Windows], run: int) -> bool:
    """Whether so long a run of bytes is all windows of the pieces."""
    if not pieces:
        return False
    erased = np.unique(np.concatenate(pieces))
    erased = erased[erased != 0]
    table = np.zeros(1 << _BITS, dtype=np.bool_)
    table[_places(erased)] = True
    hits = np.flatnonzero(table[_places(windows)])
    left = hits = hits[np.isin(windows[hits], erased)]
    for further in range(_WINDOW, run - _WINDOW + 1, _WINDOW):
        left = left[np.isin(left + further, hits)]
    return bool(len(left))


def unused(name: str) -> Iterator[bytes]:
    """What is not zero in the unused parts of a database file's pages, read past its connections."""
    # Through SQLite's own files: closing any other handle on the database would drop the locks that this process holds.
    system = next(each for each in apsw.vfs_names() if "unix" in each or "win" in each)
    file = apsw.VFSFile(system, name, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size, page = file.xFileSize(), int.from_bytes(file.xRead(2, 16)) or 65536
        page = 65536 if page == 1 else page
        step = max(page, _AT_ONCE // page * page)
        for start in range(0, size, step):
            chunk = file.xRead(min(step, size - start), start)
            yield from _gaps(chunk, page, first=start == 0)
    finally:
        file.xClose()


def _gaps(chunk: bytes, page: int, *, first: bool) -> Iterator[bytes]:
    pages = np.frombuffer(chunk[: len(chunk) // page * page], dtype=np.uint8).reshape(-1, page)
    heads = np.zeros(len(pages), dtype=np.intp)
    if first and len(heads):
        heads[0] = 100
    numbers = np.flatnonzero(np.isin(pages[np.arange(len(pages)), heads], _TREES))
    head = heads[numbers]

    def at(place: int) -> NDArray[np.intp]:
        return pages[numbers, head + place].astype(np.intp)

    begins = head + np.where(at(0) < _INNER, 12, 8) + 2 * (at(3) * 256 + at(4))
    ends, zeros = at(5) * 256 + at(6), bytes(page)
    for number, begin, end in zip((numbers * page).tolist(), begins.tolist(), ends.tolist(), strict=True):
        gap = chunk[number + begin : number + end]
        if gap != zeros[: len(gap)]:
            yield gap


def _windows(data: bytes) -> Windows:
    """All runs of 8 bytes as numbers, each at its place."""
    padded = np.frombuffer(data, dtype=np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)
    return np.ascontiguousarray(windows).view(np.uint64).reshape(-1)


def _places(windows: Windows) -> NDArray[np.intp]:
    return ((windows * _SPREAD) >> np.uint64(64 - _BITS)).astype(np.intp)
