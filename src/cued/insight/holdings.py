"""Checks of the memories themselves: importances all alike, fading that cuts them off, unfit vectors, a language the model lacks."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta

from cued.insight.line import BY_WORDS, Line, failed, fine, percent, warned
from cued.insight.observing import Observed
from cued.insight.traffic import leaves
from cued.model import Memory
from cued.policy.calibration import calibrated
from cued.policy.spec import Policy, Term
from cued.text.durations import format_duration
from cued.text.languages import foreignness, is_latin

CLIFFS = (timedelta(days=7), timedelta(days=30))
"""The half-lives between which recency neither cuts everything off nor has no effect."""
_UNSET = 0.5
_ALIKE = 0.9
_SOME = 20
_FOREIGN, _STRANGE = 0.2, 0.7
_OLD = timedelta(days=30)
_SCAN = timedelta(minutes=1)
_SESSION = 5
_WARMED = 0.8
_WAITS = timedelta(hours=1)


def salience(seen: Observed) -> Line:
    """Whether importances differ; all set alike, they order nothing. Marking a few and leaving the rest as it is tells those few apart."""
    values = Counter(round(memory.importance, 3) for memory in seen.memories)
    if len(seen.memories) < _SOME:
        return fine("salience", f"{len(seen.memories)} memories", "too few to say whether importances differ")
    value, count = values.most_common(1)[0]
    share = count / len(seen.memories)
    figure = f"{percent(share)} of {len(seen.memories)} memories have importance {value:g}"
    if set(values) == {_UNSET}:
        return fine("salience", figure, "nobody sets importances, so they weigh nothing")
    if value == _UNSET:
        return fine("salience", figure, "those that were set stand out from the rest")
    if share < _ALIKE:
        return fine("salience", figure, "importances tell memories apart")
    told = "salience collapse: importances are nearly all alike, so they order nothing; keep high ones for what must not be missed"
    return warned("salience", figure, told, cause="salience collapse", mend="cued update ID --importance 0.9")


def fading(seen: Observed) -> Line:
    """Whether the half-life of what fades lies between 7 and 30 days, and what lies beyond the cliff."""
    lives = sorted(set(half_lives(seen.policy)))
    if not lives:
        return fine("fading", f"policy {seen.policy.name}", "nothing fades by a half-life")
    shown = ", ".join(format_duration(timedelta(hours=round(life.total_seconds() / 3600) or 1)) for life in lives)
    figure = f"half-life {shown}"
    short, long = lives[0] < CLIFFS[0], lives[-1] > CLIFFS[1]
    if not short and not long:
        return fine("fading", figure, "between 7 and 30 days")
    if short:
        old = sum(seen.now - memory.created_at > CLIFFS[0] for memory in seen.memories)
        told = f"decay cliff: what is older than a week is gone, which are {old} of {len(seen.memories)} memories"
    else:
        told = "decay cliff on the other side: beyond 30 days recency is a constant, and only the other terms order"
    return warned("fading", figure, told, cause="decay cliff", mend="cued tune")


def half_lives(policy: Policy) -> Iterator[timedelta]:
    """The half-life of each term that fades exponentially."""
    for term in leaves(policy.score.terms):
        if term.signal in {"recency", "decay"} and term.weight + abs(term.lean):
            yield _half_life(term)


def _half_life(term: Term) -> timedelta:
    if term.half_life is not None:
        return term.half_life
    if term.tau is not None:
        return term.tau * math.log(2)
    if term.per_hour is not None:
        return timedelta(hours=math.log(0.5) / math.log(term.per_hour))
    return timedelta(days=math.log(2) / term.rate_per_day) if term.rate_per_day else CLIFFS[0]


def scans(seen: Observed) -> Line:
    """Whether a single recall from an old session has made all of it seem fresh."""
    sessions: dict[str, list[Memory]] = defaultdict(list)
    for memory in seen.memories:
        if memory.source.session is not None and seen.now - memory.created_at > _OLD:
            sessions[memory.source.session].append(memory)
    warmed = [name for name, own in sessions.items() if len(own) >= _SESSION and _warmed_at_once(own)]
    figure = f"{len(warmed)} of {len(sessions)} old sessions"
    refreshed = any(term.since == "last_used" or term.signal == "activation" for term in leaves(seen.policy.score.terms))
    if not warmed or not refreshed or seen.policy.settle.second_within is not None:
        return fine("scans", figure, "no scan has warmed an old session, or the second use alone would count")
    told = f'a scan warmed session {warmed[0]!r} as a whole: let recency count from the second use, settle.second_within = "7d"'
    return warned("scans", figure, told, cause="scan warms an old session", mend="cued policy show cued")


def _warmed_at_once(own: list[Memory]) -> bool:
    times = sorted(memory.use.last_at for memory in own if memory.use.last_at is not None and memory.use.previous_at is None)
    most = max((sum(start <= other <= start + _SCAN for other in times) for start in times), default=0)
    return most >= _WARMED * len(own)


def embedder(seen: Observed) -> Line:
    """Whether there is a dense search, and with a good enough model."""
    if seen.failing:
        told = f"it fails, and recalls go on by words alone: {seen.failing}"
        return failed("embedder", "failing", told, cause="embedder failing", mend="cued recall CUE")
    if seen.embedder is None:
        if seen.policy.channels.dense is None or seen.stats.visible <= BY_WORDS:
            return fine("embedder", "none", "words alone do for a store of this size")
        told = f"{seen.stats.visible} memories are searched by words alone; above some {BY_WORDS}, meaning finds what is said otherwise"
        return warned("embedder", "none", told, cause="embedder absent", mend="pip install 'cued[minilm]'")
    if "hashing" in seen.embedder.partition("@")[0]:
        told = "hashing knows spellings and no meanings: fine for tests, weak in use"
        return warned("embedder", seen.embedder, told, cause="weak embedder", mend="pip install 'cued[minilm]'")
    return fine("embedder", seen.embedder, "it answers")


def language(seen: Observed) -> Line:
    """Whether the model knows the language that the memories are in."""
    if seen.embedder is None or not seen.memories:
        return fine("language", f"{len(seen.memories)} memories", "nothing to compare")
    knows_latin_alone = calibrated(seen.policy.relevance, seen.embedder)[0].latin_only
    other = sum(not is_latin(m.text) for m in seen.memories) / len(seen.memories)
    strange = sum(is_latin(m.text) and foreignness(m.text) >= _STRANGE for m in seen.memories) / len(seen.memories)
    figure = f"{percent(other)} in another script, {percent(strange)} hardly English"
    if not knows_latin_alone or other <= _FOREIGN:
        return fine("language", figure, "the model knows what is stored")
    told = "the model knows Latin script alone, so for these memories words decide; a multilingual model would add their meaning"
    mend = "cued reembed --embedder sentence-transformers:NAME"
    return warned("language", figure, told, cause="model does not know the language", mend=mend)


def vectors(seen: Observed) -> Line:
    """Whether every memory has a vector of the model in use."""
    kinds, pending = seen.stats.by_fingerprint, seen.stats.pending_vectors
    others = sum(count for name, count in kinds.items() if seen.embedder is not None and name != seen.embedder)
    if others or len(kinds) > 1:
        figure = ", ".join(f"{count} of {name}" for name, count in kinds.items())
        told = "vectors of several models are never compared: those of another than the one in use are not searched"
        return warned("vectors", figure, told, cause="mixed vectors", mend="cued reembed")
    if pending and seen.embedder is not None:
        oldest = min((m.created_at for m in seen.memories if m.fingerprint is None), default=seen.now)
        figure = f"{pending} pending, the oldest since {oldest:%Y-%m-%d %H:%M}"
        if seen.now - oldest > _WAITS:
            return warned("vectors", figure, "they are found by words alone", cause="vectors pending", mend="cued reembed")
        return fine("vectors", figure, "some are still being made")
    return fine("vectors", f"{sum(kinds.values())} of one model", "none is pending")


def index(seen: Observed) -> Line:
    """Whether what is searched agrees with the rows."""
    bare = _without_their_vector(seen)
    figure = f"{seen.stats.memories} rows, {seen.size} counted, {bare} without the vector that they name"
    if seen.stats.memories == seen.size and not bare:
        return fine("index", figure, "the counts agree")
    told = "the counts disagree: the file was changed by something else than Cued, or is damaged"
    return failed("index", figure, told, cause="index against rows", mend="cued export > kept.jsonl")


def _without_their_vector(seen: Observed) -> int:
    if seen.vectors is None:
        return 0
    return sum(memory.fingerprint == seen.embedder and not vector.any() for memory, vector in zip(seen.memories, seen.vectors, strict=True))
