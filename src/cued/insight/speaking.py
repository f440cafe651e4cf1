"""Whether memory speaks too often, or too rarely and why: the injection rate, and the diagnosis of blindness."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from cued.insight.line import BY_WORDS, Line, fine, percent, too_few
from cued.insight.observing import Observed
from cued.insight.rates import LOW, START, advice, blindness_rate, injection_rate
from cued.model import RecallEntry

WARN, FAIL = 0.20, 0.50
SPARSE = 10
"""Fewer visible memories than these cannot answer much."""
_LIKELY = 0.5
_MISSED = 0.2
_MANY = 0.3


def injection(seen: Observed) -> Line:
    """The floor by the injection rate: healthy, too low (over-injection), or too high."""
    if (refused := too_few("injection", seen)) is not None:
        return refused
    rate, floor = injection_rate(seen.lines), seen.policy.floor.at
    said = advice(rate, len(seen.lines), floor=floor)
    figure = f"{percent(rate)} of {len(seen.lines)} recalls at floor {'none' if floor is None else f'{floor:.2f}'}"
    if said.verdict == "pass":
        return fine("injection", figure, said.told)
    lower = said.verdict == "warn" and said.floor is not None and floor is not None and said.floor < floor
    if lower and not _floor_too_high(seen, _blind(seen)):
        # a store that is asked for what it does not hold is silent for a good reason
        return fine("injection", figure, "low, and what stayed silent was not relevant")
    cause = "floor too low" if said.floor is not None and (floor is None or said.floor > floor) else "floor too high"
    return Line(name="injection", verdict=said.verdict, figure=figure, told=said.told, cause=cause, mend="cued tune --from log")


def blindness(seen: Observed) -> Line:
    """How often memory stayed silent though something is stored, and by which cause."""
    if (refused := too_few("blindness", seen)) is not None:
        return refused
    rate, blind = blindness_rate(seen.lines), _blind(seen)
    figure = f"{percent(rate)} of {sum(line.outcome != 'nothing_stored' for line in seen.lines)} recalls"
    if rate <= WARN:
        return fine("blindness", figure, "memory speaks when it is asked")
    for cause in _CAUSES:
        found = cause(seen, blind)
        if found is not None:
            name, told, mend = found
            return Line(name="blindness", verdict="fail" if rate > FAIL else "warn", figure=figure, told=told, cause=name, mend=mend)
    best = median(line.best_relevance for line in blind)
    return fine("blindness", figure, f"the silence was right: half of what stayed silent had a relevance below {best:.2f} at best")


_Cause = tuple[str, str, str]


def _no_lexical(seen: Observed, _blind: Sequence[RecallEntry]) -> _Cause | None:
    if seen.policy.channels.lexical is not None:
        return None
    return "lexical channel absent", f"policy {seen.policy.name} shuts the lexical channel", "cued policy show cued"


def _no_embedder(seen: Observed, blind: Sequence[RecallEntry]) -> _Cause | None:
    if seen.policy.channels.dense is None or (seen.embedder is None and seen.stats.visible <= BY_WORDS):
        return None
    without = sum(any(note.startswith("dense: ") and "carry no vector" not in note for note in line.degraded) for line in blind)
    if without <= _MANY * len(blind):
        return None
    reason = Counter(note for line in blind for note in line.degraded if note.startswith("dense: ")).most_common(1)[0][0]
    return "embedder absent", f"{without} of {len(blind)} silent recalls searched without meaning ({reason})", "pip install 'cued[minilm]'"


def _no_vectors(seen: Observed, blind: Sequence[RecallEntry]) -> _Cause | None:
    without = sum(any("carry no vector" in note for note in line.degraded) for line in blind)
    if without <= _MANY * len(blind) or not seen.stats.pending_vectors:
        return None
    told = f"{seen.stats.pending_vectors} of {seen.stats.memories} memories have no vector"
    return "vectors pending", told, "cued reembed"


def _all_gated(_seen: Observed, blind: Sequence[RecallEntry]) -> _Cause | None:
    gated = sum(line.outcome == "all_gated" for line in blind)
    if gated <= _MANY * len(blind):
        return None
    told = f"in {gated} of {len(blind)} silent recalls a gate struck everything: another scope, expired, superseded or forgotten"
    return "everything gated", told, "cued explain CUE --memory ID"


def _sparse(seen: Observed, _blind: Sequence[RecallEntry]) -> _Cause | None:
    if seen.stats.visible >= SPARSE:
        return None
    visible = "1 memory is" if seen.stats.visible == 1 else f"{seen.stats.visible} memories are"
    return "store sparse", f"only {visible} visible", "cued import PATH"


def _high_floor(seen: Observed, blind: Sequence[RecallEntry]) -> _Cause | None:
    if not _floor_too_high(seen, blind):
        return None
    likely = sum(_was_likely(line) for line in blind)
    told = f"{likely} of {len(blind)} silent recalls had a memory that was likely relevant, below a floor of {blind[-1].floor}"
    return "floor too high", told, "cued tune --from log"


def _floor_too_high(seen: Observed, blind: Sequence[RecallEntry]) -> bool:
    """Whether the usual floor would have let many silent recalls speak; with a floor below it, only if memory hardly speaks."""
    likely = sum(map(_was_likely, blind))
    high = any(line.floor is not None and line.floor > START for line in blind)
    return likely > _MISSED * len(blind) and (high or injection_rate(seen.lines) < LOW)


def _was_likely(line: RecallEntry) -> bool:
    usual = START if line.floor is not None and line.floor > START else _LIKELY
    return line.outcome == "below_floor" and line.best_relevance >= usual


def _blind(seen: Observed) -> list[RecallEntry]:
    return [line for line in seen.lines if not line.chosen and line.outcome != "nothing_stored"]


_CAUSES: tuple[Callable[[Observed, Sequence[RecallEntry]], _Cause | None], ...] = (
    _all_gated,
    _no_lexical,
    _no_embedder,
    _no_vectors,
    _high_floor,
    _sparse,
)
