"""Looking after memories: what is done to a store now and then, by a command or on a schedule, and never inside a recall."""

from cued.requests.upkeep import AT_LEAST, IMPORTANCE_BELOW, OLDER_THAN

__all__ = ["AT_LEAST", "IMPORTANCE_BELOW", "OLDER_THAN"]
