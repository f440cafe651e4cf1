"""What the store refuses before anything is written."""

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime

import numpy as np
from msgspec.msgpack import Encoder
from msgspec.structs import replace

from cued.errors import InputError, TrustError
from cued.model import GLOBAL, UNUSED, UNVERIFIED, Matrix, Memory, RecallEntry, Record, Shadowed, Vector
from cued.stores.arrays import micros
from cued.stores.columns.vectors import checked
from cued.stores.vector_bytes import MOST_EXCERPTS

_ENCODER = Encoder()
_COUNTS = ("candidates", "below_floor", "suppressed", "omitted")
_MOST_COUNTED = 2**31
"""More than a recall can have of anything, and so little that billions of lines add up in 64 bits."""
_MOST_MS = 1e12
"""More than a recall can take, thirty years, and so little that sums of it stay numbers."""
_ABOUT_UNIT = 0.05
"""How far from 1 the length of an excerpt's vector may be: one that comes back from a store has been rounded to bytes."""
_MOST_RELEVANT = 1e6
"""More than any relevance, which is a share of 1, and so little that its twentieths are counted in 32 bits."""


def admit_tenant(tenant: str) -> bytes:
    """The tenant's name as bytes; an empty name or one that is no Unicode text is an InputError."""
    return _encoded_name("tenant", tenant)


def admit_document(name: str) -> bytes:
    """The name of a document as bytes; an empty one or one that is no Unicode text is an InputError."""
    return _encoded_name("name", name)


def _encoded_name(field: str, name: str) -> bytes:
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise InputError(field, name, "text that UTF-8 can carry") from error
    if not encoded:
        raise InputError(field, name, "a name of at least one character")
    return encoded


def admit(tenant: str, records: Sequence[Record], *, known: Iterable[str]) -> None:
    """Refuse the whole batch with an InputError when one record of it cannot be stored."""
    taken = set(known)
    for record in records:
        admit_record(tenant, record)
        if record.memory.id in taken:
            raise InputError("id", record.memory.id, "an id that this tenant does not have yet")
        taken.add(record.memory.id)


def first_of_each(records: Sequence[Record], *, known: Container[str]) -> list[Record]:
    """The records whose ids are not known yet, and of several with one id the first."""
    first: dict[str, Record] = {}
    for record in records:
        first.setdefault(record.memory.id, record)
    return [record for record in first.values() if record.memory.id not in known]


def admit_record(tenant: str, record: Record) -> None:
    """Refuse a record that belongs elsewhere, cannot be written down, or whose vector and fingerprint disagree."""
    memory = record.memory
    admit_memory(tenant, memory)
    admit_pin(memory)
    if (record.vector is None) != (memory.fingerprint is None):
        raise InputError("fingerprint", memory.fingerprint, "a fingerprint with every vector, and none without")
    if record.vector is not None:
        checked(record.vector, "vector")
    if record.excerpts is not None:
        _admit_excerpts(record.excerpts, record.vector)


def _admit_excerpts(excerpts: Matrix, vector: Vector | None) -> None:
    width = 0 if vector is None else len(vector)
    if excerpts.ndim != 2 or excerpts.shape[1] != width or not 0 < len(excerpts) <= MOST_EXCERPTS:  # noqa: PLR2004 - rows and columns
        raise InputError("excerpts", f"shape {excerpts.shape}", f"1 to {MOST_EXCERPTS} vectors as wide as the text's own")
    lengths = np.sqrt(np.vecdot(excerpts, excerpts))
    if not bool((np.abs(lengths - 1.0) <= _ABOUT_UNIT).all()):
        raise InputError("excerpts", f"lengths {lengths.tolist()}", "finite vectors of about length 1")


def admit_memory(tenant: str, memory: Memory) -> None:
    """Refuse a memory that belongs elsewhere or cannot be written down."""
    if memory.tenant != tenant:
        raise InputError("tenant", memory.tenant, f"the tenant it is stored for, {tenant!r}")
    if not memory.id or not memory.scope:
        raise InputError("id" if memory.scope else "scope", "", "at least one character")
    if memory.id in memory.supersedes:
        raise InputError("supersedes", memory.id, "ids of other memories")
    if not -(2**63) <= (memory.source.turn or 0) < 2**63:
        raise InputError("turn", memory.source.turn, "a number of at most 64 bits")
    body(memory)
    if not all(moment is None or moment.utcoffset() is not None for moment in _moments(memory)):
        raise InputError("created_at", memory.created_at, "times with a time zone, here and in every other field")


def _moments(memory: Memory) -> Iterator[datetime | None]:
    """Every time that is noted of a memory."""
    yield from (memory.created_at, memory.updated_at, memory.valid_from, memory.valid_until, memory.expires_at)
    yield from (memory.forgotten_at, memory.quarantined_at, memory.use.last_at, memory.use.previous_at, memory.use.counted_at)
    for each in memory.superseded:
        yield from (each.at, each.lifted_at)


def admit_pin(memory: Memory) -> None:
    """Refuse to pin what nobody has vouched for."""
    if memory.tier == "core" and memory.trust in UNVERIFIED:
        refused = f"tier: {memory.id!r} comes from {memory.trust}, unverified, and is not pinned"
        raise TrustError(refused, "another tier, or a person's `promote` to user before it", memory_id=memory.id)


def weighed(memory: Memory) -> int:
    """How many bytes a memory takes of its tenant's quota: all that is kept of it but its use."""
    return len(body(replace(memory, use=UNUSED)))


def body(memory: Memory) -> bytes:
    """The memory as MessagePack; text that UTF-8 cannot carry and numbers beyond 64 bits are InputErrors."""
    try:
        return _ENCODER.encode(memory)
    except OverflowError as error:
        raise InputError("source", memory.source, "numbers of at most 64 bits") from error
    except UnicodeEncodeError as error:
        raise InputError("text", memory.text, "text that UTF-8 can carry: no lone surrogates") from error


def admit_entry(entry: RecallEntry) -> RecallEntry:
    """A line of the recall log; one that cannot be written down, or counted with others, is an InputError."""
    try:
        _ENCODER.encode(entry)
        micros(entry.at)
    except (TypeError, OverflowError, UnicodeEncodeError) as error:
        raise InputError("entry", entry, "text that UTF-8 can carry, numbers of at most 64 bits, and a time with its zone") from error
    for name in _COUNTS:
        _admit_count(name, getattr(entry, name))
    for name, spent in (("total_ms", entry.total_ms), *entry.stage_ms.items()):
        if not 0 <= spent <= _MOST_MS:
            raise InputError(name, spent, f"milliseconds from 0 to {_MOST_MS:.0e}")
    for decided in (entry,) if entry.shadow is None else (entry, entry.shadow):
        _admit_decided(decided)
    return entry


def _admit_decided(decided: RecallEntry | Shadowed) -> None:
    """Nothing, if what a policy decided can be written down, searched for ids and counted; else it is an InputError."""
    if any("\0" in name for name in (decided.policy, decided.policy_digest, *decided.chosen)):
        # PostgreSQL reads no list with one, and then no memory of the tenant could be erased any more
        raise InputError("chosen", decided.chosen, "ids, a policy and its digest without NUL")
    _admit_count("tokens", decided.tokens)
    for name, value in (("best_relevance", decided.best_relevance), ("floor", decided.floor or 0.0)):
        if not abs(value) <= _MOST_RELEVANT:
            raise InputError(name, value, f"a number from 0 to 1, or of {_MOST_RELEVANT:.0e} at most")


def _admit_count(name: str, count: int) -> None:
    if not 0 <= count < _MOST_COUNTED:
        raise InputError(name, count, f"a whole number from 0 to {_MOST_COUNTED - 1}")


def at_least_one(number: int, *, field: str = "limit", most: int = 2**31 - 1) -> int:
    """The number; what is no whole number, below 1 or beyond all bounds is an InputError."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
        raise InputError(field, number, f"1 or more, up to {most}")
    return number


def reaches(old: Memory, new: Memory) -> bool:
    """Whether `new` can hide `old` by their scopes: not from one project to another."""
    return GLOBAL in (old.scope, new.scope) or old.scope == new.scope


def superseding_scope(old: Memory, new: Memory) -> str | None:
    """Where `new` hides `old`: everywhere (None), or in one project; from another project it is an InputError."""
    if not reaches(old, new):
        raise InputError("supersedes", old.id, f"a memory of scope {new.scope!r} or {GLOBAL!r}; this one belongs to {old.scope!r}")
    return None if new.scope in (GLOBAL, old.scope) else new.scope
