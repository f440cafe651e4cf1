"""One line of a diagnosis: what was looked at, the verdict, its figure, and the command that mends it."""

from cued.insight.observing import Observed
from cued.insight.rates import ENOUGH, Verdict
from cued.model.plain import Plain

BY_WORDS = 50
"""Up to so many memories, search by words alone is enough, as the decision guide says."""


class Line(Plain, frozen=True, kw_only=True):
    """A verdict on one thing. `figure` is what it rests on, `cause` one word for what is wrong, "" where nothing is."""

    name: str
    verdict: Verdict
    figure: str
    told: str
    cause: str = ""
    mend: str = ""


def fine(name: str, figure: str, told: str) -> Line:
    """A line that passes."""
    return Line(name=name, verdict="pass", figure=figure, told=told)


def warned(name: str, figure: str, told: str, *, cause: str, mend: str) -> Line:
    """A line that warns."""
    return Line(name=name, verdict="warn", figure=figure, told=told, cause=cause, mend=mend)


def failed(name: str, figure: str, told: str, *, cause: str, mend: str) -> Line:
    """A line that fails."""
    return Line(name=name, verdict="fail", figure=figure, told=told, cause=cause, mend=mend)


def too_few(name: str, seen: Observed) -> Line | None:
    """The line for a check that needs more recalls; None if there are enough."""
    if not seen.missing:
        return None
    told = f"needs {ENOUGH} recalls, and {seen.missing} are missing"
    return Line(name=name, verdict="unknown", figure=f"{len(seen.lines)} recall{'s' * (len(seen.lines) != 1)}", told=told)


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.0f} %"
