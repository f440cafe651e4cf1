"""Conflicts: which stored memories a new one may repeat, update or deny, and what can be done about each.

Above: `remember` reports them and stores the memory all the same. Below: one search of the store and the rules of `claims`.
Similarity is the cosine of the two vectors, less what the embedder gives unrelated texts anyway; for a pair without comparable vectors
it is the share of their words that both have.
"""

import json
import shlex
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from math import isnan
from typing import NamedTuple, get_args

from cued.errors import InputError
from cued.model import Choice, Conflict, ConflictType, DenseLookup, LexicalLookup, Lookup, Memory, Vector
from cued.others import answer_or_note, answered
from cued.policy.calibration import calibration_for
from cued.policy.spec import Calibration
from cued.ports import Judge, Store
from cued.text.claims import RELATED_FLOOR, Relation, overlap, relate, speaks_of_self, unrelated

POOL = 8
JUDGED_FLOOR = 0.5
JUDGE_DEADLINE = timedelta(seconds=5)
MAX_TERMS = 64
_ORDER: dict[ConflictType, int] = {"negation": 0, "update": 1, "duplicate": 2, "related": 3}
_TYPES = frozenset(get_args(ConflictType))
_UNRELATED_COSINE = 0.15
"""The rules are stated for embedders whose unrelated texts are no nearer than this; the cosines of others are stretched to it."""
_UNSHARED, _SEVERAL = 0.15, 6
"""Of texts of several terms each, what says that they have hardly one in common: the old one has less than this of the new one's, rare
ones counting more. Labelled pairs that long which are at odds have .2 and more. That is known before any of them is read.
"""


class _Candidate(NamedTuple):
    """A stored memory near the new one; the cosine, stretched, is None where no vectors can be compared.

    Unshared are two texts that tell several things each and have hardly a word in common.
    """

    memory: Memory
    cosine: float | None
    similarity: float
    unshared: bool


def find_conflicts(  # noqa: PLR0913 - the memory comes with its vector and terms, as it is stored
    memory: Memory,
    vector: Vector | None,
    store: Store,
    *,
    terms: Collection[str],
    at: datetime,
    judge: Judge | None = None,
    limit: int = 5,
) -> tuple[tuple[Conflict, ...], str]:
    """The visible memories of the same project and of `global` that the new one is at odds with, negations first.

    A merely related memory is given only above a similarity of 0.75. With them comes a note when the judge could not be asked: then
    the rules have decided.
    """
    candidates = _candidates(memory, _lookup(memory, vector, terms=terms, at=at), store, judged=judge is not None)
    relations, note = _relations(memory, candidates, judge)
    found = [
        Conflict(
            id=old.memory.id,
            type=relation.type,
            similarity=old.similarity,
            text=old.memory.text,
            reason=relation.reason,
            choices=choices(memory, old.memory),
        )
        for old, relation in zip(candidates, relations, strict=True)
        if relation is not None and (relation.type != "related" or old.similarity > RELATED_FLOOR)
    ]
    return tuple(sorted(found, key=lambda conflict: (_ORDER[conflict.type], -conflict.similarity, conflict.id))[:limit]), note


def choices(new: Memory, old: Memory) -> tuple[Choice, ...]:
    """The four ways to resolve a conflict, each with the calls that do it."""
    return (
        Choice(action="keep both"),
        Choice(
            action="update old",
            python=(f"tenant.update({_quoted(old.id)}, text={_quoted(new.text)})", f"tenant.forget({_quoted(new.id)})"),
            cli=(_command("update", old.id, f"--text={new.text}"), _command("forget", new.id)),
        ),
        Choice(
            action="supersede",
            python=(f"tenant.update({_quoted(new.id)}, supersedes=[{_quoted(old.id)}])",),
            cli=(_command("update", new.id, f"--supersedes={old.id}"),),
        ),
        Choice(action="delete old", python=(f"tenant.forget({_quoted(old.id)})",), cli=(_command("forget", old.id),)),
    )


def _candidates(memory: Memory, lookup: Lookup, store: Store, *, judged: bool) -> list[_Candidate]:
    """The nearest visible memories, without the new one itself, what it supersedes, what is apart, and what others say of themselves."""
    if lookup.lexical is None and lookup.dense is None:
        return []
    findings = store.search(memory.tenant, lookup)
    passed_over = {memory.id, *memory.supersedes}
    told = (findings.columns.get(name, ()) for name in ("cosine", "coverage", "length"))
    near = [row for row in zip(findings.memories, *told, strict=True) if row[0].id not in passed_over]
    several = lookup.lexical is not None and len(lookup.lexical.terms) >= _SEVERAL
    found = [_candidate(memory, old, cos, unshared=several and cov < _UNSHARED and long >= _SEVERAL) for old, cos, cov, long in near]
    found.sort(key=lambda candidate: (-candidate.similarity, candidate.memory.id))
    close = (each for each in found if not _apart(memory, each, judged=judged))
    # Whose voice it is is told by reading a text, so only as many are read as are needed, and none that has nothing to say anyway.
    return list(islice((each for each in close if not _other_voice(memory, each.memory)), POOL))


def stretched(cosine: float, fingerprint: str | None) -> float:
    """The cosine as the rules take it, at most 1: less where this embedder has unrelated texts nearer than they are stated for."""
    return 1.0 - (1.0 - cosine) * max(1.0, (1.0 - _UNRELATED_COSINE) / (1.0 - _calibration(fingerprint).background_mean))


def _candidate(new: Memory, old: Memory, cosine: float, *, unshared: bool) -> _Candidate:
    known = None if isnan(cosine) else stretched(float(cosine), new.fingerprint)
    return _Candidate(old, known, overlap(new.text, old.text) if known is None else min(1.0, max(0.0, known)), unshared)


def _apart(new: Memory, old: _Candidate, *, judged: bool) -> bool:
    """Whether two texts have nothing to say about one another: by the cosine that tells, or else by their words, if no judge is to say."""
    if old.cosine is not None and _telling(new.fingerprint):
        return unrelated(new.text, old.memory.text, old.cosine)
    return old.unshared and not (judged and old.similarity >= JUDGED_FLOOR)


def _lookup(memory: Memory, vector: Vector | None, *, terms: Collection[str], at: datetime) -> Lookup:
    words = tuple(terms)[:MAX_TERMS]
    return Lookup(
        scope=memory.scope,
        at=at,
        lexical=LexicalLookup(terms=words, pool=POOL, k1=1.2, b=0.75, delta=0.5) if words else None,
        dense=None
        if vector is None or memory.fingerprint is None
        else DenseLookup(vector=vector, fingerprint=memory.fingerprint, pool=POOL, excerpts=False),
    )


def _other_voice(new: Memory, old: Memory) -> bool:
    """Whether two speakers each speak of themselves, so that "I" is not the same person."""
    speakers = new.source.speaker, old.source.speaker
    return None not in speakers and speakers[0] != speakers[1] and (speaks_of_self(new.text) or speaks_of_self(old.text))


def _relations(memory: Memory, candidates: Sequence[_Candidate], judge: Judge | None) -> tuple[list[Relation | None], str]:
    telling = _telling(memory.fingerprint)
    found = [relate(memory.text, old.memory.text, similarity=old.cosine if telling else None) for old in candidates]
    near = [at for at, old in enumerate(candidates) if old.similarity >= JUDGED_FLOOR]
    if judge is None or not near:
        return found, ""
    texts = [candidates[at].memory.text for at in near]
    judged, note = answer_or_note("judge", lambda: _types(answered(judge.judge(memory.text, texts)), len(texts)), JUDGE_DEADLINE)
    for at, kind in zip(near, judged or (), strict=judged is not None):
        found[at] = None if kind is None else Relation(kind, "so the judge says")
    return found, note


def _telling(fingerprint: str | None) -> bool:
    """Whether a cosine means what the rules take it to mean; of an embedder that nobody has calibrated it may mean anything."""
    return bool(_calibration(fingerprint).embedder)


@lru_cache(maxsize=16)
def _calibration(fingerprint: str | None) -> Calibration:
    return calibration_for("auto", fingerprint)


def _types(given: Sequence[ConflictType | None], expected: int) -> list[ConflictType | None]:
    types = list(given)
    if len(types) != expected or not all(kind is None or (isinstance(kind, str) and kind in _TYPES) for kind in types):
        raise InputError("judge", types, f"{expected} types of conflict, each None or one of {', '.join(_ORDER)}")
    return types


def _quoted(text: str) -> str:
    """A string as Python and JSON both write it."""
    return json.dumps(text, ensure_ascii=False)


def _command(verb: str, memory_id: str, *options: str) -> str:
    """A command as a shell takes it; an id that looks like an option stands behind a `--`."""
    guard = ("--",) if memory_id.startswith("-") else ()
    return shlex.join(("cued", verb, *options, *guard, memory_id))
