"""How memories give way to newer ones: pure rules over memories, the same for every store.

A store opens a Draft on its contents, asks for the change, and writes down `draft.changed`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec.structs import replace

from cued.errors import NotFoundError
from cued.model import Memory, Supersession
from cued.stores.admission import superseding_scope

FADED_WEIGHT = 0.1


class Draft:
    """A change in the making: what the store holds, overlaid with what has been changed so far."""

    def __init__(self, fetch: Callable[[str], Memory | None]) -> None:
        """Start with nothing changed; `fetch` reads the store."""
        self._fetch = fetch
        self.changed: dict[str, Memory] = {}

    def find(self, memory_id: str) -> Memory | None:
        """Give a memory as it stands in the draft, None when there is none."""
        return self.changed.get(memory_id) or self._fetch(memory_id)

    def get(self, memory_id: str) -> Memory:
        """Give a memory as it stands in the draft; an unknown id is a NotFoundError."""
        found = self.find(memory_id)
        if found is None:
            raise NotFoundError(memory_id)
        return found

    def put(self, memory: Memory) -> None:
        """Lay a memory over the store's."""
        self.changed[memory.id] = memory

    def remember(self, memories: Iterable[Memory]) -> None:
        """Add new memories; whatever they supersede gives way, and must exist."""
        new = list(memories)
        for memory in new:
            self.put(memory)
        for memory in new:
            self._give_way(memory.id, {self.get(old).id for old in memory.supersedes})

    def revise(self, old: Memory, new: Memory) -> None:
        """Replace a memory; what it supersedes now and did not before gives way, and the reverse."""
        self.put(new)
        added = {self.get(memory_id).id for memory_id in new.supersedes if memory_id not in old.supersedes}
        for memory_id in old.supersedes:
            if memory_id not in new.supersedes:
                self._release(memory_id, new.id)
        self._give_way(new.id, added)

    def forget(self, memory_ids: Iterable[str], *, at: datetime) -> None:
        """Mark memories as forgotten; what they had superseded comes back, unless they were superseded themselves."""
        for memory in [self.get(memory_id) for memory_id in memory_ids]:
            if memory.forgotten_at is None:
                self.put(replace(self.get(memory.id), forgotten_at=at))
                self._settle(memory.id)

    def restore(self, memory_ids: Iterable[str]) -> None:
        """Take the mark off again, and with it what forgetting had undone."""
        for memory in [self.get(memory_id) for memory_id in memory_ids]:
            if memory.forgotten_at is not None:
                self.put(replace(self.get(memory.id), forgotten_at=None))
                self._settle(memory.id)

    def erase(self, memory_ids: Iterable[str]) -> set[str]:
        """Let go of what these memories had superseded and give the ids to remove."""
        erased = {self.get(memory_id).id for memory_id in memory_ids}
        for memory_id in sorted(erased):
            for old in self.get(memory_id).supersedes:
                self._release(old, memory_id)
        for memory_id in erased:
            self.changed.pop(memory_id, None)
        return erased

    def _settle(self, memory_id: str) -> None:
        # In a chain a ← b ← c, forgetting b must not bring a back beside c: a memory that is forgotten
        # and superseded everywhere goes on holding down what it superseded.
        memory = self.get(memory_id)
        if memory.forgotten_at is None or _superseded_everywhere(memory):
            self._give_way(memory_id, set(memory.supersedes))
        else:
            for old in memory.supersedes:
                self._release(old, memory_id)

    def _give_way(self, new_id: str, old_ids: set[str]) -> None:
        new = self.get(new_id)
        for old_id in sorted(old_ids):
            old = self.find(old_id)
            if old is None or any(each.by == new_id for each in old.superseded):
                continue
            scope = superseding_scope(old, new)
            before = next((each.weight_before for each in old.superseded if each.scope is None), old.weight)
            mark = Supersession(by=new_id, at=new.created_at, scope=scope, weight_before=before)
            self._change(old, (*old.superseded, mark), FADED_WEIGHT if scope is None else old.weight)

    def _release(self, old_id: str, new_id: str) -> None:
        old = self.find(old_id)
        mark = None if old is None else next((each for each in old.superseded if each.by == new_id), None)
        if old is None or mark is None:
            return
        left = tuple(each for each in old.superseded if each is not mark)
        restored = mark.scope is None and not any(each.scope is None for each in left)
        self._change(old, left, mark.weight_before if restored else old.weight)

    def _change(self, old: Memory, superseded: tuple[Supersession, ...], weight: float) -> None:
        changed = replace(old, superseded=superseded, weight=weight)
        self.put(changed)
        if old.forgotten_at is not None and _superseded_everywhere(old) != _superseded_everywhere(changed):
            self._settle(old.id)


def _superseded_everywhere(memory: Memory) -> bool:
    return any(each.scope is None for each in memory.superseded)
