"""Every verb once: a tenant and plain JSON in, plain JSON out. The command line, HTTP and MCP only carry it.

Above: the surfaces, which know how a request arrives. Below: the tenant's handle, which knows nothing of JSON.
The tenant is the handle's, never a field of a request.
"""

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from cued.draft import Change
from cued.engine import decide
from cued.errors import InputError, PolicyError
from cued.explain import Explanation, verdict_on
from cued.model import Evidence, Filter
from cued.policy import parse, presets
from cued.policy.spec import Policy
from cued.surfaces.contract import JSON, explanation_json, memory_json, page_json, recall_json, stats_json
from cued.surfaces.request import Ask, Deciding, known, read, read_ask
from cued.tenant import Remembered, Tenant

Keep = Callable[[Evidence], None]


def remember(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Store one memory, whose fields are those of Draft, and give `{id, ids, degraded}`."""
    return remembered_json(tenant.remember(dict(body)))


def remembered_json(remembered: Remembered) -> JSON:
    """Give the new ids; `id` is null unless there is exactly one."""
    ids = list(remembered.ids)
    return {"id": ids[0] if len(ids) == 1 else None, "ids": ids, "degraded": list(remembered.degraded)}


def recall(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give what the cue brings to mind; the fields of the request are those of Ask."""
    ask = read_ask(body)
    return recall_json(tenant.recall(ask.text, policy=ask.preset(), settle=ask.settle, **ask.wishes()))


def explain(tenant: Tenant, body: Mapping[str, Any], *, keep: Keep = lambda _: None) -> JSON:
    """Give a recall with every candidate's ranks, signals, contributions and fate, and the verdict on `memory` where one is named.

    With channels left out, `ablation` puts the recall beside the one with all of them. `keep` is handed the evidence.
    """
    ask = read_ask(body)
    explanation = tenant.explain(ask.text, memory=ask.memory, policy=ask.preset(), **ask.wishes())
    keep(explanation.evidence)
    return {**explanation_json(explanation), "ablation": _ablation(tenant, ask, explanation) if ask.without else None}


def explain_saved(evidence: Evidence, body: Mapping[str, Any], *, policy: Policy | None = None) -> JSON:
    """Decide saved evidence again, under any policy and wishes, without a store; the fields of the request are those of Deciding."""
    asked = read(body, Deciding)
    applied = asked.bent(policy or presets.load())
    recalled = decide(evidence, applied)
    if asked.memory is not None and asked.memory not in recalled.trace.ids:
        raise InputError("memory", asked.memory, f"one of the {len(recalled.trace.ids)} candidates that the saved recall had")
    verdict = None if asked.memory is None else verdict_on(recalled, asked.memory, applied)
    return {**explanation_json(Explanation(recall=recalled, evidence=evidence, verdict=verdict)), "ablation": None}


def list_memories(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give one page, newest first: `{memories, next, total}`; filters as `Tenant.list` takes them, with limit and after."""
    return page_json(tenant.list(**known(body, (*Filter.__struct_fields__, "limit", "after"))))


def get(tenant: Tenant, memory_id: str) -> JSON:
    """Give one memory."""
    return memory_json(tenant.get(memory_id))


def update(tenant: Tenant, memory_id: str, body: Mapping[str, Any]) -> JSON:
    """Change fields of a memory and give it back; null takes a time away."""
    return memory_json(tenant.update(memory_id, **known(body, Change.__struct_fields__)))


def forget(tenant: Tenant, memory_ids: list[str], *, erase: bool = False) -> JSON:
    """Hide memories, or erase them for good: all of them, or none when one is unknown."""
    tenant.forget(*memory_ids, erase=erase)
    return {"forgotten": memory_ids, "erased": erase}


def restore(tenant: Tenant, memory_ids: list[str]) -> JSON:
    """Undo `forget`, unless it erased."""
    tenant.restore(*memory_ids)
    return {"restored": memory_ids}


def stats(tenant: Tenant) -> JSON:
    """Count what is stored."""
    return stats_json(tenant.stats())


def policy_list() -> JSON:
    """Give every preset with what it is about, the default first."""
    found = (presets.preset(name) for name in presets.names())
    return {"policies": [{"name": p.name, "about": p.about, "source": p.source, "default": p.name == presets.DEFAULT} for p in found]}


def policy_show(policy: Policy, *, text: str) -> JSON:
    """Give a policy as it is written, and as data with its defaults left out."""
    return {"name": policy.name, "about": policy.about, "source": policy.source, "toml": text, "policy": tomllib.loads(parse.dump(policy))}


def policy_diff(left: Policy, right: Policy) -> JSON:
    """Give the paths at which two policies differ, with both values as TOML."""
    differences = [{"path": path, "left": a, "right": b} for path, a, b in parse.diff(left, right)]
    return {"left": left.name, "right": right.name, "differences": differences}


def policy_check(text: str, *, name: str) -> JSON:
    """Tell whether this TOML is a policy: `{ok, name, problems}`, with every problem at its path."""
    try:
        return {"ok": True, "name": parse.parse(text, name=name).name, "problems": []}
    except PolicyError as error:
        return {"ok": False, "name": name, "problems": list(error.problems)}


def _ablation(tenant: Tenant, ask: Ask, bent: Explanation) -> JSON:
    """Give the ranks of the same recall with every channel open and with some shut, side by side."""
    whole = {name: value for name, value in ask.wishes().items() if name != "without"}
    full = tenant.explain(ask.text, policy=ask.preset(), **whole)
    ranks = [{each.memory.id: each.rank for each in explanation.recall.memories} for explanation in (full, bent)]
    texts = {each.memory.id: each.memory.text for explanation in (full, bent) for each in explanation.recall.memories}
    rows = [{"id": key, "text": text, "rank_with": ranks[0].get(key), "rank_without": ranks[1].get(key)} for key, text in texts.items()]
    return {"without": list(ask.without), "memories": rows}
