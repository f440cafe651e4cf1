"""Conflicts: which stored memories a new one may repeat, update or deny, told by what both claim."""

from cued.conflicts.finding import choices, find_conflicts

__all__ = ["choices", "find_conflicts"]
