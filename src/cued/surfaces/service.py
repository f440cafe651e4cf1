"""Every verb once: a tenant and plain JSON in, plain JSON out. The command line, HTTP and MCP only carry it.

Above: the surfaces, which know how a request arrives. Below: the tenant's handle, which knows nothing of JSON.
The tenant is the handle's, never a field of a request.
"""

import shlex
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cued.engine.envelope import Envelope
from cued.errors import InputError, PolicyError
from cued.explain import Explanation, verdict_on
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.model import Filter
from cued.policy import parse, presets
from cued.policy.spec import Policy
from cued.requests.draft import Change
from cued.surfaces.contract import (
    JSON,
    brief_json,
    explanation_json,
    memory_json,
    pack_json,
    page_json,
    plain,
    recall_json,
    remembered_json,
    stats_json,
    timeline_json,
    why_json,
)
from cued.surfaces.request import Around, Ask, Cooling, Deciding, Judged, Merging, Opening, Sweeping, known, read, read_ask

Keep = Callable[[Envelope], None]
Progress = Callable[[int, int], None]


def _silent(_done: int, _total: int) -> None:
    """Tell nobody."""


def remember(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Store one memory, whose fields are those of Draft, and give `{id, ids, conflicts, degraded}`.

    With `conflicts` false in the request none are looked for.
    """
    facts = dict(body)
    checked = facts.pop("conflicts", True)
    if not isinstance(checked, bool):
        raise InputError("conflicts", checked, "true or false")
    return remembered_json(tenant.remember(facts, conflicts=checked))


def recall(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give what the cue brings to mind; the fields of the request are those of Ask."""
    ask = read_ask(body)
    return recall_json(tenant.recall(ask.text, policy=ask.preset(), settle=ask.settle, **ask.wishes()))


def explain(tenant: Tenant, body: Mapping[str, Any], *, keep: Keep = lambda _: None) -> JSON:
    """Give a recall with every candidate's ranks, signals, contributions and fate, and the verdict on `memory` where one is named.

    With channels left out, `ablation` puts the recall beside the one with all of them. `keep` is handed the recall in an envelope.
    """
    ask = read_ask(body)
    explanation = tenant.explain(ask.text, memory=ask.memory, policy=ask.preset(), **ask.wishes())
    keep(Envelope.of(explanation.evidence, explanation.policy))
    return {**explanation_json(explanation), "ablation": _ablation(ask, explanation)}


def explain_saved(saved: Envelope, body: Mapping[str, Any], *, policy: Policy | None = None) -> JSON:
    """Decide a saved recall again without a store: as it was decided then, or under another policy and other wishes.

    The fields of the request are those of Deciding.
    """
    asked = read(body, Deciding)
    applied = asked.bent(policy or saved.policy or presets.load())
    recalled = saved.decide(applied)
    if asked.memory is not None and asked.memory not in recalled.trace.ids:
        raise InputError("memory", asked.memory, f"one of the {len(recalled.trace.ids)} candidates that the saved recall had")
    verdict = None if asked.memory is None else verdict_on(recalled, asked.memory, applied)
    explanation = Explanation(recall=recalled, evidence=saved.evidence, policy=applied, verdict=verdict)
    return {**explanation_json(explanation), "ablation": None}


def bootstrap(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give what a conversation should start with; the fields of the request are those of Opening."""
    opening = read(body, Opening)
    return pack_json(tenant.bootstrap(scope=opening.scope, budget_tokens=opening.budget_tokens))


def feedback(tenant: Tenant, recall_id: str, body: Mapping[str, Any]) -> JSON:
    """Tell what a recall was good for, and give whose importance has changed, with the factor on it from now on."""
    judged = read(body, Judged)
    if not judged.cited and not judged.bad:
        raise InputError("cited", [], "at least one id in `cited` or `bad`")
    changed = map(tenant.get, tenant.feedback(recall_id, cited=judged.cited, bad=judged.bad))
    told = [{"id": memory.id, "importance": memory.importance, "boost": memory.use.boost} for memory in changed]
    return {"recall_id": recall_id, "changed": told}


def why(tenant: Tenant, memory_id: str, *, depth: int = 3) -> JSON:
    """Give the trees of what a memory comes from and of what came of it."""
    return why_json(tenant.why(memory_id, depth=depth))


def timeline(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give what was stored right before and after a memory or a time; the fields of the request are those of Around."""
    ask = read(body, Around)
    sides = {"before": ask.before, "after": ask.after}
    return timeline_json(tenant.timeline(ask.centre(), scope=ask.scope, session=ask.session, hidden=ask.hidden, **sides))


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


def erase_everything(tenant: Tenant) -> JSON:
    """Erase all that is kept for the tenant, for good."""
    return {"erased": True, "everything": True, "memories": tenant.erase_everything()}


def stats(tenant: Tenant) -> JSON:
    """Count what is stored."""
    return stats_json(tenant.stats())


def consolidate(tenant: Tenant, body: Mapping[str, Any], *, progress: Progress = _silent) -> JSON:
    """Give which near-duplicates would give way, or with `apply` let them; the fields of the request are those of Merging."""
    ask = read(body, Merging)
    plan = tenant.plan_consolidation(at_least=ask.at_least, progress=progress)
    done = tenant.consolidate(plan, progress=progress) if ask.apply else None
    return {
        "applied": ask.apply,
        "at_least": plan.at_least,
        "scanned": plan.scanned,
        "compared": plan.compared,
        "merges": [_pair(merge) for merge in (plan.merges if done is None else done.merged)],
        "spared": [{**_pair(each), "reason": each.reason} for each in plan.spared],
        "skipped": [] if done is None else [{**_pair(each.merge), "reason": each.reason} for each in done.skipped],
    }


def merges(tenant: Tenant) -> JSON:
    """Give every merge that stands."""
    return {"merges": [plain(merge) for merge in tenant.merges()]}


def unmerge(tenant: Tenant, memory_ids: list[str]) -> JSON:
    """Undo merges: all into a memory that stayed, or that of one that gave way; they are never merged again."""
    standing = tenant.merges()
    stayed = {merge.newer for merge in standing}
    taken_by = {merge.older: merge.newer for merge in standing}
    for each in memory_ids:
        if each not in stayed and each not in taken_by:
            raise InputError("id", each, "a memory of a merge that stands, as `consolidate --list` shows them")
    whole = [each for each in dict.fromkeys(memory_ids) if each in stayed]
    parts = [each for each in dict.fromkeys(memory_ids) if each not in stayed and taken_by[each] not in whole]
    back = list(tenant.unmerge(*whole)) if whole else []
    if parts:
        back += tenant.unmerge(*dict.fromkeys(taken_by[each] for each in parts), only=parts)
    return {"restored": back}


def sweep(tenant: Tenant, body: Mapping[str, Any], *, progress: Progress = _silent) -> JSON:
    """Give what has expired, or with `apply` erase it for good; the fields of the request are those of Sweeping."""
    ask = read(body, Sweeping)
    if ask.apply:
        return {"applied": True, "expired": [], "erased": list(tenant.sweep(grace=ask.grace, progress=progress))}
    due = [{**brief_json(memory), **plain({"expires_at": memory.expires_at})} for memory in tenant.expired(grace=ask.grace)]
    return {"applied": False, "expired": due, "erased": []}


def cool(tenant: Tenant, body: Mapping[str, Any]) -> JSON:
    """Give the memories that could be let go, coolest first, and the command that hides them; nothing is changed."""
    ask = read(body, Cooling)
    found = tenant.cool(older_than=ask.older_than, importance_below=ask.importance_below)
    told = [{**brief_json(each.memory), "reason": each.reason, "coolness": each.coolness} for each in found]
    return {"memories": told, "cli": shlex.join(["cued", "forget", *(row["id"] for row in told)]) if told else ""}


def reembed(tenant: Tenant, *, progress: Progress = _silent) -> JSON:
    """Give every memory a vector of the embedder in use, and say how many got one."""
    return plain(tenant.reembed(progress=progress))


def export(tenant: Tenant, write: Callable[[bytes], object], *, vectors: bool = False, progress: Progress = _silent) -> JSON:
    """Hand the lines of an export to `write`, and give how much that was."""
    size, line = 0, b"{}"
    for line in tenant.export(vectors=vectors, progress=progress):
        write(line)
        size += len(line)
    end = msgspec.json.decode(line)
    return {"memories": end["memories"], "recalls": end["recalls"], "bytes": size}


def import_file(tenant: Tenant, path: Path, body: Mapping[str, Any], *, progress: Progress = _silent) -> JSON:
    """Store what a file or folder holds, and give what was new, what was known, and what was left out and why."""
    return plain(tenant.import_file(path, **known(body, ("format", "scope")), progress=progress))


def backup(memories: Memories, path: Path, *, overwrite: bool = False, progress: Progress = _silent) -> JSON:
    """Copy the whole store, all its tenants, into one file."""
    return plain(memories.backup(path, overwrite=overwrite, progress=progress))


def restore_backup(path: Path, target: Path, *, overwrite: bool = False, progress: Progress = _silent) -> JSON:
    """Make a store from a backup."""
    from cued.upkeep.backup import restore as restore_file  # noqa: PLC0415 - needs SQLite, and only this verb does

    return plain(restore_file(path, target, overwrite=overwrite, progress=progress))


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


def _pair(merge: Struct) -> JSON:
    told = plain(merge)
    return {name: told[name] for name in ("newer", "older", "similarity", "text_newer", "text_older")}


def _ablation(ask: Ask, explanation: Explanation) -> JSON | None:
    """The ranks of the same recall with every channel open and with some shut, side by side; None where none was shut."""
    if explanation.whole is None:
        return None
    sides = (explanation.whole, explanation.recall)
    ranks = [{each.memory.id: each.rank for each in recall.memories} for recall in sides]
    texts = {each.memory.id: each.memory.text for recall in sides for each in recall.memories}
    rows = [{"id": key, "text": text, "rank_with": ranks[0].get(key), "rank_without": ranks[1].get(key)} for key, text in texts.items()]
    return {"without": list(ask.without), "memories": rows}
