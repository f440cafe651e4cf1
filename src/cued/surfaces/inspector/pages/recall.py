"""Recall: a cue, what each stage made of it, why each candidate stands where it stands, and what another policy would make of it."""

from time import perf_counter

import msgspec

from cued.engine.envelope import Envelope
from cued.errors import InputError, NotFoundError
from cued.model import KINDS, Memory
from cued.model.plain import JSON
from cued.policy.presets import names
from cued.surfaces import service
from cued.surfaces.contract import explanation_json
from cued.surfaces.http.problems import RefusedError
from cued.surfaces.inspector.candidates import compared, rows, scale
from cued.surfaces.inspector.deciding import Deciding, as_toml, changes, deciding, weights
from cued.surfaces.inspector.doing import VerbCall, done
from cued.surfaces.inspector.held_recalls import HeldRecall
from cued.surfaces.inspector.panels import block_share, histogram, panels
from cued.surfaces.inspector.visiting import Visit
from cued.surfaces.verbs import VERBS

CUE = ("text", "goal", "step", "scope", "as_of")
STRUCK_SHOWN = 12
_VERSION = "version-"
FOUND = 5
AROUND = 3
_OUTCOMES = {
    "recalled": "Recalled",
    "nothing_stored": "Nothing is stored yet:",
    "all_gated": "Every memory is held back:",
    "nothing_matched": "Nothing matched:",
    "below_floor": "Silent, for nothing reaches the floor:",
    "omitted": "Nothing fits:",
}
_KEPT = {
    "off": "this server keeps the evidence of those recalls alone that somebody kept here",
    "last": "this server keeps the evidence of the last {0.last} recalls",
    "sampled": "this server keeps the evidence of {0.share:.0%} of the recalls",
}
WINDOWS = (8_000, 32_000, 128_000, 200_000, 1_000_000)


def page(visit: Visit) -> JSON:
    """The recall in the address, decided as the controls are set."""
    cue = {name: visit.said(name) for name in CUE} | {"kind": visit.said("kind")}
    looked = looked_at(visit)
    shared = {"cue": cue, "kinds": KINDS, "policies": _policies(visit), "windows": WINDOWS, "scopes": _scopes(visit)}
    if looked is None:
        return {**shared, "told": None, "recent": _recent(visit)}
    return {**shared, "cue": {**cue, **_cue_fields(looked.saved)}, "told": _explained(visit, looked), "recent": []}


def candidate(visit: Visit) -> JSON:
    """One candidate: what would have to change, what it comes from, and what was stored around it."""
    saved, memory_id = needed(visit), visit.said("memory")
    choice = choice_of(visit, saved)
    answer = service.explain_saved(saved, msgspec.structs.replace(choice.request, memory=memory_id), policy=choice.weighted)
    memory = next(each for each in saved.evidence.findings.memories if each.id == memory_id)
    return {
        "memory": memory.to_dict(),
        "verdict": answer["verdict"],
        "signals": _signals(answer["verdict"]),
        "why": visit.ask("why", {"id": memory_id, "depth": 2}),
        "around": visit.ask("timeline", {"id": memory_id, "before": AROUND, "after": AROUND}),
    }


def expected(visit: Visit) -> JSON:
    """What became of memories that somebody expected, found by words in them or by id."""
    saved, words = needed(visit), visit.said("words")
    choice = choice_of(visit, saved)
    answer = service.explain_saved(saved, choice.request, policy=choice.weighted)
    among = {each["id"] for each in answer["candidates"]}
    found = [(memory, memory["id"] in among) for memory in _meant(visit, words)]
    return {
        "words": words,
        "found": [
            {"memory": memory, "candidate": candidate, "verdict": _verdict(visit, saved, choice, memory["id"], candidate=candidate)}
            for memory, candidate in found
        ],
    }


def keep(visit: Visit) -> JSON:
    """The recall's id; its evidence is kept from now on for everybody who may read this tenant's memories."""
    visit.caller.require("write")
    saved = needed(visit)
    choice = choice_of(visit, saved)
    line = service.keep_recall(visit.tenant, saved, choice.applied)
    visit.held.drop(visit.caller.tenant, line["recall_id"])
    return {"recall": line["recall_id"]}


def save(visit: Visit) -> JSON:
    """The outcome of saving the controls' policy, which decides from now on, with the steps that undo it."""
    choice = choice_of(visit, needed(visit))
    name = visit.said("name") or "mine"
    body = {"toml": as_toml(choice.applied, name), "note": visit.said("note")}
    return done(visit, [VerbCall("policy_save", body)])


def choice_of(visit: Visit, saved: Envelope, *, named: str = "policy") -> Deciding:
    """The policy that the controls are set to, a preset or one that was saved for this tenant."""
    versions = visit.ask("policy_history") if visit.said(named).startswith(_VERSION) else {}
    told = {f"{_VERSION}{each['number']}": each["toml"] for each in versions.get("versions", ())}
    return deciding(visit.query, saved, visit.tenant.policy, named=named, versions=told)


def looked_at(visit: Visit) -> HeldRecall | None:
    """The recall in the address: held by this process, kept in the log, or made now; None where the address names none."""
    recall_id = visit.said("recall")
    if recall_id and (looked := _held_recall(visit, recall_id) or _kept_recall(visit, recall_id)) is not None:
        return looked
    cue = visit.chosen(*CUE)
    if not any(cue.get(name) for name in ("text", "goal", "step")):
        if recall_id:
            rules = visit.memories.parts.store.log_rules
            remedy = f"{_KEPT[rules.content].format(rules)}, and none that names a memory which was erased since; ask again what was asked"
            raise RefusedError(404, f"the evidence of the recall {recall_id} is not kept, so what came of it cannot be shown", remedy)
        return None
    found: list[Envelope] = []
    more = {"kinds": [visit.said("kind")]} if visit.said("kind") else {}
    answer = visit.ask("explain", {**cue, **more}, keep=found.append)
    return visit.held.put(visit.caller.tenant, HeldRecall(found[0], answer["timings_ms"]))


def _held_recall(visit: Visit, recall_id: str) -> HeldRecall | None:
    """Held evidence, if all its memories are still stored: what was erased is shown to nobody."""
    looked = visit.held.get(visit.caller.tenant, recall_id)
    try:
        for memory in () if looked is None else looked.saved.evidence.findings.memories:
            visit.ask("get", {"id": memory.id})
    except NotFoundError:
        visit.held.drop(visit.caller.tenant, recall_id)
        return None
    return looked


def _kept_recall(visit: Visit, recall_id: str) -> HeldRecall | None:
    lines = visit.ask("log", {"recall_id": recall_id, "content": True, "limit": 1})["recalls"]
    if not lines or lines[0]["evidence"] is None:
        return None
    saved = Envelope.decode(msgspec.json.encode(lines[0]["evidence"]))
    return visit.held.put(visit.caller.tenant, HeldRecall(saved, lines[0]["stage_ms"]))


def needed(visit: Visit) -> Envelope:
    """The evidence of the recall in the address; without any the request is refused."""
    looked = looked_at(visit)
    if looked is None:
        raise InputError("recall", visit.said("recall"), "a recall that is held or kept, or a cue")
    return looked.saved


def _explained(visit: Visit, looked: HeldRecall) -> JSON:
    saved = looked.saved
    choice = choice_of(visit, saved)
    started = perf_counter()
    answer = service.explain_saved(saved, choice.request, policy=choice.weighted)
    took_ms = (perf_counter() - started) * 1000
    memories = {memory.id: memory for memory in saved.evidence.findings.memories}
    shown = answer["candidates"] if visit.said("all") else answer["candidates"][: len(answer["memories"]) + STRUCK_SHOWN]
    floor = choice.applied.floor
    bars = scale(shown)
    window = choice.applied.budget.window
    return {
        "answer": answer,
        "outcome": _OUTCOMES[answer["outcome"]],
        "recall": saved.evidence.recall_id,
        "panels": panels(answer, choice.applied, looked.stage_ms),
        "rows": rows({**answer, "candidates": shown}, memories, bars),
        "took_ms": took_ms,
        "bars": bars,
        "histogram": histogram(answer["candidates"], floor),
        "floor": {"on": floor.on, "at": floor.at},
        "policy": {"name": choice.base.name, "about": choice.base.about, "chosen": visit.said("policy")},
        "weights": weights(choice.weighted, usual=choice.base),
        "usual": {"floor": choice.base.floor.at or 0.0, "limit": choice.base.budget.limit, "tokens": choice.base.budget.tokens},
        "limits": {"limit": choice.applied.budget.limit, "tokens": choice.applied.budget.tokens, "window": window},
        "share": block_share(answer["tokens"], window),
        "changes": changes(choice),
        "toml": as_toml(choice.applied, "mine"),
        "against": _against(visit, saved, answer, memories),
    }


def _against(visit: Visit, saved: Envelope, answer: JSON, memories: dict[str, Memory]) -> JSON | None:
    """The same evidence under a second policy, and what moves between the two."""
    name = visit.said("against")
    if not name:
        return None
    other = choice_of(visit, saved, named="against")
    second = service.explain_saved(saved, other.request, policy=other.weighted)
    return {"name": name, "about": other.base.about, **compared(answer, second, memories)}


def _cue_fields(saved: Envelope) -> JSON:
    cue = saved.evidence.cue
    as_of = "" if cue.as_of is None else f"{cue.as_of:%Y-%m-%d}"
    return {"text": cue.utterance, "goal": cue.goal, "step": cue.step, "scope": cue.scope, "as_of": as_of, "kind": "".join(cue.kinds[:1])}


def _verdict(visit: Visit, saved: Envelope, choice: Deciding, memory_id: str, *, candidate: bool) -> JSON:
    """What became of one memory in this recall; for one that was no candidate the cue is recalled again under the same policy."""
    if candidate:
        request = msgspec.structs.replace(choice.request, memory=memory_id)
        return dict(service.explain_saved(saved, request, policy=choice.weighted)["verdict"])
    visit.caller.require(VERBS["explain"].authority)
    told = visit.tenant.explain(saved.evidence.cue, memory=memory_id, policy=choice.applied)
    return dict(explanation_json(told)["verdict"])


def _meant(visit: Visit, words: str) -> list[JSON]:
    if not words:
        return []
    found: list[JSON] = visit.ask("list", {"contains": words, "hidden": True, "limit": FOUND})["memories"]
    if not found:
        try:
            return [visit.ask("get", {"id": words})]
        except NotFoundError:
            return []
    return found


def _signals(verdict: JSON) -> list[JSON]:
    return [{"name": name, "value": value} for name, value in sorted(verdict["signals"].items()) if value]


def _policies(visit: Visit) -> list[JSON]:
    """The policies to choose from: presets, then those that were learnt or saved, newest first; none where only a part is drawn."""
    if visit.part == "decided":
        return []
    kept = [
        {"value": f"{_VERSION}{each['number']}", "name": f"{each['name']} (version {each['number']})"}
        for each in visit.ask("policy_history")["versions"]
    ]
    return [*({"value": each, "name": each} for each in names()), *reversed(kept)]


def _scopes(visit: Visit) -> list[str]:
    """The scopes to choose from; none where only a part is drawn."""
    return [] if visit.part == "decided" else list(visit.stats()["by_scope"])


def _recent(visit: Visit) -> list[JSON]:
    """A few recent recalls whose evidence is kept."""
    lines = visit.ask("log", {"limit": 40, "content": True})["recalls"]
    return [line for line in lines if line["evidence"] is not None and line["cue"]][:6]
