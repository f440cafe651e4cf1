"""A recall from end to end: `gather` reads, the flow decides, `opinions` asks others, and an `envelope` keeps it for later.

Above: the tenant's verbs, and everything that replays or evaluates. Below: the flow, and whatever stands behind the ports.
"""

import logging
import time
from collections.abc import Sequence
from operator import sub

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued import flow, pacing
from cued.errors import EmbedderError, InputError
from cued.flow import arc
from cued.flow import cue as cues
from cued.flow.relevance.asked_times import time_beside
from cued.flow.table import Table
from cued.flow.trace import conclude
from cued.model import Column, Cue, DenseLookup, Evidence, Findings, Memory, Recall, TemporalLookup
from cued.others import embedded
from cued.policy.spec import Policy
from cued.ports import Boost, Embedder, Parts

__all__ = ["Parts", "Question", "decide", "gather", "log", "recall"]


log = logging.getLogger("cued")


class Question(Struct, frozen=True, kw_only=True):
    """What is asked: whose memories, by which cue, under which id, and the caller's own boost.

    `embedded` is the cue as it was embedded for an earlier question of the same words, so that it is not embedded again.
    """

    tenant: str
    cue: Cue
    recall_id: str
    boost: Boost | None = None
    embedded: DenseLookup | None = None


def recall(question: Question, policy: Policy, parts: Parts) -> tuple[Recall, Evidence]:
    """The recall and the evidence that it rests on: gathered once, run through the flow once, and once more for each outside opinion."""
    clock, spent = time.perf_counter, dict[str, float]()
    started = clock()
    try:
        evidence = _gathered(question, policy, parts, spent)
        table = flow.run(evidence, policy, clock=clock, spent=spent)
        if parts.reranker is not None or parts.summariser is not None:
            evidence, table = _with_opinions(table, parts, spent)
        concluding = clock()
        decided = conclude(table)
    finally:
        pacing.leave()
    ended = clock()
    spent |= {"trace": ended - concluding, "total": ended - started}
    return replace(decided, timings_ms={step: seconds * 1000 for step, seconds in spent.items()}), evidence


def decide(evidence: Evidence, policy: Policy) -> Recall:
    """The recall that the policy makes of the evidence, purely: the same bytes in give the same bytes out."""
    if not isinstance(evidence, Evidence):
        raise InputError("evidence", evidence, "what `gather` gives, or the evidence of an explanation or an envelope")
    if not isinstance(policy, Policy):
        raise InputError("policy", policy, "a cued.Policy: cued.load_policy gives that of a preset or of a file")
    return conclude(flow.run(evidence, policy))


def _with_opinions(table: Table, parts: Parts, spent: dict[str, float]) -> tuple[Evidence, Table]:
    from cued.engine.opinions import OPINIONS  # noqa: PLC0415 - few recalls ask anybody

    evidence = table.evidence
    for name, opinion in OPINIONS.items():
        asked = time.perf_counter()
        with pacing.waiting():
            heard = opinion(table, parts)
        if heard is not None:
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - asked
            evidence, table = heard, flow.run(heard, table.policy, clock=time.perf_counter, spent=spent)
    return evidence, table


def gather(question: Question, policy: Policy, parts: Parts, *, spent: dict[str, float] | None = None) -> Evidence:
    """Everything that one recall needs, from one search of the store; a channel that fails is left out and named.

    A cue that names an event in place of a date ("before the launch") is searched for once more, when the event has been dated.

    The seconds that each step took are written into `spent`.
    """
    try:
        return _gathered(question, policy, parts, {} if spent is None else spent)
    finally:
        pacing.leave()


def _gathered(question: Question, policy: Policy, parts: Parts, spent: dict[str, float]) -> Evidence:
    """What `gather` gives, and with it a place to go on working at."""
    clock = time.perf_counter
    steps = [clock()]
    channels = policy.channels
    asked = Evidence(recall_id=question.recall_id, tenant=question.tenant, cue=question.cue, findings=Findings())
    if not parts.store.holds(question.tenant):
        # nothing to find, so nothing is embedded and nothing searched
        return asked
    dense, degraded = _dense_lookup(question, policy, parts.embedder)
    pacing.take()
    steps.append(clock())
    cue = cues.without_pasted(question.cue)
    lookup, intent, time_share, event = cues.read(cue, policy, dense)
    steps.append(clock())
    findings = parts.store.search(question.tenant, lookup)
    if event is not None and channels.temporal and (beside := time_beside(event, cue, findings)):
        # What was found only dates the event; its time is looked for as if the cue had said it, and that search is what counts.
        lookup = replace(lookup, temporal=TemporalLookup(intervals=(beside,), pool=channels.temporal.pool))
        findings = parts.store.search(question.tenant, lookup)
    steps.append(clock())
    spent.update(zip(("embed", "cue", "search"), map(sub, steps[1:], steps), strict=True))
    if dense is not None and findings.uncomparable:
        without = f"{findings.uncomparable} of {findings.visible} memories carry no vector of this embedder"
        degraded.append(f"dense: {without}; `cued reembed` makes them")
    if findings.damaged:
        told = "damaged memory is" if findings.damaged == 1 else "damaged memories are"
        degraded.append(f"store: {findings.damaged} {told} left out; `cued check` says which")
    return replace(
        asked,
        cue=cue,
        lookup=lookup,
        findings=findings if findings.document is None else replace(findings, document=None),
        intent=intent,
        intervals=lookup.temporal.intervals if lookup.temporal else (),
        time_share=time_share,
        fingerprint=dense.fingerprint if dense else None,
        boost=_boosts(findings.memories, question.boost) if question.boost else None,
        balance=arc.learnt_balance(findings.document, policy) if lookup.document else None,
        degraded=tuple(degraded),
    )


def _dense_lookup(question: Question, policy: Policy, embedder: Embedder | None) -> tuple[DenseLookup | None, list[str]]:
    dense = policy.channels.dense
    if dense is None:
        return None, []
    pool = cues.pool_of(policy, "dense")
    if question.embedded is not None:
        return replace(question.embedded, pool=pool), []
    if embedder is None:
        return None, ["dense: no embedder"]
    cue = cues.without_pasted(question.cue)
    said = [cues.words(cue, dense.over, labelled=True), cues.alone(cue, dense.over)]
    try:
        (vector, *alone), fingerprint = embedded(list(filter(None, said)), embedder, role="query")
        return DenseLookup(vector=vector, alone=alone[0] if alone else None, fingerprint=fingerprint, pool=pool), []
    except EmbedderError as error:
        log.warning("the dense channel is left out: %s", error)
        return None, [f"dense: {error}"]


def _boosts(memories: Sequence[Memory], boost: Boost) -> Column:
    accepted = "a function that gives a positive, finite factor"
    if not callable(boost):
        raise InputError("boost", boost, accepted)
    with pacing.waiting():
        given = [boost(memory) for memory in memories]
    for factor in given:
        if not isinstance(factor, int | float | np.number) or not 0 < factor < np.inf:
            raise InputError("boost", factor, accepted)
    return np.array(given, dtype=float)
