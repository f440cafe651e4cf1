"""The verbs that store, show and change memories."""

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cued import engine
from cued.errors import BusyError, CuedError, InputError
from cued.handles.bound import Bound
from cued.model import Conflict, Memory, Page, Record, Revision, Stats
from cued.requests.draft import Change, Draft, changed, compose, read_change, read_draft
from cued.requests.wishes import filter_of
from cued.text.analyse import analyse, searchable

MAX_PAGE = 1000
CHUNK = 256
Progress = Callable[[int], None]

_TRIES = 10
_CHANGED = tuple(name for name in Memory.__struct_fields__ if name != "version")


class Remembered(Struct, frozen=True, kw_only=True):
    """What `remember` answers: the new ids, what they may be at odds with, and what could not be done for them yet."""

    ids: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Give the only id."""
        return self.ids[0]


class Keeping(Bound):
    """Remember, show, change, forget."""

    def remember(self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, **facts: Any) -> Remembered:  # noqa: ANN401 - checked by the draft
        """Store one memory and give its id; `facts` are the fields of Draft (kind, scope, tags, importance, ttl, at, supersedes …).

        What it contradicts, updates or repeats comes back as `conflicts`, each with the ways to resolve it; it is stored all the same.
        """
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        records, notes = self._keep([draft])
        if not conflicts:
            return Remembered(ids=(records[0].memory.id,), degraded=notes)
        found, more = self._conflicts(records[0])
        return Remembered(ids=(records[0].memory.id,), conflicts=found, degraded=(*notes, *more))

    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = lambda _: None) -> Remembered:
        """Store many memories, in chunks that are each stored whole or not at all; `progress` hears how many are done.

        Conflicts are not looked for.
        """
        ids: list[str] = []
        notes: list[str] = []
        chunk: list[Draft] = []
        for value in drafts:
            chunk.append(read_draft(value))
            if len(chunk) == CHUNK:
                self._keep_chunk(chunk, ids, notes, progress)
                chunk = []
        if chunk:
            self._keep_chunk(chunk, ids, notes, progress)
        return Remembered(ids=tuple(ids), degraded=tuple(dict.fromkeys(notes)))

    def get(self, memory_id: str) -> Memory:
        """Give one memory by id."""
        return self._store.get(self.name, [memory_id])[0]

    def list(self, *, limit: int = 50, after: str | None = None, **wanted: Any) -> Page:  # noqa: ANN401 - checked by the filter
        """Give one page, newest first; filters: scope, kinds, tiers, tags, session, since, until, hidden."""
        if not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
            raise InputError("limit", limit, f"a number from 1 to {MAX_PAGE}")
        return self._store.list(self.name, filter_of(wanted), at=self._clock(), limit=limit, after=after)

    def update(self, memory_id: str, **fields: Any) -> Memory:  # noqa: ANN401 - checked by the change
        """Change fields of a memory and give it back; its decay clock starts anew."""
        change = read_change(fields)
        for _ in range(_TRIES):
            memory, now = self.get(memory_id), self._clock()
            revised = self._store.revise(self.name, [self._revision(memory, change, now)], at=now)
            if not revised.left_out:
                return revised.memories[0]
            if revised.left_out[0].reason == "unchanged":
                return memory
            # Changed by somebody else since it was read, or gone: then `get` says so.
        raise BusyError(f"memory {memory_id} was changed by others {_TRIES} times while it was to be changed here")

    def _revision(self, memory: Memory, change: Change, now: datetime) -> Revision:
        """The change of this version of a memory; a new text comes with its terms and its vector."""
        new, terms, vector = changed(memory, change, now=now), None, None
        if isinstance(change.text, str):
            said = searchable(new.text, new.source.speaker)
            vectors, fingerprint, _ = self._vectors([said])
            new, terms, vector = replace(new, fingerprint=fingerprint), analyse(said), None if vectors is None else vectors[0]
        fields = {name: value for name in _CHANGED if (value := getattr(new, name)) != getattr(memory, name)}
        return Revision(id=memory.id, set=fields, terms=terms, vector=vector, made_from=memory.version)

    def forget(self, *memory_ids: str, erase: bool = False) -> None:
        """Hide memories from every recall, so that `restore` can undo it; with `erase` remove them for good, down to the last byte."""
        if erase:
            self._settler.flush()
            self._store.erase(self.name, memory_ids)
        else:
            self._store.forget(self.name, memory_ids, at=self._clock())

    def restore(self, *memory_ids: str) -> None:
        """Undo `forget`."""
        self._store.restore(self.name, memory_ids)

    def erase_everything(self) -> int:
        """Remove all that is kept for this tenant for good, its name and its recall log included, and give how many memories that were."""
        self._settler.flush()
        erased = self._store.size(self.name)
        self._store.erase_tenant(self.name)
        return erased

    def stats(self) -> Stats:
        """Count what is stored."""
        return self._store.stats(self.name, at=self._clock())

    def _keep_chunk(self, chunk: Sequence[Draft], ids: MutableSequence[str], notes: MutableSequence[str], progress: Progress) -> None:
        records, degraded = self._keep(chunk)
        ids += [record.memory.id for record in records]
        notes += degraded
        progress(len(ids))

    def _keep(self, drafts: Sequence[Draft]) -> tuple[Sequence[Record], tuple[str, ...]]:
        now = self._clock()
        memories = [compose(draft, tenant=self.name, memory_id=self._ids.make(now), now=now) for draft in drafts]
        texts = [searchable(memory.text, memory.source.speaker) for memory in memories]
        vectors, fingerprint, degraded = self._vectors(texts)
        records = [
            Record(
                memory=replace(memory, fingerprint=fingerprint),
                terms=analyse(text),
                vector=None if vectors is None else vectors[i],
            )
            for i, (memory, text) in enumerate(zip(memories, texts, strict=True))
        ]
        self._store.remember(self.name, records)
        return records, degraded

    def _conflicts(self, record: Record) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
        """Give what a stored memory is at odds with; the memory is stored, so whatever fails here is a note and no error."""
        from cued.conflicts.finding import find_conflicts  # noqa: PLC0415 - its words are loaded with the first memory, not with `import cued`

        try:
            found, note = find_conflicts(
                record.memory, record.vector, self._store, terms=record.terms, at=self._clock(), judge=self._parts.judge
            )
        except CuedError as error:
            engine.log.warning("conflicts were not looked for: %s", error)
            return (), (f"conflicts: {error}",)
        return found, (note,) if note else ()
