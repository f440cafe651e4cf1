"""The state of what memories are kept in, as a keeper tells it."""

from typing import NamedTuple

from msgspec import Struct


class Condition(Struct, frozen=True, kw_only=True):
    """What can be said of a database without reading its memories; a keeper without files leaves it empty.

    `sound` is None where nobody looked, else what an integrity check said, "ok" for a sound one. `shared` names those beside the owner
    who may read the file. `schema` is the file's version and `knows` the newest that this Cued writes. `compiled` tells of the loops of a
    search, which are numpy's where no compiler was at hand.
    """

    place: str = ""
    sound: str | None = None
    pages: int = 0
    free_pages: int = 0
    page_bytes: int = 0
    log_bytes: int = 0
    free_disk_bytes: int | None = None
    shared: tuple[str, ...] = ()
    schema: int = 0
    knows: int = 0
    engine: str = ""
    compiled: bool = True


class Fault(NamedTuple):
    """One thing that is not as it was written: where it lies, what it is, and of which memory."""

    part: str
    what: str
    id: str | None = None


class Workings(Struct, frozen=True, kw_only=True):
    """How a store works: the tenants in memory and their bytes, searches that found theirs there or not, and writes made again."""

    tenants: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    contested: int = 0
