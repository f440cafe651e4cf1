"""Whether the log beside a file is its own: one that was copied there from another database would be played into it.

Every transaction of ours writes the row by which a file is told from others (`connection.writing`), so its page is in the first transaction
of each log of ours. A log without it was written to another file; one with it says whose it is. The format of the log is SQLite's,
https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import apsw

NAME_BYTES = 16
"""How much of a file's name tells it from others; what stands behind that changes with every transaction."""
_HEADER, _FRAME = struct.Struct(">8I"), struct.Struct(">6I")
_BIG_ENDIAN_SUMS = 0x377F0683
_WORDS = 0xFFFFFFFF


class Named(NamedTuple):
    """What a file calls itself, whether what stands behind its name was ever written, and on which page both stand."""

    name: bytes
    stamped: bool
    page: int


class _Frame(NamedTuple):
    """A page in the log: its number, the sum of all up to it, and where in the log it stands."""

    page: int
    checksum: tuple[int, int]
    at: int


def name_of(connection: apsw.Connection) -> Named | None:
    """What a file calls itself; None where it has no name yet."""
    try:
        identity, page = connection.execute("SELECT identity, rootpage FROM file, sqlite_schema WHERE name = 'file' LIMIT 1").get
    except (apsw.SQLError, TypeError):
        return None
    return Named(bytes(identity)[:NAME_BYTES], len(identity) > NAME_BYTES, int(page))


def is_another(log: Path, without: Named, within: Named | None) -> bool:
    """Whether a log is another database's, where a file calls itself so without its log and so with it."""
    if within is None or within.name != without.name:
        return True
    if not without.stamped:
        return False
    try:
        with log.open("rb") as file:
            frames = _first_transaction(file)
            if not frames or {without.page, within.page} & {frame.page for frame in frames}:
                return False
            return _is_whole(file, frames)
    except OSError:
        return False


def _first_transaction(log: BinaryIO) -> list[_Frame]:
    """The pages of the first transaction of a log, as their heads tell them; none where it has no end."""
    found, header = list[_Frame](), log.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return found
    _, _, page_bytes, _, *salts, _, _ = _HEADER.unpack(header)
    at = _HEADER.size
    while len(head := log.read(_FRAME.size)) == _FRAME.size:
        page, size, first, second, *checksum = _FRAME.unpack(head)
        if [first, second] != salts:
            break
        found.append(_Frame(page, (checksum[0], checksum[1]), at))
        if size:
            return found
        at = log.seek(at + _FRAME.size + page_bytes)
    return []


def _is_whole(log: BinaryIO, frames: Sequence[_Frame]) -> bool:
    """Whether a transaction is what was written to the log; what is not is not believed by SQLite either."""
    log.seek(0)
    header = log.read(_HEADER.size)
    magic, _, page_bytes, *_ = _HEADER.unpack(header)
    order = ">" if magic == _BIG_ENDIAN_SUMS else "<"
    known = _added((0, 0), header[:24], order)
    for frame in frames:
        log.seek(frame.at)
        head, data = log.read(_FRAME.size), log.read(page_bytes)
        if len(data) < page_bytes:
            return False
        known = _added(known, head[:8] + data, order)
        if known != frame.checksum:
            return False
    return True


def _added(before: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """The log's running sum with these bytes added."""
    one, two = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & _WORDS
        two = (two + second + one) & _WORDS
    return one, two
