"""What goes between a store and its keeper: a tenant's counters, its memories as rows, and the columns that a search is made from."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from cued.model.log import RecallEntry
from cued.model.memory import Memory, Touch
from cued.model.words import Order

OrderKey = int | float | str
"""Where a memory stands in an order other than that of creation."""
Marks = tuple[tuple[str, int, int], ...]
"""Where and when a memory is superseded, so far as one time cannot tell it: scope ("" for everywhere), since, until."""


class Head(NamedTuple):
    """A tenant's counters; `change` and `size` are 0 for a stranger.

    `change` grows by 1 with each transaction that writes or removes rows, `size` counts the rows, and `bytes` what their memories take,
    as `weighed` counts it. `epoch` is another after a removal of rows that `removed` does not tell of.
    """

    change: int = 0
    epoch: int = 0
    size: int = 0
    bytes: int = 0


class Settlement(NamedTuple):
    """What recalls of one tenant leave behind: uses, and lines of the log; `known` says that it had memories when they were made."""

    tenant: str
    touches: Sequence[Touch]
    entries: Sequence[RecallEntry]
    known: bool = False


class Judged(NamedTuple):
    """What the gates judge of one memory, in whole numbers and names: codes, and times in microseconds since 1970.

    A time that there is none of is the least or the greatest number of 64 bits. Keep them as they are: they are made once, when a
    row is written.
    """

    scope: str
    kind: int
    tier: int
    trust: int
    quarantined: int
    created: int
    valid_from: int
    valid_until: int
    expires: int
    forgotten: int
    superseded: int
    marks: Marks
    sources: tuple[str, ...]


class Row(NamedTuple):
    """A memory as a keeper has it: its use is in the memory, its terms and tags in `forward`, its vector as `stores.encoding` has it.

    `key` is the keeper's own number of the row, for as long as the row lives; 0 before it is inserted. `judged` comes with every row
    that is written and with none that is read. In an update, `forward` None says that forward index and vector stay as they are.
    """

    memory: Memory
    key: int = 0
    judged: Judged | None = None
    forward: bytes | None = None
    vector: bytes | None = None


class Indexed(NamedTuple):
    """Many rows as columns, what a search needs of them; `judged` has a column for each field of Judged.

    `contents` tells at which change forward index, vector, session, turn or time of a row were last written; a fingerprint is "" where
    there is none.
    """

    ids: Sequence[str]
    keys: Sequence[int]
    contents: Sequence[int]
    fingerprints: Sequence[str]
    sessions: Sequence[str | None]
    turns: Sequence[int | None]
    forwards: Sequence[bytes]
    judged: Sequence[Sequence[Any]]


class Glance(NamedTuple):
    """What a recall asks at once of a keeper that is far away, about a tenant whose rows it has in memory.

    `since` is the change after which rows are to come, None for none of them; `keys` are the rows whose uses are to come, `missing` those
    whose memories are to come too; `document` names the document to come. A copy of the database that lags behind may answer if it
    has come to the change `at_least` of this `epoch`.
    """

    epoch: int
    at_least: int
    since: int | None = None
    keys: Sequence[int] = ()
    missing: Sequence[int] = ()
    document: str | None = None


class Slice(NamedTuple):
    """Which part of a listing: at most `limit` rows beyond `after`, a time of creation and an id, at a moment, in a direction.

    In another order than that of creation, rows go by their place in it first: those beyond `place` and `after`, all where it is None.
    """

    at: int
    after: tuple[int, str]
    limit: int
    oldest_first: bool = False
    order_by: Order = "written"
    place: OrderKey | None = None
