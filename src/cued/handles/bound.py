"""What every verb of a tenant's handle works with: the tenant's name, the store, the embedder and other parts, and vectors of texts."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from cued.errors import EmbedderError, InputError
from cued.handles.ids import IdMaker
from cued.handles.settling import Settler
from cued.handles.usual_policies import Usual
from cued.model import TRUSTS, Memory, Trust
from cued.policy.spec import Policy
from cued.ports import Clock, Parts, Store
from cued.requests.checks import label, one_of

if TYPE_CHECKING:
    from cued.embed.excerpted import Embedding
    from cued.model import Vector

log = logging.getLogger("cued")


class Bound:
    """A tenant's name, and the parts that its verbs are bound to."""

    remote: ClassVar[bool] = False
    """Whether a server answers the verbs: a policy is then a preset's name, and a memory in a list is brief."""

    def __init__(  # noqa: PLR0913 - one keyword a part
        self,
        name: str,
        parts: Parts,
        *,
        usual: Usual,
        clock: Clock,
        settler: Settler,
        ids: IdMaker,
        trust: Trust = "user",
        owner: object = None,
    ) -> None:
        """Bind the verbs to one tenant; whoever shares the `ids` gets ids that rise together.

        `trust` is the ceiling here, and the `owner` lives as long as this does.
        """
        self.name = label("tenant", name)
        self.trust: Trust = one_of("trust", trust, TRUSTS)
        self._usual, self._parts, self._clock, self._settler, self._ids, self._owner = usual, parts, clock, settler, ids, owner

    @property
    def policy(self) -> Policy:
        """The policy that decides where a recall names none."""
        return self._usual.of(self.name)

    @property
    def _store(self) -> Store:
        return self._parts.store

    def _vectors(self, memories: Sequence[Memory]) -> "tuple[list[Embedding] | None, str | None, tuple[str, ...]]":
        """The vectors of memories and their fingerprint; when the embedder fails, none, and a note: they are stored all the same."""
        embedder = self._parts.embedder
        if embedder is None:
            return None, None, ()
        from cued.embed.excerpted import embedded_memories  # noqa: PLC0415 - made of numpy, which naming `cued.open` does not need

        try:
            return *embedded_memories(memories, embedder), ()
        except EmbedderError as error:
            log.warning("stored without a vector: %s", error)
            return None, None, (f"vector pending: {error}",)

    def _own_vector(self, vector: Sequence[float] | None, fingerprint: str | None) -> "tuple[Vector, str]":
        """A vector of the caller's own at unit length, with the fingerprint of the model that made it: the one named, or the embedder's."""
        from cued.embed.unit_vectors import unit  # noqa: PLC0415 - only a vector of the caller's own needs it

        used = None if self._parts.embedder is None else self._parts.embedder.fingerprint
        fingerprint = fingerprint or (None if used is None else str(used))
        if vector is None or fingerprint is None:
            raise InputError("fingerprint", fingerprint, "a vector with the name of the model that made it, or the embedder in use")
        dimensions = used.dimensions if used is not None and fingerprint == str(used) else None
        try:
            return unit([vector], count=1, dimensions=dimensions, source="the caller")[0], label("fingerprint", fingerprint)
        except EmbedderError as error:
            raise InputError("vector", vector, f"finite numbers, not all zero, as many as the model makes ({error})") from error
