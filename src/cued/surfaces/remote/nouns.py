"""From the JSON of an answer back to the nouns that a handle gives. A field that the answer does not have gets its default.

A memory in a list is brief, and a recall's trace holds only what the answer has: `get` and `explain` give the whole.
"""

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import convert
from msgspec.structs import replace

from cued.engine.envelope import Envelope
from cued.explain import Explanation, MeaningMap, Point, Timeline, Verdict, Why
from cued.handles.bootstrap import Needed, Pack
from cued.handles.keeping import OpenConflict, OpenConflicts
from cued.model import Conflict, Memory, Page, Recall, RecallEntry, Trace
from cued.model.plain import JSON
from cued.upkeep.consolidation import Applied, SkippedMerge
from cued.upkeep.cooling import Cool
from cued.upkeep.duplicates import Merge

if TYPE_CHECKING:
    from cued.insight.tuning import Tuned

_SOURCE = ("session", "turn", "speaker", "url", "meta")


def public(name: str, *, among: str = "") -> Callable[[JSON, str], Any]:
    """A reader of a noun of `cued`, which is imported only when it is used; with `among`, of a list of them in that field."""

    def read(told: JSON, _tenant: str) -> Any:  # noqa: ANN401 - the noun of this name
        kind = getattr(import_module("cued"), name)
        return tuple(convert(each, kind) for each in told[among]) if among else convert(told, kind)

    return read


def memories_among(name: str) -> Callable[[JSON, str], tuple[Memory, ...]]:
    """A reader of the memories in this field of an answer."""
    return lambda told, tenant: memories(told[name], tenant)


def memory(told: JSON, tenant: str) -> Memory:
    """One memory."""
    source = {name: told[name] for name in _SOURCE if name in told}
    edges = [{"relation": relation, "target": target} for relation, target in told.get("edges", ())]
    return convert({**told, "tenant": tenant, "source": source, "edges": edges}, Memory)


def memories(told: Sequence[JSON], tenant: str) -> tuple[Memory, ...]:
    """Several memories."""
    return tuple(memory(each, tenant) for each in told)


def recall(told: JSON, tenant: str) -> Recall:
    """A recall as it was answered."""
    rows = [*told["memories"], *told["near_misses"]]
    trace = Trace(
        ids=tuple(row["id"] for row in rows),
        columns={},
        contributions={},
        ranks=tuple(row["rank"] or 0 for row in rows),
        reasons=tuple(row.get("fate", "chosen") for row in rows),
        stages=tuple("floor" if "fate" in row else "" for row in rows),
        combine="",
    )
    whole = {**told, "tenant": tenant, "trace": trace, "core": memories(told["core"], tenant)}
    return convert({**whole, **{name: [_recalled(row, tenant) for row in told[name]] for name in ("memories", "near_misses")}}, Recall)


def pack(told: JSON, tenant: str) -> Pack:
    """What a conversation starts with."""
    needed = tuple(Needed(memory=memory(each, tenant), need=each["need"], contributions=each["contributions"]) for each in told["memories"])
    return convert({**told, "core": memories(told["core"], tenant), "memories": needed}, Pack)


def explanation(told: JSON) -> Explanation:
    """A recall with its evidence, decided here from the envelope in the answer."""
    kept = Envelope.decode(msgspec.json.encode(told["envelope"]))
    verdict = None if told["verdict"] is None else convert(_numbers(told["verdict"]), Verdict)
    return Explanation(recall=kept.decide(), evidence=kept.evidence, policy=kept.policy, verdict=verdict)


def why(told: JSON, tenant: str) -> Why:
    """A memory with its trees."""
    return convert({**told, "memory": memory(told["memory"], tenant)}, Why)


def timeline(told: JSON, tenant: str) -> Timeline:
    """What stood around a memory or a moment."""
    centre = None if told["centre"] is None else memory(told["centre"], tenant)
    return Timeline(before=memories(told["before"], tenant), centre=centre, after=memories(told["after"], tenant))


def page(told: JSON, tenant: str) -> Page:
    """One page of a listing."""
    return Page(memories=memories(told["memories"], tenant), next=told["next"], total=told["total"])


def meaning_map(told: JSON, tenant: str) -> MeaningMap:
    """Memories laid out by meaning."""
    points = tuple(Point(memory=memory(each, tenant), x=each["x"], y=each["y"]) for each in told["points"])
    return replace(convert({**told, "points": []}, MeaningMap), points=points)


def open_conflicts(told: JSON, tenant: str) -> OpenConflicts:
    """Memories that stand with what each is at odds with."""
    found = tuple(
        OpenConflict(memory=memory(each["memory"], tenant), conflicts=convert(each["conflicts"], tuple[Conflict, ...]))
        for each in told["found"]
    )
    return OpenConflicts(found=found, compared=told["compared"], next=told["next"], total=told["total"])


def entries(told: JSON) -> tuple[RecallEntry, ...]:
    """Lines of the recall log; kept evidence is an envelope's bytes again."""
    return tuple(convert({**_numbers(line), "evidence": _bytes(line["evidence"])}, RecallEntry) for line in told["recalls"])


def applied(told: JSON) -> Applied:
    """What a consolidation did."""
    skipped = tuple(SkippedMerge(convert(each, Merge), each["reason"]) for each in told["skipped"])
    return Applied(merged=convert(told["merges"], tuple[Merge, ...]), skipped=skipped)


def cool(told: JSON, tenant: str) -> tuple[Cool, ...]:
    """The memories that could be let go."""
    return tuple(Cool(memory=memory(each, tenant), reason=each["reason"], coolness=each["coolness"]) for each in told["memories"])


def tuned(told: JSON, _tenant: str = "") -> "Tuned":
    """What tuning came to, with the policy that its TOML says."""
    from cued.insight.tuning import Tuned  # noqa: PLC0415 - loaded when it is asked for
    from cued.policy.parse import parse  # noqa: PLC0415

    return convert({**told, "policy": parse(told["toml"], name=told["policy"])}, Tuned)


def _recalled(told: JSON, tenant: str) -> JSON:
    return {**_numbers(told), "memory": memory(told, tenant), "rank": told["rank"] or 0}


def _bytes(told: JSON | None) -> bytes | None:
    return None if told is None else msgspec.json.encode(told)


def _numbers(told: JSON) -> JSON:
    """The object with NaN where JSON, which has only finite numbers, says null."""
    whole = {name: math.nan if value is None and name in _MAY_BE_NAN else value for name, value in told.items()}
    for name in ("signals", "contributions"):
        if name in whole:
            whole[name] = {each: math.nan if value is None else value for each, value in told[name].items()}
    return whole


_MAY_BE_NAN = frozenset({"score", "relevance", "best_relevance"})
