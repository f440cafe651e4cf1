"""Numbers, times and texts for people to read: short, and without hidden characters."""

import re
from datetime import UTC, datetime

from cued.text.harmless import plain

_KEPT = frozenset({"\n", "\r\n", "\t"})
_LAID_OUT = re.compile("(\r?\n|\t)")
_STEPS = ((86_400 * 365.25, "y"), (86_400 * 30.44, "mo"), (86_400, "d"), (3600, "h"), (60, "min"))


def read_time(value: str | datetime) -> datetime:
    """The moment that an answer says, in UTC."""
    return (datetime.fromisoformat(value) if isinstance(value, str) else value).astimezone(UTC)


def ago(value: str | datetime | None, now: datetime) -> str:
    """How long ago a moment is: "3 d", "now" within the minute, "in 2 h" for what is to come, "" for none."""
    if value is None:
        return ""
    seconds = (now - read_time(value)).total_seconds()
    for size, unit in _STEPS:
        if abs(seconds) >= size:
            told = f"{abs(seconds) / size:.0f} {unit}"
            return told if seconds > 0 else f"in {told}"
    return "now"


def moment(value: str | datetime | None) -> str:
    """A moment to the minute, in UTC; "" for none."""
    return "" if value is None else f"{read_time(value):%Y-%m-%d %H:%M}"


def day(value: str | datetime | None) -> str:
    """A moment's day, in UTC; "" for none."""
    return "" if value is None else f"{read_time(value):%Y-%m-%d}"


def figure(value: float | None, digits: int = 2) -> str:
    """A number with so many digits after the point, a dash for none, and a true minus."""
    if value is None:
        return "–"
    told = f"{value:.{digits}f}"
    return told.replace("-", "−") if float(told) else told.lstrip("-")


def percent(value: float | None) -> str:
    """A share in per cent, a dash for none."""
    return "–" if value is None else f"{value * 100:.0f}\u202f%"


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 memory", "2 memories"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def unhidden(text: str) -> str:
    """A text with its invisible characters written out, except line breaks and tabs, so that a person sees what a model reads."""
    return "".join(piece if piece in _KEPT else plain(piece) for piece in _LAID_OUT.split(text))


def clipped(text: str, most: int = 240) -> str:
    """A text on one line, with invisible characters written out, cut at a space where it is too long."""
    shown = plain(text[: most + 1])
    if max(len(text), len(shown)) <= most:
        return shown
    kept = shown[: most + 1].rpartition(" ")[0]
    return (kept if len(kept) > most // 2 else shown[:most]) + "…"
