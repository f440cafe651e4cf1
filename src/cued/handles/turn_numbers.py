"""The numbers of a session's turns."""

from collections.abc import Callable

from cued.model import Page
from cued.requests.listing import MAX_PAGE


def next_turn(listed: Callable[..., Page], session: str) -> int:
    """The number after that of the newest stored turn of a session, by a tenant's `list`; 1 where there is none."""
    newest = listed(session=session, hidden=True, limit=1).memories
    # turns of one moment lie in the order of their ids, which need not be theirs
    tied = listed(session=session, hidden=True, since=newest[0].created_at, limit=MAX_PAGE) if newest else ()
    return max((memory.source.turn or 0 for memory in tied), default=0) + 1
