"""A journal of a tenant's writes and erasures that shows when somebody has meddled with it: each entry carries the digest of all before it.

It holds no content: what was done, to how many memories and when, and a digest of their ids under a key of the tenant's. It is kept in
documents of the tenant, in the transaction that it tells of, so any keeper has it. It is begun by choice, and once begun it goes on,
whoever writes. Who can write the file can write a whole new journal: note the last digest elsewhere, and that shows too.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from os import urandom
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.model import EPOCH, Head
from cued.ports import Transaction

DOCUMENT: Final = "journal"
OUTSIDE: Final = "outside"
"""The verb of an entry which says that memories were written or removed without one."""
CHUNK: Final = 64
"""How many entries a document holds."""


class Entry(Struct, frozen=True, kw_only=True):
    """One write: its number, what was done to how many memories, a digest of their ids, and the tenant's counters afterwards.

    `digest` is that of everything in the entry, the `previous` entry's digest included.
    """

    number: int = 0
    at: datetime = EPOCH
    verb: str
    memories: int
    ids: str = ""
    change: int
    size: int
    previous: str = ""
    digest: str = ""


class Journal(Struct, frozen=True, kw_only=True):
    """The head of a journal: the key of its digests of ids, how many entries there are, and the last one's digest."""

    key: str
    entries: int = 0
    last: str = ""


def note(rows: Transaction, verb: str, memory_ids: Iterable[str], *, journal: bytes | None, before: Head | None = None) -> None:
    """Write an entry on what this transaction has done into the journal, whose document this is; one that is not there begins now.

    Where there were more or fewer memories `before` it than by the last entry, an entry of its own says so first, and stays; a repair,
    which may have lost some, does not ask.
    """
    head = Journal(key=urandom(16).hex()) if journal is None else _HEAD.decode(journal)
    last = None if before is None else _last(rows, head)
    if before is not None and last is not None and last.size != before.size:
        head = _append(rows, head, Entry(verb=OUTSIDE, memories=abs(before.size - last.size), change=before.change, size=before.size))
    ids, after = list(memory_ids), rows.head()
    head = _append(rows, head, Entry(verb=verb, memories=len(ids), ids=ids_digest(head, ids), change=after.change, size=after.size))
    rows.put_document(DOCUMENT, msgspec.json.encode(head))


def _append(rows: Transaction, head: Journal, entry: Entry) -> Journal:
    """The head with one more entry, which is numbered, linked and written down."""
    entry = replace(entry, number=head.entries + 1, at=datetime.now(UTC), previous=head.last)
    entry = replace(entry, digest=_digest(entry))
    name = _chunk(head.entries)
    rows.put_document(name, (rows.document(name) or b"") + msgspec.json.encode(entry) + b"\n")
    return replace(head, entries=entry.number, last=entry.digest)


def _last(rows: Transaction, head: Journal) -> Entry | None:
    """The last entry as it stands there; None where there is none or it cannot be read, which `faults` tells."""
    lines = (rows.document(_chunk(head.entries - 1)) or b"").splitlines() if head.entries else []
    try:
        return _ENTRY.decode(lines[-1]) if lines else None
    except _UNREADABLE:
        return None


def ids_digest(head: Journal, memory_ids: Iterable[str]) -> str:
    """The digest of these ids in a journal, for whoever knows them."""
    hashed = blake2b(digest_size=16, key=head.key.encode())
    for memory_id in memory_ids:
        written = memory_id.encode("utf-8", "surrogatepass")
        hashed.update(len(written).to_bytes(8) + written)
    return hashed.hexdigest()


def head_of(rows: Transaction) -> Journal | None:
    """The head of the tenant's journal; None where it keeps none."""
    data = rows.document(DOCUMENT)
    return None if data is None else _HEAD.decode(data)


def entries(rows: Transaction) -> Iterator[Entry]:
    """The entries of the tenant's journal as they stand there."""
    head = head_of(rows)
    for first in range(0, head.entries if head else 0, CHUNK):
        for line in (rows.document(_chunk(first)) or b"").splitlines():
            yield _ENTRY.decode(line)


def faults(rows: Transaction, *, copied_at: int | None) -> Sequence[str]:
    """What is wrong with the tenant's journal, or with the tenant by its journal; nothing where it keeps none.

    A copy of a tenant counts its changes from its own beginning: one that is as it was left `copied_at` its last has no more of them.
    """
    try:
        head = head_of(rows)
        return [] if head is None else list(_faults(rows, head, copied_at))
    except _UNREADABLE as error:
        return [f"the journal cannot be read: {error}"]


def _faults(rows: Transaction, head: Journal, copied_at: int | None) -> Iterator[str]:
    last: Entry | None = None
    for number, entry in enumerate(entries(rows), 1):
        if entry.number != number or entry.previous != (last.digest if last else ""):
            yield f"entry {number} does not follow the one before it"
            return
        if entry.digest != _digest(entry):
            yield f"entry {number} was changed"
            return
        if entry.verb == OUTSIDE:
            yield f"{entry.memories} memories were written or removed without an entry before {entry.at:%Y-%m-%d %H:%M} (entry {number})"
        last = entry
    if last is None or (last.number, last.digest) != (head.entries, head.last):
        yield f"{head.entries} entries were written, and {last.number if last else 0} are there"
        return
    counters = rows.head()
    if counters.size != last.size or counters.change not in (last.change, copied_at):
        yield f"memories were written or removed without an entry: {counters.size} are there, and {last.size} by the journal"


def _chunk(written: int) -> str:
    return f"{DOCUMENT}-{written // CHUNK:08}"


def _digest(entry: Entry) -> str:
    return blake2b(msgspec.json.encode(replace(entry, digest="")), digest_size=16).hexdigest()


_HEAD = msgspec.json.Decoder(Journal)
_ENTRY = msgspec.json.Decoder(Entry)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What is raised where somebody has put something else in the place of JSON."""
