"""A sum a row, by which a keeper tells that the bytes it reads are those that were written.

CRC-32: it finds every flip of a few bits and all but one in four thousand million of other damages, and costs less than a microsecond
a memory. It is no proof against somebody who writes the file: that is what a journal is for.
"""

from zlib import crc32

from msgspec import DecodeError, msgpack

from cued.errors import InputError
from cued.model import Memory
from cued.stores.admission import body as encoded

_MEMORY = msgpack.Decoder(Memory)


def fits(data: bytes, checksum: int | None) -> bool:
    """Whether data are what they were when their sum was taken; None is the sum of a row from before there were sums."""
    # A damaged file can hold anything, even another kind of value.
    return isinstance(data, bytes) and (checksum is None or crc32(data) == checksum)


def decoded(body: bytes, checksum: int | None) -> Memory:
    """A memory from its body; a body that is not what was written is a DecodeError."""
    if not fits(body, checksum):
        raise DecodeError("a memory is not what was written")
    return _MEMORY.decode(body)


def fault(body: bytes, checksum: int | None, *, memory_id: str | None = None) -> str:
    """What is wrong with the body of a memory, "" when nothing is; with an id, whether it is of that memory."""
    try:
        memory = decoded(body, checksum)
        encoded(memory)
    except (DecodeError, UnicodeDecodeError, InputError) as error:
        return str(error)
    return "" if memory_id in (None, memory.id) else "a memory lies under the id of another"
