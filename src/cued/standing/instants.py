"""Times as whole microseconds since 1970, so that columns of them compare exactly."""

from datetime import datetime, timedelta

from cued.model import EPOCH

NEVER = 2**63 - 1
ALWAYS = -(2**63)

_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Give the microseconds from 1970-01-01 UTC to the moment, negative before it."""
    return (moment - EPOCH) // _MICROSECOND


def time_or_none(time: int) -> int | None:
    """Give the time, and None for NEVER and ALWAYS."""
    return None if time in (NEVER, ALWAYS) else time
