"""Google's Agent Development Kit: a memory service over memories. A `user_id` is a tenant and an `app_name` a scope of it."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from cued.errors import InputError
from cued.handles.memories import Memories
from cued.integrations.documents import packed, sayable, unpacked
from cued.integrations.searching import recalled
from cued.model import Memory
from cued.requests.draft import Draft

DOCUMENT = "adk"
_NO_SESSION = "adk"


class CuedMemoryService(BaseMemoryService):
    """Sessions, events and single memories, kept once each and found by recall."""

    def __init__(self, memories: Memories, *, limit: int = 10, floor: float | None = None) -> None:
        """Keep them in these memories; a search gives at most `limit`, each of at least `floor` relevance, None for the policy's own."""
        self._memories, self._limit, self._floor = memories, limit, floor

    async def add_session_to_memory(self, session: Any) -> None:  # noqa: ANN401 - the kit's Session
        """Remember the events of a session that are not yet; it may be added as often as it grows."""
        await asyncio.to_thread(self._add_events, session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember these events, each once."""
        await asyncio.to_thread(self._add_events, app_name, user_id, session_id or _NO_SESSION, events, custom_metadata)

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry], custom_metadata: Mapping[str, object] | None = None
    ) -> None:
        """Remember these entries as facts; one with an id that is known already is passed over."""
        await asyncio.to_thread(self._add_entries, app_name, user_id, memories, custom_metadata or {})

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The memories of the user, in this app and global ones, that the query brings to mind, the best first."""
        return await asyncio.to_thread(self._search, app_name, user_id, query)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget one memory; adding its session again does not bring it back."""
        await asyncio.to_thread(self._delete, app_name, user_id, memory_id)

    def _add_events(
        self, app_name: str, user_id: str, session_id: str, events: Iterable[Any], metadata: Mapping[str, object] | None = None
    ) -> None:
        tenant = self._memories.tenant(user_id)
        said = {_id(event.id): (number, event) for number, event in reversed(list(enumerate(events, 1))) if _text(event.content)}
        known, drafts = tenant.known(*said), []
        for memory_id, (number, event) in reversed(said.items()):
            if memory_id not in known:
                drafts.append(
                    Draft(
                        text=sayable(_text(event.content)),
                        id=memory_id,
                        kind="episodic",
                        trust="user" if event.author == "user" else "agent",
                        session=session_id,
                        turn=number,
                        speaker=event.author or None,
                        scope=app_name,
                        at=datetime.fromtimestamp(event.timestamp, UTC),
                        meta=packed(DOCUMENT, dict(metadata)) if metadata else {},
                    )
                )
        if drafts:
            tenant.remember_many(drafts)

    def _add_entries(self, app_name: str, user_id: str, entries: Iterable[MemoryEntry], metadata: Mapping[str, object]) -> None:
        tenant = self._memories.tenant(user_id)
        drafts = []
        for entry in entries:
            text = sayable(_text(entry.content))
            if text and not (entry.id and tenant.known(_id(entry.id))):
                told = {**metadata, **entry.custom_metadata}
                said = {"speaker": entry.author, "at": entry.timestamp, "id": _id(entry.id) if entry.id else None}
                drafts.append({"text": text, "scope": app_name, "trust": "agent", "meta": packed(DOCUMENT, told) if told else {}, **said})
        if drafts:
            tenant.remember_many(drafts)

    def _search(self, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        found = recalled(self._memories.tenant(user_id), query, scope=app_name, limit=self._limit, floor=self._floor)
        return SearchMemoryResponse(memories=[_entry(each.memory, each.relevance) for each in found])

    def _delete(self, app_name: str, user_id: str, memory_id: str | None) -> None:
        tenant = self._memories.tenant(user_id)
        for known in (_id(memory_id or ""), memory_id or ""):
            if tenant.known(known) and tenant.get(known).scope == app_name:
                tenant.forget(known)
                return
        raise InputError("memory_id", memory_id, "the id of a memory of this app, as search_memory tells it")


def _entry(memory: Memory, relevance: float) -> MemoryEntry:
    role = "model" if memory.trust == "agent" else "user"
    return MemoryEntry(
        content=types.Content(role=role, parts=[types.Part(text=memory.text)]),
        custom_metadata={**(unpacked(DOCUMENT, memory, dict[str, Any]) or {}), "relevance": relevance},
        id=memory.id.removeprefix(_PREFIX),
        author=memory.source.speaker,
        timestamp=memory.created_at.isoformat(),
    )


def _text(content: Any) -> str:  # noqa: ANN401 - the kit's Content, or None
    parts = (part.text for part in (content.parts if content and content.parts else ()) if part.text)
    return "\n".join(parts).strip()


def _id(event_id: str) -> str:
    return f"{_PREFIX}{event_id}"


_PREFIX = "adk-"
