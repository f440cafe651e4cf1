"""The verbs that change what is stored: update, forget and bring back, erase, quarantine, promote, keep both."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from cued.embed.excerpted import Embedding
from cued.errors import BusyError, InputError
from cued.handles.bound import Bound
from cued.handles.telemetry import spanned
from cued.handles.vouching import refuse_all_but_users, refuse_touching
from cued.model import DISTINCT, TRUSTS, Edge, Memory, Revision, Trust
from cued.requests.checks import asked_id, asked_ids, one_of
from cued.requests.draft import Change, changed, read_change
from cued.requests.keywords import Changes
from cued.text.analyse import analyse, searched_text

if TYPE_CHECKING:
    from cued.upkeep.erasures import Erased

ERASED_AT_ONCE = 500
_TRIES = 10
_CHANGED = tuple(name for name in Memory.__struct_fields__ if name != "version")


class Changing(Bound):
    """Update, forget, restore, erase, quarantine, promote, keep both."""

    @spanned("update_memory")
    def update(self, memory_id: str, change: Change | None = None, *, if_version: int | None = None, **fields: Unpack[Changes]) -> Memory:
        """The memory with some of its fields changed; its decay clock starts anew.

        With `if_version` only a memory that is still at this version is changed; an InputError names the version that it has.
        """
        change = read_change(fields, change)
        for _ in range(_TRIES):
            (memory,), now = self._store.get(self.name, [asked_id("id", memory_id)]), self._clock()
            if if_version not in (None, memory.version):
                raise InputError("if_version", if_version, f"the version of the memory as it is now, {memory.version}")
            revised = self._store.revise(self.name, [self._revision(memory, change, now)], at=now)
            if not revised.left_out:
                return revised.memories[0]
            if revised.left_out[0].reason == "unchanged":
                return memory
            # Changed by somebody else since it was read, or gone, which the next read tells.
        raise BusyError(f"memory {memory_id} was changed by others {_TRIES} times while it was to be changed here")

    @spanned("delete_memory")
    def forget(self, *memory_ids: str, erase: bool = False) -> "Erased | None":
        """Hide memories from every recall, so that `restore` can undo it; with `erase` remove them for good, down to the last byte.

        An erasure says what it did: whether the bytes are gone, and what is pending and why. An unknown id is refused before anything is
        done. Of very many, some hundred are erased in a step, so that others can write between.
        """
        memory_ids = tuple(dict.fromkeys(asked_ids("ids", memory_ids)))
        if erase or self.trust != "user":
            refuse_touching(self._store.get(self.name, memory_ids), self.trust)
        if not erase:
            self._store.forget(self.name, memory_ids, at=self._clock())
            return None
        self._settler.flush()
        for start in range(0, len(memory_ids), ERASED_AT_ONCE):
            last = start + ERASED_AT_ONCE >= len(memory_ids)
            self._store.erase(self.name, memory_ids[start : start + ERASED_AT_ONCE], more=not last)
        return self._noted(len(memory_ids))

    def restore(self, *memory_ids: str) -> None:
        """Undo `forget`."""
        known = [asked_id("ids", memory_id) for memory_id in memory_ids]
        if self.trust != "user":
            refuse_touching(self._store.get(self.name, known), self.trust)
        self._store.restore(self.name, known)

    def quarantine(self, *memory_ids: str) -> tuple[Memory, ...]:
        """These memories, kept and listed and no longer recalled until a person promotes them; what they superseded is back meanwhile."""
        return self._set(memory_ids, {"quarantined_at": self._clock()}, where=lambda memory: memory.quarantined_at is None)

    def promote(self, *memory_ids: str, trust: Trust | None = None) -> tuple[Memory, ...]:
        """These memories, let out of quarantine by a person's word; with `trust` they are from now on trusted so far."""
        refuse_all_but_users(self.trust, "promotes a memory")
        fields = {"quarantined_at": None} if trust is None else {"quarantined_at": None, "trust": one_of("trust", trust, TRUSTS)}
        return self._set(memory_ids, fields)

    def erase_everything(self) -> "Erased":
        """What became of all that was kept for this tenant, its name and its recall log included: it is removed for good."""
        refuse_all_but_users(self.trust, "erases a whole tenant")
        self._settler.flush()
        erased = self._store.size(self.name)
        self._store.erase_tenant(self.name)
        return self._noted(erased, everything=True)

    def keep_both(self, memory_id: str, other: str) -> Memory:
        """The memory, marked as distinct from another: they are no open conflict any more, and no consolidation merges them."""
        memory_id, other = asked_ids("id", (memory_id, other))
        self._store.get(self.name, [memory_id, other])
        if memory_id == other:
            raise InputError("other", other, "another memory than `id`")
        revised = self._store.revise(self.name, [Revision(id=memory_id, link=(Edge(DISTINCT, other),), word=self.trust)], at=self._clock())
        return (revised.memories or self._store.get(self.name, [memory_id]))[0]

    def _revision(self, memory: Memory, change: Change, now: datetime) -> Revision:
        """The change of this version of a memory; a new text comes with its terms and its vectors."""
        new, terms, made = changed(memory, change, now=now), None, Embedding()
        if isinstance(change.text, str):
            vectors, fingerprint, _ = self._vectors([new])
            made = made if vectors is None else vectors[0]
            new, terms = replace(new, fingerprint=fingerprint), analyse(searched_text(new))
        fields = {name: value for name in _CHANGED if (value := getattr(new, name)) != getattr(memory, name)}
        return Revision(id=memory.id, set=fields, terms=terms, **made._asdict(), word=self.trust, made_from=memory.version)

    def _noted(self, memories: int, *, everything: bool = False) -> "Erased":
        """The outcome of an erasure, which is also added to the store's list."""
        from cued.upkeep.erasures import note  # noqa: PLC0415 - only an erasure needs it

        return note(self._store, self.name, memories, at=self._clock(), everything=everything)

    def _set(self, memory_ids: Sequence[str], fields: Mapping[str, Any], *, where: Callable[[Memory], bool] = bool) -> tuple[Memory, ...]:
        """These memories with the same fields set in all of them, or, where one is unknown, in none."""
        known = list(dict.fromkeys(asked_id("ids", memory_id) for memory_id in memory_ids))
        memories = self._store.get(self.name, known)
        changes = [Revision(id=memory.id, set=dict(fields), word=self.trust) for memory in memories if where(memory)]
        self._store.revise(self.name, changes, at=self._clock())
        return self._store.get(self.name, known)
