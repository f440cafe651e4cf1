"""CrewAI's storage backend. CrewAI searches by vector only, so the storage lends it an embedder that remembers the words of a vector."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo

from cued.errors import InputError
from cued.forking import OwnLock
from cued.handles.tenant import Tenant
from cued.integrations.crewai.records import draft, facts, fits, record, scope_tag, tags
from cued.integrations.searching import best, every, holds, stored
from cued.model import GLOBAL, Memory, Recall
from cued.ports import Embedder
from cued.requests.listing import MAX_PAGE

_HEARD = 256
_FOREIGN = "crewai/"
Filter = dict[str, Any] | None


class CuedStorage:
    """Records of CrewAI as memories of one tenant: `Memory(storage=storage, embedder=storage.embed)`.

    With `storage.embed` as the embedder a search is Cued's recall, by words and meaning, and its score is the relevance. With another
    embedder it is a search by that model's vectors alone, and the score is the cosine.
    """

    def __init__(self, tenant: Tenant, *, embedder: Embedder | None = None, scope: str = GLOBAL) -> None:
        """Keep records in this tenant; `embedder` is the one that the memories are open with, and is lent to CrewAI as `embed`."""
        self._tenant, self._embedder, self._scope = tenant, embedder, scope
        self._heard: OrderedDict[tuple[float, ...], str] = OrderedDict()
        self._dimensions: int | None = None
        self._lock = OwnLock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, by the embedder of the memories."""
        if self._embedder is None:
            raise InputError("embedder", None, "CuedStorage(tenant, embedder=memories.parts.embedder)")
        vectors = [[float(value) for value in row] for row in self._embedder.embed(list(texts), role="query")]
        with self._lock:
            for text, vector in zip(texts, vectors, strict=True):
                self._heard[_key(vector)] = text
            while len(self._heard) > _HEARD:
                self._heard.popitem(last=False)
        return vectors

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records; one with a known id replaces the old one."""
        self._refuse_mixed([each.embedding or () for each in records if not self._lent(each)])
        known = [each for each in records if self._memory(each.id) is not None]
        for each in known:
            self.update(each)
        new = [self._draft(each) for each in records if each not in known]
        if new:
            self._tenant.remember_many(new)

    def search(  # noqa: PLR0913, PLR0917 - the protocol's
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: Filter = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The best records with their scores, the best first."""
        with self._lock:
            words = self._heard.get(_key(query_embedding))

        def kept(recall: Recall) -> list[tuple[MemoryRecord, float]]:
            pairs = ((record(memory), score) for memory, score in _scored(recall, by_words=words is not None))
            return [(each, score) for each, score in pairs if each and score >= min_score and fits(each, categories, metadata_filter)]

        places = (scope_tag(scope_prefix),) if scope_prefix else ()
        if words is not None:
            found = best(self._tenant, words, kept, wanted=limit, scope=self._scope, tags=places)
        else:
            self._refuse_mixed([query_embedding])
            asked = {"vector": query_embedding, "fingerprint": _foreign(query_embedding)}
            found = best(self._tenant, "vector", kept, wanted=limit, policy="dense", scope=self._scope, tags=places, **asked)  # type: ignore[arg-type]
        return found[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Filter = None,
    ) -> int:
        """How many records were erased for good."""
        found = [each for each in self._records(scope_prefix) if fits(each, categories, metadata_filter, older_than)]
        gone = [each.id for each in found if record_ids is None or each.id in record_ids]
        self._tenant.forget(*gone, erase=True)
        self._dimensions = None
        return len(gone)

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with the same id, or store a new one."""
        before = self._memory(record.id)
        self._refuse_mixed([] if self._lent(record) else [record.embedding or ()])
        if before is None:
            self._tenant.remember_many([self._draft(record)])
        elif before.text != record.content and record.embedding is not None and not self._lent(record):
            # A vector of another's cannot come with a change, so the record is kept anew.
            self._tenant.forget(record.id, erase=True)
            self._tenant.remember_many([self._draft(record)])
        else:
            changed = self._draft(record)
            self._tenant.update(record.id, text=changed.text, tags=tags(record), meta=facts(record), importance=record.importance)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """One record; None where there is none."""
        memory = self._memory(record_id)
        return None if memory is None else record(memory)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """Records of a scope, the newest first."""
        if offset < 0 or limit < 1:
            return []
        return list(islice(self._records(scope_prefix, first=offset + limit), offset, offset + limit))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """What a scope holds, counted."""
        found = list(self._records(scope))
        times = [each.created_at for each in found]
        return ScopeInfo(
            path=scope,
            record_count=len(found),
            categories=sorted({name for each in found for name in each.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes right below a scope."""
        above = "/" + parent.strip("/")
        start = above if above.endswith("/") else f"{above}/"
        paths = ("/" + each.scope.strip("/") for each in self._records(None))
        return sorted({start + path[len(start) :].split("/")[0] for path in paths if path.startswith(start) and len(path) > len(start)})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """How many records each category has."""
        counts: dict[str, int] = {}
        for each in self._records(scope_prefix):
            for name in each.categories:
                counts[name] = counts.get(name, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        """How many records there are in a scope and below it."""
        return self._tenant.list(scope=self._scope, tags=(scope_tag(scope_prefix or "/"),), limit=1).total

    def reset(self, scope_prefix: str | None = None) -> None:
        """Erase every record of a scope for good; other memories of the tenant stay."""
        self.delete(scope_prefix=scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        """What `save` does, in a worker thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], *arguments: Any, **options: Any) -> list[tuple[MemoryRecord, float]]:  # noqa: ANN401 - those of `search`
        """What `search` gives, from a worker thread."""
        return await asyncio.to_thread(self.search, query_embedding, *arguments, **options)

    async def adelete(self, *arguments: Any, **options: Any) -> int:  # noqa: ANN401 - those of `delete`
        """What `delete` gives, from a worker thread."""
        return await asyncio.to_thread(self.delete, *arguments, **options)

    def _draft(self, each: MemoryRecord) -> Any:  # noqa: ANN401 - a Draft
        return draft(each, scope=self._scope, fingerprint=None if self._lent(each) else _foreign(each.embedding or ()))

    def _lent(self, each: MemoryRecord) -> bool:
        """Whether a record's vector is by the lent embedder, which makes it anew for the memory, or missing."""
        vector = each.embedding
        return not vector or not any(vector) or (self._embedder is not None and len(vector) == self._embedder.fingerprint.dimensions)

    def _refuse_mixed(self, vectors: Sequence[Sequence[float]]) -> None:
        """Raise CrewAI's own error where vectors of another embedder differ in length from the stored ones, or from each other."""
        if not vectors:
            return
        if self._dimensions is None:
            known = (name.removeprefix(_FOREIGN) for name in self._tenant.stats().by_fingerprint if name.startswith(_FOREIGN))
            self._dimensions = next(map(int, known), None)
        expected = self._dimensions or len(vectors[0])
        for vector in vectors:
            if len(vector) != expected:
                raise EmbeddingDimensionMismatchError(expected, len(vector))

    def _memory(self, memory_id: str) -> Memory | None:
        memory = stored(self._tenant, memory_id)
        return memory if memory is not None and holds(memory) and record(memory) is not None else None

    def _records(self, scope_prefix: str | None, *, first: int = MAX_PAGE) -> Iterator[MemoryRecord]:
        for memory in every(self._tenant, first=first, scope=self._scope, tags=(scope_tag(scope_prefix or "/"),)):
            found = record(memory)
            if found is not None:
                yield found


def _scored(recall: Recall, *, by_words: bool) -> Iterator[tuple[Memory, float]]:
    rows = {memory_id: row for row, memory_id in enumerate(recall.trace.ids)}
    for each in recall:
        yield each.memory, each.relevance if by_words else float(recall.trace.columns["cosine"][rows[each.id]])


def _foreign(vector: Sequence[float]) -> str:
    return f"{_FOREIGN}{len(vector)}"


def _key(vector: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in vector[:24])
