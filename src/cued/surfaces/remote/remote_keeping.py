"""What is stored on a server: remembering, reading, changing and forgetting, as `handles.keeping` does it here."""

from collections.abc import Iterable, Mapping, Sized
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Unpack

from cued.errors import InputError, NotFoundError
from cued.handles.keeping import OpenConflicts, Remembered
from cued.model import GLOBAL, Memory, Page, Stats, Trust
from cued.ports import Progress, silent
from cued.requests.checks import asked_id
from cued.requests.draft import Change, Draft, OnConflict, RememberRequest, read_change, read_draft
from cued.requests.keywords import Changes, Facts, Wanted
from cued.requests.listing import ListRequest, whole_request
from cued.requests.many import CHUNK, numbered, placed
from cued.requests.upkeep import ConflictsRequest
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import told
from cued.surfaces.remote.remote_bound import RemoteBound

if TYPE_CHECKING:
    from cued.upkeep.erasures import Erased


class RemoteKeeping(RemoteBound):
    """The verbs that store, read, change and forget. A memory among many is told in brief; `get` has the whole."""

    def remember(
        self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, on_conflict: OnConflict = "report", **facts: Unpack[Facts]
    ) -> Remembered:
        """What `Tenant.remember` gives."""
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        resolving = {} if isinstance(draft, RememberRequest) else {"conflicts": conflicts, "on_conflict": on_conflict}
        return nouns.noun(self._ask("remember", {**told(draft), **resolving}), Remembered)

    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = silent) -> Remembered:
        """What `Tenant.remember_many` gives; each chunk is one request."""
        if isinstance(drafts, str | Mapping | Draft) or not isinstance(drafts, Iterable):
            raise InputError("drafts", drafts, "a list of memories; `remember` stores one")
        total, rest = len(drafts) if isinstance(drafts, Sized) else 0, numbered(drafts)
        ids: list[str] = []
        notes: list[str] = []
        while chunk := list(islice(rest, CHUNK)):
            try:
                answer = self._ask("remember_many", {"memories": list(map(told, chunk))})
            except InputError as error:
                raise placed(error, chunk, stored=len(ids), now=datetime.now(UTC)) from None
            ids += answer["ids"]
            notes += answer["degraded"]
            progress(len(ids), total)
        return Remembered(ids=tuple(ids), degraded=tuple(dict.fromkeys(notes)))

    def remember_turns(
        self,
        turns: Iterable[Mapping[str, Any]],
        *,
        session: str,
        scope: str = GLOBAL,
        at: datetime | str | None = None,
        first: int | None = None,
    ) -> Remembered:
        """What `Tenant.remember_turns` gives."""
        said = turns if isinstance(turns, str | Mapping) else list(turns)
        body = {"turns": said, "session": session, "scope": scope, "at": at, "first": first}
        return nouns.noun(self._ask("remember_turns", body), Remembered)

    def get(self, memory_id: str) -> Memory:
        """What `Tenant.get` gives."""
        return nouns.memory(self._ask("get", {"id": asked_id("id", memory_id)}), tenant=self.name)

    def known(self, *memory_ids: str) -> frozenset[str]:
        """What `Tenant.known` gives; each id is asked for."""
        return frozenset(memory_id for memory_id in memory_ids if self._knows(memory_id))

    def list(self, request: ListRequest | None = None, **wanted: Unpack[Wanted]) -> Page:
        """What `Tenant.list` gives."""
        return nouns.page(self._ask("list", told(whole_request(ListRequest, request, wanted))), tenant=self.name)

    def update(self, memory_id: str, change: Change | None = None, *, if_version: int | None = None, **fields: Unpack[Changes]) -> Memory:
        """What `Tenant.update` gives."""
        stated = told(read_change(fields, change))
        return nouns.memory(self._ask("update", {**stated, "id": asked_id("id", memory_id), "if_version": if_version}), tenant=self.name)

    def conflicts(self, *, scope: str | None = None, limit: int = 20, after: str | None = None) -> OpenConflicts:
        """What `Tenant.conflicts` gives."""
        asked = told(ConflictsRequest(scope=scope, limit=limit, after=after))
        return nouns.open_conflicts(self._ask("conflicts", asked), tenant=self.name)

    def keep_both(self, memory_id: str, other: str) -> Memory:
        """What `Tenant.keep_both` gives."""
        return nouns.memory(self._ask("keep_both", {"id": asked_id("id", memory_id), "other": asked_id("other", other)}), tenant=self.name)

    def forget(self, *memory_ids: str, erase: bool = False) -> "Erased | None":
        """What `Tenant.forget` gives."""
        told = self._ask("forget", {"ids": memory_ids, "erase": erase})
        return nouns.erased({**told, "memories": len(set(memory_ids))}) if erase else None

    def restore(self, *memory_ids: str) -> None:
        """What `Tenant.restore` does."""
        self._ask("restore", {"ids": memory_ids})

    def quarantine(self, *memory_ids: str) -> tuple[Memory, ...]:
        """What `Tenant.quarantine` gives, in brief."""
        return nouns.memories(self._ask("quarantine", {"ids": memory_ids})["quarantined"], tenant=self.name)

    def promote(self, *memory_ids: str, trust: Trust | None = None) -> tuple[Memory, ...]:
        """What `Tenant.promote` gives, in brief."""
        return nouns.memories(self._ask("promote", {"ids": memory_ids, "trust": trust})["promoted"], tenant=self.name)

    def erase_everything(self) -> "Erased":
        """What `Tenant.erase_everything` gives; it needs a token of scope admin."""
        return nouns.erased(self._ask("erase_everything"))

    def stats(self) -> Stats:
        """What `Tenant.stats` gives."""
        return nouns.noun(self._ask("stats"), Stats)

    def _knows(self, memory_id: str) -> bool:
        try:
            self.get(memory_id)
        except NotFoundError:
            return False
        return True
