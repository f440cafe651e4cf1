"""Strands: a memory store over memories, for its `MemoryManager`."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.integrations.documents import packed, plain_facts, sayable, unpacked
from cued.integrations.searching import recalled
from cued.model import GLOBAL, Recalled
from cued.requests.draft import Draft
from cued.requests.turns import drafts_of

DOCUMENT = "strands"


class CuedMemoryStore(MemoryStore):
    """Memories of one tenant as a store of Strands; messages are kept as turns, and a batch that is sent again is kept once."""

    def __init__(  # noqa: PLR0913 - one keyword a choice
        self,
        tenant: Tenant,
        *,
        name: str = "cued",
        description: str | None = "What is remembered from earlier conversations.",
        scope: str = GLOBAL,
        max_search_results: int | None = 10,
        floor: float | None = None,
        writable: bool = True,
        extraction: Any = None,  # noqa: ANN401 - the framework's own, or True
    ) -> None:
        """Keep them in this tenant's memories; a search shows what has at least `floor` relevance, None for the policy's own."""
        if not name.strip():
            raise InputError("name", name, "some characters: a name must not be empty")
        self.name, self.description, self.max_search_results = name, description, _count(max_search_results)
        self.writable, self.extraction = writable, extraction
        self._tenant, self._scope, self._floor = tenant, scope, floor
        self._run = uuid4().hex[:12]

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """What a query brings to mind, the best first."""
        asked = _count((options or {}).get("max_search_results"))
        limit = self.max_search_results if asked is None else asked
        return await asyncio.to_thread(self._search, query, limit)

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """The id of one fact that was kept."""
        if not self.writable:
            raise InputError("add", self.name, "a store that may be written to: this store is not writable")
        facts = packed(DOCUMENT, dict(metadata)) if metadata else {}
        kept = await asyncio.to_thread(self._tenant.remember, content, scope=self._scope, trust="agent", meta=facts, conflicts=False)
        return kept.id

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: AddMessagesContext | None = None) -> list[str]:
        """The ids of the messages that were kept; those of a batch that was kept before are passed over."""
        return await asyncio.to_thread(self._add_messages, messages, context.sequence_numbers if context else None)

    def _search(self, query: str, limit: int | None) -> list[MemoryEntry]:
        return [self._entry(each) for each in recalled(self._tenant, query, scope=self._scope, limit=limit, floor=self._floor)]

    def _add_messages(self, messages: Sequence[Mapping[str, Any]], numbers: Sequence[int] | None) -> list[str]:
        session, drafts = f"strands-{self._run}", list[Draft]()
        for place, message in enumerate(messages):
            number = numbers[place] if numbers else None
            memory_id = None if number is None else f"{session}-{number}"
            if memory_id is not None and self._tenant.known(memory_id):
                continue
            turn = {
                "role": message["role"],
                "content": [part for part in message["content"] if isinstance(part, Mapping) and "text" in part],
            }
            for draft in drafts_of([turn], session=session, scope=self._scope, at=None, first=(number or 0) + 1):
                fields = {name: getattr(draft, name) for name in ("text", "kind", "trust", "session", "speaker", "scope")}
                fields["text"] = sayable(draft.text)
                drafts.append(Draft(**fields, id=memory_id, turn=None if number is None else draft.turn))
        return list(self._tenant.remember_many(drafts).ids) if drafts else []

    def _entry(self, found: Recalled) -> MemoryEntry:
        memory = found.memory
        facts = {**plain_facts(DOCUMENT, memory.source.meta), **(unpacked(DOCUMENT, memory, dict[str, Any]) or {})}
        told = {
            "id": memory.id,
            "relevance": found.relevance,
            "created_at": memory.created_at.isoformat(),
            "speaker": memory.source.speaker,
        }
        return MemoryEntry(content=memory.text, store_name=self.name, metadata={**facts, **told})


def _count(most: int | None) -> int | None:
    if most is not None and most < 1:
        raise InputError("max_search_results", most, "a whole number: max_search_results must be at least 1")
    return most
