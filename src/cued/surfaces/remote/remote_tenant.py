"""A tenant of a server as a handle, with the verbs of one that is open here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from cued.errors import InputError, NotFoundError
from cued.handles.bootstrap import Pack
from cued.handles.ids import IdMaker
from cued.handles.keeping import OpenConflicts
from cued.handles.tenant import CHUNK, Remembered, Tenant
from cued.handles.upkeep import Span
from cued.model import GLOBAL, Cue, Evidence, Memory, Page, Recall, RecallEntry, Stats, Trust
from cued.model.plain import JSON
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.checks import known_as, label, listed
from cued.requests.cue import CueRequest, ExplainRequest, RecallRequest, request_for
from cued.requests.draft import Change, Draft, OnConflict, RememberRequest, read_change, read_draft
from cued.requests.insights import LAST, TARGET_RATE, Grouping, Judgement, Labelled, Labels, When
from cued.requests.keywords import Changes, Facts, LogOptions, MapOptions, RecallOptions, Wanted
from cued.requests.listing import ListRequest, LogRequest, MapRequest, read_list, read_log, read_map
from cued.requests.upkeep import AT_LEAST, BUDGET_TOKENS, IMPORTANCE_BELOW, OLDER_THAN, ConflictsRequest
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import call_of, left_out, told
from cued.surfaces.remote.connections import Connections

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


class RemoteTenant(Tenant):
    """One tenant's memories on a server. A memory among many is told in brief; `get` has the whole."""

    def __init__(self, name: str, connections: Connections) -> None:
        """Ask through these connections."""
        self.name = label("tenant", name)
        self._connections = connections
        # a conversation is named here
        self._ids, self._clock = IdMaker(), lambda: datetime.now(UTC)

    def remember(
        self, text: str | Mapping[str, Any] | Draft, *, conflicts: bool = True, on_conflict: OnConflict = "report", **facts: Unpack[Facts]
    ) -> Remembered:
        """What `Tenant.remember` gives."""
        draft = read_draft({"text": text, **facts}) if facts else read_draft(text)
        resolving = {} if isinstance(draft, RememberRequest) else {"conflicts": conflicts, "on_conflict": on_conflict}
        return nouns.noun(self._ask("remember", {**told(draft), **resolving}), Remembered)

    def remember_many(self, drafts: Iterable[str | Mapping[str, Any] | Draft], *, progress: Progress = silent) -> Remembered:
        """What `Tenant.remember_many` gives; each chunk is one request."""
        if isinstance(drafts, str | Mapping | Draft) or not isinstance(drafts, Iterable):
            raise InputError("drafts", drafts, "a list of memories; `remember` stores one")
        total, rest = len(drafts) if isinstance(drafts, Sized) else 0, map(read_draft, drafts)
        ids: list[str] = []
        notes: list[str] = []
        while chunk := [told(draft) for draft in islice(rest, CHUNK)]:
            answer = self._ask("remember_many", {"memories": chunk})
            ids += answer["ids"]
            notes += answer["degraded"]
            progress(len(ids), total)
        return Remembered(ids=tuple(ids), degraded=tuple(dict.fromkeys(notes)))

    def remember_turns(
        self,
        turns: Iterable[Mapping[str, Any]],
        *,
        session: str,
        scope: str = GLOBAL,
        at: datetime | str | None = None,
        first: int | None = None,
    ) -> Remembered:
        """What `Tenant.remember_turns` gives."""
        said = turns if isinstance(turns, str | Mapping) else list(turns)
        body = {"turns": said, "session": session, "scope": scope, "at": at, "first": first}
        return nouns.noun(self._ask("remember_turns", body), Remembered)

    def get(self, memory_id: str) -> Memory:
        """What `Tenant.get` gives."""
        return nouns.memory(self._ask("get", {"id": known_as("id", memory_id)}), tenant=self.name)

    def list(self, request: ListRequest | None = None, **wanted: Unpack[Wanted]) -> Page:
        """What `Tenant.list` gives."""
        return nouns.page(self._ask("list", told(read_list(wanted, request))), tenant=self.name)

    def conflicts(self, *, scope: str | None = None, limit: int = 20, after: str | None = None) -> OpenConflicts:
        """What `Tenant.conflicts` gives."""
        asked = told(ConflictsRequest(scope=scope, limit=limit, after=after))
        return nouns.open_conflicts(self._ask("conflicts", asked), tenant=self.name)

    def keep_both(self, memory_id: str, other: str) -> Memory:
        """What `Tenant.keep_both` gives."""
        return nouns.memory(self._ask("keep_both", {"id": known_as("id", memory_id), "other": known_as("other", other)}), tenant=self.name)

    def map(self, request: MapRequest | None = None, **wanted: Unpack[MapOptions]) -> "MeaningMap":
        """What `Tenant.map` gives, each memory in brief."""
        return nouns.meaning_map(self._ask("map", told(read_map(wanted, request))), tenant=self.name)

    def keep(self, recall: Recall, saved: "Envelope") -> RecallEntry:
        """Nothing: a server keeps what it has decided itself, which its inspector does."""
        accepted = "a recall of a store that is open here; on a server, the inspector's permalink keeps it"
        raise InputError("keep", saved.evidence.recall_id or recall.recall_id, accepted)

    def update(self, memory_id: str, change: Change | None = None, *, if_version: int | None = None, **fields: Unpack[Changes]) -> Memory:
        """What `Tenant.update` gives."""
        stated = told(read_change(fields, change))
        return nouns.memory(self._ask("update", {**stated, "id": known_as("id", memory_id), "if_version": if_version}), tenant=self.name)

    def known(self, *memory_ids: str) -> frozenset[str]:
        """What `Tenant.known` gives; each id is asked for."""
        return frozenset(memory_id for memory_id in memory_ids if self._knows(memory_id))

    def forget(self, *memory_ids: str, erase: bool = False) -> "Erased | None":
        """What `Tenant.forget` gives."""
        told = self._ask("forget", {"ids": memory_ids, "erase": erase})
        return nouns.erased({**told, "memories": len(set(memory_ids))}) if erase else None

    def restore(self, *memory_ids: str) -> None:
        """What `Tenant.restore` does."""
        self._ask("restore", {"ids": memory_ids})

    def quarantine(self, *memory_ids: str) -> tuple[Memory, ...]:
        """What `Tenant.quarantine` gives, in brief."""
        return nouns.memories(self._ask("quarantine", {"ids": memory_ids})["quarantined"], tenant=self.name)

    def promote(self, *memory_ids: str, trust: Trust | None = None) -> tuple[Memory, ...]:
        """What `Tenant.promote` gives, in brief."""
        return nouns.memories(self._ask("promote", {"ids": memory_ids, "trust": trust})["promoted"], tenant=self.name)

    def erase_everything(self) -> "Erased":
        """What `Tenant.erase_everything` gives; it needs a token of scope admin."""
        return nouns.erased(self._ask("erase_everything"))

    def stats(self) -> Stats:
        """What `Tenant.stats` gives."""
        return nouns.noun(self._ask("stats"), Stats)

    def recall(
        self, cue: str | Cue | RecallRequest, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What `Tenant.recall` gives; a policy is a preset's name, and `trace` names what the answer names."""
        settling = {} if isinstance(cue, RecallRequest) else {"settle": settle}
        return nouns.recall(self._ask("recall", {**_cue(cue, policy, options), **settling}), tenant=self.name)

    def explain(
        self,
        cue: str | Cue | ExplainRequest,
        *,
        memory: str | None = None,
        policy: str | Policy | None = None,
        **options: Unpack[RecallOptions],
    ) -> "Explanation":
        """What `Tenant.explain` gives: the evidence comes along, and is decided here to the same recall."""
        beside = {} if isinstance(cue, ExplainRequest) else {"memory": memory}
        body = {**_cue(cue, policy, options), **beside, "envelope": True}
        explained = nouns.explanation(self._ask("explain", body))
        if not body.get("without"):
            return explained
        whole = nouns.explanation(self._ask("explain", {**body, "without": (), "memory": None}))
        return replace(explained, whole=whole.recall)

    def gather(self, cue: str | Cue, *, policy: str | Policy | None = None, **options: Unpack[RecallOptions]) -> Evidence:
        """What `Tenant.gather` gives."""
        return self.explain(cue, policy=policy, **options).evidence

    def bootstrap(self, *, scope: str = GLOBAL, budget_tokens: int = BUDGET_TOKENS) -> Pack:
        """What `Tenant.bootstrap` gives."""
        return nouns.pack(self._ask("bootstrap", {"scope": scope, "budget_tokens": budget_tokens}), tenant=self.name)

    def feedback(self, recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.feedback` gives."""
        named = {name: (ids,) if isinstance(ids, str) else listed(name, ids) for name, ids in (("cited", cited), ("bad", bad))}
        return tuple(each["id"] for each in self._ask("feedback", {"recall_id": recall_id, **named})["changed"])

    def why(self, memory_id: str, *, depth: int = 3) -> "Why":
        """What `Tenant.why` gives."""
        return nouns.why(self._ask("why", {"id": known_as("id", memory_id), "depth": depth}), tenant=self.name)

    def timeline(  # noqa: PLR0913 - as the handle has it
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
        centre = {"at" if isinstance(around, datetime) else "id": around}
        body = {**centre, "before": before, "after": after, "scope": scope, "session": session, "hidden": hidden}
        return nouns.timeline(self._ask("timeline", body), tenant=self.name)

    def log(self, request: LogRequest | None = None, **wanted: Unpack[LogOptions]) -> tuple[RecallEntry, ...]:
        """What `Tenant.log` gives."""
        return nouns.entries(self._ask("log", told(read_log(wanted, request))))

    def plan_consolidation(self, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Plan":
        """What `Tenant.plan_consolidation` gives; how far it is, a server does not tell."""
        del progress
        return nouns.plan(self._ask("consolidate", {"at_least": at_least}))

    def consolidate(self, plan: "Plan | None" = None, *, at_least: float = AT_LEAST, progress: Progress = silent) -> "Applied":
        """What `Tenant.consolidate` gives; a server plans anew, so that no plan can be handed in."""
        del progress
        if plan is not None:
            raise InputError("plan", "a plan", "nothing through a server, which plans and does it at once; at_least says how near")
        return nouns.applied(self._ask("consolidate", {"at_least": at_least, "apply": True}))

    def merges(self) -> "tuple[Merged, ...]":
        """What `Tenant.merges` gives."""
        from cued.upkeep.consolidation import Merged  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("merges")["merges"], tuple[Merged, ...])

    def unmerge(self, *newer_ids: str, only: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.unmerge` gives."""
        return tuple(self._ask("unmerge", {"ids": tuple(only) or newer_ids})["restored"])

    def expired(self, *, grace: Span = 0) -> tuple[Memory, ...]:
        """What `Tenant.expired` gives, in brief."""
        return nouns.memories(self._ask("sweep", {"grace": _seconds(grace)})["expired"], tenant=self.name)

    def sweep(self, *, grace: Span = 0, progress: Progress = silent) -> tuple[str, ...]:
        """What `Tenant.sweep` gives."""
        del progress
        return tuple(self._ask("sweep", {"grace": _seconds(grace), "apply": True})["erased"])

    def cool(self, *, older_than: Span = OLDER_THAN, importance_below: float = IMPORTANCE_BELOW) -> "tuple[Cool, ...]":
        """What `Tenant.cool` gives."""
        body = {"older_than": _seconds(older_than), "importance_below": importance_below}
        return nouns.cool(self._ask("cool", body), tenant=self.name)

    def reembed(self, *, progress: Progress = silent) -> "Reembedded":
        """What `Tenant.reembed` gives."""
        from cued.upkeep.reembedding import Reembedded  # noqa: PLC0415 - as the handle has it

        del progress
        return nouns.noun(self._ask("reembed"), Reembedded)

    def export(self, *, vectors: bool = False, progress: Progress = silent) -> Iterator[bytes]:
        """What `Tenant.export` gives; the lines come as the server sends them."""
        del progress
        return self._connections.lines(call_of("export", {"vectors": vectors}, tenant=self.name))

    def import_file(  # noqa: PLR0913 - as the handle has it
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the word for it
        scope: str | None = None,
        user: str | None = None,
        as_exported: bool = False,
        progress: Progress = silent,
    ) -> "Imported":
        """An InputError: a server reads no files for others. `remember_many` stores what you have read, `cued import` works where it is."""
        del format, scope, user, as_exported, progress
        raise left_out("import", path)

    def insight(self, *, since: When = None, until: When = None, every: str | None = None, by: Grouping = "none") -> "Insight":
        """What `Tenant.insight` gives."""
        from cued.insight.overview import Insight  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("insight", {"since": since, "until": until, "every": every, "by": by}), Insight)

    def doctor(self) -> "Diagnosis":
        """What `Tenant.doctor` gives."""
        from cued.insight.doctor import Diagnosis  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("doctor"), Diagnosis)

    def replay(
        self, policy: str | Policy | None = None, *, last: int = LAST, recall_id: str | None = None, progress: Progress = silent
    ) -> "Replayed":
        """What `Tenant.replay` gives; a policy is a preset's name."""
        from cued.insight.replay import Replayed  # noqa: PLC0415 - as the handle has it

        del progress
        return nouns.noun(self._ask("replay", {"policy": _named(policy), "last": last, "recall_id": recall_id}), Replayed)

    def compare(self) -> "Compared":
        """What `Tenant.compare` gives."""
        from cued.insight.comparing import Compared  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("compare"), Compared)

    def tune(
        self,
        pairs: Sequence[Labelled | Mapping[str, Any]] = (),
        *,
        source: Labels = "judged",
        target: float = TARGET_RATE,
        apply: bool = False,
        progress: Progress = silent,
    ) -> "Tuned":
        """What `Tenant.tune` gives."""
        del progress
        return nouns.tuned(self._ask("tune", {"pairs": list(pairs), "source": source, "target": target, "apply": apply}))

    def policy_history(self) -> "History":
        """What `Tenant.policy_history` gives."""
        from cued.insight.learnt import History  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("policy_history"), History)

    def policy_rollback(self, *, to: int | None = None) -> "History":
        """What `Tenant.policy_rollback` gives."""
        from cued.insight.learnt import History  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("policy_rollback", {"to": to}), History)

    def unlabelled(self, *, limit: int = 20) -> "tuple[Unjudged, ...]":
        """What `Tenant.unlabelled` gives."""
        from cued.insight.pairs import Unjudged  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("unlabelled", {"limit": limit})["recalls"], tuple[Unjudged, ...])

    def label(self, recall_id: str, verdict: Judgement) -> "Label":
        """What `Tenant.label` gives."""
        from cued.insight.pairs import Label  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("label", {"recall_id": recall_id, "verdict": verdict}), Label)

    def _knows(self, memory_id: str) -> bool:
        try:
            self.get(memory_id)
        except NotFoundError:
            return False
        return True

    def _ask(self, verb: str, body: JSON | None = None) -> JSON:
        return self._connections.ask(call_of(verb, body or {}, tenant=self.name))


def _cue(cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any]) -> JSON:
    """The fields of a recall's request; what cannot be said over HTTP is refused."""
    for name in ("now", "boost", "vector", "fingerprint"):
        if options.get(name) is not None:
            raise InputError(name, options[name], "nothing through a server, whose clock, embedder and code decide")
    named = _named(policy)
    return {**told(request_for(cue, options)), **({} if named is None else {"policy": named})}


def _named(policy: str | Policy | None) -> str | None:
    if not isinstance(policy, str | None):
        raise InputError("policy", policy.name, "the name of a preset: a server decides under those that it has")
    return policy


def _seconds(span: Span) -> str | float:
    return span.total_seconds() if isinstance(span, timedelta) else span
