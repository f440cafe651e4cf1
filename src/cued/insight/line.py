"""One line of a diagnosis: what was looked at, the verdict, its figure, and the command that mends it."""

from cued.insight.observing import Observed
from cued.insight.rates import ENOUGH, Verdict
from cued.model.plain import Plain

BY_WORDS = 50
"""Up to so many memories words alone do, as the decision guide says."""


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
    """A line of what is to be looked at."""
    return Line(name=name, verdict="warn", figure=figure, told=told, cause=cause, mend=mend)


def failed(name: str, figure: str, told: str, *, cause: str, mend: str) -> Line:
    """A line of what fails."""
    return Line(name=name, verdict="fail", figure=figure, told=told, cause=cause, mend=mend)


def too_few(name: str, seen: Observed) -> Line | None:
    """The line of a conclusion that is refused, because there are too few recalls; None where there are enough."""
    if not seen.missing:
        return None
    told = f"needs {ENOUGH} recalls, and {seen.missing} are missing"
    return Line(name=name, verdict="unknown", figure=f"{len(seen.lines)} recall{'s' * (len(seen.lines) != 1)}", told=told)


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.0f} %"
