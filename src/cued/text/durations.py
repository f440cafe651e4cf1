"""Durations as people write them: "30d", "12h", "90 minutes", or a number of seconds."""

import re
from datetime import timedelta

from cued.errors import InputError

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_WRITTEN = re.compile(
    r"\s*(\d+(?:\.\d+)?)\s*(s|m|h|d|w|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?)?\s*",
    re.IGNORECASE,
)
SPAN = 'a positive duration such as "30d", "12h", "45m", "90s", "2w", or a number of seconds'
"""What is accepted as a span of time, for messages."""
_SHORTEST_S = 1e-6
_LONGEST_S = 200 * 365 * 86_400


def parse_duration(value: str | float | timedelta, *, field: str = "duration") -> timedelta:
    """The duration that was written; one that is negative, infinite or shorter than a microsecond is refused."""
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, str):
        match = _WRITTEN.fullmatch(value)
        if match is None:
            raise InputError(field, value, SPAN)
        seconds = float(match[1]) * _UNITS[(match[2] or "s")[0].lower()]
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(field, value, SPAN)
    else:
        seconds = value
    if not _SHORTEST_S <= seconds <= _LONGEST_S:
        raise InputError(field, value, SPAN)
    return timedelta(seconds=seconds)


def format_duration(duration: timedelta) -> str:
    """The shortest spelling that `parse_duration` reads back as the same duration."""
    seconds = duration.total_seconds()
    for unit in ("d", "h", "m", "s"):
        if seconds % _UNITS[unit] == 0:
            return f"{int(seconds) // _UNITS[unit]}{unit}"
    return f"{seconds:.6f}".rstrip("0") + "s"
