"""Reading files that may be anything: sizes are capped before a byte is decoded, and nothing is ever unpacked to disk."""

import re
import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar
from zipfile import BadZipFile, ZipFile, ZipInfo

import msgspec

from cued.errors import InputError
from cued.importers.own import bounded_lines

MAX_BYTES = 256 * 2**20
MAX_ITEMS = 10_000_000
MAX_OPENED = 3_000_000
"""How many objects and lists a file may have; each takes a few hundred bytes once decoded, however short it is in the file."""
FEWEST_BYTES = 16
"""How many bytes an object or list has at least, on average, in a file with many."""
MAX_RATIO = 200
MAX_LISTING = 16 * 2**20
HEAD = 2**20

_RATIO_FROM = 2**20
_MANY = 200_000
# A text that does not end goes on to the end of the file, or its end would be looked for anew from each quotation mark in it.
_STRING_OR_OPENING = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?|([\[{])', re.DOTALL)
_MAX_COMMENT = 2**16
_END, _LOCATOR, _END_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sLQL"), struct.Struct("<4sQ2H2L4Q")
_DAMAGED = (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
Value = TypeVar("Value")


class Member(NamedTuple):
    """A file, or one in an archive: its name and its bytes."""

    name: str
    data: bytes


def members(path: Path, wanted: re.Pattern[str], *, max_bytes: int) -> Iterator[Member]:
    """The file's bytes, or those of the wanted files in it when it is a zip; too large, too dense or damaged is an InputError."""
    if not is_zip(path):
        yield Member(path.name, read_bytes(path, max_bytes=max_bytes))
        return
    left = max_bytes
    found = False
    try:
        _check_listing(path)
        with ZipFile(path) as archive:
            for info in archive.infolist():
                if wanted.fullmatch(info.filename.rpartition("/")[2]):
                    data = _unpacked(path, archive, info, left)
                    left, found = left - len(data), True
                    yield Member(info.filename, data)
    except _DAMAGED as error:
        raise InputError("file", path.name, f"a zip file that is whole and not encrypted ({error})") from error
    if not found:
        raise InputError("file", path.name, f"a zip file that holds {wanted.pattern}")


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip file does."""
    return head(path, 4) == b"PK\x03\x04"


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file; one that is missing or no plain file is an InputError."""
    if not path.is_file():
        raise InputError("file", path.name, "a file that exists and can be read")
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise InputError("file", path.name, f"a file that exists and can be read ({error.strerror})") from error


def read_bytes(path: Path, *, max_bytes: int) -> bytes:
    """A file's bytes, at most this many; more is an InputError."""
    data = head(path, max_bytes + 1)
    if len(data) > max_bytes:
        raise InputError("file", path.name, f"at most {max_bytes} bytes; import it in parts")
    return data


def items(member: Member) -> list[msgspec.Raw]:
    """The elements of the JSON array in a file, or the one object, undecoded."""
    _check_density(member, b",", "commas")
    data = member.data.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        return [msgspec.Raw(data)] if data.startswith(b"{") else _decode(data, list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("file", member.name, f"a JSON array ({error})") from error


def rows(member: Member) -> list[msgspec.Raw]:
    """The elements of a JSON array, one object, or the objects of JSON lines, undecoded."""
    _check_density(member, b",", "commas")
    data = member.data.removeprefix(b"\xef\xbb\xbf").strip()
    if data.startswith(b"{") and decoded(msgspec.Raw(data), dict[str, msgspec.Raw]) is None:
        _check_density(member, b"\n", "lines")
        return [msgspec.Raw(line) for _, line in bounded_lines(data.split(b"\n"))]
    return items(member)


def decoded(raw: msgspec.Raw, kind: type[Value]) -> Value | None:
    """The value, None where the JSON is malformed or of another shape."""
    try:
        return _decode(raw, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _check_density(member: Member, mark: bytes, called: str) -> None:
    """Refuse a file that is small but would be large once decoded."""
    if member.data.count(mark) > MAX_ITEMS:
        raise InputError("file", member.name, f"at most {MAX_ITEMS} {called}: this is denser than any export of memories")
    most = min(MAX_OPENED, max(_MANY, len(member.data) // FEWEST_BYTES))
    # Texts may be full of brackets: only where those are too many is it worth the time to look without them.
    if member.data.count(b"[") + member.data.count(b"{") > most and _opens_more(member.data, most):
        raise InputError("file", member.name, f"at most {most} objects and lists: this is denser than any export of memories")


def _opens_more(data: bytes, most: int) -> bool:
    """Whether there are more objects and lists than this, brackets in texts left aside."""
    opened = (found for found in _STRING_OR_OPENING.finditer(data) if found[1])
    return next(islice(opened, most, None), None) is not None


def _decode(data: bytes | msgspec.Raw, kind: type[Value]) -> Value:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Half a character, cut off where a text was shortened, is legal JSON to those who write such files.
        repaired = _ESCAPE.sub(_whole, bytes(data))
        return msgspec.json.decode(repaired, type=kind)


def _whole(escape: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if escape[1] else escape[0]


def _unpacked(path: Path, archive: ZipFile, info: ZipInfo, most: int) -> bytes:
    inside = f"{path.name}, {info.filename}"
    if info.flag_bits & 1:
        raise InputError("file", inside, "a zip file without encryption")
    if info.file_size > max(_RATIO_FROM, info.compress_size * MAX_RATIO):
        raise InputError("file", inside, f"data that unpacks to at most {MAX_RATIO} times its size")
    with archive.open(info) as file:
        # What the archive says of the size is only a claim.
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError("file", inside, f"no more than the {most} bytes that are left; import it in parts")
    return data


def _check_listing(path: Path) -> None:
    """Refuse an archive whose list of members alone would fill the memory, before it is read."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        start = max(0, size - _MAX_COMMENT - _END.size - _LOCATOR.size)
        file.seek(start)
        tail = file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or at + _END.size > len(tail):
            raise BadZipFile("the list of its members is missing")
        listing = _END.unpack_from(tail, at)[5]
        if at >= _LOCATOR.size and tail[at - _LOCATOR.size :].startswith(b"PK\x06\x07"):
            file.seek(min(size, _LOCATOR.unpack_from(tail, at - _LOCATOR.size)[2]))
            record = file.read(_END_64.size)
            listing = _END_64.unpack(record)[8] if len(record) == _END_64.size else MAX_LISTING + 1
    if listing > MAX_LISTING:
        raise InputError("file", path.name, f"a zip file whose list of members has at most {MAX_LISTING} bytes")
