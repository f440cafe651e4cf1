"""How an item of a LangGraph store is kept: a memory for each text that is indexed, the first of which carries the document.

A namespace becomes a tenant and tags. Its first label is the tenant, unless the store has one tenant for all, and each prefix of what
is left is a tag, so that a search below a prefix is a recall among the memories with its tag. An item that is not to be searched lies in
a scope that no recall looks into.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from langgraph.store.base import Item, SearchItem
from msgspec import Struct

from cued.errors import InputError
from cued.integrations.documents import packed, plain_facts, sayable, unpacked
from cued.integrations.searching import holds
from cued.model import GLOBAL, Memory, Scalar
from cued.requests.checks import MAX_LABEL, MAX_TAGS
from cued.requests.draft import Change, Draft

DOCUMENT = "langgraph"
PART_OF = "langgraph.part_of"
AGAIN = "langgraph: put again"
"""The tag of an item that was put more than once, and so is newer than its memory."""
UNSEARCHED = "langgraph: not indexed"
"""The scope of items that are stored but never recalled."""
Namespace = tuple[str, ...]
_MOMENT_S = 1e-6


class _Document(Struct, frozen=True, kw_only=True):
    """The item's document in its memory."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    at: datetime
    ttl: float | None
    rows: int


class Kept(Struct, frozen=True, kw_only=True):
    """An item as it is stored: its value, when it was put, its time to live, and how many memories it takes."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    ttl_minutes: float | None = None
    rows: int = 1

    def item(self) -> Item:
        """The item as a get shows it."""
        return Item(value=self.value, key=self.key, namespace=self.namespace, created_at=self.created_at, updated_at=self.updated_at)

    def found(self, score: float | None) -> SearchItem:
        """The item as a search shows it."""
        return SearchItem(self.namespace, self.key, self.value, self.created_at, self.updated_at, score)

    def expired(self, now: datetime) -> bool:
        """Whether its time to live is over."""
        return self.expires_at is not None and self.expires_at <= now


def item_id(namespace: Namespace, key: str) -> str:
    """The id of the memory that carries an item."""
    return f"langgraph-{sha256(json.dumps([namespace, key]).encode()).hexdigest()[:40]}"


def part_id(first: str, number: int) -> str:
    """The id of the memory for an item's text with this number."""
    return f"{first}.{number}" if number else first


def tags_of(labels: Namespace) -> tuple[str, ...]:
    """One tag for each prefix of the labels below the tenant."""
    if len(labels) >= MAX_TAGS:
        raise InputError("namespace", labels, f"at most {MAX_TAGS - 1} labels below the tenant")
    return tuple(tag_of(labels[:depth]) for depth in range(1, len(labels) + 1))


def tag_of(labels: Namespace) -> str:
    """The tag of everything at or below these labels."""
    written = f"namespace:{'.'.join(labels)}"
    return written if len(written) <= MAX_LABEL else f"namespace:{sha256(written.encode()).hexdigest()}"


def seconds(minutes: float) -> float:
    """A time to live in seconds; none at all is a moment."""
    return max(minutes * 60, _MOMENT_S)


def drafts(kept: Kept, texts: Sequence[str], tags: tuple[str, ...]) -> list[Draft]:
    """The memories of an item: one for each text, or a single one that nobody recalls."""
    first, ttl = item_id(kept.namespace, kept.key), None if kept.ttl_minutes is None else seconds(kept.ttl_minutes)
    scope = GLOBAL if texts else UNSEARCHED
    shown = [sayable(text) for text in texts] or [f"LangGraph item {kept.key[:MAX_LABEL]!a}"]
    return [
        Draft(
            text=text,
            id=part_id(first, number),
            scope=scope,
            tags=tags,
            trust="agent",
            meta={PART_OF: first} if number else _document(kept, len(shown)),
            at=kept.updated_at,
            ttl=ttl,
        )
        for number, text in enumerate(shown)
    ]


def change(draft: Draft) -> Change:
    """The change that gives a stored memory a draft's content, and marks it as put again."""
    return Change(text=draft.text, scope=draft.scope, tags=(*draft.tags, AGAIN), meta=draft.meta, ttl=draft.ttl)


def kept(memory: Memory) -> Kept | None:
    """The item that a memory carries; None for one that only holds a further text of an item, or that another put here."""
    document = unpacked(DOCUMENT, memory, _Document)
    if document is None:
        return None
    return Kept(
        namespace=document.namespace,
        key=document.key,
        value=document.value,
        created_at=memory.created_at,
        updated_at=document.at,
        expires_at=memory.expires_at,
        ttl_minutes=document.ttl,
        rows=document.rows,
    )


def guest(memory: Memory) -> Kept | None:
    """A memory that another program remembered for the tenant, as an item of the tenant's own namespace; None for a part of an item."""
    if PART_OF in memory.source.meta or memory.scope != GLOBAL or "." in memory.tenant or not holds(memory):
        return None
    value: dict[str, Any] = {"text": memory.text, **plain_facts(DOCUMENT, memory.source.meta)}
    return Kept(
        namespace=(memory.tenant,),
        key=memory.id,
        value=value,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        expires_at=memory.expires_at,
    )


def _document(item: Kept, rows: int) -> dict[str, Scalar]:
    told = {"at": item.updated_at, "ttl": item.ttl_minutes, "rows": rows}
    return packed(DOCUMENT, {"namespace": item.namespace, "key": item.key, **told, "value": item.value})
