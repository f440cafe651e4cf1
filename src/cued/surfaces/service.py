"""The functions of the verbs: a tenant and its request in, plain JSON out. `verbs` lists them; every surface calls them from there.

Above: the surfaces, which know how a request arrives. Below: the tenant's handle, which knows nothing of JSON.
The tenant is the handle's, never a field of a request.
"""

import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from cued.errors import InputError, PolicyError
from cued.handles.tenant import Tenant
from cued.model.plain import JSON, plain
from cued.policy import parse, presets
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.cue import DecideRequest, ExplainRequest, RecallRequest, adjusted
from cued.requests.draft import RememberRequest, UpdateRequest
from cued.requests.listing import ListRequest, LogRequest, MapRequest, TimelineRequest
from cued.requests.turns import TurnsRequest
from cued.requests.upkeep import (
    BootstrapRequest,
    ConflictsRequest,
    FeedbackRequest,
    ForgetRequest,
    IdRequest,
    IdsRequest,
    KeepBothRequest,
    ManyRequest,
    NoFields,
    PromoteRequest,
    WhyRequest,
)
from cued.surfaces.contract import (
    entry_json,
    explanation_json,
    map_json,
    open_conflicts_json,
    pack_json,
    page_json,
    timeline_json,
    why_json,
)

if TYPE_CHECKING:
    from cued.engine.envelope import Envelope
    from cued.explain import Explanation

# What explains or looks back is loaded when it is asked for: a recall in a shell does not wait for it.
# ruff: noqa: PLC0415

Keep = Callable[["Envelope"], None]


def remember(tenant: Tenant, request: RememberRequest) -> JSON:
    """`{id, ids, conflicts, superseded, degraded}` of one memory that is stored."""
    return tenant.remember(request).to_dict()


def remember_many(tenant: Tenant, request: ManyRequest, *, progress: Progress = silent) -> JSON:
    """What `remember` answers, for many at once."""
    return tenant.remember_many(request.memories, progress=progress).to_dict()


def remember_turns(tenant: Tenant, request: TurnsRequest) -> JSON:
    """What `remember` answers, for the turns of a conversation."""
    told = {name: getattr(request, name) for name in ("session", "scope", "at", "first")}
    return tenant.remember_turns(request.turns, **told).to_dict()


def recall(tenant: Tenant, request: RecallRequest) -> JSON:
    """What the cue brings to mind."""
    return tenant.recall(request).to_dict()


def explain(tenant: Tenant, request: ExplainRequest, *, keep: Keep = lambda _: None) -> JSON:
    """A recall with every candidate's ranks, signals, contributions and fate, and the verdict on `memory` where one is named.

    With channels left out, `ablation` puts the recall beside the one with all of them. `keep` is handed the recall in an envelope, and
    the answer has it as `envelope` where that is asked for.
    """
    from cued.engine.envelope import Envelope

    explanation = tenant.explain(request)
    kept = Envelope.of(explanation.evidence, explanation.policy)
    keep(kept)
    sent = msgspec.json.decode(kept.encode()) if request.envelope else None
    return {**explanation_json(explanation), "ablation": _ablation(request, explanation), "envelope": sent}


def explain_saved(saved: "Envelope", request: DecideRequest, *, policy: Policy | None = None) -> JSON:
    """What `explain` answers for a saved recall, without a store: as decided then, under another policy, or with channels left out."""
    from cued.engine import decide
    from cued.engine.narrowing import narrowed
    from cued.explain import Explanation, verdict_on
    from cued.explain.single_changes import single_changes

    chosen = policy or saved.policy
    applied = adjusted(request, chosen)
    evidence = narrowed(saved.evidence, applied)
    recalled = decide(evidence, applied)
    if request.memory is not None and request.memory not in recalled.trace.ids:
        raise InputError("memory", request.memory, f"one of the {len(recalled.trace.ids)} candidates that the saved recall had")
    verdict = None if request.memory is None else verdict_on(recalled, request.memory, applied)
    if verdict is not None:
        verdict = replace(verdict, single=single_changes(evidence, applied, verdict.id))
    whole = saved.decide(replace(applied, channels=chosen.channels)) if request.without else None
    explanation = Explanation(recall=recalled, evidence=evidence, policy=applied, verdict=verdict, whole=whole)
    return {**explanation_json(explanation), "ablation": _ablation(request, explanation), "envelope": None}


def bootstrap(tenant: Tenant, request: BootstrapRequest) -> JSON:
    """What a conversation should start with."""
    return pack_json(tenant.bootstrap(scope=request.scope, budget_tokens=request.budget_tokens))


def feedback(tenant: Tenant, request: FeedbackRequest) -> JSON:
    """The memories whose importance this feedback has changed, each with the factor on it from now on."""
    if not request.cited and not request.bad:
        raise InputError("cited", [], "at least one id in `cited` or `bad`")
    changed = map(tenant.get, tenant.feedback(request.recall_id, cited=request.cited, bad=request.bad))
    told = [{"id": memory.id, "importance": memory.importance, "boost": memory.use.boost} for memory in changed]
    return {"recall_id": request.recall_id, "changed": told}


def log(tenant: Tenant, request: LogRequest) -> JSON:
    """Lines of the recall log, and how often memory spoke in them; no rates where only some outcomes are asked for."""
    from cued.insight.rates import rates

    entries = tenant.log(request)
    told = None if request.outcome or request.recall_id else plain(rates(entries))
    return {"recalls": [entry_json(entry) for entry in entries], "rates": told}


def why(tenant: Tenant, request: WhyRequest) -> JSON:
    """The trees of what a memory comes from and of what came of it."""
    return why_json(tenant.why(request.id, depth=request.depth))


def timeline(tenant: Tenant, request: TimelineRequest) -> JSON:
    """What was stored right before and after a memory or a time."""
    sides = {"before": request.before, "after": request.after}
    return timeline_json(tenant.timeline(request.centre(), scope=request.scope, session=request.session, hidden=request.hidden, **sides))


def lay_out(tenant: Tenant, request: MapRequest) -> JSON:
    """Memories that stand, laid out by meaning."""
    return map_json(tenant.map(request))


def keep_recall(tenant: Tenant, saved: "Envelope", policy: Policy) -> JSON:
    """The line of the log that keeps this recall with its evidence, as this policy decides it."""
    from cued.engine.envelope import Envelope

    return entry_json(replace(tenant.keep(saved.decide(policy), Envelope.of(saved.evidence, policy)), evidence=None))


def conflicts(tenant: Tenant, request: ConflictsRequest) -> JSON:
    """The open conflicts among a page of memories, each with its choices."""
    return open_conflicts_json(tenant.conflicts(scope=request.scope, limit=request.limit, after=request.after))


def keep_both(tenant: Tenant, request: KeepBothRequest) -> JSON:
    """A memory that is marked as distinct from another."""
    return tenant.keep_both(request.id, request.other).to_dict()


def list_memories(tenant: Tenant, request: ListRequest) -> JSON:
    """One page, newest first: `{memories, next, total}`."""
    return page_json(tenant.list(request))


def get(tenant: Tenant, request: IdRequest) -> JSON:
    """One memory."""
    return tenant.get(request.id).to_dict()


def update(tenant: Tenant, request: UpdateRequest) -> JSON:
    """A memory with some of its fields changed; null takes a time away."""
    return tenant.update(request.id, request, if_version=request.if_version).to_dict()


def forget(tenant: Tenant, request: ForgetRequest) -> JSON:
    """The memories that are hidden now, or erased for good: all of them, or none when one is unknown."""
    done = tenant.forget(*request.ids, erase=request.erase)
    told = {"gone": False, "pending": []} if done is None else {"gone": done.gone, "pending": list(done.pending)}
    return {"forgotten": list(request.ids), "erased": request.erase, **told}


def restore(tenant: Tenant, request: IdsRequest) -> JSON:
    """The memories that are back, unless they were erased."""
    tenant.restore(*request.ids)
    return {"restored": list(request.ids)}


def quarantine(tenant: Tenant, request: IdsRequest) -> JSON:
    """The memories that are kept from recalls now."""
    return {"quarantined": [memory.brief() for memory in tenant.quarantine(*request.ids)]}


def promote(tenant: Tenant, request: PromoteRequest) -> JSON:
    """The memories that a person has let out of quarantine, or vouched for."""
    return {"promoted": [memory.brief() for memory in tenant.promote(*request.ids, trust=request.trust)]}


def erase_everything(tenant: Tenant, _request: NoFields) -> JSON:
    """How many memories were erased, with all else that was kept for the tenant, and whether their bytes are gone."""
    return {"erased": True, "everything": True, **plain(tenant.erase_everything())}


def stats(tenant: Tenant, _request: NoFields) -> JSON:
    """What is stored, counted."""
    return plain(tenant.stats())


def policy_list() -> JSON:
    """Every preset with what it is about, the default first."""
    found = (presets.preset(name) for name in presets.names())
    return {"policies": [{"name": p.name, "about": p.about, "source": p.source, "default": p.name == presets.DEFAULT} for p in found]}


def policy_show(policy: Policy, *, text: str) -> JSON:
    """A policy as it is written, and as data with its defaults left out."""
    return {"name": policy.name, "about": policy.about, "source": policy.source, "toml": text, "policy": tomllib.loads(parse.dump(policy))}


def policy_diff(left: Policy, right: Policy) -> JSON:
    """The paths at which two policies differ, with both values as TOML."""
    differences = [{"path": path, "left": a, "right": b} for path, a, b in parse.diff(left, right)]
    return {"left": left.name, "right": right.name, "differences": differences}


def policy_check(text: str, *, name: str) -> JSON:
    """Whether this TOML is a policy: `{ok, name, problems}`, with every problem at its path."""
    try:
        return {"ok": True, "name": parse.parse(text, name=name).name, "problems": []}
    except PolicyError as error:
        return {"ok": False, "name": name, "problems": list(error.problems)}


def _ablation(request: ExplainRequest | DecideRequest, explanation: "Explanation") -> JSON | None:
    """The ranks of the recall with all channels and with some left out, side by side; None where none was left out."""
    if explanation.whole is None:
        return None
    sides = (explanation.whole, explanation.recall)
    ranks = [{each.id: each.rank for each in recall} for recall in sides]
    texts = {each.id: each.text for recall in sides for each in recall}
    rows = [{"id": key, "text": text, "rank_with": ranks[0].get(key), "rank_without": ranks[1].get(key)} for key, text in texts.items()]
    return {"without": list(request.without), "memories": rows}
