"""The diagnosis of one tenant's memory: the production checklist first, then everything else that is known to go wrong."""

from collections.abc import Callable

from cued.insight import deployment, holdings, speaking, traffic
from cued.insight.line import Line
from cued.insight.observing import Observed
from cued.insight.rates import Verdict
from cued.model.plain import Plain

CHECKLIST: dict[str, Callable[[Observed], Line]] = {
    "injection": speaking.injection,
    "lexical": deployment.lexical,
    "fading": holdings.fading,
    "variety": traffic.variety,
    "blindness": speaking.blindness,
    "budget": deployment.budget,
}
"""The six items of the production checklist: floor and injection rate, the lexical channel, recency, variety, blindness, the budget."""

BESIDE: dict[str, Callable[[Observed], Line]] = {
    "guide": deployment.guide,
    "drift": traffic.drift,
    "popularity": traffic.popularity,
    "use": deployment.use,
    "scans": holdings.scans,
    "parts": traffic.parts,
    "salience": holdings.salience,
    "embedder": holdings.embedder,
    "language": holdings.language,
    "vectors": holdings.vectors,
    "index": holdings.index,
    "database": deployment.database,
    "disk": deployment.disk,
    "permissions": deployment.permissions,
    "versions": deployment.versions,
    "loops": deployment.loops,
}
"""What is looked at beside the checklist."""

_WORST: tuple[Verdict, ...] = ("fail", "warn", "pass", "unknown")


class Diagnosis(Plain, frozen=True, kw_only=True):
    """Every line, the worst verdict, and how many recalls are missing before those about traffic can be drawn."""

    verdict: Verdict
    recalls: int
    missing: int
    policy: str
    checklist: tuple[Line, ...]
    beside: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line."""
        return (*self.checklist, *self.beside)

    @property
    def named(self) -> tuple[str, ...]:
        """What is wrong, a word or two each."""
        return tuple(line.cause for line in self.lines if line.cause)


def diagnose(seen: Observed) -> Diagnosis:
    """The diagnosis of what was observed."""
    checklist, beside = (tuple(check(seen) for check in checks.values()) for checks in (CHECKLIST, BESIDE))
    verdicts = {line.verdict for line in (*checklist, *beside)}
    return Diagnosis(
        verdict=next(verdict for verdict in _WORST if verdict in verdicts),
        recalls=len(seen.lines),
        missing=seen.missing,
        policy=seen.policy.name,
        checklist=checklist,
        beside=beside,
    )
