"""Memories as the rows that a keeper gets, and a sum of what was written, by which damage is told.

The sum is a CRC-32: it finds every flip of a few bits and all but one in four thousand million of other damages, and costs less than a
microsecond a memory. It is no proof against somebody who writes the file: that is what a journal is for.
"""

from collections.abc import Iterator, Sequence
from zlib import crc32

from msgspec import DecodeError, msgpack
from msgspec.structs import force_setattr

from cued.errors import InputError
from cued.model import UNUSED, Memory, Record, Row, Stored, VectorShape
from cued.stores.admission import body as encoded
from cued.stores.columns.postings import pack
from cued.stores.standing.facts import judged
from cued.stores.vector_bytes import as_data, as_excerpts, as_vector


def new_row(record: Record, shape: VectorShape = "float32") -> Row:
    """The row of a new record, with its vector in this shape."""
    data = as_data(record.vector, shape, record.excerpts)
    return Row(record.memory, 0, judged(record.memory), pack(record.memory, record.terms), data)


def stored(row: Row) -> Stored:
    """The memory of a row with its vectors."""
    return Stored(memory=row.memory, vector=as_vector(row.vector), excerpts=as_excerpts(row.vector))


_MEMORY = msgpack.Decoder(Memory)


def fits(data: bytes, checksum: int | None) -> bool:
    """Whether data are what they were when their sum was taken; None is the sum of a row from before there were sums."""
    # A damaged file can hold anything, even another kind of value.
    return isinstance(data, bytes) and (checksum is None or crc32(data) == checksum)


def decoded(body: bytes, checksum: int | None) -> Memory:
    """A memory from its body; a body that is not what was written is a DecodeError."""
    if not fits(body, checksum):
        raise DecodeError("a memory is not what was written")
    memory = _MEMORY.decode(body)
    if memory.use is not UNUSED and memory.use == UNUSED:  # written out, as it once was
        force_setattr(memory, "use", UNUSED)
    return memory


def fault(body: bytes, checksum: int | None, *, memory_id: str | None) -> str:
    """What is wrong with the body of a memory, "" when nothing is; with an id, whether it is of that memory."""
    try:
        memory = decoded(body, checksum)
        encoded(memory)
    except (DecodeError, UnicodeDecodeError, InputError) as error:
        return str(error)
    return "" if memory_id in (None, memory.id) else "a memory lies under the id of another"


def row_faults(memory: Memory, *, words: bool, columns: Sequence[str], vector: bool | None, edges: bool) -> Iterator[tuple[str, str]]:
    """The faults of a row whose memory is whole, each by the part of it.

    `words` and `edges` say whether those are what was written, `columns` has the names of those that differ, and `vector` says whether
    there is one, None for one that is broken.
    """
    if not words:
        yield "index", "its words are not what was written"
    if columns:
        yield "index", f"its columns do not say what it says: {', '.join(columns)}"
    if vector is None:
        yield "vector", "its vector is not what was written"
    elif vector != (memory.fingerprint is not None):
        yield "vector", "it has a vector of no model" if vector else "its vector is lost"
    if not edges:
        yield "edges", "its edges are not those that it names"
