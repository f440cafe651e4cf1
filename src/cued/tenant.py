"""The handle of one tenant: the verbs that a user calls. Nothing that reads memories exists without one."""

import logging
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from cued import engine
from cued.draft import Change, Draft, changed, compose, label, labels, moment, one_of, read_change, read_draft
from cued.errors import EmbedderError, InputError
from cued.explain import Explanation, explain
from cued.flow.settle import entry, log_line, touches
from cued.ids import IdMaker
from cued.model import GLOBAL, KINDS, TIERS, Cue, Evidence, Filter, Intent, Kind, Memory, Page, Recall, RecallEntry, Record, Stats
from cued.policy.adjust import Adjustment, adjust
from cued.policy.presets import load
from cued.policy.spec import Policy
from cued.ports import Clock
from cued.settling import Settler
from cued.text.analyse import analyse, searchable

MAX_PAGE = 1000
CHUNK = 256
Progress = Callable[[int], None]


class Remembered(Struct, frozen=True, kw_only=True):
    """What `remember` answers: the new ids, and what could not be done for them yet."""

    ids: tuple[str, ...]
    degraded: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Give the only id."""
        return self.ids[0]


class Wishes(TypedDict, total=False):
    """What one recall may ask for: the rest of its cue, and its own changes to the policy."""

    goal: str
    step: str
    open_questions: Sequence[str]
    scope: str
    tags: Sequence[str]
    kinds: Sequence[str]
    now: datetime | str
    as_of: datetime | str | None
    intent: Intent | None
    present: Sequence[str]
    limit: int | None
    floor: float | None
    budget_tokens: int | None
    recency_weight: float | None
    decay: bool | None
    without: Sequence[str]
    boost: engine.Boost | None


class Tenant:
    """One tenant's memories. Made by `cued.open(…).tenant(name)`."""

    def __init__(self, name: str, parts: engine.Parts, *, policy: Policy, clock: Clock, settler: Settler) -> None:
        """Bind the verbs to one tenant."""
        self.name = label("tenant", name)
        self.policy = policy
        self._parts, self._clock, self._settler = parts, clock, settler
        self._ids = IdMaker()

    def remember(self, text: str | Mapping[str, Any] | Draft, **facts: Any) -> Remembered:  # noqa: ANN401 - checked by the draft
        """Store one memory and give its id; `facts` are the fields of Draft (kind, scope, tags, importance, ttl, at, supersedes …)."""
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        return self._store([draft])

    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = lambda _: None) -> Remembered:
        """Store many memories, in chunks that are each stored whole or not at all; `progress` hears how many are done."""
        ids: list[str] = []
        notes: list[str] = []
        chunk: list[Draft] = []
        for value in drafts:
            chunk.append(read_draft(value))
            if len(chunk) == CHUNK:
                self._keep(chunk, ids, notes, progress)
                chunk = []
        if chunk:
            self._keep(chunk, ids, notes, progress)
        return Remembered(ids=tuple(ids), degraded=tuple(dict.fromkeys(notes)))

    def recall(self, cue: str | Cue, *, policy: str | Policy | None = None, settle: bool = True, **wishes: Unpack[Wishes]) -> Recall:
        """Give what the cue brings to mind; with `settle=False` the recall leaves no trace in the store."""
        recall, _, applied = self._recall(cue, policy, wishes)
        if engine.log.isEnabledFor(logging.INFO):
            engine.log.info("%s", log_line(recall))
        if settle:
            now = self._clock()
            self._settler.settle(self.name, touches(recall, applied, now=now), entry(recall, now=now))
        return recall

    def explain(
        self, cue: str | Cue, *, memory: str | None = None, policy: str | Policy | None = None, **wishes: Unpack[Wishes]
    ) -> Explanation:
        """Give the recall with its whole table, and what became of one memory in particular; nothing is settled."""
        recall, evidence, applied = self._recall(cue, policy, wishes)
        asked = self._parts.store.get(self.name, [memory])[0] if memory is not None else None
        return explain(recall, evidence, applied, asked=asked, parts=self._parts)

    def gather(self, cue: str | Cue, *, policy: str | Policy | None = None, **wishes: Unpack[Wishes]) -> Evidence:
        """Give the evidence of a recall, to be saved and decided later under any policy with the same channels."""
        return self._recall(cue, policy, wishes)[1]

    def get(self, memory_id: str) -> Memory:
        """Give one memory by id."""
        return self._parts.store.get(self.name, [memory_id])[0]

    def list(self, *, limit: int = 50, after: str | None = None, **wanted: Any) -> Page:  # noqa: ANN401 - checked by the filter
        """Give one page, newest first; filters: scope, kinds, tiers, tags, session, since, until, hidden."""
        if not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
            raise InputError("limit", limit, f"a number from 1 to {MAX_PAGE}")
        return self._parts.store.list(self.name, _filter(wanted), at=self._clock(), limit=limit, after=after)

    def update(self, memory_id: str, **fields: Any) -> Memory:  # noqa: ANN401 - checked by the change
        """Change fields of a memory and give it back; its decay clock starts anew."""
        change = read_change(fields)
        vector, fingerprint = None, None
        if isinstance(change.text, str):
            speaker = self.get(memory_id).source.speaker
            vector, fingerprint, _ = self._vectors([searchable(change.text, speaker)])

        def revised(memory: Memory) -> Record:
            return self._revised(memory, change, None if vector is None else vector[0], fingerprint)

        return self._parts.store.revise(self.name, memory_id, revised)

    def forget(self, *memory_ids: str, erase: bool = False) -> None:
        """Hide memories from every recall, so that `restore` can undo it; with `erase` remove them for good."""
        if erase:
            self._parts.store.erase(self.name, memory_ids)
        else:
            self._parts.store.forget(self.name, memory_ids, at=self._clock())

    def restore(self, *memory_ids: str) -> None:
        """Undo `forget`."""
        self._parts.store.restore(self.name, memory_ids)

    def stats(self) -> Stats:
        """Count what is stored."""
        return self._parts.store.stats(self.name, at=self._clock())

    def log(self, *, limit: int = 100) -> tuple[RecallEntry, ...]:
        """Give the newest lines of the recall log."""
        self._settler.flush()
        return self._parts.store.recalls(self.name, limit=limit)

    def _recall(self, cue: str | Cue, policy: str | Policy | None, wishes: Mapping[str, Any]) -> tuple[Recall, Evidence, Policy]:
        applied = self._policy(policy, wishes)
        now = self._clock()
        asked = _cue(cue, {k: v for k, v in wishes.items() if k in Cue.__struct_fields__}, now=now)
        question = engine.Question(tenant=self.name, cue=asked, recall_id=self._ids.make(now), boost=wishes.get("boost"))
        recall, evidence = engine.recall(question, applied, self._parts)
        return recall, evidence, applied

    def _policy(self, policy: str | Policy | None, wishes: Mapping[str, Any]) -> Policy:
        for name in wishes:
            if name not in Wishes.__annotations__:
                raise InputError(name, wishes[name], f"the wishes {', '.join(Wishes.__annotations__)}")
        own: dict[str, Any] = {k: tuple(v) if k == "without" else v for k, v in wishes.items() if k in Adjustment.__struct_fields__}
        wish = Adjustment(**own)
        return adjust(self.policy if policy is None else load(policy), wish)

    def _keep(self, chunk: Sequence[Draft], ids: MutableSequence[str], notes: MutableSequence[str], progress: Progress) -> None:
        stored = self._store(chunk)
        ids += stored.ids
        notes += stored.degraded
        progress(len(ids))

    def _store(self, drafts: Sequence[Draft]) -> Remembered:
        now = self._clock()
        memories = [compose(draft, tenant=self.name, memory_id=self._ids.make(now), now=now) for draft in drafts]
        texts = [searchable(memory.text, memory.source.speaker) for memory in memories]
        vectors, fingerprint, degraded = self._vectors(texts)
        self._parts.store.remember(
            self.name,
            [
                Record(
                    memory=replace(memory, fingerprint=fingerprint),
                    terms=analyse(text),
                    vector=None if vectors is None else vectors[i],
                )
                for i, (memory, text) in enumerate(zip(memories, texts, strict=True))
            ],
        )
        return Remembered(ids=tuple(memory.id for memory in memories), degraded=degraded)

    def _vectors(self, texts: Sequence[str]) -> tuple[Any, str | None, tuple[str, ...]]:
        """Give the vectors and their fingerprint; when the embedder fails, none, and a note: the memories are stored all the same."""
        embedder = self._parts.embedder
        if embedder is None:
            return None, None, ()
        try:
            vectors, fingerprint = embedder.embed(texts, role="memory"), embedder.fingerprint
        except EmbedderError as error:
            engine.log.warning("stored without a vector: %s", error)
            return None, None, (f"vector pending: {error}",)
        if vectors.shape != (len(texts), fingerprint.dimensions):
            raise InputError(
                "vectors", vectors.shape, f"{len(texts)} vectors of {fingerprint.dimensions} dimensions, as the fingerprint says"
            )
        return vectors, str(fingerprint), ()

    def _revised(self, memory: Memory, change: Change, vector: Any, fingerprint: str | None) -> Record:  # noqa: ANN401 - a row of a matrix
        new = changed(memory, change, now=self._clock())
        if isinstance(change.text, str):
            new = replace(new, fingerprint=fingerprint)
        return Record(memory=new, terms=analyse(searchable(new.text, new.source.speaker)), vector=vector)


def _cue(cue: str | Cue, fields: Mapping[str, Any], *, now: datetime) -> Cue:
    if isinstance(cue, Cue):
        return replace(cue, **_checked_cue(fields))
    if not isinstance(cue, str):
        raise InputError("cue", cue, "a text, or a cued.Cue")
    return Cue(utterance=_sayable(cue), **{"now": now, **_checked_cue(fields)})


def _checked_cue(fields: Mapping[str, Any]) -> dict[str, Any]:
    readers: dict[str, Callable[[Any], Any]] = {
        "goal": lambda v: _sayable(str(v)),
        "step": lambda v: _sayable(str(v)),
        "open_questions": lambda v: (_sayable(v),) if isinstance(v, str) else tuple(_sayable(str(item)) for item in v),
        "scope": lambda v: label("scope", v or GLOBAL),
        "tags": lambda v: labels("tags", v),
        "kinds": _kinds,
        "now": lambda v: moment("now", v),
        "as_of": lambda v: moment("as_of", v),
        "intent": lambda v: one_of("intent", v, _INTENTS),
        "present": lambda v: labels("present", v),
    }
    return {name: readers[name](value) for name, value in fields.items() if value is not None}


def _sayable(text: str) -> str:
    """Give a cue's text with what no encoder can take replaced: any string at all may be asked."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _kinds(values: str | Iterable[str]) -> tuple[Kind, ...]:
    return tuple(one_of("kinds", v, KINDS) for v in ((values,) if isinstance(values, str) else values))


def _filter(wanted: Mapping[str, Any]) -> Filter:
    readers: dict[str, Callable[[Any], Any]] = {
        "scope": lambda v: None if v is None else label("scope", v),
        "kinds": _kinds,
        "tiers": lambda v: tuple(one_of("tiers", tier, TIERS) for tier in ((v,) if isinstance(v, str) else v)),
        "tags": lambda v: labels("tags", v),
        "session": lambda v: None if v is None else label("session", v),
        "since": lambda v: moment("since", v),
        "until": lambda v: moment("until", v),
        "hidden": bool,
    }
    for name in wanted:
        if name not in readers:
            raise InputError(name, wanted[name], f"the filters {', '.join(readers)}")
    return Filter(**{name: readers[name](value) for name, value in wanted.items()})


_INTENTS: tuple[Intent, ...] = ("past", "present", "neutral")
