"""One tenant's verbs for asyncio, and those of a conversation."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from cued.handles.bootstrap import Pack
from cued.handles.conversation import Conversation
from cued.handles.keeping import OpenConflicts, Remembered
from cued.handles.tenant import Tenant
from cued.handles.threads import Threads, in_loop
from cued.handles.upkeep import Span
from cued.model import GLOBAL, Cue, Evidence, Memory, Page, Recall, RecallEntry, Stats, Trust
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.cue import ExplainRequest, RecallRequest
from cued.requests.draft import Change, Draft, OnConflict
from cued.requests.insights import LAST, TARGET_RATE, Grouping, Judgement, Labelled, Labels, When
from cued.requests.keywords import Changes, Facts, LogOptions, MapOptions, RecallOptions, Wanted
from cued.requests.listing import ListRequest, LogRequest, MapRequest
from cued.requests.upkeep import AT_LEAST, BUDGET_TOKENS, IMPORTANCE_BELOW, OLDER_THAN

if TYPE_CHECKING:
    from cued.engine.envelope import Envelope
    from cued.explain import Explanation, MeaningMap, Timeline, Why
    from cued.importers.intake import Imported
    from cued.insight.comparing import Compared
    from cued.insight.doctor import Diagnosis
    from cued.insight.learnt import History
    from cued.insight.overview import Insight
    from cued.insight.pairs import Label, Unjudged
    from cued.insight.replay import Replayed
    from cued.insight.tuning import Tuned
    from cued.upkeep.consolidation import Applied, Merged, Plan
    from cued.upkeep.cooling import Cool
    from cued.upkeep.erasures import Erased
    from cued.upkeep.reembedding import Reembedded

_LINES = 256


class AsyncConversation:
    """The recalls of one conversation, for asyncio; see `cued.Conversation`."""

    def __init__(self, conversation: Conversation, threads: Threads) -> None:
        """Wrap the conversation."""
        self._conversation, self._threads = conversation, threads

    def heard(self, text: str) -> None:
        """Take note of what happened between recalls."""
        self._conversation.heard(text)

    async def recall(
        self, cue: str | Cue, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What the cue brings to mind; `drift` in it says when the cue, or what it brings, has stopped moving."""
        return await self._threads.run(self._conversation.recall, cue, policy=policy, settle=settle, **options)


class AsyncTenant:
    """One tenant's memories, for asyncio: every verb of `cued.Tenant`, with the same arguments and answers."""

    def __init__(self, tenant: Tenant, threads: Threads) -> None:
        """Wrap the handle."""
        self._tenant, self._threads = tenant, threads
        self.name = tenant.name

    def conversation(self, *, turns: int = 3, keep: int = 10, avoid_repeats: bool = False) -> AsyncConversation:
        """A handle that recalls turn after turn."""
        return AsyncConversation(self._tenant.conversation(turns=turns, keep=keep, avoid_repeats=avoid_repeats), self._threads)

    async def remember(
        self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, on_conflict: OnConflict = "report", **facts: Unpack[Facts]
    ) -> Remembered:
        """What `Tenant.remember` gives."""
        return await self._threads.run(self._tenant.remember, text, conflicts=conflicts, on_conflict=on_conflict, **facts)

    async def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = silent) -> Remembered:
        """What `Tenant.remember_many` gives."""
        return await self._threads.run(self._tenant.remember_many, drafts, progress=in_loop(progress))

    async def remember_turns(
        self,
        turns: Iterable[Mapping[str, Any]],
        *,
        session: str,
        scope: str = GLOBAL,
        at: datetime | str | None = None,
        first: int | None = None,
    ) -> Remembered:
        """What `Tenant.remember_turns` gives."""
        return await self._threads.run(self._tenant.remember_turns, turns, session=session, scope=scope, at=at, first=first)

    async def get(self, memory_id: str) -> Memory:
        """What `Tenant.get` gives."""
        return await self._threads.run(self._tenant.get, memory_id)

    async def known(self, *memory_ids: str) -> frozenset[str]:
        """What `Tenant.known` gives."""
        return await self._threads.run(self._tenant.known, *memory_ids)

    async def list(self, request: ListRequest | None = None, **wanted: Unpack[Wanted]) -> Page:
        """What `Tenant.list` gives."""
        return await self._threads.run(self._tenant.list, request, **wanted)

    async def update(
        self, memory_id: str, change: Change | None = None, *, if_version: int | None = None, **fields: Unpack[Changes]
    ) -> Memory:
        """What `Tenant.update` gives."""
        return await self._threads.run(self._tenant.update, memory_id, change, if_version=if_version, **fields)

    async def conflicts(self, *, scope: str | None = None, limit: int = 20, after: str | None = None) -> OpenConflicts:
        """What `Tenant.conflicts` gives."""
        return await self._threads.run(self._tenant.conflicts, scope=scope, limit=limit, after=after)

    async def keep_both(self, memory_id: str, other: str) -> Memory:
        """What `Tenant.keep_both` gives."""
        return await self._threads.run(self._tenant.keep_both, memory_id, other)

    async def forget(self, *memory_ids: str, erase: bool = False) -> "Erased | None":
        """What `Tenant.forget` gives."""
        return await self._threads.run(self._tenant.forget, *memory_ids, erase=erase)

    async def restore(self, *memory_ids: str) -> None:
        """What `Tenant.restore` does."""
        await self._threads.run(self._tenant.restore, *memory_ids)

    async def quarantine(self, *memory_ids: str) -> tuple[Memory, ...]:
        """What `Tenant.quarantine` gives."""
        return await self._threads.run(self._tenant.quarantine, *memory_ids)

    async def promote(self, *memory_ids: str, trust: Trust | None = None) -> tuple[Memory, ...]:
        """What `Tenant.promote` gives."""
        return await self._threads.run(self._tenant.promote, *memory_ids, trust=trust)

    async def erase_everything(self) -> "Erased":
        """What `Tenant.erase_everything` gives."""
        return await self._threads.run(self._tenant.erase_everything)

    async def stats(self) -> Stats:
        """What `Tenant.stats` gives."""
        return await self._threads.run(self._tenant.stats)

    async def recall(
        self, cue: str | Cue | RecallRequest, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What `Tenant.recall` gives; a `boost` is called in the worker's thread."""
        return await self._threads.run(self._tenant.recall, cue, policy=policy, settle=settle, **options)

    async def explain(
        self,
        cue: str | Cue | ExplainRequest,
        *,
        memory: str | None = None,
        policy: str | Policy | None = None,
        **options: Unpack[RecallOptions],
    ) -> "Explanation":
        """What `Tenant.explain` gives."""
        return await self._threads.run(self._tenant.explain, cue, memory=memory, policy=policy, **options)

    async def gather(self, cue: str | Cue, *, policy: str | Policy | None = None, **options: Unpack[RecallOptions]) -> Evidence:
        """What `Tenant.gather` gives."""
        return await self._threads.run(self._tenant.gather, cue, policy=policy, **options)

    async def bootstrap(self, *, scope: str = GLOBAL, budget_tokens: int = BUDGET_TOKENS) -> Pack:
        """What `Tenant.bootstrap` gives."""
        return await self._threads.run(self._tenant.bootstrap, scope=scope, budget_tokens=budget_tokens)

    async def feedback(self, recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.feedback` gives."""
        return await self._threads.run(self._tenant.feedback, recall_id, cited=cited, bad=bad)

    async def why(self, memory_id: str, *, depth: int = 3) -> "Why":
        """What `Tenant.why` gives."""
        return await self._threads.run(self._tenant.why, memory_id, depth=depth)

    async def timeline(  # noqa: PLR0913 - as the handle has it
        self,
        around: str | datetime,
        *,
        before: int = 5,
        after: int = 5,
        scope: str | None = None,
        session: str | None = None,
        hidden: bool = False,
    ) -> "Timeline":
        """What `Tenant.timeline` gives."""
        how = {"before": before, "after": after, "scope": scope, "session": session, "hidden": hidden}
        return await self._threads.run(self._tenant.timeline, around, **how)

    async def map(self, request: MapRequest | None = None, **wanted: Unpack[MapOptions]) -> "MeaningMap":
        """What `Tenant.map` gives."""
        return await self._threads.run(self._tenant.map, request, **wanted)

    async def keep(self, recall: Recall, saved: "Envelope") -> RecallEntry:
        """What `Tenant.keep` gives."""
        return await self._threads.run(self._tenant.keep, recall, saved)

    async def log(self, request: LogRequest | None = None, **wanted: Unpack[LogOptions]) -> tuple[RecallEntry, ...]:
        """What `Tenant.log` gives."""
        return await self._threads.run(self._tenant.log, request, **wanted)

    async def plan_consolidation(self, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Plan":
        """What `Tenant.plan_consolidation` gives."""
        return await self._threads.run(self._tenant.plan_consolidation, at_least=at_least, progress=in_loop(progress))

    async def consolidate(self, plan: "Plan | None" = None, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Applied":
        """What `Tenant.consolidate` gives."""
        return await self._threads.run(self._tenant.consolidate, plan, at_least=at_least, progress=in_loop(progress))

    async def merges(self) -> "tuple[Merged, ...]":
        """What `Tenant.merges` gives."""
        return await self._threads.run(self._tenant.merges)

    async def unmerge(self, *newer_ids: str, only: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.unmerge` gives."""
        return await self._threads.run(self._tenant.unmerge, *newer_ids, only=only)

    async def expired(self, *, grace: Span = 0) -> tuple[Memory, ...]:
        """What `Tenant.expired` gives."""
        return await self._threads.run(self._tenant.expired, grace=grace)

    async def sweep(self, *, grace: Span = 0, progress: Progress = silent) -> tuple[str, ...]:
        """What `Tenant.sweep` gives."""
        return await self._threads.run(self._tenant.sweep, grace=grace, progress=in_loop(progress))

    async def cool(self, *, older_than: Span = OLDER_THAN, importance_below: float = IMPORTANCE_BELOW) -> "tuple[Cool, ...]":
        """What `Tenant.cool` gives."""
        return await self._threads.run(self._tenant.cool, older_than=older_than, importance_below=importance_below)

    async def reembed(self, *, progress: Progress = silent) -> "Reembedded":
        """What `Tenant.reembed` gives."""
        return await self._threads.run(self._tenant.reembed, progress=in_loop(progress))

    async def export(self, *, vectors: bool = False, progress: Progress = silent) -> AsyncIterator[bytes]:
        """The lines that `Tenant.export` gives, read in the worker's thread some hundred at a time."""
        lines = await self._threads.run(self._tenant.export, vectors=vectors, progress=in_loop(progress))
        while chunk := await self._threads.run(lambda: [*islice(lines, _LINES)]):
            for line in chunk:
                yield line

    async def import_file(  # noqa: PLR0913 - as the handle has it
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the word for it
        scope: str | None = None,
        user: str | None = None,
        as_exported: bool = False,
        progress: Progress = silent,
    ) -> "Imported":
        """What `Tenant.import_file` gives."""
        doing = partial(self._tenant.import_file, path, format=format, scope=scope, user=user, as_exported=as_exported)
        return await self._threads.run(doing, progress=in_loop(progress))

    async def insight(self, *, since: When = None, until: When = None, every: str | None = None, by: Grouping = "none") -> "Insight":
        """What `Tenant.insight` gives."""
        return await self._threads.run(self._tenant.insight, since=since, until=until, every=every, by=by)

    async def doctor(self) -> "Diagnosis":
        """What `Tenant.doctor` gives."""
        return await self._threads.run(self._tenant.doctor)

    async def replay(
        self, policy: str | Policy | None = None, *, last: int = LAST, recall_id: str | None = None, progress: Progress = silent
    ) -> "Replayed":
        """What `Tenant.replay` gives."""
        return await self._threads.run(self._tenant.replay, policy, last=last, recall_id=recall_id, progress=in_loop(progress))

    async def compare(self) -> "Compared":
        """What `Tenant.compare` gives."""
        return await self._threads.run(self._tenant.compare)

    async def tune(
        self,
        pairs: Sequence[Labelled | Mapping[str, Any]] = (),
        *,
        source: Labels = "judged",
        target: float = TARGET_RATE,
        apply: bool = False,
        progress: Progress = silent,
    ) -> "Tuned":
        """What `Tenant.tune` gives."""
        heard = in_loop(progress)
        return await self._threads.run(self._tenant.tune, pairs, source=source, target=target, apply=apply, progress=heard)

    async def policy_save(self, policy: str | Policy, *, note: str = "") -> "History":
        """What `Tenant.policy_save` gives."""
        return await self._threads.run(self._tenant.policy_save, policy, note=note)

    async def policy_history(self) -> "History":
        """What `Tenant.policy_history` gives."""
        return await self._threads.run(self._tenant.policy_history)

    async def policy_rollback(self, *, to: int | None = None) -> "History":
        """What `Tenant.policy_rollback` gives."""
        return await self._threads.run(self._tenant.policy_rollback, to=to)

    async def unlabelled(self, *, limit: int = 20) -> "tuple[Unjudged, ...]":
        """What `Tenant.unlabelled` gives."""
        return await self._threads.run(self._tenant.unlabelled, limit=limit)

    async def label(self, recall_id: str, verdict: Judgement) -> "Label":
        """What `Tenant.label` gives."""
        return await self._threads.run(self._tenant.label, recall_id, verdict)
