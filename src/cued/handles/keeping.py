"""The verbs that store and show memories."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Unpack, get_args

from msgspec import Struct
from msgspec.structs import replace

from cued import engine
from cued.embed.excerpted import Embedding
from cued.errors import ConflictError, CuedError, InputError
from cued.handles.bound import Bound
from cued.handles.telemetry import spanned
from cued.handles.turn_numbers import next_turn
from cued.handles.vouching import Denied, Vouched, vouched, with_denied
from cued.model import (
    DISTINCT,
    GLOBAL,
    Conflict,
    ConflictType,
    Edge,
    Memory,
    Page,
    Record,
    Stats,
    Stored,
    outranks,
)
from cued.model.plain import JSON, plain
from cued.ports import Progress, silent
from cued.requests.checks import asked_id, label, one_of, whole
from cued.requests.draft import Draft, OnConflict, RememberRequest, compose, read_draft
from cued.requests.keywords import Facts, Wanted
from cued.requests.listing import ListRequest, whole_request
from cued.requests.many import stored
from cued.requests.turns import drafts_of
from cued.text.analyse import analyse, searched_text

_GIVE_WAY: frozenset[ConflictType] = frozenset({"update", "negation"})
_AT_ODDS: frozenset[ConflictType] = _GIVE_WAY | {"duplicate"}

_OVER = "time: what is over when it is stored (valid_until, ttl) is recalled only as of a time before that"


class Remembered(Struct, frozen=True, kw_only=True):
    """What `remember` answers: the new ids, what they may be at odds with, what gave way, and what could not be done for them yet."""

    ids: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()
    superseded: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The only id; of more or fewer than one memory an InputError."""
        if len(self.ids) != 1:
            raise InputError("id", f"{len(self.ids)} memories", "the answer for one; `ids` has those of many")
        return self.ids[0]

    def to_dict(self) -> JSON:
        """All of it as plain data; `id` is None unless there is exactly one."""
        return {"id": self.ids[0] if len(self.ids) == 1 else None, **plain(self)}


class OpenConflict(Struct, frozen=True, kw_only=True):
    """A memory that stands, and what else stands that it is at odds with."""

    memory: Memory
    conflicts: tuple[Conflict, ...]


class OpenConflicts(Struct, frozen=True, kw_only=True):
    """The open conflicts among a page of memories: how many were compared, and the cursor that goes on, None at the end."""

    found: tuple[OpenConflict, ...]
    compared: int
    next: str | None
    total: int


class Keeping(Bound):
    """Remember and show, and list open conflicts."""

    @spanned("create_memory")
    def remember(
        self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, on_conflict: OnConflict = "report", **facts: Unpack[Facts]
    ) -> Remembered:
        """Store one memory and give its id; what it contradicts, updates or repeats comes back as `conflicts`, with ways to resolve each.

        `on_conflict` says what is to happen then. "report": it is stored all the same. "supersede": what it updates or denies, and is
        not newer than it, gives way to it in the same step; what it repeats or is merely close to stays, and is reported. "refuse":
        nothing is stored and a ConflictError is raised, unless all it found is merely close. With `conflicts=False` none are looked for.
        """
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        if isinstance(draft, RememberRequest):
            conflicts, on_conflict = draft.conflicts, draft.on_conflict
        one_of("on_conflict", on_conflict, get_args(OnConflict) if conflicts else ("report",))
        if conflicts and on_conflict != "report":
            return self._remember_resolved(draft, on_conflict)
        records, notes, denied = self._keep([draft])
        found, more = self._conflicts(records[0]) if conflicts else ((), ())
        return Remembered(ids=(records[0].memory.id,), conflicts=_all_odds(found, denied), degraded=(*notes, *more))

    @spanned("create_memory")
    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = silent) -> Remembered:
        """Store many memories, in chunks that are each stored whole or not at all; `progress` hears how many are done, and of how many.

        Conflicts are not looked for; among them are only memories that were to give way to a less trusted one.
        """
        notes: list[str] = []
        denied: list[Denied] = []

        def store(chunk: Sequence[Draft]) -> Iterator[str]:
            records, degraded, claims = self._keep(chunk)
            notes.extend(degraded)
            denied.extend(claims)
            return (record.memory.id for record in records)

        ids = stored(drafts, store, clock=self._clock, progress=progress)
        return Remembered(ids=ids, conflicts=_all_odds((), denied), degraded=tuple(dict.fromkeys(notes)))

    def remember_turns(
        self,
        turns: Iterable[Mapping[str, Any]],
        *,
        session: str,
        scope: str = GLOBAL,
        at: datetime | str | None = None,
        first: int | None = None,
    ) -> Remembered:
        """Store turns of a conversation, `{"role": …, "content": …}` each, as episodes of the session; turns without words make none.

        They are numbered from `first`, or else go on after the turns of the session that are stored; a turn may have its own `at`.
        """
        named = label("session", session)
        start = next_turn(self.list, named) if first is None else whole("first", first, least=-(2**63))
        return self.remember_many(list(drafts_of(turns, session=named, scope=scope, at=at, first=start)))

    def get(self, memory_id: str) -> Memory:
        """One memory by its id."""
        return self._store.get(self.name, [asked_id("id", memory_id)])[0]

    def known(self, *memory_ids: str) -> frozenset[str]:
        """Those of the ids that are stored."""
        return self._store.known(self.name, [asked_id("ids", memory_id) for memory_id in memory_ids])

    def list(self, request: ListRequest | None = None, **wanted: Unpack[Wanted]) -> Page:
        """One page of memories, newest first unless told otherwise; a filter that is not named does not filter."""
        asked = whole_request(ListRequest, request, wanted)
        return self._store.list(
            self.name,
            asked.filter(),
            at=self._clock(),
            limit=asked.limit,
            after=asked.after,
            oldest_first=asked.oldest_first,
            order_by=asked.order_by,
        )

    def stats(self) -> Stats:
        """What is stored, counted."""
        return self._store.stats(self.name, at=self._clock())

    def conflicts(self, *, scope: str | None = None, limit: int = 20, after: str | None = None) -> OpenConflicts:
        """What stands and is at odds with something older that stands, among a page of memories, newest first.

        Merely related memories and pairs of which both were kept are no conflicts. Nothing is changed.
        """
        page = self.list(scope=scope, limit=limit, after=after)
        pairs = [(each, self._at_odds(each)) for each in self._store.fetch(self.name, [memory.id for memory in page])]
        found = tuple(OpenConflict(memory=each.memory, conflicts=against) for each, against in pairs if against)
        return OpenConflicts(found=found, compared=len(page), next=page.next, total=page.total)

    def _keep(self, drafts: Sequence[Draft]) -> tuple[Sequence[Record], tuple[str, ...], Sequence[Denied]]:
        records, degraded, denied = self._records(drafts)
        self._store.remember(self.name, records)
        return records, degraded, denied

    def _records(self, drafts: Sequence[Draft]) -> tuple[Sequence[Record], tuple[str, ...], Sequence[Denied]]:
        """The records to store for these drafts, notes on what could not be done, and the supersessions that were denied."""
        now = self._clock()
        composed = [compose(draft, tenant=self.name, memory_id=self._ids.make(now), now=now) for draft in drafts]
        memories, notes, denied = Vouched(composed, (), [])
        # What a user says and rests on nobody else's word is worth a user's word.
        if self.trust != "user" or any(memory.trust != "user" or memory.edges for memory in composed):
            memories, notes, denied = vouched(composed, self.trust, partial(self._store.get, self.name))
        terms = [analyse(searched_text(memory)) for memory in memories]
        vectors, degraded = self._drafted_vectors(drafts, memories)
        records = [
            Record(memory=replace(memory, fingerprint=fingerprint), terms=words, vector=made.vector, excerpts=made.excerpts)
            for memory, words, (made, fingerprint) in zip(memories, terms, vectors, strict=True)
        ]
        over = (_OVER,) if any(map(partial(_is_over, now=now), memories)) else ()
        return records, (*notes, *over, *degraded), denied

    def _drafted_vectors(
        self, drafts: Sequence[Draft], memories: Sequence[Memory]
    ) -> tuple[Sequence[tuple[Embedding, str | None]], tuple[str, ...]]:
        """Each draft's vectors with their fingerprint: its own, or else the embedder's."""
        found = dict[int, tuple[Embedding, str | None]]()
        for at, draft in enumerate(drafts):
            if draft.vector is not None or draft.fingerprint is not None:
                vector, named = self._own_vector(draft.vector, draft.fingerprint)
                found[at] = Embedding(vector), named
        rest = [at for at in range(len(drafts)) if at not in found]
        vectors, fingerprint, degraded = self._vectors([memories[at] for at in rest]) if rest else (None, None, ())
        found |= {at: (Embedding() if vectors is None else vectors[row], fingerprint) for row, at in enumerate(rest)}
        return [found[at] for at in range(len(drafts))], degraded

    def _remember_resolved(self, draft: Draft, on_conflict: OnConflict) -> Remembered:
        """Look for conflicts first, then store the memory with what gives way to it, or refuse it."""
        records, notes, denied = self._records([draft])
        memory = records[0].memory
        found, note = self._find_conflicts(records[0])
        against = [conflict for conflict in found if conflict.type in _AT_ODDS]
        if on_conflict == "refuse" and (against or denied):
            raise ConflictError(_all_odds(against, denied))
        older = [conflict.id for conflict in against if conflict.type in _GIVE_WAY] if on_conflict == "supersede" else []
        yielding = (old for old in self._store.get(self.name, older) if not outranks(old.trust, memory.trust))
        gone = tuple(old.id for old in yielding if old.created_at <= memory.created_at)
        self._store.remember(self.name, [replace(records[0], memory=replace(memory, supersedes=(*memory.supersedes, *gone)))])
        left = _all_odds([conflict for conflict in found if conflict.id not in gone], denied)
        return Remembered(ids=(memory.id,), conflicts=left, superseded=gone, degraded=(*notes, *((note,) if note else ())))

    def _conflicts(self, record: Record) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
        """What a stored memory is at odds with; since it is stored already, a failure here is a note and not an error."""
        try:
            found, note = self._find_conflicts(record)
        except CuedError as error:
            engine.log.warning("conflicts were not looked for: %s", error)
            return (), (f"conflicts: {error}",)
        return found, (note,) if note else ()

    def _at_odds(self, stored: Stored) -> tuple[Conflict, ...]:
        """The older memories that a stored one repeats, updates or denies, but for those kept beside it on purpose."""
        memory, terms = stored.memory, analyse(searched_text(stored.memory))
        found, _ = self._find_conflicts(Record(memory=memory, terms=terms, vector=stored.vector))
        others = {other.id: other for other in self._store.get(self.name, [conflict.id for conflict in found])}
        return tuple(each for each in found if each.type in _AT_ODDS and _is_open(memory, others[each.id]))

    def _find_conflicts(self, record: Record) -> tuple[tuple[Conflict, ...], str]:
        from cued.conflicts.finding import find_conflicts  # noqa: PLC0415 - its words are loaded with the first memory, not with `import cued`

        return find_conflicts(record.memory, record.vector, self._store, terms=record.terms, at=self._clock(), judge=self._parts.judge)


def _is_open(newer: Memory, older: Memory) -> bool:
    """Whether a pair is an open conflict: reported once, at the newer memory, and not if both were kept on purpose."""
    kept = Edge(DISTINCT, older.id) in newer.edges or Edge(DISTINCT, newer.id) in older.edges
    return not kept and (older.created_at, older.id) < (newer.created_at, newer.id)


def _is_over(memory: Memory, now: datetime) -> bool:
    """Whether a memory has ended before it is stored."""
    return any(end is not None and end <= now for end in (memory.valid_until, memory.expires_at))


def _all_odds(found: Sequence[Conflict], denied: Sequence[Denied]) -> tuple[Conflict, ...]:
    return with_denied(found, denied) if denied else tuple(found)
