"""Whether the log beside a file is its own: one that was copied there from another database would be played into it.

Every transaction of ours writes the row by which a file is told from others (`connection.writing`), so its page is in the first transaction
of each log of ours. A log without it was written to another file; one with it says whose it is. The format of the log is SQLite's,
https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

import struct
from collections.abc import Iterator
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
    """A page in the log: its number, whether a transaction ends with it, the sum of all up to here, and its bytes."""

    page: int
    ends: bool
    checksum: tuple[int, int]
    summed: bytes


def named(connection: apsw.Connection) -> Named | None:
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
            pages = _first_transaction(file)
    except FileNotFoundError:
        return False
    return bool(pages) and not {without.page, within.page} & pages


def _first_transaction(log: BinaryIO) -> frozenset[int]:
    """The pages of the first transaction of a log; none where that is not whole, for then SQLite believes nothing of it."""
    header = log.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return frozenset()
    magic, _, _, _, *salts_and_sums = _HEADER.unpack(header)
    order = ">" if magic == _BIG_ENDIAN_SUMS else "<"
    known, pages = _added((0, 0), header[:24], order), set[int]()
    if known != tuple(salts_and_sums[2:]):
        return frozenset()
    for frame in _frames(log, _HEADER.unpack(header)[2], tuple(salts_and_sums[:2])):
        known = _added(known, frame.summed, order)
        if known != frame.checksum:
            return frozenset()
        pages.add(frame.page)
        if frame.ends:
            return frozenset(pages)
    return frozenset()


def _frames(log: BinaryIO, page_bytes: int, salts: tuple[int, ...]) -> Iterator[_Frame]:
    while len(head := log.read(_FRAME.size)) == _FRAME.size and len(data := log.read(page_bytes)) == page_bytes:
        page, size, *rest = _FRAME.unpack(head)
        if tuple(rest[:2]) != salts:
            return
        yield _Frame(page, size != 0, (rest[2], rest[3]), head[:8] + data)


def _added(before: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """The log's running sum with these bytes added."""
    one, two = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & _WORDS
        two = (two + second + one) & _WORDS
    return one, two
