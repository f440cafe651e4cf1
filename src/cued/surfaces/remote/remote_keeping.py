"""What is stored on a server: remembering, reading, changing and forgetting, as `handles.keeping` and `handles.changing` do it here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from msgspec import convert

from cued.errors import NotFoundError
from cued.handles.keeping import Remembered
from cued.handles.tenant import Tenant
from cued.model import Memory, Page
from cued.model.plain import JSON
from cued.ports import Progress, silent
from cued.requests.checks import asked_id
from cued.requests.draft import Change, Draft, OnConflict, RememberRequest, read_change, read_draft
from cued.requests.keywords import Changes, Facts, Wanted
from cued.requests.listing import ListRequest, whole_request
from cued.requests.many import stored
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import stated_fields
from cued.surfaces.remote.nouns import memories_among, public
from cued.surfaces.remote.remote_bound import RemoteBound, remote_verb

if TYPE_CHECKING:
    from cued.upkeep.erasures import Erased


def _listed(body: JSON) -> JSON:
    """The fields, with the turns as a list that can be iterated more than once."""
    turns = body["turns"]
    return {**body, "turns": turns if isinstance(turns, str | Mapping) else list(turns)}


class RemoteKeeping(RemoteBound):
    """The verbs that store, read, change and forget. A memory among many is told in brief; `get` has the whole."""

    remember_turns = remote_verb(Tenant.remember_turns, public("Remembered"), said=_listed)
    get = remote_verb(Tenant.get, nouns.memory)
    conflicts = remote_verb(Tenant.conflicts, nouns.open_conflicts)
    keep_both = remote_verb(Tenant.keep_both, nouns.memory)
    restore = remote_verb(Tenant.restore, lambda *_: None)
    quarantine = remote_verb(Tenant.quarantine, memories_among("quarantined"))
    promote = remote_verb(Tenant.promote, memories_among("promoted"))
    erase_everything = remote_verb(Tenant.erase_everything, public("Erased"))
    stats = remote_verb(Tenant.stats, public("Stats"))

    def remember(
        self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, on_conflict: OnConflict = "report", **facts: Unpack[Facts]
    ) -> Remembered:
        """What `Tenant.remember` gives."""
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        resolving = {} if isinstance(draft, RememberRequest) else {"conflicts": conflicts, "on_conflict": on_conflict}
        return convert(self._ask("remember", {**stated_fields(draft), **resolving}), Remembered)

    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = silent) -> Remembered:
        """What `Tenant.remember_many` gives; each chunk is one request."""
        answers: list[Remembered] = []

        def store(chunk: Sequence[Draft]) -> Iterable[str]:
            answers.append(convert(self._ask("remember_many", {"memories": [*map(stated_fields, chunk)]}), Remembered))
            return answers[-1].ids

        ids = stored(drafts, store, clock=self._clock, progress=progress)
        notes = dict.fromkeys(note for answer in answers for note in answer.degraded)
        return Remembered(ids=ids, conflicts=tuple(each for answer in answers for each in answer.conflicts), degraded=tuple(notes))

    def known(self, *memory_ids: str) -> frozenset[str]:
        """What `Tenant.known` gives; each id is asked for."""
        return frozenset(memory_id for memory_id in memory_ids if self._knows(memory_id))

    def list(self, request: ListRequest | None = None, **wanted: Unpack[Wanted]) -> Page:
        """What `Tenant.list` gives."""
        return nouns.page(self._ask("list", stated_fields(whole_request(ListRequest, request, wanted))), self.name)

    def update(self, memory_id: str, change: Change | None = None, *, if_version: int | None = None, **fields: Unpack[Changes]) -> Memory:
        """What `Tenant.update` gives."""
        stated = stated_fields(read_change(fields, change))
        return nouns.memory(self._ask("update", {**stated, "id": asked_id("id", memory_id), "if_version": if_version}), self.name)

    def forget(self, *memory_ids: str, erase: bool = False) -> "Erased | None":
        """What `Tenant.forget` gives."""
        told = self._ask("forget", {"ids": memory_ids, "erase": erase})
        return public("Erased")({**told, "memories": len(set(memory_ids))}, self.name) if erase else None

    def _knows(self, memory_id: str) -> bool:
        try:
            self.get(memory_id)
        except NotFoundError:
            return False
        return True
