"""The verbs that bring memories to mind, and say why."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from cued import engine
from cued.engine.narrowing import narrowed
from cued.errors import EmbedderError
from cued.flow.diversify import compared
from cued.flow.feedback import feedback
from cued.flow.settle import documents, entry, log_line, shadowed, touches
from cued.handles.bootstrap import Pack, bootstrap
from cued.handles.bound import Bound
from cued.handles.conversation import Conversation
from cued.handles.telemetry import spanned
from cued.handles.usual_policies import Arms
from cued.handles.vouching import known, refuse_judging
from cued.model import GLOBAL, UNVERIFIED, Cue, DenseLookup, Evidence, Recall, RecallEntry, Shadowed, Vector
from cued.others import embedded
from cued.policy.spec import Policy
from cued.requests.checks import asked_id, asked_ids, label, moment
from cued.requests.cue import CueRequest, ExplainRequest, RecallRequest, asked_for
from cued.requests.keywords import LogOptions, MapOptions, RecallOptions
from cued.requests.listing import LogRequest, MapRequest, whole_request
from cued.requests.upkeep import BUDGET_TOKENS

if TYPE_CHECKING:
    from cued.engine.envelope import Envelope
    from cued.explain import Explanation, MeaningMap, Timeline, Why


class Recalling(Bound):
    """Recall, and everything that explains, surrounds or judges one."""

    @spanned("search_memory")
    def recall(
        self, cue: str | Cue | RecallRequest, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What the cue brings to mind; with `settle=False` the recall leaves no trace in the store."""
        settle = cue.settle if isinstance(cue, RecallRequest) else settle
        recall, evidence, applied = self._recall(cue, policy, options)
        if engine.log.isEnabledFor(logging.INFO):
            engine.log.info("%s", log_line(recall))
        if settle and not self._settler.off:
            now, asked = self._clock(), evidence.cue
            content, aside = self._content(recall, evidence, applied), self._aside(cue, policy, options, evidence)
            touched = touches(recall, applied, cue=asked, now=now)
            learnt = documents(recall, applied, cue=asked, now=now)
            line = entry(recall, evidence, applied, now=now, content=content)
            self._settler.settle(self.name, touched, entry=line, documents=learnt, known=evidence.lookup is not None, aside=aside)
        return recall

    def explain(
        self,
        cue: str | Cue | ExplainRequest,
        *,
        memory: str | None = None,
        policy: str | Policy | None = None,
        **options: Unpack[RecallOptions],
    ) -> "Explanation":
        """The recall with its whole table, and what became of one memory in particular; nothing is settled.

        With channels left out, `whole` is the same recall with all of them.
        """
        from cued.explain import explain  # noqa: PLC0415 - a recall does not pay for what explains it

        memory = cue.memory if isinstance(cue, ExplainRequest) else memory
        recall, evidence, applied = self._recall(cue, policy, options)
        asked = self._store.get(self.name, [asked_id("memory", memory)])[0] if memory is not None else None
        told = explain(recall, evidence, applied, asked=asked, parts=self._parts)
        shut = cue.without if isinstance(cue, CueRequest) else options.get("without")
        return replace(told, whole=self._whole(cue, policy, options, evidence)) if shut else told

    def gather(self, cue: str | Cue, *, policy: str | Policy | None = None, **options: Unpack[RecallOptions]) -> Evidence:
        """The evidence of a recall, to be saved and decided later under any policy with the same channels."""
        question, applied = self._question(cue, policy, options)
        self._store.count_recall(self.name, at=self._clock())
        return engine.gather(question, applied, self._parts)

    def conversation(self, *, turns: int = 3, keep: int = 10, avoid_repeats: bool = False) -> Conversation:
        """A handle that recalls turn after turn, notices when the cue has stopped moving, and can leave out what it said before."""
        name = self._ids.make(self._clock())
        return Conversation(self.recall, name=name, turns=turns, keep=keep, avoid_repeats=avoid_repeats)

    def bootstrap(self, *, scope: str = GLOBAL, budget_tokens: int = BUDGET_TOKENS) -> Pack:
        """What an agent should know when a conversation starts: the pinned memories, then those needed most, as a block."""
        at = self._clock()
        self._store.count_recall(self.name, at=at)
        return bootstrap(self.name, self._store, self.policy, at=at, scope=label("scope", scope), budget_tokens=budget_tokens)

    def feedback(self, recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = ()) -> tuple[str, ...]:
        """Say which memories of a recall were of use and which did harm; the answer is the ids whose importance has changed.

        The same verdict on the same memory of the same recall counts once. What is unverified says nothing of what is not.
        """
        self._settler.flush()
        named = {name: ids if isinstance(ids, str) else asked_ids(name, ids) for name, ids in (("cited", cited), ("bad", bad))}
        verdicts = feedback(label("recall_id", recall_id), **named, rules=self.policy.settle)
        if self.trust in UNVERIFIED:
            refuse_judging(known([*verdicts.cited, *verdicts.bad], partial(self._store.get, self.name)).values(), self.trust)
        return self._store.feedback(self.name, verdicts)

    def why(self, memory_id: str, *, depth: int = 3) -> "Why":
        """The tree of what a memory comes from, and of what came of it."""
        from cued.explain import why  # noqa: PLC0415

        return why(self.name, self._store, asked_id("id", memory_id), depth=depth)

    def timeline(  # noqa: PLR0913 - a stretch of time has a centre, two sides and three ways to narrow it
        self,
        around: str | datetime,
        *,
        before: int = 5,
        after: int = 5,
        scope: str | None = None,
        session: str | None = None,
        hidden: bool = False,
    ) -> "Timeline":
        """What was stored right before and after a memory (by its id) or a moment (a datetime)."""
        from cued.explain import timeline  # noqa: PLC0415

        centre = moment("around", around) if isinstance(around, datetime) else label("around", around)
        return timeline(
            self.name,
            self._store,
            around=centre or "",
            at=self._clock(),
            before=before,
            after=after,
            scope=None if scope is None else label("scope", scope),
            session=None if session is None else label("session", session),
            hidden=hidden,
        )

    def log(self, request: LogRequest | None = None, **wanted: Unpack[LogOptions]) -> tuple[RecallEntry, ...]:
        """The lines of the recall log that are wanted, newest first unless told otherwise; with `content`, what was kept of each.

        `Envelope.decode(line.evidence).decide()` decides a kept recall again.
        """
        query = whole_request(LogRequest, request, wanted).query()
        self._settler.flush()
        return self._store.log(self.name, query)

    def keep(self, recall: Recall, saved: "Envelope") -> RecallEntry:
        """The recall's line in the log, with its cue and its evidence, whatever the log's rules are; `log` finds it by its `recall_id`.

        It is kept as long as the log keeps lines, under `content="last"` as long as it is among the last; erasing a memory that it names
        takes cue and evidence away.
        """
        line = entry(recall, saved.evidence, saved.policy, now=self._clock(), content=saved.encode())
        self._store.settle(self.name, (), [line], known=True, keep=True)
        return line

    def map(self, request: MapRequest | None = None, **wanted: Unpack[MapOptions]) -> "MeaningMap":
        """Memories that stand, laid out by meaning, of many a sample of the whole; with a `text`, and where it lies among them."""
        from cued.explain import mapped  # noqa: PLC0415

        asked = whole_request(MapRequest, request, wanted)
        page = self._store.list(self.name, asked.filter(), at=self._clock(), limit=asked.limit, order_by="chance")
        ids = dict.fromkeys((*(memory.id for memory in page), *asked.also))
        return mapped(self._store.fetch(self.name, list(ids)), total=page.total, cue=self._cue_vector(asked.text))

    def _cue_vector(self, text: str) -> Vector | None:
        """The text's vector; None without a text, without an embedder, or where it fails."""
        if not text.strip() or self._parts.embedder is None:
            return None
        try:
            vector: Vector = embedded([text], self._parts.embedder, role="query")[0][0]
        except EmbedderError:
            return None
        return vector

    def _recall(
        self, cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any]
    ) -> tuple[Recall, Evidence, Policy]:
        question, applied = self._question(cue, policy, options)
        self._store.count_recall(self.name, at=self._clock())
        recall, evidence = engine.recall(question, applied, self._parts)
        return recall, evidence, applied

    def _question(
        self, cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any]
    ) -> tuple[engine.Question, Policy]:
        now = self._clock()
        asked = asked_for(cue, options, policy=policy, usual=self._arms(cue, options).shown, now=now)
        question = engine.Question(
            tenant=self.name,
            cue=asked.cue,
            recall_id=self._ids.make(now),
            boost=options.get("boost"),
            embedded=self._embedded(options.get("vector"), options.get("fingerprint")),
        )
        return question, asked.policy

    def _arms(self, cue: str | Cue | CueRequest, options: Mapping[str, Any]) -> Arms:
        """The policy that decides if this recall names none, and the one on trial beside it."""
        said = options.get("conversation") or getattr(cue, "conversation", "")
        return self._usual.arms(self.name, said if isinstance(said, str) else "")

    def _aside(
        self, cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any], evidence: Evidence
    ) -> Callable[[], Shadowed] | None:
        """A function that decides the evidence by the policy on trial, called after the answer; None without one, or if one was named."""
        beside = self._arms(cue, options).beside
        if beside is None or policy is not None or (isinstance(cue, CueRequest) and cue.policy is not None):
            return None
        applied = asked_for(cue, options, policy=None, usual=beside, now=evidence.cue.now).policy
        return lambda: shadowed(engine.decide(narrowed(evidence, applied), applied), applied)

    def _embedded(self, vector: Sequence[float] | None, fingerprint: str | None) -> DenseLookup | None:
        """The cue as the caller has embedded it; None where it has not."""
        if vector is None and fingerprint is None:
            return None
        own, made_by = self._own_vector(vector, fingerprint)
        return DenseLookup(vector=own, fingerprint=made_by, pool=1)

    def _content(self, recall: Recall, evidence: Evidence, applied: Policy) -> bytes | None:
        """The recall in an envelope, if the log keeps it; with vectors only if they were used, because they are most of its size."""
        rules = self._store.log_rules
        if rules.content == "off" or not rules.keeps_content(recall.recall_id):
            return None
        from cued.engine.envelope import Envelope  # noqa: PLC0415 - few recalls are kept

        return Envelope.of(evidence, applied, vectors=compared(recall, applied)).encode()

    def _whole(self, cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any], evidence: Evidence) -> Recall:
        """The same recall with every channel open; a cue that was embedded is not embedded again."""
        every = replace(cue, without=()) if isinstance(cue, CueRequest) else cue
        question, applied = self._question(every, policy, {name: value for name, value in options.items() if name != "without"})
        dense = (evidence.lookup and evidence.lookup.dense) or question.embedded
        return engine.recall(replace(question, cue=evidence.cue, embedded=dense), applied, self._parts)[0]
