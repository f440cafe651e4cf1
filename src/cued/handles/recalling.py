"""The verbs that bring memories to mind, and say why."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from msgspec.structs import replace

from cued import engine
from cued.explain import Explanation, Timeline, Why, explain, timeline, why
from cued.flow.feedback import feedback
from cued.flow.settle import documents, entry, log_line, touches
from cued.handles.bootstrap import BUDGET_TOKENS, Pack, bootstrap
from cued.handles.bound import Bound
from cued.handles.conversation import Conversation
from cued.model import GLOBAL, Cue, Evidence, LogQuery, Recall, RecallEntry
from cued.policy.spec import Policy
from cued.requests.draft import label, moment
from cued.requests.wishes import Wishes, cue_of, policy_of


class Recalling(Bound):
    """Recall, and everything that explains, surrounds or judges one."""

    def recall(self, cue: str | Cue, *, policy: str | Policy | None = None, settle: bool = True, **wishes: Unpack[Wishes]) -> Recall:
        """Give what the cue brings to mind; with `settle=False` the recall leaves no trace in the store."""
        recall, evidence, applied = self._recall(cue, policy, wishes)
        if engine.log.isEnabledFor(logging.INFO):
            engine.log.info("%s", log_line(recall))
        if settle:
            now, asked = self._clock(), evidence.cue
            touched = touches(recall, applied, cue=asked, now=now)
            learnt = documents(recall, applied, cue=asked, now=now)
            self._settler.settle(self.name, touched, entry=entry(recall, evidence, applied, now=now), documents=learnt)
        return recall

    def explain(
        self, cue: str | Cue, *, memory: str | None = None, policy: str | Policy | None = None, **wishes: Unpack[Wishes]
    ) -> Explanation:
        """The recall with its whole table, and what became of one memory in particular; nothing is settled.

        With channels left out, `whole` is the same recall with all of them.
        """
        recall, evidence, applied = self._recall(cue, policy, wishes)
        asked = self._store.get(self.name, [memory])[0] if memory is not None else None
        told = explain(recall, evidence, applied, asked=asked, parts=self._parts)
        return replace(told, whole=self._whole(evidence, policy, wishes)) if wishes.get("without") else told

    def gather(self, cue: str | Cue, *, policy: str | Policy | None = None, **wishes: Unpack[Wishes]) -> Evidence:
        """The evidence of a recall, to be saved and decided later under any policy with the same channels."""
        question, applied = self._question(cue, policy, wishes)
        return engine.gather(question, applied, self._parts)

    def conversation(self, *, turns: int = 3, keep: int = 10, avoid_repeats: bool = False) -> Conversation:
        """Give a handle that recalls turn after turn, notices when the cue has stopped moving, and can leave out what it said before."""
        return Conversation(self.recall, turns=turns, keep=keep, avoid_repeats=avoid_repeats)

    def bootstrap(self, *, scope: str = GLOBAL, budget_tokens: int = BUDGET_TOKENS) -> Pack:
        """Give what an agent should know when a conversation starts: the pinned memories, then those needed most, as a block."""
        at = self._clock()
        return bootstrap(self.name, self._store, self.policy, at=at, scope=label("scope", scope), budget_tokens=budget_tokens)

    def feedback(self, recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = ()) -> tuple[str, ...]:
        """Tell which memories of a recall were of use and which did harm, and give the ids whose importance has changed.

        The same verdict on the same memory of the same recall counts once.
        """
        self._settler.flush()
        verdicts = feedback(label("recall_id", recall_id), cited=cited, bad=bad, rules=self.policy.settle)
        return self._store.feedback(self.name, verdicts)

    def why(self, memory_id: str, *, depth: int = 3) -> Why:
        """Give the tree of what a memory comes from, and of what came of it."""
        return why(self.name, self._store, memory_id, depth=depth)

    def timeline(  # noqa: PLR0913 - a stretch of time has a centre, two sides and three ways to narrow it
        self,
        around: str | datetime,
        *,
        before: int = 5,
        after: int = 5,
        scope: str | None = None,
        session: str | None = None,
        hidden: bool = False,
    ) -> Timeline:
        """Give what was stored right before and after a memory (by its id) or a moment (a datetime)."""
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

    def log(self, *, limit: int = 100) -> tuple[RecallEntry, ...]:
        """Give the newest lines of the recall log."""
        self._settler.flush()
        return self._store.log(self.name, LogQuery(limit=limit))

    def _recall(self, cue: str | Cue, policy: str | Policy | None, wishes: Mapping[str, Any]) -> tuple[Recall, Evidence, Policy]:
        question, applied = self._question(cue, policy, wishes)
        recall, evidence = engine.recall(question, applied, self._parts)
        return recall, evidence, applied

    def _question(self, cue: str | Cue, policy: str | Policy | None, wishes: Mapping[str, Any]) -> tuple[engine.Question, Policy]:
        applied = policy_of(policy, wishes, usual=self.policy)
        now = self._clock()
        asked = cue_of(cue, wishes, now=now)
        return engine.Question(tenant=self.name, cue=asked, recall_id=self._ids.make(now), boost=wishes.get("boost")), applied

    def _whole(self, evidence: Evidence, policy: str | Policy | None, wishes: Mapping[str, Any]) -> Recall:
        """The same recall with every channel open; a cue that was embedded is not embedded again."""
        question, applied = self._question(evidence.cue, policy, {name: wish for name, wish in wishes.items() if name != "without"})
        embedded = evidence.lookup and evidence.lookup.dense
        return engine.recall(replace(question, embedded=embedded), applied, self._parts)[0]
