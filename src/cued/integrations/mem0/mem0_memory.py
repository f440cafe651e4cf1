"""mem0's `Memory` over Cued: the same methods, arguments and answers."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec.structs import replace

from cued.embed import CuedWarning
from cued.errors import InputError
from cued.folders import made, user_folder
from cued.handles.memories import Memories, open_memories
from cued.handles.tenant import Tenant
from cued.integrations.extracting import extracted
from cued.integrations.mem0.homes import ENTITIES, Home, Homes, entities_of
from cued.integrations.mem0.payload_filters import checked, passes
from cued.integrations.mem0.payloads import Payload, draft_of, expiration, history, item, payload, seconds_until_over, with_former
from cued.integrations.searching import MOST, best, every, holds
from cued.model import GLOBAL, Recall
from cued.model import Memory as Kept
from cued.model.plain import JSON
from cued.ports import Extractor
from cued.requests.checks import moment
from cued.requests.draft import Draft
from cued.requests.turns import drafts_of

if TYPE_CHECKING:
    from cued.requests.keywords import RecallOptions

UNSET: Final = object()
PROCEDURAL = "procedural_memory"
_FOR_NOBODY = "an id. At least one of 'user_id', 'agent_id', or 'run_id' must be provided"


class Memory:
    """mem0's memory, kept by Cued. In a whole store a `user_id` is a tenant; in one tenant it is a scope of it."""

    def __init__(self, over: Memories | Tenant | str | Path | None = None, *, extractor: Extractor | None = None) -> None:
        """Keep memories in a file, in an open store or in one tenant of it; by default in the file that `cued` uses.

        `extractor` decides what is worth remembering where `infer` is true; without one, messages are kept as they are.
        """
        self._own = None if isinstance(over, Memories | Tenant) else _opened(over)
        self._homes = Homes(self._own if self._own is not None else over)  # type: ignore[arg-type]  # one of the two it is
        self._extractor, self._warned = extractor, False

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None) -> Self:
        """A memory for a configuration of mem0's, of which only `cued` is read: it names a file."""
        told = dict(config_dict or {})
        own = told.pop("cued", None) or {}
        if told:
            warnings.warn(f"not needed by Cued and not read: {', '.join(sorted(told))}", CuedWarning, stacklevel=2)
        return cls(own.get("path"), extractor=own.get("extractor"))

    def add(  # noqa: PLR0913 - mem0's
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: datetime | str | float | None = None,
        expiration_date: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> JSON:
        """The memories that were added, as `{"results": [{"id", "memory", "event": "ADD", …}]}`."""
        del prompt  # an extractor has a prompt of its own
        if memory_type not in (None, PROCEDURAL):
            raise InputError("Invalid 'memory_type'", memory_type, f"{PROCEDURAL}, or nothing")
        entities = entities_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, otherwise=_FOR_NOBODY)
        kept = {name: value for name, value in _fields("metadata", metadata).items() if name not in ENTITIES}
        day = expiration(expiration_date)
        turns = _turns(messages)
        at = None if timestamp is None else _moment(timestamp)
        found = extracted(self._extractor_for(infer=infer), turns, at=at)
        said_at = moment("timestamp", at) or datetime.now(UTC)
        home = self._homes.of(entities)
        drafts = []
        for number, draft in enumerate(found.drafts):
            said: Mapping[str, Any] = {} if found.inferred else turns[number]
            actor = {"role": said.get("role"), "actor_id": said.get("name"), "expiration_date": day}
            told = Payload(promoted={**entities, **{key: value for key, value in actor.items() if value}}, metadata=kept)
            placed = {"scope": home.scope, "session": entities.get("run_id"), "meta": told.facts(), "ttl": seconds_until_over(day, said_at)}
            kind = "procedural" if memory_type else draft.kind if found.inferred else "semantic"
            drafts.append(replace(draft, **placed, kind=kind))
        return {"results": self._added(home, drafts, turns if not found.inferred else ())}

    def get(self, memory_id: str) -> JSON | None:
        """One memory; None where there is none."""
        found = self._homes.find(memory_id)
        return None if found is None or not holds(found[1]) else {**self._item(found[1]), "score": None}

    def get_all(  # noqa: PLR0913 - mem0's
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> JSON:
        """The memories of a user, an agent or a run, the newest first, as `{"results": […]}`."""
        home, wanted = self._asked_for(filters, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        most, results = _count(top_k if limit is None else limit), list[JSON]()
        for memory in every(home.tenant, scope=home.scope, hidden=show_expired):
            if len(results) == most:
                break
            if holds(memory) and passes(self._payload(memory).flat(), wanted):
                results.append(self._item(memory))
        return {"results": results}

    def search(  # noqa: PLR0913 - mem0's
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: datetime | str | float | None = None,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> JSON:
        """The memories that fit a query, the best first, as `{"results": [{…, "score"}]}`; the score is Cued's relevance.

        What has expired is never recalled, `show_expired` or not. A reranker is asked where the store is open with one.
        """
        del rerank, show_expired
        if not isinstance(query, str) or not query.strip():
            raise InputError("Invalid query", query, "a text, which cannot be empty or whitespace-only")
        if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
            raise InputError("Invalid threshold", threshold, "a number. Must be between 0 and 1; threshold must be a valid number")
        home, wanted = self._asked_for(filters, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        most = _count(top_k if limit is None else limit)
        if not most:
            return {"results": []}

        def kept(recall: Recall) -> list[JSON]:
            shown = ((each, self._payload(each.memory)) for each in recall if each.memory.scope == home.scope)
            return [
                item(each.memory, self._id(each.memory), told, score=each.relevance)
                | ({"score_details": each.contributions} if explain else {})
                for each, told in shown
                if passes(told.flat(), wanted)
            ]

        where: RecallOptions = {"scope": home.scope}
        if reference_date is not None:
            where["now"] = _moment(reference_date)
        found = best(home.tenant, query, kept, wanted=most, least=threshold, **where)
        return {"results": found[:most]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: object = UNSET,
        data: str | None = None,
    ) -> JSON:
        """The message about a changed memory; metadata is added to what is there, and ids in it are ignored."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is UNSET:
            raise InputError("update", {}, "At least one of text, metadata, or expiration_date must be provided")
        tenant, memory = self._must_find(memory_id)
        told, now = self._payload(memory), datetime.now(UTC)
        changes: JSON = {}
        former = told.former
        if text is not None:
            former, changes["text"] = with_former(told, memory, now), text
        promoted = dict(told.promoted)
        if expiration_date is not UNSET:
            promoted["expiration_date"] = expiration(expiration_date)
            changes["ttl"] = seconds_until_over(promoted["expiration_date"], now)
        added = {name: value for name, value in _fields("metadata", metadata).items() if name not in (*ENTITIES, "actor_id")}
        new = Payload(promoted=promoted, metadata={**told.metadata, **added}, former=former)
        tenant.update(memory.id, meta=new.facts(), **changes)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> JSON:
        """The message about a memory that is forgotten; its history stays."""
        tenant, memory = self._must_find(memory_id)
        tenant.forget(memory.id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> JSON:
        """The message about all memories of a user, an agent or a run, which are erased for good with their history."""
        if user_id is agent_id is run_id is None:
            raise InputError("delete_all", None, "an id: At least one filter is required to delete all memories; or `reset()`")
        home, wanted = self._asked_for({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, {})
        gone = [memory.id for memory in every(home.tenant, scope=home.scope, hidden=True) if passes(self._payload(memory).flat(), wanted)]
        home.tenant.forget(*gone, erase=True)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[JSON]:
        """The events of a memory, oldest first; none for an unknown id."""
        found = self._homes.find(memory_id)
        return [] if found is None else history(found[1], self._id(found[1]), self._payload(found[1]))

    def reset(self) -> None:
        """Erase everything, of everybody, for good."""
        for home in list(self._homes.every()):
            self._homes.erase(home)

    def take_in(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
        """How many of mem0's memories were new, by owner; rows are as its `get_all` or its vector store give them.

        Ids and times are kept, so that memories imported before are skipped; a row without an owner or a text is refused.
        """
        counts: dict[str, int] = {}
        for row in rows:
            entities = entities_of(row)
            home, told = self._homes.of(entities), draft_of(row, entities)
            new = not home.tenant.known(str(row["id"]))
            if new:
                home.tenant.remember_many([replace(told, scope=home.scope)])
            name = next(iter(entities.values()))
            counts[name] = counts.get(name, 0) + new
        return counts

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close."""
        self.close()

    def _extractor_for(self, *, infer: bool) -> Extractor | None:
        if infer and self._extractor is None and not self._warned:
            self._warned = True
            told = "infer=True without an extractor: messages are kept as they are; see cued.integrations.extracting, or say infer=False"
            warnings.warn(told, CuedWarning, stacklevel=3)
        return self._extractor if infer else None

    def _asked_for(self, filters: Mapping[str, Any] | None, named: Mapping[str, Any]) -> tuple[Home, JSON]:
        """The home that is asked about, and the filter for what is in it."""
        given = {**{name: value for name, value in named.items() if value is not None}, **_fields("filters", filters)}
        entities = entities_of(given)
        rest = checked({name: value for name, value in given.items() if name not in ENTITIES})
        return self._homes.of(entities), {**rest, **{name: value for name, value in entities.items() if len(entities) > 1}}

    def _added(self, home: Home, drafts: Sequence[Draft], turns: Sequence[Mapping[str, Any]]) -> list[JSON]:
        if not drafts:
            return []
        ids = home.tenant.remember_many(drafts).ids
        results = []
        for number, (memory_id, draft) in enumerate(zip(ids, drafts, strict=True)):
            said = {"actor_id": turns[number].get("name"), "role": turns[number].get("role")} if turns else {}
            told_id = self._homes.public_id(home.tenant.name, memory_id)
            results.append({"id": told_id, "memory": draft.text, "event": "ADD", **said})
        return results

    def _id(self, memory: Kept) -> str:
        return self._homes.public_id(memory.tenant, memory.id)

    def _payload(self, memory: Kept) -> Payload:
        return payload(memory, self._homes.entities(memory))

    def _item(self, memory: Kept) -> JSON:
        return item(memory, self._id(memory), self._payload(memory))

    def _must_find(self, memory_id: str) -> tuple[Tenant, Kept]:
        found = self._homes.find(memory_id)
        if found is None or not holds(found[1]):
            raise InputError(f"Memory with id {memory_id} not found", memory_id, "an id as add, search and get_all tell it")
        return found


def _opened(place: str | Path | None) -> Memories:
    return open_memories(made(user_folder("data")) / "memories.db" if place is None else place)


def _turns(messages: object) -> list[Mapping[str, Any]]:
    """The messages that have something to say, as turns; instructions to the model are none."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}] if messages.strip() else []
    several = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(several, list | tuple) or not all(isinstance(each, Mapping) for each in several):
        raise InputError("messages must be str, dict, or list[dict]", messages, "a text, a message, or a list of messages")
    said = (each for each in several if each.get("role") and each.get("content"))
    return [each for each in said if each["role"] != "system" and any(drafts_of([each], session="-", scope=GLOBAL, at=None, first=1))]


def _fields(name: str, given: object) -> Mapping[str, Any]:
    """A caller's mapping; an empty one for None."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(name, given, 'an object, such as {"topic": "food"}')
    return given or {}


def _moment(value: datetime | str | float) -> datetime | str:
    try:
        return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else value
    except (ValueError, OverflowError) as error:
        raise InputError("timestamp", value, "seconds since 1970, or a time such as 2025-03-01T14:30:00+02:00") from error


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        raise InputError("Invalid top_k", value, f"at most {MOST}. Must be a non-negative integer; top_k must be a valid integer")
    return value
