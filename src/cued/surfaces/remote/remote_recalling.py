"""Recall from a server, and its explanation, as `handles.recalling` has them here."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from cued.errors import InputError
from cued.handles.tenant import Tenant
from cued.model import Cue, Evidence, Recall, RecallEntry
from cued.model.plain import JSON
from cued.policy.spec import Policy
from cued.requests.checks import asked_ids
from cued.requests.cue import CueRequest, ExplainRequest, RecallRequest, request_for
from cued.requests.keywords import LogOptions, MapOptions, RecallOptions
from cued.requests.listing import LogRequest, MapRequest, whole_request
from cued.surfaces.remote import nouns
from cued.surfaces.remote.calls import stated_fields
from cued.surfaces.remote.remote_bound import RemoteBound, preset_named, remote_verb

if TYPE_CHECKING:
    from cued.engine.envelope import Envelope
    from cued.explain import Explanation, MeaningMap


class RemoteRecalling(RemoteBound):
    """The verbs that bring to mind and explain."""

    bootstrap = remote_verb(Tenant.bootstrap, nouns.pack)
    why = remote_verb(Tenant.why, nouns.why)
    timeline = remote_verb(Tenant.timeline, nouns.timeline, said=lambda body: _centred(**body))

    def recall(
        self, cue: str | Cue | RecallRequest, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What `Tenant.recall` gives; a policy is a preset's name, and `trace` has only what the answer has."""
        settling = {} if isinstance(cue, RecallRequest) else {"settle": settle}
        return nouns.recall(self._ask("recall", {**_cue(cue, policy, options), **settling}), self.name)

    def explain(
        self,
        cue: str | Cue | ExplainRequest,
        *,
        memory: str | None = None,
        policy: str | Policy | None = None,
        **options: Unpack[RecallOptions],
    ) -> "Explanation":
        """What `Tenant.explain` gives: the server sends the evidence, from which the same recall is decided here."""
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

    def feedback(self, recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = ()) -> tuple[str, ...]:
        """What `Tenant.feedback` gives."""
        named = {name: (ids,) if isinstance(ids, str) else asked_ids(name, ids) for name, ids in (("cited", cited), ("bad", bad))}
        return tuple(each["id"] for each in self._ask("feedback", {"recall_id": recall_id, **named})["changed"])

    def log(self, request: LogRequest | None = None, **wanted: Unpack[LogOptions]) -> tuple[RecallEntry, ...]:
        """What `Tenant.log` gives."""
        return nouns.entries(self._ask("log", stated_fields(whole_request(LogRequest, request, wanted))))

    def keep(self, recall: Recall, saved: "Envelope") -> RecallEntry:
        """An InputError: a server keeps only recalls that it has decided itself, as its inspector does."""
        accepted = "a recall of a store that is open here; on a server, the inspector's permalink keeps it"
        raise InputError("keep", saved.evidence.recall_id or recall.recall_id, accepted)

    def map(self, request: MapRequest | None = None, **wanted: Unpack[MapOptions]) -> "MeaningMap":
        """What `Tenant.map` gives, each memory in brief."""
        return nouns.meaning_map(self._ask("map", stated_fields(whole_request(MapRequest, request, wanted))), self.name)


def _centred(around: str | datetime, **sides: Any) -> JSON:  # noqa: ANN401 - the rest of the request
    """The fields of a timeline's request, which is around a memory or a time."""
    return {"at" if isinstance(around, datetime) else "id": around, **sides}


def _cue(cue: str | Cue | CueRequest, policy: str | Policy | None, options: Mapping[str, Any]) -> JSON:
    """The fields of a recall's request; what cannot be said over HTTP is refused."""
    for name in ("now", "boost", "vector", "fingerprint"):
        if options.get(name) is not None:
            raise InputError(name, options[name], "nothing through a server, whose clock, embedder and code decide")
    named = preset_named(policy)
    return {**stated_fields(request_for(cue, options)), **({} if named is None else {"policy": named})}
