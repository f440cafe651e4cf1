"""A recall from end to end: gather reads, decide thinks, settle writes.

Above: the tenant's verbs, and everything that replays or evaluates. Below: the flow, and whatever stands behind the ports.
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from math import isfinite

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued import flow
from cued.deadline import asked
from cued.errors import EmbedderError, InputError
from cued.flow import arc
from cued.flow import cue as cues
from cued.flow.rerank import shortlist
from cued.flow.table import Table
from cued.flow.trace import conclude
from cued.model import (
    Column,
    Cue,
    DenseLookup,
    EntityLookup,
    Evidence,
    Findings,
    LexicalLookup,
    Lookup,
    Memory,
    Recall,
    Summary,
    TemporalLookup,
)
from cued.policy.spec import Policy
from cued.ports import Boost, Embedder, Judge, Reranker, Store, Summariser
from cued.standing.past import as_known
from cued.text.analyse import query_terms
from cued.text.entities import entities
from cued.text.harmless import harmless

log = logging.getLogger("cued")

Lap = Callable[[str], None]


class Parts(Struct, frozen=True, kw_only=True):
    """What the verbs work with: the store, and an embedder, a reranker, a summariser and a judge of conflicts where there are any."""

    store: Store
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    summariser: Summariser | None = None
    judge: Judge | None = None


class Question(Struct, frozen=True, kw_only=True):
    """What is asked: whose memories, by which cue, under which id, and the caller's own boost."""

    tenant: str
    cue: Cue
    recall_id: str
    boost: Boost | None = None


class Stopwatch:
    """Milliseconds spent, by name; each lap counts from the one before it."""

    def __init__(self) -> None:
        """Start the clock."""
        self.ms: dict[str, float] = {}
        self._started = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Book the time since the last lap under this name."""
        now = time.perf_counter()
        self.ms[name] = self.ms.get(name, 0.0) + (now - self._last) * 1000
        self._last = now

    def total(self) -> dict[str, float]:
        """Give all laps, and their sum as `total`."""
        return {**self.ms, "total": (time.perf_counter() - self._started) * 1000}


def recall(question: Question, policy: Policy, parts: Parts) -> tuple[Recall, Evidence]:
    """Gather and decide, and ask reranker and summariser in between where the policy wants them; gives the recall and what it rests on."""
    watch = Stopwatch()
    evidence = gather(question, policy, parts, lap=watch.lap)
    decided = decide(evidence, policy, lap=watch.lap)
    if parts.reranker is not None and policy.rerank.depth and len(evidence.findings.memories) > 1:
        evidence = judge(evidence, policy, parts.reranker)
        watch.lap("rerank")
        decided = decide(evidence, policy, lap=watch.lap)
    if parts.summariser is not None and policy.budget.overflow == "compact" and decided.compacted:
        evidence = summarise(evidence, policy, parts.summariser)
        watch.lap("summary")
        decided = decide(evidence, policy, lap=watch.lap)
    return replace(decided, timings_ms=watch.total()), evidence


def gather(question: Question, policy: Policy, parts: Parts, *, lap: Lap = lambda _: None) -> Evidence:
    """Read everything that one recall needs, in one snapshot of the store; a channel that fails is left out and named."""
    cue = question.cue
    asked = Evidence(recall_id=question.recall_id, tenant=question.tenant, cue=cue, findings=Findings())
    if not parts.store.size(question.tenant):
        # nothing to find, so nothing is embedded
        return asked
    dense, degraded = _dense_lookup(cue, policy, parts.embedder)
    lap("embed")
    lookup = _lookup(cue, policy, dense)
    lap("cue")
    findings = parts.store.search(question.tenant, lookup)
    lap("search")
    if dense is not None and findings.uncomparable:
        degraded.append(f"dense: {findings.uncomparable} of {findings.visible} memories carry no vector of this embedder")
    return replace(
        asked,
        findings=findings if cue.as_of is None else _as_known(findings, cue.as_of),
        intent=cues.intent(cue),
        intervals=lookup.temporal.intervals if lookup.temporal else (),
        fingerprint=dense.fingerprint if dense else None,
        boost=_boosts(findings.memories, question.boost) if question.boost else None,
        balance=_balance(question.tenant, policy, parts.store),
        degraded=tuple(degraded),
    )


def decide(evidence: Evidence, policy: Policy, *, lap: Lap = lambda _: None) -> Recall:
    """Run the flow over the evidence; pure: the same bytes in give the same bytes out."""
    recall = conclude(_run(evidence, policy, lap))
    lap("trace")
    return recall


def judge(evidence: Evidence, policy: Policy, reranker: Reranker) -> Evidence:
    """Give the evidence with the reranker's scores of the shortlist; if it fails, is late or talks nonsense, with a note instead."""
    table = _run(evidence, policy, lambda _: None)
    rows = shortlist(table)
    query, texts = cues.words(evidence.cue, "cue", labelled=True), [table.memories[row].text for row in rows]
    ids = [table.ids[row] for row in rows]
    scores, note = asked("rerank", lambda: _checked(reranker.rerank(query, texts), ids), policy.rerank.deadline)
    return replace(evidence, degraded=(*evidence.degraded, note)) if scores is None else replace(evidence, rerank=scores)


def summarise(evidence: Evidence, policy: Policy, summariser: Summariser) -> Evidence:
    """Give the evidence with a summary of what did not fit whole; if it fails, is late or is no text, with a note instead."""
    table = _run(evidence, policy, lambda _: None)
    query, texts = cues.words(evidence.cue, "cue", labelled=True), [table.memories[row].text for row in table.overfull]
    tokens = max(1, table.room_tokens)
    summary, note = asked("summary", lambda: _a_text(summariser.summarise(query, texts, tokens=tokens)), policy.budget.summary_deadline)
    if summary is None:
        return replace(evidence, degraded=(*evidence.degraded, note))
    return replace(evidence, summary=Summary(summary, tuple(table.ids[row] for row in table.overfull)))


def lookup_of(evidence: Evidence, policy: Policy, parts: Parts) -> Lookup:
    """Give what a gathered recall had asked of the store, so that it can be asked again with wider pools."""
    return _lookup(evidence.cue, policy, _dense_lookup(evidence.cue, policy, parts.embedder)[0])


def _run(evidence: Evidence, policy: Policy, lap: Lap) -> Table:
    table = Table(evidence, policy)
    # without a candidate there is nothing to weigh, and core memories are shown all the same
    for stage in flow.ORDER if len(table) else (flow.budget, flow.render):
        stage.run(table)
        lap(stage.__name__.rpartition(".")[2])
    return table


def _lookup(cue: Cue, policy: Policy, dense: DenseLookup | None) -> Lookup:
    channels = policy.channels
    lexical, entity, temporal = channels.lexical, channels.entity, channels.temporal
    terms = query_terms(cues.words(cue, lexical.over)) if lexical else ()
    names = entities(cues.words(cue, entity.over)) if entity else ()
    spans = cues.intervals(cue, temporal.over) if temporal else ()
    return Lookup(
        scope=cue.scope,
        at=cue.as_of or cue.now,
        as_of=cue.as_of is not None,
        kinds=cue.kinds,
        tags=cue.tags,
        lexical=LexicalLookup(
            terms=terms,
            alone=query_terms(cues.alone(cue, lexical.over)),
            pool=max(lexical.pool, lexical.per_limit * policy.budget.limit),
            k1=lexical.k1,
            b=lexical.b,
            delta=lexical.delta,
        )
        if lexical and terms
        else None,
        dense=dense,
        entity=EntityLookup(names=names, pool=entity.pool, hop=entity.hop) if entity and names else None,
        temporal=TemporalLookup(intervals=spans, pool=temporal.pool) if temporal and spans else None,
        context=channels.context,
        core=True,
    )


def _dense_lookup(cue: Cue, policy: Policy, embedder: Embedder | None) -> tuple[DenseLookup | None, list[str]]:
    dense = policy.channels.dense
    if dense is None:
        return None, []
    if embedder is None:
        return None, ["dense: no embedder"]
    try:
        said = [cues.words(cue, dense.over, labelled=True), cues.alone(cue, dense.over)]
        vector, *alone = embedder.embed([text for text in said if text], role="query")
        pool = max(dense.pool, dense.per_limit * policy.budget.limit)
        return DenseLookup(vector=vector, alone=alone[0] if alone else None, fingerprint=str(embedder.fingerprint), pool=pool), []
    except EmbedderError as error:
        log.warning("the dense channel is left out: %s", error)
        return None, [f"dense: {error}"]


def _as_known(findings: Findings, at: datetime) -> Findings:
    """Give the findings with each memory as it was known then."""
    memories, core = (tuple(as_known(memory, at=at) for memory in some) for some in (findings.memories, findings.core))
    return replace(findings, memories=memories, core=core)


def _balance(tenant: str, policy: Policy, store: Store) -> float | None:
    """Give the recency weight that this tenant's traffic has taught, where the policy lets it."""
    return arc.learnt_balance(store.document(tenant, arc.DOCUMENT), policy) if policy.settle.adapt == "arc" else None


def _boosts(memories: Sequence[Memory], boost: Boost) -> Column:
    factors = np.array([float(boost(memory)) for memory in memories])
    if not np.all((factors > 0) & np.isfinite(factors)):
        raise InputError("boost", factors[~((factors > 0) & np.isfinite(factors))][0], "a function that gives a positive, finite factor")
    return factors


def _checked(scores: Sequence[float], ids: list[str]) -> dict[str, float]:
    if len(scores) != len(ids) or not all(isfinite(score) for score in scores):
        raise InputError("rerank", list(scores), f"{len(ids)} finite numbers, one a text")
    return dict(zip(ids, map(float, scores), strict=True))


def _a_text(summary: str) -> str:
    if not isinstance(summary, str) or not harmless(summary):
        raise InputError("summary", summary, "a text that says something")
    summary.encode()
    return summary
