"""What goes wrong over many recalls: drift, popularity that feeds itself, answers that say one thing many times, parts that fail."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from cued.insight.line import Line, fine, percent, too_few, warned
from cued.insight.observing import Observed
from cued.model import RecallEntry
from cued.policy.spec import Policy, Term

TURNS = 3
"""After how many turns without movement a conversation drifts."""
NEAR = 0.9
"""The least cosine at which two memories count as the same."""
_HOLDS = 50
_CONVERSATIONS = 5
_DRIFTING = 0.2
_FEW = 5
_LOCKED = 0.5
_REPEATED = 0.3
_AT_LEAST = 3
_NOW_AND_THEN, _MOSTLY = 0.05, 0.5
_ABSENT = frozenset({"dense: no embedder"})
"""A note on a missing part, which is no failure; the line about the embedder reports it."""
_POPULAR = frozenset({"frequency", "strength", "activation"})


def drift(seen: Observed) -> Line:
    """Whether conversations reuse a cue, or bring the same memories whatever is asked."""
    if (refused := too_few("drift", seen)) is not None:
        return refused
    talks = [talk for talk in _conversations(seen.lines) if len(talk) >= TURNS]
    if len(talks) < _CONVERSATIONS:
        return fine("drift", f"{len(talks)} conversations of {TURNS} recalls or more", "too few are told apart to drift")
    stale, stuck = sum(map(_same_cue, talks)), sum(map(_same_memories, talks))
    figure = f"{max(stale, stuck)} of {len(talks)} conversations"
    if max(stale, stuck) <= _DRIFTING * len(talks):
        return fine("drift", figure, "cues follow their conversations")
    what = f"used one cue for {TURNS} turns and more" if stale >= stuck else f"got the same memories for {TURNS} turns of changing cues"
    told = f"{what}: build the cue anew from goal, step and open questions at every turn"
    return warned("drift", figure, told, cause="retrieval drift", mend="cued recall --goal … --step …")


def popularity(seen: Observed) -> Line:
    """Whether a few memories are recalled because they were recalled before."""
    if (refused := too_few("popularity", seen)) is not None:
        return refused
    used = Counter(memory for line in seen.lines for memory in line.chosen)
    slots, cues = sum(used.values()), len({line.cue_mark for line in seen.lines})
    top = sum(count for _, count in used.most_common(_FEW))
    figure = f"{percent(top / slots if slots else 0.0)} of {slots} places went to {min(_FEW, len(used))} memories"
    if seen.stats.visible < _HOLDS or cues < _HOLDS or slots < _HOLDS or top <= _LOCKED * slots or not popular(seen.policy):
        return fine("popularity", figure, "what is recalled is not recalled for having been recalled")
    told = f"a popularity loop: of {seen.stats.visible} memories these lock in, and policy {seen.policy.name} weighs their use"
    return warned("popularity", figure, told, cause="popularity loop", mend="cued tune")


def popular(policy: Policy) -> bool:
    """Whether use can change the order more than slightly under this policy."""
    return any(term.signal in _POPULAR and _reach(term) > 1.0 for term in leaves(policy.score.terms))


def _reach(term: Term) -> float:
    """By how much a term can move a score; a signal that grows with use, and has no bounds of its own, by about ten."""
    low, high = term.clip or (0.0, 10.0)
    return abs(term.weight) * (high - low)


def variety(seen: Observed) -> Line:
    """Whether answers are filled with one fact in many wordings, so that variety (MMR) would help."""
    if (refused := too_few("variety", seen)) is not None:
        return refused
    several = [line for line in seen.lines if len(line.chosen) >= _AT_LEAST]
    if seen.vectors is None or len(several) < _HOLDS // 2:
        return fine("variety", f"{len(several)} answers of {_AT_LEAST} or more", "too few to crowd each other out")
    place = {memory.id: row for row, memory in enumerate(seen.memories)}
    shares = [_redundant(seen.vectors[[place[each] for each in line.chosen if each in place]]) for line in several]
    share = float(np.mean(shares))
    figure = f"{percent(share)} of the places in {len(several)} answers repeat another"
    if share <= _REPEATED:
        return fine("variety", figure, "answers say different things")
    told = f"diversity collapse: turn diversify.trade to 0.5, or let near-duplicates give way (now {seen.policy.diversify.trade:g})"
    return warned("variety", figure, told, cause="diversity collapse", mend="cued consolidate")


def parts(seen: Observed) -> Line:
    """Whether a part fails again and again: the embedder, the reranker, the summariser."""
    if (refused := too_few("parts", seen)) is not None:
        return refused
    failed = Counter(part for line in seen.lines for part in {note.partition(":")[0] for note in line.degraded if note not in _ABSENT})
    if not failed:
        return fine("parts", f"0 of {len(seen.lines)} recalls", "nothing failed")
    part, count = failed.most_common(1)[0]
    share, figure = count / len(seen.lines), f"{count} of {len(seen.lines)} recalls"
    if share <= _NOW_AND_THEN:
        return fine("parts", figure, f"{part} failed now and then; those recalls went on without it")
    note = next(note for line in reversed(seen.lines) for note in line.degraded if note.startswith(part) and note not in _ABSENT)
    cause = "reranker outage" if part == "rerank" else f"{part} degraded"
    mend = "cued reembed" if "carry no vector" in note else "cued explain CUE"
    return Line(name="parts", verdict="fail" if share > _MOSTLY else "warn", figure=figure, told=note, cause=cause, mend=mend)


def _conversations(lines: Sequence[RecallEntry]) -> Iterator[list[RecallEntry]]:
    talks: dict[str, list[RecallEntry]] = defaultdict(list)
    for line in lines:
        if line.conversation:
            talks[line.conversation].append(line)
    yield from talks.values()


def _same_cue(talk: Sequence[RecallEntry]) -> bool:
    return any(len(list(run)) >= TURNS for _, run in groupby(talk, lambda line: line.cue_mark))


def _same_memories(talk: Sequence[RecallEntry]) -> bool:
    run = 1
    for before, after in pairwise(talk):
        moved = before.cue_mark != after.cue_mark
        run = run + 1 if moved and after.chosen and set(before.chosen) == set(after.chosen) else 1
        if run >= TURNS:
            return True
    return False


def _redundant(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    """The share of rows that repeat an earlier one."""
    if len(vectors) < _AT_LEAST:
        return 0.0
    near = np.tril(vectors @ vectors.T >= NEAR, k=-1)
    return float(near.any(axis=1).mean())


def leaves(terms: Sequence[Term]) -> Iterator[Term]:
    """Every term with a signal, however deep."""
    for term in terms:
        if term.signal is not None:
            yield term
        yield from leaves((*term.sum, *term.product))
