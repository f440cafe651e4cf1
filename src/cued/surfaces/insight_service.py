"""The functions of the verbs on many recalls: a tenant and its request in, plain JSON out; `insight_verbs` has their table."""

from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.model.plain import JSON, plain
from cued.policy.parse import parse
from cued.policy.presets import preset
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.insights import (
    InsightRequest,
    LabelRequest,
    PolicyRequest,
    ReplayRequest,
    RollbackRequest,
    TuneRequest,
    UnlabelledRequest,
)
from cued.requests.upkeep import NoFields


def insight(tenant: Tenant, request: InsightRequest) -> JSON:
    """What the recall log says as a whole."""
    return tenant.insight(since=request.since, until=request.until, every=request.every, by=request.by).to_dict()


def insight_of_all(memories: Memories, request: InsightRequest) -> JSON:
    """What the recall logs of all tenants say together, each tenant a group."""
    return memories.insight(since=request.since, until=request.until, every=request.every).to_dict()


def doctor(tenant: Tenant, _request: NoFields) -> JSON:
    """The diagnosis, line by line."""
    return tenant.doctor().to_dict()


def replay(tenant: Tenant, request: ReplayRequest, *, policy: Policy | None = None, progress: Progress = silent) -> JSON:
    """What a policy would have made of kept recalls; `policy` is one that is not a preset, from callers that may read files."""
    chosen = policy or (None if request.policy is None else preset(request.policy))
    return tenant.replay(chosen, last=request.last, recall_id=request.recall_id, progress=progress).to_dict()


def compare(tenant: Tenant, _request: NoFields) -> JSON:
    """The policies that were shown and those on trial, side by side."""
    return tenant.compare().to_dict()


def tune(tenant: Tenant, request: TuneRequest, *, progress: Progress = silent) -> JSON:
    """What tuning came to, and the version under which it was saved, null where it was not."""
    return tenant.tune(request.pairs, source=request.source, target=request.target, apply=request.apply, progress=progress).to_dict()


def tune_for_all(memories: Memories, request: TuneRequest, *, progress: Progress = silent) -> JSON:
    """What tuning on the judged recalls of all tenants came to."""
    return memories.tune(apply=request.apply, progress=progress).to_dict()


def policy_save(tenant: Tenant, request: PolicyRequest) -> JSON:
    """The history with a policy as its newest version, which decides from now on."""
    return tenant.policy_save(parse(request.toml), note=request.note).to_dict()


def policy_history(tenant: Tenant, _request: NoFields) -> JSON:
    """Every policy that was learnt or saved, with its report, and which of them is applied."""
    return tenant.policy_history().to_dict()


def policy_rollback(tenant: Tenant, request: RollbackRequest) -> JSON:
    """The history after an earlier policy was applied again."""
    return tenant.policy_rollback(to=request.to).to_dict()


def unlabelled(tenant: Tenant, request: UnlabelledRequest) -> JSON:
    """Kept recalls that nobody has judged."""
    return {"recalls": [each.to_dict() for each in tenant.unlabelled(limit=request.limit)]}


def label(tenant: Tenant, request: LabelRequest) -> JSON:
    """What was said of a recall."""
    return plain(tenant.label(request.recall_id, request.verdict))
