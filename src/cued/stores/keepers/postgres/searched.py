"""What a search reads of one tenant's rows: statements with their values by name, and what they find as the port has it.

They are run one by one within a transaction, or several in one message to the server.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any, Final

from msgspec import DecodeError

from cued.model import DERIVED_FROM, Indexed, Memory
from cued.stores.encoding import decoded, fits
from cued.stores.keepers.sql_values import indexed
from cued.stores.standing.facts import REFLECTION

HEAD: Final = "SELECT change, epoch, size, last, bytes, 0 FROM cued.tenant WHERE tenant = %(tenant)s"
CHANGED: Final = f"""
    SELECT id, key, content, coalesce(fingerprint, ''), session, turn, forward, scope, kind, tier, trust,
           (quarantined IS NOT NULL)::int, created, coalesce(valid_from, -9223372036854775808), coalesce(valid_until, 9223372036854775807),
           coalesce(expires, 9223372036854775807), coalesce(forgotten, 9223372036854775807),
           coalesce(superseded, 9223372036854775807), locally,
           forward_sum,
           CASE WHEN kind = {REFLECTION} THEN ARRAY(SELECT target FROM cued.edge WHERE edge.tenant = %(tenant)s AND edge.key = memory.key
                                                     AND relation = '{DERIVED_FROM}'::bytea ORDER BY target) END
    FROM cued.memory WHERE tenant = %(tenant)s AND change > %(since)s ORDER BY key
"""  # noqa: S608 - constants
# Put in order here: the server would write what it sorts to its disk.
ALL_VECTORS: Final = "SELECT key, data, data_sum FROM cued.vector WHERE tenant = %(tenant)s"
VECTORS: Final = """
    SELECT m.key, v.data, v.data_sum FROM cued.memory m JOIN cued.vector v ON v.tenant = m.tenant AND v.key = m.key
    WHERE m.tenant = %(tenant)s AND m.change > %(since)s AND m.content > %(since)s ORDER BY m.key
"""
BODIES: Final = "SELECT key, body, body_sum FROM cued.memory WHERE tenant = %(tenant)s AND key = ANY(%(keys)s)"
USES: Final = "SELECT key, body FROM cued.use WHERE tenant = %(tenant)s AND key = ANY(%(keys)s)"
DOCUMENT: Final = "SELECT body FROM cued.document WHERE tenant = %(tenant)s AND name = %(name)s"


def changed(rows: Sequence[Sequence[Any]]) -> Indexed:
    """What `CHANGED` found, as columns."""
    if not rows:
        return indexed((), ())
    read: list[Sequence[Any]] = list(zip(*rows, strict=True))
    sources, _ = read.pop(), read.pop()
    read[0], read[3], read[7] = (_texts(read[place]) for place in (0, 3, 7))
    read[4] = [None if each is None else each.decode() for each in read[4]]
    return indexed(read, [tuple(_texts(each)) if each else () for each in sources])


def whole(rows: Sequence[Sequence[Any]]) -> tuple[Sequence[Sequence[Any]], set[int]]:
    """Those of the rows that `CHANGED` found whose words are what was written, and the keys of the others."""
    broken = {row[1] for row in rows if not fits(row[6], row[-2])}
    return [row for row in rows if row[1] not in broken] if broken else rows, broken


def whole_vectors(found: Iterable[tuple[int, bytes, int | None]], left_out: Container[int]) -> list[tuple[int, bytes]]:
    """The vectors that are what was written, but for those of rows that are left out."""
    return [(key, data) for key, data, checksum in found if fits(data, checksum) and key not in left_out]


def own(name: bytes, body: bytes, checksum: int | None) -> Memory:
    """A memory from its body; one that is not what was written, or is of another than the tenant of this name, is a DecodeError."""
    memory = decoded(body, checksum)
    if memory.tenant != name.decode():
        raise DecodeError("another tenant's memory lies among these")
    return memory


def memories(name: bytes, keys: Sequence[int], found: Iterable[tuple[int, bytes, int | None]]) -> list[Memory | None]:
    """What `BODIES` found, in the order of these keys; None for a memory that can no longer be read."""
    bodies = {key: rest for key, *rest in found}
    return [_own_or_none(name, *bodies.get(key, (b"", 0))) for key in keys]


def _own_or_none(name: bytes, body: bytes, checksum: int | None) -> Memory | None:
    try:
        return own(name, body, checksum)
    except (DecodeError, UnicodeDecodeError):
        return None


def document(found: Sequence[tuple[bytes]]) -> bytes | None:
    """What `DOCUMENT` found."""
    return bytes(found[0][0]) if found else None


def _texts(column: Iterable[bytes]) -> list[str]:
    return [each.decode() for each in column]
