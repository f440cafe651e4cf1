"""OpenAI's Agents SDK: a session whose turns are memories, and tools to recall and remember."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, TypeVar, cast

from agents import FunctionTool, TResponseInputItem, function_tool
from agents.memory import SessionSettings
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from cued.errors import InputError, NotFoundError
from cued.forking import OwnLock
from cued.handles.tenant import Tenant
from cued.handles.turn_numbers import next_turn
from cued.integrations.documents import packed, sayable, unpacked
from cued.integrations.memory_tools import RECALL, REMEMBER, MemoryTools
from cued.integrations.searching import every, stays
from cued.model import GLOBAL, Memory, Scalar
from cued.requests.draft import Draft
from cued.requests.listing import MAX_PAGE
from cued.requests.turns import drafts_of

DOCUMENT = "openai_agents"
UNSEARCHED = "openai-agents: calls"
"""The scope of items that nobody said, such as tool calls and their results: kept for the session, never recalled."""
Answer = TypeVar("Answer")
_PIECE = 50_000
_AT_ONCE = 100
"""How many items are stored in one step, and so get their numbers together or not at all."""
_TRIES = 10


class CuedSession:
    """A conversation of the Agents SDK kept as memories of a tenant: what was said in it can be recalled in every other one."""

    def __init__(
        self,
        session_id: str,
        tenant: Tenant,
        *,
        scope: str = GLOBAL,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """Keep the session of this name; two sessions of one name are the same."""
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(session_settings or SessionSettings())
        self._tenant, self._scope, self._lock = tenant, scope, OwnLock()
        self._hashed = sha256(session_id.encode("utf-8", "replace")).hexdigest()[:40]

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order, or the latest `limit` of them."""
        return await asyncio.to_thread(self._items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Put items at the end."""
        await _finished(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """The latest item, which is removed; None where there is none."""
        return await _finished(self._pop)

    async def clear_session(self) -> None:
        """Remove all items of the session for good."""
        await _finished(self._clear)

    def ids(self) -> tuple[str, ...]:
        """The ids of the session's memories."""
        return tuple(memory.id for rows in self._rows().values() for memory in rows)

    def _items(self, limit: int | None) -> list[TResponseInputItem]:
        most = resolve_session_limit(limit, self.session_settings)
        if most is not None and most <= 0:
            return []
        items = [_item(rows) for _, rows in sorted(self._rows(most).items())]
        return [item for item in items if item is not None]

    def _rows(self, most: int | None = None) -> dict[int, list[Memory]]:
        """The memories of the session by the number of their item; with `most`, only those of the latest items are read."""
        found: dict[int, list[Memory]] = {}
        oldest: Memory | None = None
        for memory in every(self._tenant, first=MAX_PAGE if most is None else most + 1, session=self.session_id, hidden=True):
            if oldest is not None and most is not None and len(found) >= most and memory.created_at != oldest.created_at:
                break
            if self._is_ours(memory) and stays(self._tenant, memory):
                found.setdefault(memory.source.turn or 0, []).append(memory)
                oldest = memory
        # What was added at once lies in no order, and may be more than is asked for.
        latest = sorted(found)[-most:] if most else found
        return {number: found[number] for number in latest}

    def _is_ours(self, memory: Memory) -> bool:
        """Whether a memory is one of our items, and not another program's in the same session."""
        return memory.id == self._id(memory.source.turn or 0, memory.source.meta.get("part"))

    def _id(self, number: int, part: Scalar) -> str:
        return f"openai-agents-{self._hashed}-{number}.{part}"

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        with self._lock:
            for at in range(0, len(items), _AT_ONCE):
                self._append(items[at : at + _AT_ONCE])

    def _append(self, items: Sequence[TResponseInputItem]) -> None:
        """Append items; if another writer of this session has taken their numbers, append them after its items."""
        number = next_turn(self._tenant.list, self.session_id)
        for attempt in range(1, _TRIES + 1):
            numbered = enumerate(items, number)
            drafts = [draft for at, item in numbered for draft in self._drafts(at, cast("Mapping[str, Any]", item))]
            try:
                self._tenant.remember_many(drafts)
            except InputError as error:
                if error.field != "id" or attempt == _TRIES:
                    raise
                # not those of the newest moment alone: the other's clock may be behind
                number = max(memory.source.turn or 0 for memory in every(self._tenant, session=self.session_id, hidden=True)) + 1
            else:
                return

    def _drafts(self, number: int, item: Mapping[str, Any]) -> Iterator[Draft]:
        """The memories of one item: the first has its words, and further ones hold what does not fit into it.

        Their ids are derived from the number, so that a store takes each number only once.
        """
        written = json.dumps(item, default=_plain)
        pieces = [written[at : at + _PIECE] for at in range(0, len(written), _PIECE)]
        spoken = _spoken(item)
        for part, piece in enumerate(pieces):
            said = spoken if part == 0 else None
            yield Draft(
                text=said.text if said else f"An item of session {self.session_id}",
                id=self._id(number, part),
                kind="episodic",
                trust=said.trust if said else "tool",
                session=self.session_id,
                turn=number,
                speaker=said.speaker if said else None,
                scope=self._scope if said else UNSEARCHED,
                meta={**packed(DOCUMENT, piece), "part": part},
            )

    def _pop(self) -> TResponseInputItem | None:
        with self._lock:
            while rows := self._rows(1):
                last = rows[max(rows)]
                with suppress(NotFoundError):  # another session of this name was first; then it is the one before
                    self._tenant.forget(*(memory.id for memory in last), erase=True)
                    if (item := _item(last)) is not None:
                        return item
            return None

    def _clear(self) -> None:
        with self._lock:
            while ids := self.ids():
                with suppress(NotFoundError):  # likewise
                    self._tenant.forget(*ids, erase=True)


async def _finished(work: Callable[..., Answer], *arguments: Any) -> Answer:  # noqa: ANN401 - the work's own
    """A write's result, from a worker thread; a cancellation meanwhile takes effect when the write is done."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def recall_tool(tenant: Tenant, *, scope: str = GLOBAL, limit: int | None = None, besides: CuedSession | None = None) -> FunctionTool:
    """The tool with which an agent recalls from this tenant; what was said in the session `besides` it has before it already."""
    tools = MemoryTools(tenant=tenant, scope=scope, limit=limit, present=besides.ids if besides is not None else tuple)

    async def recall_memories(query: str) -> str:
        return await asyncio.to_thread(tools.recall_memories, query)

    return function_tool(recall_memories, description_override=RECALL)


def remember_tool(tenant: Tenant, *, scope: str = GLOBAL) -> FunctionTool:
    """The tool with which an agent remembers for this tenant."""
    tools = MemoryTools(tenant=tenant, scope=scope)

    async def remember_memory(text: str) -> str:
        return await asyncio.to_thread(tools.remember_memory, text)

    return function_tool(remember_memory, description_override=REMEMBER)


def _spoken(item: Mapping[str, Any]) -> Draft | None:
    """What a message says, as a turn; None for what is no message or has no words."""
    if "role" not in item or "content" not in item:
        return None
    try:
        said = next(iter(drafts_of([item], session="-", scope=GLOBAL, at=None, first=1)), None)
    except InputError:
        return None
    if said is None or item["role"] in {"system", "developer"}:
        return None
    return Draft(text=sayable(said.text), trust=said.trust, speaker=said.speaker)


def _item(rows: list[Memory]) -> TResponseInputItem | None:
    """The item that these memories hold, as it was added; None where they hold none."""
    pieces = sorted(rows, key=lambda memory: (len(memory.id), memory.id))
    try:
        return cast("TResponseInputItem", json.loads("".join(unpacked(DOCUMENT, memory, str) or "" for memory in pieces)))
    except (ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    """A model of the SDK as plain data."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is not JSON")
    return dump(exclude_unset=True)
