"""Ages in words, as a reader weighs them: "3 months ago"."""

from datetime import datetime, timedelta

_UNITS = (
    ("year", timedelta(days=365.25), timedelta(days=730)),
    ("month", timedelta(days=30.44), timedelta(days=61)),
    ("week", timedelta(weeks=1), timedelta(days=14)),
    ("day", timedelta(days=1), timedelta(days=1)),
    ("hour", timedelta(hours=1), timedelta(hours=1)),
    ("minute", timedelta(minutes=1), timedelta(minutes=1)),
)


def ago(then: datetime, now: datetime) -> str:
    """How long ago a moment was, in the unit that a person would choose; "" when it lies ahead."""
    age = now - then
    if age < timedelta(0):
        return ""
    for unit, length, least in _UNITS:
        if age >= least:
            count = max(1, round(age / length))
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
