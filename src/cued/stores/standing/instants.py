"""Times as whole microseconds since 1970, so that columns of them compare exactly."""

from datetime import UTC, datetime, timedelta

from cued.model import EPOCH

NEVER = 2**63 - 1
ALWAYS = -(2**63)

LAST = datetime.max.replace(tzinfo=UTC)
"""The last moment that there is: at it, whatever was ever noted has come to pass."""

_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """The microseconds from 1970-01-01 UTC to the moment, negative before it."""
    return (moment - EPOCH) // _MICROSECOND


def time_or_none(time: int) -> int | None:
    """The time, and None for NEVER and ALWAYS."""
    return None if time in (NEVER, ALWAYS) else time
