"""The verbs on many recalls of a server, as `handles.measuring` has them here."""

from cued.handles.tenant import Tenant
from cued.model.plain import JSON
from cued.policy.parse import dump
from cued.policy.presets import load_policy
from cued.surfaces.remote.nouns import public, tuned
from cued.surfaces.remote.remote_bound import RemoteBound, preset_named, remote_verb


def _by_name(body: JSON) -> JSON:
    """The fields with a policy by the name of a preset."""
    return {**body, "policy": preset_named(body["policy"])}


def _in_toml(body: JSON) -> JSON:
    """The fields with a policy as TOML."""
    return {"toml": dump(load_policy(body["policy"])), "note": body["note"]}


class RemoteMeasuring(RemoteBound):
    """The verbs that measure, replay and learn."""

    insight = remote_verb(Tenant.insight, public("Insight"))
    doctor = remote_verb(Tenant.doctor, public("Diagnosis"))
    replay = remote_verb(Tenant.replay, public("Replayed"), said=_by_name)
    compare = remote_verb(Tenant.compare, public("Compared"))
    tune = remote_verb(Tenant.tune, tuned)
    policy_save = remote_verb(Tenant.policy_save, public("History"), said=_in_toml)
    policy_history = remote_verb(Tenant.policy_history, public("History"))
    policy_rollback = remote_verb(Tenant.policy_rollback, public("History"))
    unlabelled = remote_verb(Tenant.unlabelled, public("Unjudged", among="recalls"))
    label = remote_verb(Tenant.label, public("Label"))
