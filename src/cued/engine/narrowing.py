"""Evidence as a narrower policy would have read it: channels that it shuts and smaller pools, told from what was read.

What was not read cannot be added, so a wider pool or a channel that was shut then changes nothing here.
"""

from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from cued.flow.cue import pool_of
from cued.model import CHANNELS, COLUMNS, SEEDS_PER_STEP, Background, Column, Evidence, Lookup, Memory
from cued.policy.spec import Policy

_COLUMNS = {
    "lexical": ("bm25", "bm25_before", "bm25_after", "coverage", "coverage_before", "coverage_after"),
    "dense": ("cosine", "cosine_before", "cosine_after"),
    "entity": ("entities",),
    "temporal": ("window",),
}


def narrowed(evidence: Evidence, policy: Policy) -> Evidence:
    """The evidence with what the policy's channels would not have found taken out; itself where they would have found it all."""
    findings, lookup = evidence.findings, evidence.lookup
    if lookup is None or not findings.memories:
        return evidence
    shut = [name for name in CHANNELS if getattr(lookup, name) is not None and getattr(policy.channels, name) is None]
    pools: dict[str, int] = {name: pool_of(policy, name) for name in CHANNELS if getattr(lookup, name) is not None and name not in shut}
    columns = _columns(findings.columns, shut, pools)
    if columns is None:
        return evidence
    rows = _rows_left(findings.memories, findings.columns, columns, steps=policy.channels.context)
    dense = "dense" not in shut
    return replace(
        evidence,
        lookup=_lookup(lookup, shut, pools),
        fingerprint=evidence.fingerprint if dense else None,
        intervals=() if "temporal" in shut else evidence.intervals,
        time_share=0.0 if "temporal" in shut else evidence.time_share,
        boost=None if evidence.boost is None else evidence.boost[rows],
        degraded=tuple(note for note in evidence.degraded if dense or not note.startswith("dense: ")),
        findings=replace(
            findings,
            memories=tuple(findings.memories[row] for row in rows),
            columns={name: column[rows] for name, column in columns.items()},
            vectors=None if findings.vectors is None or not dense else findings.vectors[rows],
            background=findings.background if dense else Background(),
            terms=() if "lexical" in shut else findings.terms,
            uncomparable=findings.uncomparable if dense else 0,
        ),
    )


def _columns(read: dict[str, Column], shut: Iterable[str], pools: dict[str, int]) -> dict[str, Column] | None:
    """The columns without what lies beyond the pools or in a channel that is shut; None where that is nothing."""
    changed: dict[str, Column] = {}
    for name in shut:
        for column in (f"{name}_rank", *_COLUMNS[name]):
            changed[column] = np.full_like(read[column], COLUMNS[column])
    for name, pool in pools.items():
        ranks = read[f"{name}_rank"]
        if len(ranks) and ranks.max() > pool:
            changed[f"{name}_rank"] = np.where(ranks > pool, 0.0, ranks)
    return {**read, **changed} if changed else None


def _rows_left(memories: tuple[Memory, ...], read: dict[str, Column], left: dict[str, Column], *, steps: int) -> list[int]:
    """The rows that some channel still finds, and the neighbours of the best of these."""
    ranks = np.array([left[f"{name}_rank"] for name in CHANNELS])
    found = np.asarray((ranks > 0).any(axis=0))
    if not steps:
        return np.flatnonzero(found).tolist()
    seeds = np.flatnonzero(((ranks > 0) & (ranks <= steps * SEEDS_PER_STEP)).any(axis=0))
    beside = {(memories[row].source.session, _turn(memories[row]) + step) for row in seeds for step in range(-steps, steps + 1)}
    before = np.asarray(np.array([read[f"{name}_rank"] for name in CHANNELS]).any(axis=0))
    # a neighbour without a number was somebody's: it stays
    near = [
        memory.source.session is not None
        and ((memory.source.session, _turn(memory)) in beside if memory.source.turn is not None else not before[row])
        for row, memory in enumerate(memories)
    ]
    return [row for row in range(len(memories)) if found[row] or near[row]]


def _turn(memory: Memory) -> int:
    return -(10**9) if memory.source.turn is None else memory.source.turn


def _lookup(lookup: Lookup, shut: Iterable[str], pools: dict[str, int]) -> Lookup:
    cut = {name: replace(getattr(lookup, name), pool=min(pool, getattr(lookup, name).pool)) for name, pool in pools.items()}
    return replace(lookup, **cut, **dict.fromkeys(shut, None))
