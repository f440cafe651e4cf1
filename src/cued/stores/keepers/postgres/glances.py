"""All that a recall asks about a tenant in memory, as one message to the server: its counters, and what it is to look at."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from cued.model import Glance, Head, Indexed, Memory, Use
from cued.stores.keepers.postgres import searched
from cued.stores.keepers.sql_values import Counters, uses_read
from cued.stores.vector_bytes import runs


class Glanced(NamedTuple):
    """What the statements of these names found."""

    name: bytes
    counters: Sequence[tuple[int, ...]]
    written: Sequence[tuple[Any, ...]] = ()
    new_vectors: Sequence[tuple[int, bytes, int | None]] = ()
    bodies: Sequence[tuple[int, bytes, int | None]] = ()
    used: Sequence[tuple[int, bytes]] = ()
    named: Sequence[tuple[bytes]] = ()

    @classmethod
    def of(cls, name: bytes, asked: Iterable[str], found: Sequence[Sequence[Any]]) -> Self:
        """What was found of this tenant: before it stand the results of what names the tenant, and behind it that of the end."""
        names = list(asked)
        return cls(name, **dict(zip(names, found[-len(names) - 1 : -1], strict=True)))

    def covers(self, at: Glance) -> bool:
        """Whether a copy that may lag behind has come as far as it must."""
        head = self.head()
        return head.epoch == at.epoch and head.change >= at.at_least

    def head(self) -> Head:
        """The tenant's counters."""
        return Counters(*self.counters[0]).head if self.counters else Head()

    def removed(self, since: int) -> Sequence[int]:  # noqa: ARG002 - the epoch tells that something was removed
        """Nothing: after each removal the epoch is another."""
        return ()

    def changed(self, since: int) -> Indexed:  # noqa: ARG002 - what was asked for
        """The rows written since; broken ones are left out."""
        return searched.changed(searched.whole(self.written)[0])

    def vectors(self, since: int) -> Iterable[tuple[Sequence[int], bytes]]:  # noqa: ARG002 - what was asked for
        """The vectors written since; broken ones, and those of broken rows, are left out."""
        return runs(searched.whole_vectors(self.new_vectors, searched.whole(self.written)[1]))

    def memories(self, keys: Sequence[int]) -> Sequence[Memory | None]:
        """The memories of these rows, of those that were asked for."""
        return searched.memories(self.name, keys, self.bodies)

    def uses(self, keys: Sequence[int]) -> Sequence[tuple[int, Use]]:
        """The uses of those of these rows that were ever used."""
        wanted = set(keys)
        return uses_read(each for each in self.used if each[0] in wanted)

    def document(self, name: str) -> bytes | None:  # noqa: ARG002 - the one that was asked for
        """The document."""
        return searched.document(self.named)


def questions(at: Glance) -> dict[str, str]:
    """The statements by the names of `Glanced`: no more than what is asked, for each has to be planned."""
    asked = {"counters": searched.HEAD}
    if at.since is not None:
        asked |= {"written": searched.CHANGED, "new_vectors": searched.VECTORS}
    if at.missing:
        asked["bodies"] = searched.BODIES.replace("%(keys)s", "%(missing)s")
    if at.keys:
        asked["used"] = searched.USES
    if at.document is not None:
        asked["named"] = searched.DOCUMENT
    return asked


def values(tenant: bytes, at: Glance) -> dict[str, Any]:
    """What the statements bind."""
    name = None if at.document is None else at.document.encode()
    return {"tenant": tenant, "since": at.since, "keys": list(at.keys), "missing": list(at.missing), "name": name}
